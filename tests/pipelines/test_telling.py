"""A column that tells the label by itself, and columns that only help."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from debugger.pipelines.telling import told_by_one

LOT = np.random.default_rng(0)
OTHERS = LOT.normal(size=(300, 4))


def told(column: Any, labels: Any) -> Any:
    rows = list(np.column_stack([OTHERS, column]))
    return told_by_one("x", rows, labels.tolist())


DAYS = np.exp(LOT.normal(size=300))
YES = (LOT.random(300) < 0.3).astype(int)


@pytest.mark.parametrize(
    ("column", "labels", "exact"),
    [
        (420 * DAYS + LOT.normal(size=300), np.log(DAYS), False),
        (-DAYS, DAYS, False),
        (YES * 2.3 - 0.4, YES, True),
        (YES * 9 + LOT.normal(size=300), YES, False),
    ],
)
def test_a_column_that_tells_all(column: Any, labels: Any, exact: bool) -> None:
    found = told(column, labels)
    assert (found.place, found.exact) == (4, exact)


@pytest.mark.parametrize(
    ("column", "labels"),
    [
        (DAYS + 2 * LOT.normal(size=300), DAYS),
        (LOT.normal(size=300), YES),
        (YES + LOT.normal(size=300), YES),
        (np.zeros(300), YES),
    ],
)
def test_a_column_that_only_helps(column: Any, labels: Any) -> None:
    assert told(column, labels) is None


def test_where_two_columns_tell_the_same_neither_is_named() -> None:
    rows = list(np.column_stack([OTHERS, DAYS, 2 * DAYS]))
    assert told_by_one("x", rows, DAYS.tolist()) is None
