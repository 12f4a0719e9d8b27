"""Whether a model answers each row by itself, and by all that it is given of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.frameworks.keras.answering import of_library, scores_of, without_labels
from debugger.frameworks.keras.listening import Call, calls_heard
from debugger.frameworks.keras.reading import Parts, Rows, dense

FEWEST, _TABLE, NEXT = 4, 2, 0.95
_OTHERWISE = (tf_keras.layers.BatchNormalization, tf_keras.layers.Dropout)
"""Layers that do one thing in training, and another when the model is asked."""


def rows_apart(model: Any, parts: Parts, scores: Any) -> dict[str, Any]:
    """`mingled`: how far the first row is answered otherwise when those beside it are others, in
    spreads of the answers; `unread`: an input that might as well be another row's. `scores` are the
    model's answer as it is.
    """
    if of_library(model):
        return {}  # asking costs six answers, and what the library does with a row is known
    x = without_labels(model, parts.x, parts.inside)
    leaves = tf.nest.flatten(x)
    rows = int(scores.shape[0]) if len(scores.shape) > 1 else 0
    if rows < FEWEST or not all(_falls_into(one, rows) for one in leaves):
        return {}
    if rows == scores.shape[-1] or any(_is_square(one) for one in leaves):
        return {}  # rows that are held against each other, as in a graph
    first, again = dense(scores).astype(float), _answer(model, x)
    if again is None or not np.array_equal(first, again):
        return {}
    spread = float(first.std(0).mean())
    if not np.isfinite(first).all() or not spread:
        return {}
    others = np.array([0, *[rows - 1] * (rows - 1)])  # another order moves no mean of them
    moved = _answer(model, _dealt(x, range(len(leaves)), others))
    told: dict[str, Any] = {}
    if moved is not None and moved.shape == first.shape:
        told["mingled"] = float(np.abs(moved[0] - first[0]).max()) / spread
    return told | {"unread": _unread(model, x, list(parts.inputs), parts.inside, first)}


def sees_ahead(model: Any, parts: Parts) -> float | None:
    """Where the labels are the next tokens: how far the answer up to the middle of each row moves
    when what stands behind it is another row's, in spreads of the answers."""
    x = without_labels(model, parts.x, parts.inside)
    leaves = tf.nest.flatten(x)
    if of_library(model):
        return None
    if parts.labels is None or len(leaves) != 1 or not leaves[0].dtype.is_integer:
        return None
    ids, labels = dense(leaves[0]), dense(parts.labels)
    labels = labels[..., 0] if labels.ndim == ids.ndim + 1 and labels.shape[-1] == 1 else labels
    if (
        ids.ndim != _TABLE
        or labels.shape != ids.shape
        or len(ids) < _TABLE
        or ids.shape[1] < FEWEST
    ):
        return None
    real = labels[:, :-1] != 0
    if not real.any() or float((ids[:, 1:] == labels[:, :-1])[real].mean()) < NEXT:
        return None
    middle, other = ids.shape[1] // 2, ids.copy()
    other[:, middle + 1 :] = np.roll(ids, 1, 0)[:, middle + 1 :]
    answers = [
        _answer(model, tf.nest.pack_sequence_as(x, [tf.cast(one, leaves[0].dtype)]))
        for one in (ids, ids, other)
    ]
    plain, again, ahead = answers
    if plain is None or ahead is None or plain.ndim < _TABLE + 1 or plain.shape[:2] != ids.shape:
        return None
    spread = float(plain.reshape(-1, plain.shape[-1]).std(0).mean())
    if not spread or not np.array_equal(plain, again):
        return None
    moved = np.abs(ahead - plain)[:, : middle + 1]
    return float(moved.mean()) / spread


def _unread(model: Any, x: Any, names: list[str], inside: str | None, first: Any) -> str:
    """The only one of several inputs that changes nothing, where its rows are not all the same."""
    names, leaves = [one for one in names if one != inside], tf.nest.flatten(x)
    if len(leaves) < 2 or len(names) != len(leaves):
        return ""
    turned = np.roll(np.arange(len(first)), 1)
    differ = [place for place, one in enumerate(leaves) if (dense(one) != dense(one)[:1]).any()]
    answers = {place: _answer(model, _dealt(x, [place], turned)) for place in differ}
    still = [n for n, made in answers.items() if made is not None and np.array_equal(made, first)]
    return names[still[0]] if len(still) == 1 and len(answers) > 1 else ""


def _falls_into(leaf: Any, rows: int) -> bool:
    return isinstance(leaf, tf.Tensor) and bool(leaf.shape.rank) and leaf.shape[0] == rows


def holds_together(rows: Rows) -> bool:
    """Whether they belong to each other, as the nodes of a graph do: all of them are one batch, and
    an input says of each of them something about every other."""
    leaves = [] if rows.batch is None else tf.nest.flatten(rows.batch.x)
    edges = [one for one in leaves if isinstance(one, tf.Tensor) and _is_square(one)]
    return len(leaves) > 1 and any(one.shape[0] == rows.count for one in edges)


def _is_square(leaf: Any) -> bool:
    """Words of as many rows as a row has tokens are no graph: those are whole numbers."""
    both = leaf.shape.rank == _TABLE and leaf.shape[0] == leaf.shape[1]
    return both and leaf.dtype.is_floating


def _dealt(x: Any, places: Any, order: Any) -> Any:
    """These inputs with their rows in another order."""
    leaves = tf.nest.flatten(x)
    made = [tf.gather(one, order) if n in places else one for n, one in enumerate(leaves)]
    return tf.nest.pack_sequence_as(x, made)


def _answer(model: Any, x: Any) -> Any:
    try:
        scores = scores_of(model(x, training=False))
    except Exception:  # what a batch runs into is told with its loss
        return None
    return None if scores is None else dense(scores).astype(float)


def trains_always(model: Any, parts: Parts) -> tuple[str, str] | None:
    """The first layer that is told to train though the model is only asked, and its class."""
    if of_library(model):
        return None
    found: list[Any] = []
    layers = [one for one in model._flatten_layers() if isinstance(one, _OTHERWISE)]

    def noting(layer: Any, call: Call) -> Call:
        def noted(*args: Any, **kwargs: Any) -> Any:
            if kwargs.get("training") is True:
                found.append(layer)
            return call(*args, **kwargs)

        return noted

    with calls_heard(layers, noting):
        _answer(model, without_labels(model, parts.x, parts.inside))
    found.sort(key=lambda one: isinstance(one, tf_keras.layers.Dropout))
    return (str(found[0].name), type(found[0]).__name__) if found else None
