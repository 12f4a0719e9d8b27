"""A workbench for somebody's model: an optimizer and metrics of its own, and nothing left behind.

What `fit` traces as a graph is kept from one stage to the next: tracing is what costs.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras
from tensorflow.python.eager import context
from tensorflow.python.ops import stateful_random_ops
from tf_keras.src import backend
from transformers import TFPreTrainedModel

from debugger.pipelines.kept import Attributes

EAGER_STEPS = 10
"""Up to so many steps tracing a graph costs more than it saves."""
_OPTIMIZERS = (tf_keras.optimizers.Optimizer, tf_keras.optimizers.legacy.Optimizer)
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
        self._copies: dict[str, _Copy] = {}
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
    def mounted(self, steps: int, keep: bool = True, anew: bool = False) -> Iterator[Any]:
        """The model, to be trained for so many steps, its weights put back afterwards.

        Yields the optimizer: a copy of the model's own, with what that has learned so far. Whoever
        changes it must not `keep` the graph, which has the change in it, and takes a copy `anew`
        where other weights are trained.
        """
        model = self.model
        names = optimizers_of(model)
        keep = keep and len(names) == 1  # what others hold is made within the graph
        graph = self._graph if keep else None
        eagerly = graph is None and steps <= EAGER_STEPS
        with self.untouched():
            # What a script drew before must not decide what a training draws: only its seed.
            seed = context.global_seed() or 0
            draw(seed, random.Random(seed))
            weights = named_weights(model)
            self.before = {name: weight.numpy() for name, weight in weights.items()}
            for name in names:
                vars(model)[name] = self._fresh(name, anew)
            vars(model).update(train_function=graph, _run_eagerly=eagerly)
            try:
                yield model.optimizer
                if keep and not eagerly:
                    self._graph = model.train_function
            finally:
                for name, weight in weights.items():
                    weight.assign(self.before[name])

    def _compile(self) -> None:
        """Give the model a loss and metrics of ours, that count what we ask and nothing else."""
        model = self.model
        if not self._ours:
            given = model.compiled_metrics
            # Its class may have a `compile` of its own, which takes other things.
            of_transformers = issubclass(type(model), TFPreTrainedModel)
            base: Any = TFPreTrainedModel if of_transformers else tf_keras.Model
            base.compile(
                model,
                optimizer=model.optimizer,
                loss="auto" if getattr(model, "_using_dummy_loss", False) else model.loss,
                metrics=getattr(given, "_user_metrics", None),
                loss_weights=getattr(model.compiled_loss, "_user_loss_weights", None),
                weighted_metrics=getattr(given, "_user_weighted_metrics", None),
                jit_compile=model._jit_compile,
            )
            self._ours = {name: vars(model)[name] for name in _COMPILED if name in vars(model)}
        own: dict[str, Any] = vars(model)
        own.update(self._ours, _run_eagerly=True, test_function=None)
        model.reset_metrics()

    def _fresh(self, name: str, anew: bool) -> Any:
        """Always the same object, as a traced graph holds on to it, with its first values."""
        if anew:
            return _Copy(vars(self.model)[name], self.model, name == "optimizer", anew).begin()
        if name not in self._copies:
            self._copies[name] = _Copy(vars(self.model)[name], self.model, name == "optimizer")
        return self._copies[name].begin()


class _Copy:
    """A copy of an optimizer that can begin again and again; `anew`, with other weights."""

    def __init__(self, optimizer: Any, model: Any, whole: bool, anew: bool = False) -> None:
        self.copy = _copied(optimizer)
        if whole:
            weights = model.trainable_variables
            if anew:  # one that has been built remembers the weights it was built for
                vars(getattr(self.copy, "inner_optimizer", self.copy))["_built"] = False
            if hasattr(self.copy, "build"):
                self.copy.build(weights)
            elif hasattr(self.copy, "_create_all_weights"):
                self.copy._create_all_weights(weights)
        held = [(one, values_of(one)) for one in _held(self.copy)]
        self.values = [(one, values if values.any() else None) for one, values in held]
        self.made = dict(vars(self.copy))
        self.hyper = dict(self.made.get("_hyper", {}))

    def begin(self) -> Any:
        vars(self.copy).clear()
        vars(self.copy).update(self.made)
        if self.hyper:  # where the older optimizers keep their learning rate
            self.made["_hyper"].update(self.hyper)
        for variable, value in self.values:
            variable.assign(tf.zeros_like(variable) if value is None else value)
        return self.copy


def named_weights(model: Any) -> dict[str, Any]:
    """All weights, whose own names need not differ; none of a model that was never called."""
    named: dict[str, Any] = {}
    try:
        weights = model.weights
    except ValueError:
        return {}
    for weight in (one for one in weights if isinstance(one, tf.Variable)):  # no vocabularies
        name, others = weight.name, 1
        while name in named:
            others += 1
            name = f"{weight.name} ({others})"
        named[name] = weight
    return named


def values_of(variable: Any) -> Any:
    """To be read only. Not copied: TensorFlow itself copies what is held when it changes it."""
    return np.asarray(variable.read_value())


def count_of(variables: Iterable[Any]) -> int:
    """How many numbers they hold. Not all shapes say it, as that of limits which `adapt` finds."""
    return sum(int(tf.size(variable)) for variable in variables)


def cost_of(model: Any, labels: Any, answer: Any) -> float | None:
    """What the loss of `compile` makes of an answer; None where it has none, or takes more."""
    loss = model.compiled_loss
    if loss is None:
        return None
    try:
        return float(loss(labels, answer))
    except Exception:  # of the script's: the next stages tell of it
        return None
    finally:
        loss.reset_state()


def broken_weights(weights: dict[str, Any]) -> tuple[str, ...]:
    """The names of those that hold a nan or an infinity."""
    return tuple(name for name, weight in weights.items() if not _is_finite(values_of(weight)))


def _is_finite(values: Any) -> bool:
    """One number out of the way shows in the sum; a sum may also run over by itself."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()) or np.isfinite(values).all())


def optimizers_of(model: Any) -> list[str]:
    """The attributes that hold an optimizer: a training step of one's own may use several."""
    return [name for name, value in vars(model).items() if isinstance(value, _OPTIMIZERS)]


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
        draw(self.seed, self.eager)
        for generator, state in ((self.eager, self.eager_state), (self.layers, self.layers_state)):
            if generator is not None:
                generator.setstate(state)
        if self.tensors is not None:
            self.tensors.state.assign(self.tensors_state)


def draw(seed: int | None, generator: random.Random | None) -> None:
    """What TensorFlow draws from next. Its own function would also start traced graphs anew."""
    eager: Any = context.context()
    eager._seed, eager._rng = seed, generator


def _counters_of(model: Any) -> list[Any]:
    """What asking changes: how often the model was asked, what metrics and generators hold."""
    counters = [value for value in vars(model).values() if isinstance(value, tf.Variable)]
    given = model.compiled_metrics
    users = (getattr(given, "_user_metrics", None), getattr(given, "_user_weighted_metrics", None))
    metrics = [one for one in tf.nest.flatten(users) if isinstance(one, tf_keras.metrics.Metric)]
    metrics += given.metrics if given is not None else []
    for layer in model._flatten_layers():
        metrics += layer._metrics
        generator = getattr(getattr(layer, "_random_generator", None), "_generator", None)
        counters += [] if generator is None else [generator.state]
    held = {id(v): v for metric in metrics for v in metric.variables}
    return [*counters, *held.values()]


def _held(optimizer: Any) -> list[Any]:
    held: Any = optimizer.variables
    held = held() if callable(held) else held
    return [variable for variable in held if isinstance(variable, tf.Variable)]


def _copied(optimizer: Any) -> Any:
    """The strategy is one of a kind, and refuses to be copied."""
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    held = [getattr(one, "_distribution_strategy", None) for one in (optimizer, inner)]
    kept = {id(one): one for one in (*held, tf.distribute.get_strategy()) if one is not None}
    return copy.deepcopy(optimizer, kept)
