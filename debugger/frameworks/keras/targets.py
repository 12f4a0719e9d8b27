"""How far a model has to go to its labels, and how far this training can take it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf

from debugger.frameworks.keras.answering import scores_of, without_labels
from debugger.frameworks.keras.rates import rate_of, rates_of, schedule_of
from debugger.frameworks.keras.reading import Parts, Rows, dense
from debugger.pipelines.losses import Asked
from debugger.pipelines.plan import ADAMS

FAR, FEWEST = 5.0, 10
SPANS = ("start_positions", "end_positions")


def distance(
    model: Any, parts: Parts, scores: Any, asked: Asked | None, planned: int | None
) -> dict[str, Any]:
    """Only of a loss that is known to compare the two as they stand, and of labels far from 0:
    where only what a fresh model says is far off, its weights need not go that far."""
    if asked is None or asked.form != "amounts" or not asked.plain or parts.labels is None:
        return {}
    wanted = float(dense(parts.labels).mean())
    apart = abs(wanted - float(dense(scores).mean()))
    if min(apart, abs(wanted)) < FAR or planned is None or planned < FEWEST:
        return {"distance": apart}
    return {"distance": apart, "reach": _reach(model, parts, planned)}


def _reach(model: Any, parts: Parts, planned: int) -> float | None:
    """Adam and its kin move a weight by about the learning rate a step. Where that is far, weights
    of one layer and the next take the answer further than each by itself."""
    optimizer = getattr(model.optimizer, "inner_optimizer", model.optimizer)
    if type(optimizer).__name__ not in ADAMS:
        return None
    rates = rates_of(schedule_of(optimizer), planned) or [rate_of(optimizer) or 0.0]

    def middle() -> Any:
        answer = scores_of(model(without_labels(model, parts.x, parts.inside), training=False))
        return tf.reduce_mean(tf.cast(answer, tf.float32))

    with tf.GradientTape() as tape:
        before = middle()
    found = zip(
        model.trainable_weights, tape.gradient(before, model.trainable_weights), strict=True
    )
    slopes = [(weight, tf.convert_to_tensor(one)) for weight, one in found if one is not None]
    way = float(np.mean(rates)) * planned
    with _moved(slopes, way):
        together = abs(float(middle()) - float(before))
    alone = way * sum(float(tf.reduce_sum(tf.abs(slope))) for _, slope in slopes)
    return max(alone, together if math.isfinite(together) else math.inf)


@contextmanager
def _moved(slopes: Sequence[tuple[Any, Any]], way: float) -> Iterator[None]:
    """Every weight so far uphill; as it was afterwards."""
    kept = [tf.identity(weight) for weight, _ in slopes]
    try:
        for weight, slope in slopes:
            weight.assign_add(way * tf.sign(slope))
        yield
    finally:
        for (weight, _), value in zip(slopes, kept, strict=True):
            weight.assign(value)


def spans_in(rows: Rows) -> dict[str, list[Any]]:
    """The places of answers, which stand among the labels."""
    y = None if rows.batch is None else rows.batch.y
    if not isinstance(y, dict) or not all(name in y for name in SPANS) or not rows.leaves:
        return {}
    inputs = len(tf.nest.flatten(rows.batch.x)) if rows.batch is not None else 0
    names = sorted(y)
    found = {name: rows.leaves[inputs + names.index(name)] for name in SPANS}
    return {name: [np.asarray(one).item() for one in values] for name, values in found.items()}
