"""Rows that are windows cut out of one course of time, and whether there is a course in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from debugger.pipelines.columns import FEWEST, MOST_CELLS, MOST_MEASURED

SHORTEST = 8
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


def _overlap(values: Any) -> bool:
    flat = np.ascontiguousarray(values.reshape(-1, values.shape[-1]))
    return len(np.unique(flat, axis=0)) <= OVERLAP * len(flat)


def _follows(values: Any) -> float:
    flat = values.reshape(-1, values.shape[-1]).astype(float)
    spread = flat.var(axis=0)
    moved = ((values[:, 1:] - values[:, :-1]).astype(float) ** 2).mean(axis=(0, 1))
    moves = spread > 0
    alike = np.abs(1 - moved[moves] / (2 * spread[moves]))
    return float(alike.max()) if alike.size else 1.0
