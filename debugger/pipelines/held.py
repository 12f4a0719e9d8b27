"""What answers are held against once a model is trained, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

EXACT = 1e-4
FEWEST = 8


@dataclass(frozen=True)
class Held:
    """Answers about `rows`, asked for at a line and held against `labels`; "" are those of the very
    rows, read a second time.

    `moved` of the `count` labels stand at another place than their row. `learned` are the ends of
    the labels that the model learned, and `other` those of what its answers are held against, where
    the one is the other times a number and moved by one, and the answers are held as they are.
    """

    rows: str
    labels: str
    line: int | None
    count: int = 0
    moved: int = 0
    learned: tuple[float, float] | None = None
    other: tuple[float, float] | None = None


def moved(rows: Any, labels: Any) -> int:
    """How many labels stand elsewhere than those of the rows; 0 where others are among them."""
    here, there = _flat(rows), _flat(labels)
    if here is None or there is None or here.shape != there.shape or len(here) < FEWEST:
        return 0
    if sorted(map(tuple, here.tolist())) != sorted(map(tuple, there.tolist())):
        return 0
    return int((here != there).any(axis=1).sum())


def rescaled(learned: Any, other: Any) -> bool:
    """Whether the one is the other times a number and moved by one, and not the same."""
    here, there = _flat(learned), _flat(other)
    if here is None or there is None or here.shape != there.shape or here.shape[1] != 1:
        return False
    here, there = here[:, 0], there[:, 0]
    spread = float(np.ptp(here))
    if len(here) < FEWEST or not spread or not np.ptp(there):
        return False
    times, plus = np.polyfit(there, here, 1)
    fits = float(np.abs(times * there + plus - here).max()) < EXACT * spread
    return fits and float(np.abs(here - there).max()) > 100 * EXACT * spread


def _flat(values: Any) -> Any:
    array = np.asarray(values)
    if array.dtype.kind not in "iufb" or not array.ndim or not array.size:
        return None
    made = array.reshape(len(array), -1).astype(float)
    return made if np.isfinite(made).all() else None
