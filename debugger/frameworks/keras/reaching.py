"""What reaches the layers inside a model, where those take it for something that it is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.frameworks.keras.answering import answer_to
from debugger.frameworks.keras.listening import Call, calls_heard
from debugger.frameworks.keras.reading import Parts, dense
from debugger.pipelines.within import Levelled, Looked, Unadapted

WIDE, DROWNED = 0.1, 0.05
"""How wide the widest column comes out at least, and beside it one that says hardly anything."""
PICTURE, MANY = 4, 32
"""Axes, and columns: of so many, as of the points of a picture, nobody gives each its own scale."""
Heard = list[tuple[Any, Any]]


def reached(model: Any, parts: Parts) -> dict[str, Any]:
    """Of embeddings, and of layers that nothing was adapted to."""
    heard = _heard(model, parts)
    bare = (_unadapted(layer, given) for layer, given in heard)
    level = (_levelled(layer, given) for layer, given in heard)
    asked = (_looked(layer, given) for layer, given in heard)
    return {
        "unadapted": next((one for one in bare if one is not None), None),
        "levelled": next((one for one in level if one is not None), None),
        "looked": tuple(one for one in asked if one is not None),
    }


def _heard(model: Any, parts: Parts) -> Heard:
    kinds = (tf_keras.layers.Embedding, tf_keras.layers.Normalization)
    layers = [one for one in model._flatten_layers(include_self=False) if isinstance(one, kinds)]
    heard: Heard = []

    def noting(layer: Any, call: Call) -> Call:
        def noted(*args: Any, **kwargs: Any) -> Any:
            if args and isinstance(args[0], tf.Tensor):
                heard.append((layer, dense(args[0])))
            return call(*args, **kwargs)

        return noted

    if layers:
        with calls_heard(layers, noting):
            answer_to(model, parts)
    return heard


def _unadapted(layer: Any, given: Any) -> Unadapted | None:
    """Its mean is still 0 and its variance 1, and nobody has said that they are to be."""
    mean, variance = (getattr(layer, one, None) for one in ("adapt_mean", "adapt_variance"))
    if mean is None or variance is None or not given.size or not np.isfinite(given).all():
        return None
    if dense(mean).any() or (dense(variance) != 1).any():
        return None
    return Unadapted(layer.name, float(given.min()), float(given.max()))


def _levelled(layer: Any, given: Any) -> Levelled | None:
    """Columns that stay as they are in a batch have no width to lose. It counts where half of the
    others are lost beside the widest."""
    if not isinstance(layer, tf_keras.layers.Normalization) or layer.axis or given.ndim < 2:
        return None
    variance = getattr(layer, "adapt_variance", None)
    if variance is None or given.ndim >= PICTURE or given.shape[-1] > MANY:
        return None
    if not given.size or not np.isfinite(given).all():
        return None
    rows = given.reshape(-1, given.shape[-1]).astype(float)
    spreads = rows.std(0) / max(float(dense(variance).max()) ** 0.5, 1e-12)
    moving = spreads[spreads > 0]
    narrow = moving[moving < DROWNED * moving.max()] if moving.size else moving
    if not narrow.size or 2 * narrow.size < moving.size or moving.max() < WIDE:
        return None
    numbers = float(narrow.max()), float(moving.max())
    return Levelled(layer.name, rows.shape[1], int(narrow.size), *numbers)


def _looked(layer: Any, given: Any) -> Looked | None:
    if not isinstance(layer, tf_keras.layers.Embedding) or given.dtype.kind not in "iuf":
        return None
    if given.ndim < 2 or not given.size:
        return None
    nothing = given.reshape(-1, given.shape[-1]) == 0
    return Looked(
        layer=layer.name,
        knows=int(layer.input_dim),
        low=float(given.min()),
        high=float(given.max()),
        distinct=len(np.unique(given)),
        width=int(given.shape[-1]),
        fractions=given.dtype.kind == "f" and bool((given % 1).any()),
        scattered=bool(((nothing[:, 1:] != nothing[:, :-1]).sum(1) > 1).any()),
    )
