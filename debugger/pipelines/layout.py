"""Whether the axes of a row say what stands beside what, or were only counted off anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

FEWEST, MOST = 32, 64
MOST_NUMBERS = 2_000_000
"""In all rows that are tried."""
SMOOTHER, WINDOW, LONG = 0.75, 3, 16
MOST_SIDES, NEARER, LEAP = 8, 0.9, 1.25
SAME_SIZE, OTHER_SIZES = 0.05, 0.5
"""Shares of how far apart the usual numbers of all places in a row lie."""


@dataclass(frozen=True)
class Swapped:
    """A line, or a layer, counts off anew what has one shape, into the same with its axes in
    another order."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    line: int | None = None
    layer: str = ""


@dataclass(frozen=True)
class Lone:
    """So many rows in batches of a size leave one alone, which the model fails at: the line takes
    the axis of the rows away with all others of length 1."""

    rows: int
    size: int
    line: int | None


def counted_off(rows: Sequence[Any]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The axes of each row, and those in whose order the same numbers lie beside numbers that are
    much nearer to them: whoever calls the one the other with `reshape` mixes them up."""
    chosen = list(rows[:MOST])
    if len(chosen) < FEWEST or len({np.shape(one) for one in chosen}) > 1:
        return None
    values = np.stack(chosen)
    axes = values.shape[1:]
    if values.dtype.kind not in "iuf" or not 1 < len(axes) < 4 or values.size > MOST_NUMBERS:
        return None
    if not np.isfinite(values).all() or min(axes) < 2:
        return None
    values = values.astype(float)
    if _runs_on(values):
        return axes, axes[::-1]
    others = {one: values.reshape(len(values), *one) for one in set(permutations(axes))}
    rough = _roughness(others.pop(axes))
    smoother = [one for one, made in others.items() if _roughness(made) < SMOOTHER * rough]
    best = min(smoother, key=lambda one: sum(_steps(others[one])), default=None)
    return None if best is None or _recur(values.mean(axis=0), best) else (axes, best)


def _runs_on(values: Any) -> bool:
    """Whether columns are nearer to each other, and the last of a step to the first of the next,
    than a column is to itself a step later: then they are no columns, but one course that was
    counted off. Of real columns, a step and another column lie further off. Where one real column
    ends in that course and the next one begins, there is a leap."""
    if values.ndim != WINDOW or not 1 < values.shape[2] <= MOST_SIDES < LONG <= values.shape[1]:
        return False
    within = float(np.abs(np.diff(values, axis=2)).mean())
    across = float(np.abs(values[:, 1:, 0] - values[:, :-1, -1]).mean())
    later = float(np.abs(np.diff(values, axis=1)).mean())
    if not within or max(within, across) >= NEARER * later:
        return False
    steps, course = values.shape[1], values.reshape(len(values), -1)
    ends = course[:, steps::steps] - course[:, steps - 1 : -1 : steps]
    return float(np.abs(ends).mean()) > LEAP * within


def _recur(usual: Any, other: tuple[int, ...]) -> bool:
    """Whether a column is at every step of about one size, and one of the other order holds sizes
    of all kinds: then the columns are columns."""
    if usual.ndim != len(other) or usual.ndim != WINDOW - 1:
        return False
    apart, here = float(usual.var()), float(usual.var(axis=0).mean())
    there = float(usual.reshape(other).var(axis=0).mean())
    return here < SAME_SIZE * apart and there > OTHER_SIZES * apart


def is_swap(before: Sequence[int], after: Sequence[int]) -> bool:
    """Whether a shape is another one with its axes in another order: to count off anew what stands
    there never moves an axis."""
    one, other = ([size for size in shape if size != 1] for shape in (before, after))
    return one != other and sorted(one) == sorted(other)


def _roughness(values: Any) -> float:
    """How far neighbours lie apart, along all axes of a row but the one where that is farthest:
    what stands there need have nothing to do with each other, as the columns of a table."""
    return sum(sorted(_steps(values))[:-1])


def _steps(values: Any) -> list[float]:
    return [float(np.abs(np.diff(values, axis=n)).mean()) for n in range(1, values.ndim)]


def columns_last(values: Any) -> Any:
    """Of windows, of which there are more steps than columns."""
    turned = values.ndim == WINDOW and 2 * values.shape[1] <= values.shape[2] >= LONG
    return np.moveaxis(values, 2, 1) if turned else values
