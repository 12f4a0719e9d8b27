"""Whether one column of a table tells by itself what the model is to learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

FEWEST, MOST, MOST_COLUMNS = 100, 500, 200
SORTS, MOST_CLASSES = 20, 10
NEARLY, OTHERS = 0.97, 0.85
"""As the order of the rows: what tells nearly all, and what other columns may tell beside it."""


@dataclass(frozen=True)
class Told:
    """`share` is how far the order of a column's numbers is that of the labels, `next` the same of
    the best of the others. `exact`: each of its few values goes with one class."""

    name: str
    place: int
    share: float
    next: float
    exact: bool


def told_by_one(name: str, rows: Sequence[Any], labels: Sequence[Any]) -> Told | None:
    count = min(len(rows), len(labels), MOST)
    wanted = list(labels[:count])
    if count < FEWEST or not all(isinstance(one, int | float) for one in wanted):
        return None
    if len({np.shape(one) for one in rows[:count]}) > 1:
        return None
    values, told = np.stack(rows[:count]), np.asarray(wanted, dtype=float)
    if values.ndim != 2 or not 1 < values.shape[1] <= MOST_COLUMNS or values.dtype.kind != "f":
        return None
    if not np.isfinite(values).all() or not np.isfinite(told).all():
        return None
    kinds = len(np.unique(told))
    if not (kinds == 2 or kinds >= SORTS):
        return None
    shares = np.array([_as_ordered(column, told) for column in values.T])
    best = int(shares.argmax())
    second = float(np.delete(shares, best).max())
    if shares[best] < NEARLY or second > OTHERS:
        return None
    return Told(name, best, float(shares[best]), second, _is_exact(values[:, best], told))


def _as_ordered(column: Any, told: Any) -> float:
    """1 where the one goes up, or down, wherever the other does."""
    if len(np.unique(told)) == 2:
        order = _ranks(column)
        yes = told == told.max()
        above = order[yes].sum() - yes.sum() * (yes.sum() + 1) / 2
        area = above / (yes.sum() * (~yes).sum())
        return float(abs(2 * area - 1))
    one, other = _ranks(column), _ranks(told)
    if not one.std() or not other.std():
        return 0.0
    return float(abs(np.corrcoef(one, other)[0, 1]))


def _ranks(values: Any) -> Any:
    """From 1 on; the same for what is alike."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = counts.cumsum()
    return ((ends - counts + 1 + ends) / 2)[place]


def _is_exact(column: Any, told: Any) -> bool:
    pairs = {(a, b) for a, b in zip(column.tolist(), told.tolist(), strict=True)}
    return len(pairs) == len(np.unique(column)) <= MOST_CLASSES
