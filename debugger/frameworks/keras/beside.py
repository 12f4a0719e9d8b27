"""The labels of rows that somebody asks about, found among what is known there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

ENOUGH, LIKE = 50, 0.2
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "": lambda amounts: amounts,
    "log1p": np.log1p,
    "log": lambda amounts: np.log(np.maximum(amounts, 1e-300)),
    "log10": lambda amounts: np.log10(np.maximum(amounts, 1e-300)),
    "sqrt": np.sqrt,
}
"""What people make of amounts before a model learns them."""


@dataclass(frozen=True)
class Beside:
    """What stands beside rows that somebody asks about: as labels were learned, `made_by` what."""

    labels: Any
    made_by: str = ""


def classes_beside(arrays: Sequence[Any], learned: Sequence[Any]) -> tuple[Beside, ...]:
    """Of classes, or of many yes and no, that hold nothing but what was learned as a label; or
    that count from 1 where labels count from 0."""
    width = {len(row) for row in learned if isinstance(row, list | tuple)}
    classes = {y for row in learned for y in (row if isinstance(row, list | tuple) else (row,))}
    found: list[Beside] = []
    for one in arrays:
        if one.ndim != (2 if width else 1) or (width and {one.shape[1]} != width):
            continue
        held = set(np.unique(one).tolist())
        moved = {value - 1 for value in held} if one.dtype.kind in "iu" else set()
        if held <= classes:
            found.append(Beside(one))
        elif moved == classes and not width:
            found.append(Beside(one - 1))
    return tuple(found)


def amounts_beside(arrays: Sequence[Any], learned: Sequence[Any]) -> tuple[Beside, ...]:
    """Of amounts that are spread as those that were learned, or once something is done to them."""
    made: list[Beside] = []
    wanted = np.asarray([y for y in learned if isinstance(y, int | float)], dtype=float)
    for one in arrays if len(wanted) >= ENOUGH else ():
        amounts = one.astype(float)
        if amounts.size != len(amounts) or amounts.size < ENOUGH or amounts.min() < 0:
            continue
        found = [n for n, f in _FUNCTIONS.items() if _spread_alike(f(amounts), wanted)]
        if found:
            made.append(Beside(_FUNCTIONS[found[0]](amounts), found[0]))
    return tuple(made)


def _spread_alike(amounts: Any, wanted: Any) -> bool:
    """Whether the middle half of both lies in the same place."""
    if not np.isfinite(amounts).all():
        return False
    here, there = (np.quantile(one, (0.25, 0.5, 0.75)) for one in (amounts, wanted))
    wide = there[2] - there[0]
    return bool(wide > 0 and (np.abs(here - there) < LIKE * wide).all())
