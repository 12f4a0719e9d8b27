"""Pictures whose axes were to change places, and were only counted otherwise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FEWEST, MOST = 2, 4
"""Channels that pictures have."""
SMOOTH, ROUGH, APART = 0.25, 0.4, 3.0
"""How much neighbours differ, where numbers that have nothing to do with each other do by 1."""


@dataclass(frozen=True)
class Jumbled:
    """How rough pictures of a `shape` are as they come, and with the `other` one."""

    as_it_is: float
    anew: float
    shape: tuple[int, ...]
    other: tuple[int, ...]


def jumbled(values: np.ndarray) -> Jumbled | None:
    """What is rough with its channels in front, and smooth once the same numbers, in the same
    order, are taken for pictures with them at the end. Counted the other way they stay smooth."""
    if values.ndim != 4 or len(values) < 2 or not FEWEST <= values.shape[1] <= MOST:
        return None
    channels, *rest = values.shape[1:]
    if 2 * channels > min(rest):
        return None
    as_it_is = _rough(values)
    anew = _rough(np.moveaxis(values.reshape(-1, *rest, channels), 3, 1))
    if anew >= SMOOTH or as_it_is <= max(ROUGH, APART * anew):
        return None
    return Jumbled(as_it_is, anew, (channels, *rest), (*rest, channels))


def _rough(values: np.ndarray) -> float:
    """How far neighbours lie apart, beside numbers that are no neighbours, in the mean."""
    axes = (0, 2, 3)
    spread = 2 * values.var(axis=axes)
    steps = np.mean([np.square(np.diff(values, axis=axis)).mean(axis=axes) for axis in (2, 3)], 0)
    lively = spread > 0
    return float((steps[lively] / spread[lively]).mean()) if lively.any() else 0.0
