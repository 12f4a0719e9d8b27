"""The outputs of a model that has several, with their losses and labels, as Keras pairs them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from debugger.frameworks.keras.answering import loss_as, without_labels
from debugger.frameworks.keras.reading import Parts, dense
from debugger.pipelines.heads import Given, Head

HARD = 1e-3


def heads_of(model: Any, parts: Parts) -> tuple[Head, ...]:
    """Nothing of a model with one output, or where Keras itself finds no pairs."""
    pairing, losses = model.compiled_loss, getattr(model, "loss", None)
    if not losses or pairing is None or getattr(model, "_using_dummy_loss", False):
        return ()
    try:
        answers = model(without_labels(model, parts.x, parts.inside), training=False)
        flat = tf.nest.flatten(answers)
        if len(flat) < 2 or hasattr(answers, "to_tuple"):
            return ()
        weights = getattr(pairing, "_user_loss_weights", None)
        asked, shares, labels = (
            tf.nest.flatten(_paired(pairing, answers, one)) for one in (losses, weights, parts.y)
        )
        names = getattr(pairing, "_output_names", None) or getattr(model, "output_names", ())
    except Exception:  # the failure with its loss is the one that is reported
        return ()
    if not len(flat) == len(asked) == len(shares) == len(labels) == len(names):
        return ()
    return tuple(
        Head(
            name=str(name),
            asks=loss_as(loss).counts if loss is not None else "",
            outputs=_width(tuple(answer.shape)),
            weight=1.0 if share is None else float(share),
            given=_given(y),
        )
        for name, answer, loss, share, y in zip(names, flat, asked, shares, labels, strict=True)
    )


def unknown_output(model: Any, parts: Parts) -> tuple[str, str] | None:
    """A name that labels stand under and no output has, and the names that there are. Keras takes
    labels out of a dictionary one by one then, whatever they are called."""
    if not isinstance(parts.y, Mapping):
        return None
    try:
        answers = model(without_labels(model, parts.x, parts.inside), training=False)
    except Exception:  # the failure with its loss is the one that is reported
        return None
    if type(answers) is not dict or len(answers) < 2:
        return None
    strange = [str(name) for name in parts.y if name not in answers]
    return (strange[0], ", ".join(map(str, answers))) if strange else None


def _paired(pairing: Any, answers: Any, given: Any) -> Any:
    found = pairing._conform_to_outputs(answers, given)
    return tf.nest.map_structure(lambda _: None, answers) if found is None else found


def _width(shape: tuple[Any, ...]) -> int:
    return math.prod(shape[1:]) if len(shape) > 1 else 1


def _given(labels: Any) -> Given | None:
    array = None if labels is None else dense(labels)
    if array is None or array.dtype.kind not in "iufb" or not array.size or not array.ndim:
        return None
    rows = array.reshape(len(array), -1).astype(float)
    sums = rows.sum(axis=1)
    return Given(
        width=rows.shape[1],
        low=float(rows.min()),
        high=float(rows.max()),
        whole=not (rows % 1).any(),
        one_hot=bool(rows.min() >= 0 and np.allclose(sums, 1, atol=HARD)),
    )
