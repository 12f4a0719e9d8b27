"""Which part of a training an experiment takes, and what it costs to know nothing of its inputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from debugger.pipelines.rows import one_of_each

LIGHT, HEAVY, ONE_BATCH_STEPS = (24, 48), (8, 32), 16
"""Batches, and steps over them: a fresh small model needs more, and they cost it less."""
LIGHT_WEIGHTS = 5_000_000
_OF_PICTURES = 4
"""Axes: rows, height, width, colours."""
MEASURED_ROWS = 64
MOST_WORDED = 2000
LONGEST_PLAN = 20_000


def size_for(weights: int) -> tuple[int, int]:
    """Batches, and steps over them, for a model of so many weights."""
    return LIGHT if weights <= LIGHT_WEIGHTS else HEAVY


def rows_for(
    there: int, labels: Sequence[Any], batch: int, batches: int, seed: int, one_batch: bool
) -> list[int]:
    """Spread over the training set, in its order; another seed takes others where it can."""
    if one_batch and labels and is_whole(labels[0]):
        return one_of_each(labels, batch)
    wanted = batch if one_batch else batch * batches
    if there <= wanted:
        return list(range(there))
    step = there / wanted
    return [min(there - 1, int((n + 0.5 * (seed % 2)) * step)) for n in range(wanted)]


def measured_of(count: int) -> list[int]:
    """The places of the rows whose loss is compared."""
    return sorted({n * count // MEASURED_ROWS for n in range(MEASURED_ROWS)})


def level_of(values: Any) -> tuple[Any, Any]:
    """Mean and deviation of each column, filling left out; of pictures those of all points."""
    if values.ndim >= _OF_PICTURES or values.ndim < 2:
        return values.mean(), values.std() or 1.0
    known = values[~_filling(values)] if values.ndim > 2 else values
    deviation = known.std(axis=0)
    return known.mean(axis=0), np.where(deviation > 0, deviation, 1.0)


def levelled(values: Any, level: tuple[Any, Any]) -> Any:
    made = (values - level[0]) / level[1]
    if 2 < values.ndim < _OF_PICTURES:
        made[_filling(values)] = 0.0
    return made


def _filling(values: Any) -> Any:
    """Steps at which nothing is anything but 0."""
    return (values == 0).all(axis=-1)


def widest_of(fields: Iterable[Any]) -> float:
    """How far from 0 they go; what is no number counts for nothing."""
    known = [abs(f[np.isfinite(f)]).max() for f in fields if np.isfinite(f).any()]
    return float(max(known, default=0.0))


def narrowest_of(fields: Iterable[Any]) -> float | None:
    """The deviation of those that lie closest; None where there are none."""
    return min(
        (float(f[np.isfinite(f)].std()) for f in fields if np.isfinite(f).any()), default=None
    )


def come_in_blocks(labels: Sequence[Any]) -> bool:
    """Whether the labels change hardly more often than they must."""
    known = [label for label in labels if is_whole(label)]
    if len(known) < 2 or len(known) != len(labels) or len(set(known)) < 2:
        return False
    return sum(a != b for a, b in pairwise(known)) <= len(known) / 8


def is_whole(label: Any) -> bool:
    return isinstance(label, int) and not isinstance(label, bool)


def spread_of(layers: Iterable[Any]) -> float | None:
    """Of the layer that is farthest from how new ones are drawn: one dead layer is enough."""
    spreads = [float(weight.std()) for weight in layers if weight.ndim > 1]
    return max(spreads, key=lambda s: abs(math.log(max(s, 1e-12) / 0.02)), default=None)


def floor_of(labels: Any, task: str) -> float | None:
    """What the best answer costs that is always the same: the labels' entropy, or variance."""
    if task == "multilabel" and labels.ndim > 1:
        share = labels.astype(float).mean(0).clip(1e-6, 1 - 1e-6)
        return float(-(share * np.log(share) + (1 - share) * np.log(1 - share)).mean())
    if labels.dtype.kind == "f":
        return float(labels.astype(float).var()) if task == "regression" else None
    counts = np.unique(labels[labels != -100], return_counts=True)[1]
    shares = counts / max(counts.sum(), 1)
    return float(-(shares * np.log(shares)).sum())
