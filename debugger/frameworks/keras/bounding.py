"""What a model can say at all, whose loss was not asked, where its labels lie beyond that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from debugger.frameworks.keras.answering import Answer
from debugger.frameworks.keras.losses import FAR, ending_of, let_out
from debugger.frameworks.keras.reading import Parts, dense
from debugger.pipelines.held import rescaled

BEYOND = 0.05
COMPARED = 0.1
"""A loss that holds the two against each other as they stand is next to nothing where the labels
are the very answers."""


def beyond(
    model: Any, parts: Parts, answer: Answer, loss_at: Callable[[Any], float | None]
) -> dict[str, Any]:
    """`bounds` as of `Forward`, and whether the labels are the inputs on another scale.

    `loss_at` tells the loss of other labels: of a loss that nobody can look into, only the model's
    own step does.
    """
    labels = None if parts.labels is None else dense(parts.labels)
    if labels is None or labels.dtype.kind != "f" or labels.shape != answer.shape:
        return {}
    ending, name = ending_of(answer)
    if ending is None or parts.weights is not None or not labels.size:
        return {}
    some = tf.constant(np.random.default_rng(0).standard_normal(labels.shape).astype(np.float32))
    low, high = let_out(ending, some, FAR)
    margin = BEYOND * float(np.ptp(labels))
    if low >= high or high - low > FAR / 10:
        return {}
    if low - margin <= float(labels.min()) and float(labels.max()) <= high + margin:
        return {}
    here, answered = loss_at(parts.labels), loss_at(answer.scores)
    if here is None or answered is None or not 0 <= answered <= COMPARED * here:
        return {}
    return {"bounds": (name, low, high), "rebuilds": _rebuilds(parts, labels)}


def _rebuilds(parts: Parts, labels: Any) -> bool:
    given = [dense(value) for name, value in parts.inputs.items() if name != parts.inside]
    alike = len(given) == 1 and given[0].shape == labels.shape
    return alike and rescaled(given[0].reshape(-1, 1), labels.reshape(-1, 1))
