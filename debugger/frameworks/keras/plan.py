"""What the run is going to do: read from fit, the optimizer, its schedule and the layers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.frameworks.keras.bench import count_of, named_weights
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.loading import was_loaded
from debugger.frameworks.keras.rates import rate_of, schedule_of
from debugger.frameworks.keras.steering import (
    by_epochs,
    gives_no_float,
    no_room,
    only_lowered,
    steering,
)
from debugger.pipelines.plan import Plan, Rates
from debugger.pipelines.within import Clipped, Steered

CLIPPED_BY = ("clipnorm", "global_clipnorm", "clipvalue")
_OF_HEADS = ("classifier", "cls", "head", "summary", "layer")
_SCHEDULES: Any = tf_keras.optimizers.schedules
_IN_STEPS = (_SCHEDULES.ExponentialDecay, _SCHEDULES.InverseTimeDecay)
"""Schedules whose `decay_steps` are no end: they go on for ever."""
_BEGIN = {"bias": 0.0, "beta": 0.0, "gamma": 1.0, "moving_mean": 0.0, "moving_variance": 1.0}


def plan(
    fit: Fit,
    optimizer: Any,
    rates: dict[int, float],
    planned: int | None,
    gradients: dict[str, float],
) -> Plan:
    """`rates` are those of some steps of the `planned` ones; `gradients` is of the first step."""
    updates = planned if planned and fit.whole else 0
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    first, second = number(inner, "beta_1"), number(inner, "beta_2")
    steered, batches = _steered(fit, inner, updates), max(1, updates // max(1, fit.epochs))
    given = steered.rates if steered else ()
    rises = bool(given) and given[-1] == max(given) > given[0]
    by_callback = {} if rises else {n * batches: rate for n, rate in enumerate(given)}
    name, dropout = body_dropout(fit.model)
    head_name, head_dropout = _head_dropout(fit.model)
    frozen_name, frozen = never_trained(fit.model)
    return Plan(
        updates=updates,
        batches=planned // fit.epochs if planned else None,
        epochs=float(fit.epochs),
        # Where callbacks raise the rate, only the run itself shows what they do.
        rates=_with_rhythm(
            _rates(inner, rates if only_lowered(fit.callbacks) else by_callback, updates),
            schedule_of(inner),
            batches,
        ),
        weight_decay=max(number(inner, n) or 0.0 for n in ("weight_decay", "weight_decay_rate")),
        momentum=number(inner, "momentum") or 0.0,
        eps=number(inner, "epsilon"),
        betas=None if first is None or second is None else (first, second),
        gradient=gradients.get("typical"),
        held=_held(fit.model, gradients.get("norm")),
        dropout=dropout,
        dropout_name=name,
        head_dropout=head_dropout,
        head_dropout_name=head_name,
        frozen_new=frozen,
        frozen_new_name=frozen_name,
        begins_at=fit.begins_at,
        clipped=_clipped(inner, gradients),
        steered=steered,
        no_float=gives_no_float(fit.callbacks, fit.epochs, rate_of(inner) or 0.0),
        no_room=no_room(fit.callbacks, rate_of(inner) or 0.0),
        held_batches=fit.held,
        asked_steps=(fit.steps_per_epoch or 0) * fit.epochs,
    )


def _clipped(optimizer: Any, gradients: dict[str, float]) -> Clipped | None:
    known = {name: at for name in CLIPPED_BY if (at := number(optimizer, name))}
    before, after = gradients.get("uncut"), gradients.get("typical")
    if not known or not before or after is None:
        return None
    name = min(known, key=known.__getitem__)
    return Clipped(name, known[name], before, after)


def _steered(fit: Fit, optimizer: Any, updates: int) -> Steered | None:
    """Where one callback alone steers the rate, and goes by the number of the epoch."""
    own, asked = steering(fit.callbacks), rate_of(optimizer) or 0.0
    rates = by_epochs(fit.callbacks, fit.epochs, asked) if len(own) == 1 and updates else []
    if not rates or not all(math.isfinite(one) for one in rates):
        return None
    total = sum(rates) / len(rates) * updates
    function = getattr(getattr(own[0], "schedule", None), "__name__", "")
    afresh = by_epochs(fit.callbacks, fit.epochs, asked, afresh=True)
    name = type(own[0]).__name__
    return Steered(name, max(rates), asked, total, tuple(rates), function, tuple(afresh))


def never_trained(model: Any) -> tuple[str, int]:
    """The part of the model with most weights that are frozen as they were drawn, and all of them.

    Biases and the scales of norms are the proof: any training changes them. Layers that stand in
    the model by themselves prove it for each other, as where a body was taken apart: convolutions
    before a norm have no bias. Tables are filled from elsewhere.
    """
    parts = [part for part in _children(model) if not was_loaded(part)]
    alone = [one for one in parts if not _children(one)]
    drawn = _frozen_as_drawn(one for one in alone if not _is_table(one))
    for part in parts:
        drawn |= {} if part in alone else _frozen_as_drawn(part._flatten_layers())
    counts = {
        part.name: sum(drawn.get(id(one), 0) for one in part._flatten_layers()) for part in parts
    }
    return max(counts, key=counts.__getitem__, default=""), sum(counts.values())


def _frozen_as_drawn(layers: Iterable[Any]) -> dict[int, int]:
    """By layer, its weights."""
    frozen = [one for one in layers if not one.trainable and one.weights]
    plain = [(w, value) for one in frozen for w, value in _begun(one)]
    if not plain or not all(bool(np.all(w.numpy() == value)) for w, value in plain):
        return {}
    held = {id(w): (id(one), w) for one in frozen for w in one.weights}
    counts: Counter[int] = Counter()
    for layer, weight in held.values():
        counts[layer] += count_of([weight])
    return dict(counts)


def _is_table(layer: Any) -> bool:
    return isinstance(layer, tf_keras.layers.Embedding)


def _begun(layer: Any) -> list[tuple[Any, float]]:
    """What a layer holds that begins as 0, or as 1, unless it was told otherwise."""
    held = [(getattr(layer, name, None), value) for name, value in _BEGIN.items()]
    return [(weight, value) for weight, value in held if isinstance(weight, tf.Variable)]


def _children(model: Any) -> list[Any]:
    return list(model._flatten_layers(recursive=False, include_self=False))


def body_dropout(model: Any) -> tuple[str, float]:
    """Of the body of a model of transformers: attention takes its dropout from the config."""
    found = {
        name: float(value)
        for part in (model, *model._flatten_layers())
        for name, value in getattr(getattr(part, "config", None), "__dict__", {}).items()
        if ("dropout" in name or "pdrop" in name)
        and not any(word in name for word in _OF_HEADS)
        and isinstance(value, float)
    }
    name = max(found, key=found.__getitem__, default="")
    return name, found.get(name, 0.0)


def _head_dropout(model: Any) -> tuple[str, float]:
    """Of the layers that stand beside, or in place of, a body of transformers."""
    inside = {
        id(layer)
        for part in model._flatten_layers(include_self=False)
        if hasattr(part, "config")
        for layer in part._flatten_layers()
    }
    found = {
        layer.name: float(layer.rate)
        for layer in model._flatten_layers()
        if isinstance(layer, tf_keras.layers.Dropout) and id(layer) not in inside
    }
    name = max(found, key=found.__getitem__, default="")
    return name, found.get(name, 0.0)


def _rates(optimizer: Any, known: dict[int, float], updates: int) -> Rates | None:
    reached = max(known.values(), default=0.0)
    if updates < 1 or not reached or not all(map(math.isfinite, known.values())):
        return None
    top = next(step for step, rate in known.items() if rate >= (1 - 1e-6) * reached)
    falling = [rate for step, rate in known.items() if step >= top]
    return Rates(
        peak=max(asked_for(optimizer), reached),
        reached=reached,
        climbs=top,
        total=sum(known.values()) * updates / len(known),
        nothing=sum(rate == 0 for rate in falling) / len(known),
        little=sum(rate < 0.01 * reached for rate in falling) / len(known),
    )


def _with_rhythm(rates: Rates | None, schedule: Any, batches: int) -> Rates | None:
    if rates is None or schedule is None:
        return rates
    after = float(schedule(tf.constant(batches - 1)))
    steps = schedule.decay_steps if isinstance(schedule, _IN_STEPS) else None
    rhythm = int(steps) if isinstance(steps, (int, float)) else None
    return replace(rates, after_epoch=after, rhythm=rhythm)


def asked_for(optimizer: Any) -> float:
    """The rate that a schedule was told to begin at, or to climb to."""
    older = getattr(optimizer, "_hyper", {}).get("learning_rate")
    given = getattr(optimizer, "_learning_rate", older)
    told = [getattr(given, name, None) for name in ("initial_learning_rate", "warmup_target")]
    return max((float(one) for one in told if isinstance(one, (int, float))), default=0.0)


def _held(model: Any, gradient: float | None) -> float | None:
    if not gradient or not named_weights(model):
        return None
    return (
        math.sqrt(sum(float(np.linalg.norm(w.numpy())) ** 2 for w in model.trainable_weights))
        / gradient
    )


def number(optimizer: Any, name: str) -> float | None:
    """Older optimizers keep what they are told in a place of its own."""
    value = getattr(optimizer, name, None)
    value = getattr(optimizer, "_hyper", {}).get(name, value)
    if isinstance(value, tf.Variable):
        value = float(value.numpy())
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
