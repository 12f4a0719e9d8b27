"""Rows that are windows cut out of one course of time, and whether there is a course in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from debugger.pipelines.columns import FEWEST, MOST_CELLS, MOST_MEASURED
from debugger.pipelines.layout import columns_last

SHORTEST = 8
RUN, MOSTLY, TABLE, DISTINCT, FEWEST_FRAMES = 3, 0.5, 2, 0.9, 2
BY_CHANCE = 100
"""Times what a run would have to be one of, that it is not met by chance."""
OVERLAP = 0.5
"""Of all steps: where no more than so many differ, each of them stands in several windows."""


@dataclass(frozen=True)
class Windows:
    """`follows` is how far a step goes with the one before it, in the column where it does most:
    1 where both are alike, 0 where they have nothing to do with each other."""

    name: str
    steps: int
    columns: int
    follows: float


def windows(found: Mapping[str, Sequence[Any]]) -> Windows | None:
    """Of the first input whose rows overlap, as windows do that move over one course."""
    for name, rows in found.items():
        some = rows[:MOST_MEASURED]
        if len(some) < 2 * FEWEST or len({row.shape for row in some}) > 1:
            continue
        values = np.stack(some)
        if values.dtype.kind != "f" or values.ndim != 3 or values[0].size > MOST_CELLS:
            continue
        _, steps, columns = values.shape
        if steps < SHORTEST or not np.isfinite(values).all() or not _overlap(values):
            continue
        return Windows(name, steps, columns, _follows(values))
    return None


@dataclass(frozen=True)
class Met:
    """Of so many `rows` to be judged by, windows of a course of time, so many were `met` for the
    most part, step by step, in windows that the model learns from."""

    name: str
    met: int
    rows: int


def met_in(train: Mapping[str, Any], other: Mapping[str, Any]) -> Met | None:
    """Of the first input whose training rows are windows that move over one course."""
    for name in (one for one in train if one in other):
        for turn in (False, True):  # of what is laid out as PyTorch's convolutions have it
            here, there = (_runs(rows[name], turn) for rows in (train, other))
            if here is None or there is None:
                continue
            common = _common(here)
            here, there = ([_without(common, row) for row in some] for some in (here, there))
            if not _moves_on(here):
                continue
            known = {run for row in here for run in row.values()}
            return Met(name, sum(_is_met(row, known) for row in there), len(there))
    return None


_Row = dict[int, bytes]
"""Each few steps that follow each other, by where they stand, as what tells them from others."""


def _runs(rows: Any, turn: bool) -> list[_Row] | None:
    """`turn`: the steps stand behind the columns."""
    values = np.asarray(rows)
    if turn:
        values = columns_last(values)
    if values.dtype.kind == "f" and values.ndim == TABLE + 2:
        return _frames(values)
    if values.dtype.kind != "f" or not TABLE <= values.ndim <= TABLE + 1:
        return None
    if len(values) < 2 * FEWEST or values.shape[1] < SHORTEST or not np.isfinite(values).all():
        return None
    values = np.ascontiguousarray(values[:MOST_MEASURED], dtype=np.float32)
    if len(np.unique(values)) ** RUN < BY_CHANCE * values.size:  # few numbers are alike by chance
        return None
    return [
        {at: row[at : at + RUN].tobytes() for at in range(len(row) - RUN + 1) if _differ(row, at)}
        for row in values
    ]


def _frames(values: Any) -> list[_Row] | None:
    """Of a few pictures each, which are told by themselves. Colours are no course of time."""
    axis = 1 + int(np.argmin(values.shape[1:]))
    pictures = np.moveaxis(values[:MOST_MEASURED], axis, 1)
    if len(pictures) < 2 * FEWEST or not FEWEST_FRAMES <= pictures.shape[1] < SHORTEST * 4:
        return None
    made = np.ascontiguousarray(pictures, dtype=np.float32)
    return [{at: one.tobytes() for at, one in enumerate(row) if np.ptp(one)} for row in made]


def _differ(row: Any, at: int) -> bool:
    """Whether something moves there: where nothing does, windows are alike by chance."""
    return bool((row[at] != row[at + 1]).any() and (row[at + 1] != row[at + 2]).any())


def _is_met(row: _Row, known: set[bytes]) -> bool:
    return 0 < MOSTLY * len(row) <= sum(run in known for run in row.values())


def _common(rows: list[_Row]) -> set[bytes]:
    """What stands in more rows than windows have places for it: a 1 among zeros, in a table whose
    columns say yes or no."""
    rows_with = Counter(run for row in rows for run in set(row.values()))
    places = max(map(len, rows))
    return {run for run, count in rows_with.items() if count > places}


def _without(common: set[bytes], row: _Row) -> _Row:
    return {at: run for at, run in row.items() if run not in common}


def _moves_on(rows: list[_Row]) -> bool:
    """Whether most rows hold what another one holds in another place, and hardly any is another
    one: a course that repeats itself is alike everywhere."""
    if len({tuple(row.values()) for row in rows}) < DISTINCT * len(rows):
        return False
    places: dict[bytes, set[int]] = {}
    for row in rows:
        for at, run in row.items():
            places.setdefault(run, set()).add(at)
    elsewhere = (any(len(places[run]) > 1 for run in row.values()) for row in rows)
    return sum(elsewhere) > OVERLAP * len(rows)


def _overlap(values: Any) -> bool:
    """Whether steps come again, and most no more often than windows have places for them: letters
    of which there are four come again without any course."""
    flat = np.ascontiguousarray(values.reshape(-1, values.shape[-1]))
    counts = np.unique(flat, axis=0, return_counts=True)[1]
    often = counts[counts > values.shape[1]].sum()
    return len(counts) <= OVERLAP * len(flat) and often <= OVERLAP * len(flat)


def _follows(values: Any) -> float:
    flat = values.reshape(-1, values.shape[-1]).astype(float)
    spread = flat.var(axis=0)
    moved = ((values[:, 1:] - values[:, :-1]).astype(float) ** 2).mean(axis=(0, 1))
    moves = spread > 0
    alike = np.abs(1 - moved[moves] / (2 * spread[moves]))
    return float(alike.max()) if alike.size else 1.0
