"""Inside a Keras model: what its first layer is given, weights that it does not know, penalties."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.frameworks.keras.answering import answer_to, without_labels
from debugger.frameworks.keras.bench import count_of
from debugger.frameworks.keras.listening import Call, calls_heard
from debugger.frameworks.keras.reading import Parts, dense
from debugger.pipelines.within import Scaled

PICTURE = 4
READS_TEXT = ("TextVectorization", "StringLookup", "Hashing", "KerasLayer", "HashedCrossing")
SHORT = ("accuracy", "acc", "crossentropy", "ce")
"""Metrics that Keras chooses one for, by labels and answers."""
_TAKES_FUNCTIONS = ("Lambda", "TFOpLambda")
_OF_LIBRARIES = ("tf_keras.", "transformers.")
SCALING = (tf_keras.layers.Normalization, tf_keras.layers.BatchNormalization)


def scaled(model: Any, parts: Parts) -> Scaled | None:
    """Of pictures alone: what they are brought to before a layer with weights sees them."""
    found = {name: value for name, value in parts.inputs.items() if name != parts.inside}
    if len(found) != 1:
        return None
    ((name, given),) = found.items()
    values = dense(given)
    if values.ndim != PICTURE or values.dtype.kind not in "iuf" or not values.size:
        return None
    with _first_noted(model) as seen:
        answer_to(model, parts)
    inner = dense(seen[0]).astype(float) if seen else None
    if inner is None or inner.ndim != PICTURE or not np.isfinite(inner).all():
        return None
    return Scaled(
        name, float(values.min()), float(values.max()), float(inner.min()), float(inner.max())
    )


@contextmanager
def _first_noted(model: Any) -> Iterator[list[Any]]:
    """While open, what the first layer with weights of its own is given is left here."""
    seen: list[Any] = []
    layers = [
        one
        for one in model._flatten_layers(include_self=False)
        if one._trainable_weights and not isinstance(one, SCALING)
    ]

    def noting(_: Any, call: Call) -> Call:
        def noted(*args: Any, **kwargs: Any) -> Any:
            if not seen and args and isinstance(args[0], tf.Tensor):
                seen.append(args[0])
            return call(*args, **kwargs)

        return noted

    with calls_heard(layers, noting):
        yield seen


def unknown_weights(model: Any, parts: Parts) -> dict[str, int]:
    """Weights that the answer is made with and that the model does not have: `anew` are others each
    time, `beside` always the same ones."""
    if not _has_own_code(model):
        return {}
    given = without_labels(model, parts.x, parts.inside)
    first, second = (_used(model, given) for _ in range(2))
    if not second:
        return {}
    again = {one.ref() for one in first} & {one.ref() for one in second}
    beside = [one for one in second if one.ref() in again]
    anew = [one for one in second if one.ref() not in again]
    return {"anew": count_of(anew), "beside": count_of(beside)}


def _has_own_code(model: Any) -> bool:
    """What libraries make of layers knows its weights; asking costs two answers of the model."""
    return any(
        type(one).__name__ in _TAKES_FUNCTIONS or not type(one).__module__.startswith(_OF_LIBRARIES)
        for one in (model, *model._flatten_layers(include_self=False))
    )


def _used(model: Any, given: Any) -> list[Any]:
    """What was there before the model was asked counts: who makes a layer makes weights for it."""
    try:
        known = {one.ref() for one in model.weights if isinstance(one, tf.Variable)}
        with tf.GradientTape() as tape:
            model(given, training=False)
    except Exception:  # the failure with its loss is the one that is reported
        return []
    return [one for one in tape.watched_variables() if one.ref() not in known]


def unknown_name(model: Any) -> tuple[str, str] | None:
    """A loss or a metric that was given as a string, and Keras has none of that name."""
    losses = tf.nest.flatten(model.loss)
    given = getattr(model.compiled_metrics, "_user_metrics", None)
    metrics = [one for one in tf.nest.flatten(given) if one not in SHORT]
    known: tuple[tuple[str, list[Any], Any], ...] = (
        ("loss", losses, tf_keras.losses.get),
        ("metric", metrics, tf_keras.metrics.get),
    )
    for kind, names, get in known:
        for name in (one for one in names if isinstance(one, str)):
            try:
                found = get(name)
            except ValueError:
                found = None
            if found is None or isinstance(found, str):
                return kind, name
    return None


def text_given(model: Any, parts: Parts) -> str:
    """The first text of a batch, where no layer of the model reads any; else nothing."""
    reads = any(type(one).__name__ in READS_TEXT for one in model._flatten_layers())
    for value in () if reads else parts.inputs.values():
        if value.dtype == tf.string and tf.size(value):
            return dense(value).ravel()[0].decode("utf-8", "replace")[:60]
    return ""
