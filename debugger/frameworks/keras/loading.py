"""Weights that a checkpoint holds are not drawn first: that is half of what loading a model costs.

A draw depends on its seed alone, and seeds are taken as ever. So what the checkpoint did not hold
is drawn afterwards, and has bit for bit the values that it would have had.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np
import tensorflow as tf
from tf_keras.src.backend import RandomGenerator
from transformers import TFPreTrainedModel

from debugger.failure import on_behalf

Draws = list[Callable[[], Any]]

_seen_loading: weakref.WeakSet[Any] = weakref.WeakSet()
_watched = False
_OF_LIBRARY = "transformers.models."
_FIRST = 0x7FC0_5EED
"""The bits of a nan. It and those that follow stand for a draw each."""


def was_loaded(part: Any) -> bool:
    """Whether it has the weights of a checkpoint, and not only its config."""
    named = bool(getattr(getattr(part, "config", None), "_name_or_path", ""))
    return named and (part in _seen_loading or not _watched)


def _noted(loaded: Any) -> Any:
    model = loaded[0] if isinstance(loaded, tuple) else loaded
    _seen_loading.update(model._flatten_layers())
    return loaded


@contextmanager
def drawn_late() -> Iterator[None]:
    """While open, `from_pretrained` of the library's own models draws only what is missing."""
    global _watched
    before = TFPreTrainedModel.__dict__["from_pretrained"]
    loading, _watched = False, True

    @wraps(before.__func__)
    def spared(cls: Any, *args: Any, **given: Any) -> Any:
        nonlocal loading
        if loading or not cls.__module__.startswith(_OF_LIBRARY):
            return _noted(on_behalf(before.__func__, cls, *args, **given))
        loading = True
        try:
            with _marked() as draws:
                loaded = on_behalf(before.__func__, cls, *args, **given)
        finally:
            loading = False
        _draw(loaded[0] if isinstance(loaded, tuple) else loaded, draws)
        return _noted(loaded)

    setattr(TFPreTrainedModel, "from_pretrained", classmethod(spared))  # noqa: B010
    try:
        yield
    finally:
        setattr(TFPreTrainedModel, "from_pretrained", before)  # noqa: B010


@contextmanager
def _marked() -> Iterator[Draws]:
    """While open, a draw gives a tensor that is full of its mark, and is put off."""
    draws: Draws = []
    draw = RandomGenerator.truncated_normal

    @wraps(draw)
    def mark(
        self: Any,
        shape: Any,
        mean: float = 0.0,
        stddev: float = 1.0,
        dtype: Any = None,
        nonce: Any = None,
    ) -> Any:
        def later() -> Any:
            return draw(self, shape, mean, stddev, dtype, nonce)

        self._maybe_init()  # takes its seed
        stateless = self._rng_type == self.RNG_STATELESS
        if not stateless or dtype != tf.float32 or not tf.executing_eagerly():
            return later()
        draws.append(later)
        bits = np.array(_FIRST + len(draws) - 1, np.uint32)
        return tf.fill(shape, bits.view(np.float32))

    RandomGenerator.truncated_normal = mark
    try:
        yield draws
    finally:
        RandomGenerator.truncated_normal = draw


def _draw(model: Any, draws: Draws) -> None:
    """Wherever a mark is left, put what it stands for."""
    for weight in model.weights if draws else ():
        values = weight.numpy()
        if values.dtype != np.float32 or not np.isnan(values.sum()):
            continue
        bits = values.view(np.uint32)
        for mark in np.unique(bits[np.isnan(values)]).tolist():
            if _FIRST <= mark < _FIRST + len(draws):
                drawn = draws[mark - _FIRST]().numpy()
                values = np.where(bits == mark, drawn, values)
        weight.assign(values)
