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

from debugger.pipelines.kept import Attributes

EAGER_STEPS = 20
"""Up to so many steps tracing a graph costs more than it saves."""
_COMPILED = (
    "compiled_loss",
    "compiled_metrics",
    "loss",
    "_compile_config",
    "_is_compiled",
    "_using_dummy_loss",
    "_jit_compile",
)


class Bench:
    """`before` holds the weights as they were when the model was last mounted, by name."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.before: dict[str, Any] = {}
        self._ours: dict[str, Any] = {}
        self._optimizer: Any = None
        self._made: dict[str, Any] = {}
        self._start: list[tuple[Any, Any]] = []
        self._graph: Any = None

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """The model may be asked, and is as it was afterwards. It must not be trained."""
        model = self.model
        keepers = [Attributes(model), Rng(), _Values(_counters_of(model))]
        try:
            self._compile()
            yield
        finally:
            for keeper in keepers:
                keeper.restore()

    @contextmanager
    def mounted(self, steps: int, keep: bool = True) -> Iterator[Any]:
        """The model, to be trained for so many steps, its weights put back afterwards.

        Yields the optimizer: a copy of the model's own, with what that has learned so far. Whoever
        changes it must not `keep` the graph, which has the change in it.
        """
        model, graph = self.model, self._graph if keep else None
        eagerly = graph is None and steps <= EAGER_STEPS
        with self.untouched():
            # What a script drew before must not decide what a training draws: only its seed.
            seed = context.global_seed() or 0
            _draw(seed, random.Random(seed))
            self.before = {weight.name: weight.numpy() for weight in model.weights}
            vars(model)["optimizer"] = self._fresh_optimizer()
            vars(model).update(train_function=graph, _run_eagerly=eagerly)
            try:
                yield model.optimizer
                if keep and not eagerly:
                    self._graph = model.train_function
            finally:
                for weight in model.weights:
                    weight.assign(self.before[weight.name])

    def _compile(self) -> None:
        """Give the model a loss and metrics of ours, that count what we ask and nothing else."""
        model = self.model
        if not self._ours:
            given = model.compiled_metrics
            model.compile(
                optimizer=model.optimizer,
                loss="auto" if getattr(model, "_using_dummy_loss", False) else model.loss,
                metrics=getattr(given, "_user_metrics", None),
                loss_weights=getattr(model.compiled_loss, "_user_loss_weights", None),
                weighted_metrics=getattr(given, "_user_weighted_metrics", None),
                jit_compile=model._jit_compile,
            )
            self._ours = {name: vars(model)[name] for name in _COMPILED if name in vars(model)}
        vars(model).update(self._ours, _run_eagerly=True, test_function=None)
        model.reset_metrics()

    def _fresh_optimizer(self) -> Any:
        """Always the same object, as a traced graph holds on to it, with its first values."""
        if self._optimizer is None:
            self._optimizer = _copied(self.model.optimizer)
            if hasattr(self._optimizer, "build"):
                self._optimizer.build(self.model.trainable_variables)
            for variable in _held(self._optimizer):
                value = variable.numpy()
                self._start.append((variable, value if value.any() else None))
            self._made = dict(vars(self._optimizer))
        else:
            vars(self._optimizer).clear()
            vars(self._optimizer).update(self._made)
            for variable, value in self._start:
                variable.assign(tf.zeros_like(variable) if value is None else value)
        return self._optimizer


class _Values:
    def __init__(self, variables: list[Any]) -> None:
        self.values = [(variable, variable.numpy()) for variable in variables]

    def restore(self) -> None:
        for variable, value in self.values:
            variable.assign(value)


class Rng:
    """Every generator that a Keras model can draw from."""

    def __init__(self) -> None:
        self.python = random.getstate()
        self.numpy = np.random.get_state()
        self.seed = context.global_seed()
        self.eager: Any = getattr(context.context(), "_rng", None)
        self.eager_state = None if self.eager is None else self.eager.getstate()
        self.layers: Any = getattr(backend._SEED_GENERATOR, "generator", None)
        self.layers_state = None if self.layers is None else self.layers.getstate()
        self.tensors: Any = stateful_random_ops.global_generator
        self.tensors_state = None if self.tensors is None else self.tensors.state.numpy()

    def restore(self) -> None:
        random.setstate(self.python)
        np.random.set_state(self.numpy)
        _draw(self.seed, self.eager)
        for generator, state in ((self.eager, self.eager_state), (self.layers, self.layers_state)):
            if generator is not None:
                generator.setstate(state)
        if self.tensors is not None:
            self.tensors.state.assign(self.tensors_state)


def _draw(seed: int | None, generator: random.Random | None) -> None:
    """What TensorFlow draws from next. Its own function would also start traced graphs anew."""
    eager: Any = context.context()
    eager._seed, eager._rng = seed, generator


def _counters_of(model: Any) -> list[Any]:
    """What asking a model changes: how often it was asked, and what its metrics hold."""
    counters = [value for value in vars(model).values() if isinstance(value, tf.Variable)]
    return counters + [v for metric in model.compiled_metrics.metrics for v in metric.variables]


def _held(optimizer: Any) -> list[Any]:
    held: Any = optimizer.variables
    held = held() if callable(held) else held
    return [variable for variable in held if isinstance(variable, tf.Variable)]


def _copied(optimizer: Any) -> Any:
    """The strategy is one of a kind, and refuses to be copied."""
    strategy = getattr(optimizer, "_distribution_strategy", None)
    return copy.deepcopy(optimizer, {id(strategy): strategy})
