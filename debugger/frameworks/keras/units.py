"""Layers that begin in a way that no training gets them out of, seen over the first steps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.frameworks.keras.reading import dense
from debugger.pipelines.within import Alike, Faded, Norm

_TURNED = "Transpose"
_AT_FIRST = {"moving_mean": 0.0, "moving_variance": 1.0}
DEVIATION = 1e-3
SQUASHING = ("sigmoid", "tanh", "softmax", "hard_sigmoid", "softsign")
FEW = 3
"""What Keras adds to a variance."""


def alike(
    model: Any, named: dict[str, Any], before: dict[str, Any], gradients: dict[int, float]
) -> tuple[Alike, ...]:
    """Layers with units that were all the same before the steps and are so behind them.

    Where a gradient came and nothing moved, the learning rate was 0: that proves nothing yet.
    """
    names = {id(weight): name for name, weight in named.items()}
    found: list[Alike] = []
    for layer in model._flatten_layers():
        kernel = getattr(layer, "kernel", None)
        if not isinstance(kernel, tf.Variable) or not kernel.trainable or not layer.trainable:
            continue
        began = before.get(names.get(id(kernel), ""))
        if began is None or began.ndim < 2 or _TURNED in type(layer).__name__:
            continue
        units, now = began.shape[-1], kernel.numpy()
        if gradients.get(id(kernel)) and np.array_equal(began, now):
            continue
        if units > 1 and all(not np.ptp(one, axis=-1).any() for one in (began, now)):
            found.append(Alike(layer.name, units, float(began.ravel()[0])))
    return tuple(found)


def faded(model: Any, gradients: dict[int, float]) -> Faded | None:
    """From the first layer with weights to the last, where several between them squash."""
    layers = list(model._flatten_layers(include_self=False))
    heavy = [
        (layer.name, gradients[id(kernel)] / math.sqrt(int(tf.size(kernel))))
        for layer in layers
        if isinstance(kernel := getattr(layer, "kernel", None), tf.Variable)
        and id(kernel) in gradients
    ]
    ends = [getattr(getattr(one, "activation", None), "__name__", "") for one in layers]
    squashing = sum(name in SQUASHING for name in ends[:-1])
    if len(heavy) < FEW or squashing < FEW or not heavy[-1][1] or not np.isfinite(heavy[-1][1]):
        return None
    (first, reaches), (last, begins) = heavy[0], heavy[-1]
    return Faded(first, last, reaches / begins, squashing)


def norms(
    model: Any, named: dict[str, Any], before: dict[str, Any], steps: int, planned: int | None
) -> tuple[Norm, ...]:
    """New batch normalisations, and how far their averages get in the steps that are `planned`.

    What the batches are like is read off how far the steps that were taken have moved them.
    """
    found: list[Norm] = []
    for layer in _new_norms(model, named, before) if steps and planned else ():
        share = 1 - layer.momentum**steps
        if not share:
            continue
        middle = dense(layer.moving_mean) / share
        spread = np.sqrt(np.maximum((dense(layer.moving_variance) - 1) / share + 1, 0))
        left = float(layer.momentum) ** (planned or 0)
        around = np.sqrt(spread**2 + DEVIATION)
        off = float(np.abs(left * middle / around).mean())
        wide = float((np.sqrt(left + (1 - left) * spread**2 + DEVIATION) / around).mean())
        found.append(Norm(layer.name, float(layer.momentum), left, off, wide))
    return tuple(found)


def lagging(model: Any, named: dict[str, Any], before: dict[str, Any], steps: int) -> float:
    """How much of what new averages began with is in them after so many steps, where it is most."""
    new = _new_norms(model, named, before)
    return max((float(layer.momentum) ** steps for layer in new), default=0.0)


def _new_norms(model: Any, named: dict[str, Any], before: dict[str, Any]) -> Iterator[Any]:
    names = {id(weight): name for name, weight in named.items()}
    for layer in model._flatten_layers():
        if not isinstance(layer, tf_keras.layers.BatchNormalization) or not layer.trainable:
            continue
        weights = {one: getattr(layer, one, None) for one in _AT_FIRST}
        began = {one: before.get(names.get(id(weight), "")) for one, weight in weights.items()}
        if all(v is not None and (v == _AT_FIRST[n]).all() for n, v in began.items()):
            yield layer
