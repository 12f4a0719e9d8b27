"""An optimizer's learning rate: now, and as its schedule will have it."""

from __future__ import annotations

import inspect
from typing import Any

import tensorflow as tf
import tf_keras

from debugger.pipelines.step import Decay

RATES_LOOKED_AT = 50
_SCHEDULES: Any = tf_keras.optimizers.schedules
_ENDING = (_SCHEDULES.PolynomialDecay, _SCHEDULES.CosineDecay)


def hold(optimizer: Any, rate: float) -> None:
    """The learning rate stays where it is, whatever the schedule says."""
    optimizer = getattr(optimizer, "inner_optimizer", optimizer)
    if isinstance(optimizer, tf_keras.optimizers.legacy.Optimizer):
        optimizer._hyper["learning_rate"] = rate
    else:
        vars(optimizer)["_learning_rate"] = tf.Variable(tf.constant(rate), trainable=False)


def rate_of(optimizer: Any) -> float | None:
    optimizer = getattr(optimizer, "inner_optimizer", optimizer)
    if (schedule := schedule_of(optimizer)) is not None:
        return _plain(schedule(optimizer.iterations))  # the optimizer tells that of its last step
    rate: Any = getattr(optimizer, "learning_rate", None)
    if callable(rate) and not isinstance(rate, tf.Variable):
        rate = rate(optimizer.iterations)
    return None if rate is None else _plain(rate)


def at_default(optimizer: Any) -> bool:
    """Whether it goes by the rate that its class has where nobody asks for one."""
    asked = inspect.signature(type(optimizer)).parameters.get("learning_rate")
    rate = rate_of(optimizer)
    return asked is not None and rate is not None and asked.default == rate


def _plain(rate: Any) -> float:
    """As a person wrote it: in 32 bits 0.001 is 0.0010000000474974513."""
    return float(f"{float(rate):.6g}")


def schedule_of(optimizer: Any) -> Any:
    """None where the learning rate is one number. What mixed precision wraps has it inside."""
    optimizer = getattr(optimizer, "inner_optimizer", optimizer)
    legacy = isinstance(optimizer, tf_keras.optimizers.legacy.Optimizer)
    rate = getattr(optimizer, "learning_rate" if legacy else "_learning_rate", None)
    return rate if isinstance(rate, tf_keras.optimizers.schedules.LearningRateSchedule) else None


def rates_of(schedule: Any, planned: int | None) -> list[float]:
    """The learning rates that a schedule will go through; none where there is no schedule."""
    if schedule is None:
        return []
    return [_plain(schedule(tf.constant(number))) for number in looked_at(planned)]


def looked_at(planned: int | None) -> list[int]:
    last = max(1, (planned or 1) - 1)
    return sorted({round(last * n / RATES_LOOKED_AT) for n in range(RATES_LOOKED_AT + 1)})


def decay_of(schedule: Any, planned: int | None, examples: int) -> Decay | None:
    """Of a schedule that has an end. Half-lives and restarts are none."""
    falling = getattr(schedule, "decay_schedule_fn", schedule)
    steps = getattr(falling, "decay_steps", None)
    if steps is None or planned is None or not isinstance(falling, _ENDING):
        return None
    if getattr(falling, "cycle", False):
        return None
    climbing = max(_whole(schedule, "warmup_steps"), _whole(falling, "warmup_steps"))
    steps = int(steps) + climbing if int(steps) > 0 else int(steps)
    return Decay(type(falling).__name__, steps, planned, examples)


def _whole(schedule: Any, name: str) -> int:
    value = getattr(schedule, name, 0)
    return int(value) if isinstance(value, (int, float)) else 0
