"""The numbers that a Trainer's rows hold beside texts, measured column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from debugger.pipelines.columns import (
    FEWEST_SCALED,
    MOST_MEASURED,
    Across,
    Columns,
    Gap,
    Same,
    across,
    given_twice,
    measured,
    same,
    swapped,
    without_number,
)
from debugger.pipelines.rows import LABELS

TABLE, MOST_KINDS = 2, 16
"""The axes of a table; and the most columns of one that hold kinds of something."""


def arrays_of(
    values: Mapping[str, Sequence[Any]], kept: Sequence[str], label: str | None
) -> dict[str, Any]:
    """All columns of fractions that reach the model, by name."""
    arrays = {n: _array(v) for n, v in values.items() if n in kept and n not in (label, *LABELS)}
    return {name: array for name, array in arrays.items() if array is not None}


def gaps_of(
    values: Mapping[str, Sequence[Any]],
    kept: Sequence[str],
    label: str | None,
    arrays: Mapping[str, Any],
) -> tuple[Gap, ...]:
    """Of columns of fractions that are no `arrays`, as their rows are not all as long."""
    found: list[Gap] = []
    others = (one for one in values if one in kept and one not in (label, *LABELS, *arrays))
    for name in others:
        rows = list(values[name][:MOST_MEASURED])
        if not rows or not _is_fraction(rows[0]):
            continue
        with suppress(TypeError, ValueError):
            lost = without_number([np.asarray(row, dtype=float) for row in rows])
            found += [Gap(name, len(lost), len(rows))] if lost else []
    return tuple(found)


def kinds_of(
    values: Mapping[str, Sequence[Any]], kept: Sequence[str], label: str | None
) -> tuple[Same, ...]:
    """Of columns of whole numbers, a few to a row: more of them are tokens."""
    found: list[Same] = []
    for name in (one for one in values if one in kept and one not in (label, *LABELS)):
        rows = list(values[name][:MOST_MEASURED])
        few = not isinstance(rows[0] if rows else None, list | tuple) or len(rows[0]) <= MOST_KINDS
        with suppress(TypeError, ValueError):
            array = np.asarray(rows) if rows and few else np.empty(0)
            found += same(name, list(array)) if array.dtype.kind in "iu" else []
    return tuple(found)


def across_of(
    values: Mapping[str, Sequence[Any]], kept: Sequence[str], label: str | None
) -> Across | None:
    """Of rows of fractions, whether all are as long or not."""
    for name in (one for one in values if one in kept and one not in (label, *LABELS)):
        rows = list(values[name][:FEWEST_SCALED])
        with suppress(TypeError, ValueError):
            fractions = bool(rows) and _is_fraction(rows[0])
            found = across(name, [np.asarray(r, dtype=float) for r in rows] if fractions else [])
            if found is not None:
                return found
    return None


def columns_of(
    arrays: Mapping[str, Any], labels: Sequence[Any], gaps: tuple[Gap, ...] = ()
) -> Columns | None:
    """None where there are none."""
    if not arrays:
        return Columns(gaps=gaps) if gaps else None
    found = {name: list(array) for name, array in arrays.items()}
    names = list(found)
    twice = given_twice(names, [found[name] for name in names])
    return replace(
        measured(found, labels),
        twice=None if twice is None else (names[twice[0]], names[twice[1]]),
    )


def between(train: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """Columns of the other rows that stand at another's place, where each has one table."""
    here, there = (_table_of(arrays) for arrays in (train, other))
    return () if here is None or there is None else swapped(here, there)


def _table_of(arrays: Mapping[str, Any]) -> Any:
    """The only one that there is."""
    one = [array for array in arrays.values() if array.ndim <= TABLE]
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
