"""The numbers that a Trainer's rows hold beside texts, measured column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from debugger.pipelines.columns import (
    MOST_MEASURED,
    Columns,
    given_twice,
    measured,
    swapped,
)
from debugger.pipelines.rows import LABELS

TABLE = 2
"""The axes of a table."""


def columns_of(
    values: Mapping[str, Sequence[Any]], kept: Sequence[str], label: str | None
) -> Columns | None:
    """None where no column that reaches the model holds fractions."""
    found = {name: list(array) for name, array in arrays_of(values, kept, label).items()}
    if not found:
        return None
    names = list(found)
    twice = given_twice(names, [found[name] for name in names])
    return replace(
        measured(found, values.get(label, ()) if label else ()),
        twice=None if twice is None else (names[twice[0]], names[twice[1]]),
    )


def arrays_of(
    values: Mapping[str, Sequence[Any]], kept: Sequence[str], label: str | None
) -> dict[str, Any]:
    """All columns of fractions, by name."""
    arrays = {n: _array(v) for n, v in values.items() if n in kept and n not in (label, *LABELS)}
    return {name: array for name, array in arrays.items() if array is not None}


def between(train: Any, other: Any) -> tuple[tuple[int, int], ...]:
    """Columns of the other rows that stand at another's place."""
    return () if train is None or other is None else swapped(train, other)


def array_of(values: Mapping[str, Sequence[Any]], kept: Sequence[str], label: str | None) -> Any:
    """The only column of fractions that there is; None where there are more."""
    arrays = arrays_of(values, kept, label).values()
    one = [array for array in arrays if array.ndim <= TABLE]
    return one[0] if len(one) == 1 else None


def _array(column: Sequence[Any]) -> Any:
    """Rows of fractions: one each, a list of them, or lists of lists."""
    rows = list(column[:MOST_MEASURED])
    try:
        found = np.asarray(rows, dtype=float) if rows and _is_fraction(rows[0]) else None
    except (TypeError, ValueError):  # rows of different lengths, or a gap that is None
        return None
    return found


def _is_fraction(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and _is_fraction(value[0])
    return isinstance(value, float)
