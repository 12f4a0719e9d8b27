"""What stands in the inputs of rows, column by column: range, place and width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

MOST_MEASURED = 500
FEWEST = 8


@dataclass(frozen=True)
class Column:
    """`middle` is the median, `width` what eight in ten numbers lie within. `common`: of rows of
    whole numbers that are filled up with 0 behind, the share of the commonest before that.
    """

    name: str
    rows: int
    low: float
    high: float
    middle: float
    width: float
    fractions: bool
    common: float | None = None
    commonest: int = 0


@dataclass(frozen=True)
class Columns:
    """`twice` are two inputs with the same numbers; `shared`: one layer reads them both.

    `embedded` is how many numbers the model has words for, at most.
    """

    inputs: tuple[Column, ...] = ()
    twice: tuple[str, str] | None = None
    shared: bool = False
    embedded: int = 0


def column_of(name: str, rows: Sequence[Any]) -> Column | None:
    """None where the rows hold no numbers, or do not fit together."""
    chosen = list(rows[:MOST_MEASURED])
    if not chosen or len({row.shape for row in chosen}) > 1:
        return None
    values = np.stack(chosen)
    if values.dtype.kind not in "iuf" or not values.size or not np.isfinite(values).all():
        return None
    common, commonest = _common(values)
    low, middle, high = np.quantile(values, (0.1, 0.5, 0.9))
    return Column(
        name=name,
        rows=len(rows),
        low=float(values.min()),
        high=float(values.max()),
        middle=float(middle),
        width=float(high - low),
        fractions=values.dtype.kind == "f" or values.ndim > 2,
        common=common,
        commonest=commonest,
    )


def given_twice(names: Sequence[str], leaves: Sequence[Sequence[Any]]) -> tuple[int, int] | None:
    """Two inputs that hold the same numbers in all rows, and not the same in each row."""
    for one, other in combinations(range(len(names)), 2):
        here, there = leaves[one][:MOST_MEASURED], leaves[other][:MOST_MEASURED]
        if len(here) < FEWEST or all(np.array_equal(row, here[0]) for row in here):
            continue
        if all(np.array_equal(a, b) for a, b in zip(here, there, strict=True)):
            return one, other
    return None


def _common(values: Any) -> tuple[float | None, int]:
    """Of the numbers in rows that are filled up with 0 behind; None where they are no such rows."""
    if values.dtype.kind not in "iu" or values.ndim != 2 or values.shape[1] < 4 or values.min() < 0:
        return None, 0
    filled = np.flip(np.cumprod(np.flip(values == 0, 1), 1), 1).astype(bool)
    text = values[~filled]
    if not text.size or not (text > 0).all():
        return None, 0
    found, counts = np.unique(text, return_counts=True)
    return float(counts.max() / text.size), int(found[counts.argmax()])
