"""Layers that turn, mirror or move pictures at random while a model is trained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tf_keras

from debugger.frameworks.keras.listening import Call, calls_heard

_KINDS = (
    tf_keras.layers.RandomFlip,
    tf_keras.layers.RandomRotation,
    tf_keras.layers.RandomTranslation,
    tf_keras.layers.RandomZoom,
)


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
