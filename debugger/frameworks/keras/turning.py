"""Layers that turn, mirror or move pictures at random while a model is trained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.frameworks.keras.listening import Call, calls_heard
from debugger.frameworks.keras.reading import Rows
from debugger.pipelines.turning import Turn

_KINDS = (tf_keras.layers.RandomFlip, tf_keras.layers.RandomRotation)
"""What makes another picture of one. To move it or to come nearer only takes longer to learn."""


AXES, _COLOURS = 3, 3
_CHANNELS = (1, _COLOURS, 4)


def turned(rows: Rows, chosen: list[int]) -> Iterator[tuple[Turn, Rows]]:
    """These rows with their pictures turned, in each way that leaves their shape; none of rows
    that are no pictures."""
    if rows.batch is None or len(tf.nest.flatten(rows.batch.x)) != 1 or not chosen:
        return
    pictures, *rest = rows.leaves
    shapes = {pictures[row].shape for row in chosen}
    shape = shapes.pop() if len(shapes) == 1 else ()
    if len(shape) != AXES:
        return
    high, wide, channels = shape
    if channels not in _CHANNELS or min(high, wide) <= max(_CHANNELS):
        return
    ways: dict[Turn, Any] = {"upside down": lambda one: one[::-1]}
    if high == wide:
        ways["axes"] = lambda one: one.swapaxes(0, 1)
    if channels == _COLOURS:
        ways["colours"] = lambda one: one[..., ::-1]
    for name, way in ways.items():
        made = list(pictures)
        for row in chosen:
            made[row] = np.ascontiguousarray(way(pictures[row]))
        yield name, replace(rows, leaves=(made, *rest))


def turning_layers(model: Any) -> list[Any]:
    return [one for one in model._flatten_layers() if isinstance(one, _KINDS)]


@contextmanager
def none_turned(model: Any) -> Iterator[None]:
    """While open, such layers give on what they are given."""

    def still(*_: Any) -> Call:
        def given(inputs: Any, *args: Any, **kwargs: Any) -> Any:
            return inputs

        return given

    with calls_heard(turning_layers(model), still):
        yield
