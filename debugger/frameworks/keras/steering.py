"""Which of a script's callbacks belong to the training itself: those that steer the learning rate.

The others stop it early, print, measure, save or push, and are not run.
"""

from __future__ import annotations

import dis
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.pipelines.kept import Attributes

OF_KERAS = (tf_keras.callbacks.LearningRateScheduler, tf_keras.callbacks.ReduceLROnPlateau)
ROUNDED = 1e-6
"""The share that a rate may lose as it is put into 32 bits."""
_RATES = ("learning_rate", "lr", "_learning_rate")
_SETTERS = ("set_value", "assign", "assign_add", "assign_sub", "setattr")


def steering(callbacks: tuple[Any, ...]) -> list[Any]:
    own = [one for one in callbacks if isinstance(one, tf_keras.callbacks.Callback)]
    return [one if isinstance(one, OF_KERAS) else Quiet(one) for one in own if _steers(one)]


def only_lowered(callbacks: tuple[Any, ...]) -> bool:
    """Whether the rate of the optimizer is the highest that there is, whatever callbacks do."""
    kind = tf_keras.callbacks.ReduceLROnPlateau
    return all(isinstance(one, kind) for one in steering(callbacks))


def by_epochs(
    callbacks: tuple[Any, ...], epochs: int, begun: float, afresh: bool = False
) -> list[float]:
    """As callbacks would set the rate that know the number of the epoch alone; none without.
    `afresh`: each epoch is handed the rate that it all began with."""
    kind = tf_keras.callbacks.LearningRateScheduler
    found: list[float] = []
    for one in [one for one in callbacks if isinstance(one, kind)][:1]:
        rate = begun
        kept = Attributes(one)
        try:
            for epoch in range(epochs):
                rate = begun if afresh else rate
                try:
                    rate = float(one.schedule(epoch, rate))
                except TypeError:  # of one argument
                    rate = float(one.schedule(epoch))
                found.append(rate)
        except Exception:  # a rehearsal: what a callback runs into here is nobody's fault
            return []
        finally:
            kept.restore()
    return found


def gives_no_float(callbacks: tuple[Any, ...], epochs: int, begun: float) -> tuple[str, int] | None:
    """A schedule of the script's own that answers with something else, by its name, and the epoch
    in which it does. Keras takes no whole number either."""
    for one in [one for one in callbacks if isinstance(one, OF_KERAS[0])][:1]:
        rate: Any = begun
        kept = Attributes(one)
        try:
            for epoch in range(epochs):
                try:
                    rate = one.schedule(epoch, rate)
                except TypeError:  # of one argument
                    rate = one.schedule(epoch)
                if not isinstance(rate, float | np.floating | tf.Tensor):
                    return getattr(one.schedule, "__name__", ""), epoch
                rate = float(rate)
        except Exception:  # see by_epochs
            return None
        finally:
            kept.restore()
    return None


def no_room(callbacks: tuple[Any, ...], begun: float) -> tuple[float, float] | None:
    """The rate that a training begins with and the least one that a plateau may lower it to, where
    that is no less."""
    kind = tf_keras.callbacks.ReduceLROnPlateau
    least = next((float(one.min_lr) for one in callbacks if isinstance(one, kind)), 0.0)
    return (begun, least) if 0 < begun <= least * (1 + ROUNDED) else None


class Quiet(tf_keras.callbacks.Callback):
    """A callback of one's own, in a rehearsal that lacks what it may ask for: evaluation's logs."""

    def __init__(self, own: Any) -> None:
        super().__init__()
        self.own: Any = own

    def set_params(self, params: Any) -> None:
        self._ask("set_params", params)

    def set_model(self, model: Any) -> None:
        self._ask("set_model", model)

    def on_train_begin(self, logs: Any = None) -> None:
        self._ask("on_train_begin", logs)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._ask("on_epoch_begin", epoch, logs)

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._ask("on_train_batch_begin", batch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._ask("on_train_batch_end", batch, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._ask("on_epoch_end", epoch, logs)

    def _ask(self, hook: str, *given: Any) -> None:
        if self.own is None:
            return
        try:
            getattr(self.own, hook)(*given)
        except Exception:  # of a rehearsal, so it is no fault of the script
            self.own = None


def may_add_numbers(callback: Any) -> bool:
    """Whether a callback may put numbers of its own beside those of an epoch: the library's do not,
    nor do those that put nothing into a dictionary."""
    return any(
        _fills_a_dictionary(method)
        for kind in type(callback).__mro__
        if not kind.__module__.startswith(("tf_keras.", "builtins"))
        for method in vars(kind).values()
    )


def _fills_a_dictionary(method: Any) -> bool:
    code = getattr(method, "__code__", None)
    if code is None:
        return False
    put = any(one.opname == "STORE_SUBSCR" for one in dis.get_instructions(code))
    return put or bool({"update", "setdefault", "__setitem__"} & {*code.co_names})


def _steers(callback: Any) -> bool:
    if isinstance(callback, OF_KERAS):
        return True
    kind = type(callback)
    if kind.__module__.startswith(("tf_keras.", "transformers.", "keras.")):
        return False
    return any(map(_sets_a_rate, vars(kind).values()))


def _sets_a_rate(method: Any) -> bool:
    code = getattr(method, "__code__", None)
    if code is None:
        return False
    read = {*code.co_names, *(one for one in code.co_consts if isinstance(one, str))}
    stored = {one.argval for one in dis.get_instructions(code) if one.opname == "STORE_ATTR"}
    return any(name in stored or (name in read and read & {*_SETTERS}) for name in _RATES)
