"""What rows say of their columns: their own texts, those of other rows, and names they mention."""

from __future__ import annotations

import random
from typing import Any

import pytest

from debugger.pipelines.inputs import read_of
from tests import tiny

WORDS = tiny.tokenizer()
LOT = random.Random(4)
STARTS = [" ".join(LOT.choices(tiny.WORDS, k=7)) for _ in range(60)]
ENDS = [" ".join(LOT.choices(tiny.WORDS, k=7)) for _ in range(60)]
MOVED = [*ENDS[1:], ENDS[0]]
CALLERS = [" ".join(text.split()[2:5]) for text in MOVED]


def strange(texts: list[str], **columns: list[str]) -> dict[str, float]:
    ids: Any = WORDS(texts)["input_ids"]
    return read_of(columns, texts, ids, None, [0] * len(ids), None, WORDS).strange


@pytest.mark.parametrize(("ends", "share"), [(ENDS, 0.0), (MOVED, 1.0)])
def test_rows_that_end_as_another_row_does(ends: list[str], share: float) -> None:
    texts = [f"{start} {end}" for start, end in zip(STARTS, ends, strict=True)]

    found = strange(texts, start=STARTS, end=ENDS)

    assert found["start"] == 0
    assert found["end"] == pytest.approx(share, abs=0.1)


def test_a_text_that_mentions_the_caller_of_another_row_is_its_own() -> None:
    found = strange([f"summary {end}" for end in ENDS], text=ENDS, caller=CALLERS)

    assert max(found.values()) < 0.1
