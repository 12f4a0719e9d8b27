"""How hard a penalty on weights draws at them, beside what the labels ask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import tensorflow as tf

from debugger.frameworks.keras.answering import without_labels
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.reading import Parts, dense
from debugger.pipelines.within import Penalty


def penalty(fit: Fit, parts: Parts) -> Penalty | None:
    """None where layers ask for none, or where the loss is the model's own."""
    model = fit.model
    asked = {one.name: one._callable_losses for one in model._flatten_layers()}
    asked = {name: found for name, found in asked.items() if found}
    if not asked or parts.labels is None or getattr(model, "_using_dummy_loss", False):
        return None
    weights = list(model.trainable_weights)
    try:
        with tf.GradientTape() as tape:
            each = {name: tf.add_n([one() for one in found]) for name, found in asked.items()}
            cost = tf.add_n(list(each.values()))
        pulled = _norms(tape.gradient(cost, weights))
        with tf.GradientTape() as tape:
            answer = model(without_labels(model, parts.x, parts.inside), training=False)
            loss = model.compiled_loss(parts.y, answer, parts.weights)
        drawn = _norms(tape.gradient(loss, weights))
    except Exception:  # a loss that wants more than this is not judged here
        return None
    chosen = [place for place, norm in enumerate(pulled) if norm]
    labels = math.hypot(*(drawn[place] for place in chosen))
    if not labels or not math.isfinite(labels):
        return None
    worst = max(each, key=lambda name: float(each[name]))
    times = math.hypot(*(pulled[place] for place in chosen)) / labels
    return Penalty(worst, float(cost), float(loss), times)


def _norms(gradients: list[Any]) -> list[float]:
    return [
        0.0 if one is None else float(np.linalg.norm(dense(tf.convert_to_tensor(one))))
        for one in gradients
    ]
