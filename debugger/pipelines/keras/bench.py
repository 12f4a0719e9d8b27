"""A workbench for somebody's model: an optimizer and metrics of its own, and nothing left behind.

What `fit` traces as a graph is kept from one stage to the next: tracing is what costs.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.ops import stateful_random_ops
from tf_keras.src import backend

EAGER_STEPS = 20
"""Up to so many steps tracing a graph costs more than it saves."""
_COMPILED = (
    "optimizer",
    "compiled_loss",
    "compiled_metrics",
    "loss",
    "_compile_config",
    "_is_compiled",
    "_using_dummy_loss",
    "_jit_compile",
)


class Bench:
    def __init__(self, model: Any) -> None:
        self.model = model
        self._ours: dict[str, Any] = {}
        self._graph: Any = None
        self._start: list[tuple[Any, Any]] = []

    @contextmanager
    def mounted(self, steps: int = 0) -> Iterator[Any]:
        """The model, compiled as it was, to be trained for so many steps. It is undone afterwards.

        Yields the optimizer: a copy of the model's own, with what that has learned so far.
        """
        model = self.model
        keepers = [_Attributes(model), Rng()]
        variables = _variables_of(model)
        before = [(variable, variable.numpy()) for variable in variables]
        try:
            self._compile()
            vars(model)["train_function"] = self._graph if steps > EAGER_STEPS else None
            vars(model)["_run_eagerly"] = steps <= EAGER_STEPS
            yield model.optimizer
            if steps > EAGER_STEPS:
                self._graph = model.train_function
        finally:
            for keeper in keepers:
                keeper.restore()
            for variable, value in before:
                variable.assign(value)

    def _compile(self) -> None:
        model = self.model
        if not self._ours:
            theirs = model.optimizer
            metrics = getattr(model.compiled_metrics, "_user_metrics", None)
            weighted = getattr(model.compiled_metrics, "_user_weighted_metrics", None)
            model.compile(
                optimizer=_copied(theirs),
                loss="auto" if getattr(model, "_using_dummy_loss", False) else model.loss,
                metrics=metrics,
                loss_weights=getattr(model.compiled_loss, "_user_loss_weights", None),
                weighted_metrics=weighted,
                jit_compile=model._jit_compile,
            )
            if hasattr(model.optimizer, "build"):
                model.optimizer.build(model.trainable_variables)
            self._ours = {name: vars(model)[name] for name in _COMPILED if name in vars(model)}
            self._start = [(v, v.numpy()) for v in _held(model.optimizer)]
        vars(model).update(self._ours)
        for variable, value in self._start:
            variable.assign(value)
        model.reset_metrics()


class Rng:
    """Every generator that a Keras model can draw from."""

    def __init__(self) -> None:
        self.python = random.getstate()
        self.numpy = np.random.get_state()
        self.eager: Any = getattr(context.context(), "_rng", None)
        self.eager_state = None if self.eager is None else self.eager.getstate()
        self.layers: Any = getattr(backend._SEED_GENERATOR, "generator", None)
        self.layers_state = None if self.layers is None else self.layers.getstate()
        self.tensors: Any = stateful_random_ops.global_generator
        self.tensors_state = None if self.tensors is None else self.tensors.state.numpy()

    def restore(self) -> None:
        random.setstate(self.python)
        np.random.set_state(self.numpy)
        for generator, state in ((self.eager, self.eager_state), (self.layers, self.layers_state)):
            if generator is not None:
                generator.setstate(state)
        if self.tensors is not None:
            self.tensors.state.assign(self.tensors_state)


class _Attributes:
    """The attributes of a model, plain lists and dicts among them copied one level deep."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self.saved = dict(vars(thing))
        self.contents = {
            name: copy.copy(value)
            for name, value in self.saved.items()
            if type(value) in (list, dict, set)
        }

    def restore(self) -> None:
        attributes = vars(self.thing)
        attributes.clear()
        attributes.update(self.saved)
        for name, content in self.contents.items():
            kept = attributes[name]
            kept.clear()
            kept.extend(content) if isinstance(kept, list) else kept.update(content)


def _variables_of(model: Any) -> list[Any]:
    """Weights, counters, and what the metrics and the optimizer hold."""
    counters = [value for value in vars(model).values() if isinstance(value, tf.Variable)]
    metrics = [v for metric in model.compiled_metrics.metrics for v in metric.variables]
    named = {id(v): v for v in (*model.weights, *counters, *metrics, *_held(model.optimizer))}
    return list(named.values())


def _held(optimizer: Any) -> list[Any]:
    held: Any = optimizer.variables
    held = held() if callable(held) else held
    return [variable for variable in held if isinstance(variable, tf.Variable)]


def _copied(optimizer: Any) -> Any:
    """The strategy is one of a kind, and refuses to be copied."""
    strategy = getattr(optimizer, "_distribution_strategy", None)
    return copy.deepcopy(optimizer, {id(strategy): strategy})
