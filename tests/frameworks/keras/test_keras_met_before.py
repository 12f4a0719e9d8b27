"""Whether rows that are asked about behind a fit are those that it learned from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from debugger.frameworks.keras.met_before import met_before

TEXTS = np.array([[f"row {n}"] for n in range(60)])
NUMBERS = np.arange(120.0).reshape(60, 2)


@pytest.mark.parametrize("rows", [NUMBERS, TEXTS, TEXTS.astype(object), TEXTS.astype(bytes)])
@pytest.mark.parametrize("known", [True, False])
def test_rows_of_numbers_and_of_texts_are_known_again(rows: Any, known: bool) -> None:
    learned, others = rows[:30], rows[30:]
    asked = learned if known else others
    train: Any = SimpleNamespace(batch=SimpleNamespace(x=rows[:1]), leaves=[list(learned)])

    found = met_before(train, None, [asked], {"learned": learned, "others": others})

    assert found == ((30, "others") if known else None)


def test_texts_are_known_again_as_bytes() -> None:
    train: Any = SimpleNamespace(
        batch=SimpleNamespace(x=TEXTS[:1]), leaves=[list(TEXTS[:30].astype(bytes))]
    )

    assert met_before(train, None, [TEXTS[:30]], {"others": TEXTS[30:]}) == (30, "others")
