"""A training that another one follows: a few real steps of it, and what they leave behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tf_keras

from debugger.failure import on_behalf
from debugger.frameworks.keras.bench import named_weights
from debugger.frameworks.keras.rates import rate_of
from debugger.frameworks.keras.steering import OF_KERAS
from debugger.pipelines.forward import Earlier
from debugger.pipelines.phases import Unseen

_STOPPING = (tf_keras.callbacks.EarlyStopping, tf_keras.callbacks.TerminateOnNaN)
_GRAPHS = ("train_function", "test_function", "_run_eagerly")


@dataclass(frozen=True)
class Rehearsed:
    """An earlier `fit`, cut short. The sums are the weights' own before its first step."""

    model: Any
    given: Any
    optimizer: Any
    line: int | None
    steps: int
    planned: int
    sums: dict[str, float]
    trained: frozenset[str]
    compiled: int = 0
    spec: Any = None
    """How often its model was compiled before it, and what its batches look like to a graph."""

    def seen_from(self, model: Any, given: Any, line: int | None) -> Earlier | None:
        """Of the same weights on the same rows, by another optimizer: that may be one experiment
        after the other. To go on with what is there, or with other weights, is what `fit` is for.
        """
        if self.model is not model or self.given is not given or given is None:
            return None
        if self.optimizer is model.optimizer or self.trained != trained_in(model):
            return None
        now = sums_of(model)
        return Earlier(
            line=self.line,
            built_line=line,
            steps=self.steps,
            planned=self.planned,
            moved=sum(self.sums.get(name) != value for name, value in now.items()),
            tensors=len(now),
            same_task=False,
        )

    def unseen_by(self, fit: Any, compiled: int) -> Unseen | None:
        """Keras keeps the step that it has traced until the model is compiled again, or batches of
        another kind come."""
        if self.model is not fit.model or self.compiled != compiled or fit.model.run_eagerly:
            return None
        now = trained_in(fit.model)
        if now == self.trained or self.spec is None or self.spec != _spec(fit.train):
            return None
        return Unseen(self.line, len(now - self.trained), len(self.trained - now))


def rehearse(
    fit: Callable[..., Any],
    made: Any,
    given: Any,
    line: int | None,
    steps: int,
    compiled: int = 0,
) -> tuple[Any, Rehearsed]:
    """The history, and what was before it. No callback is called, and one batch is validated.

    To trace graphs for so few steps would cost more than it saves.
    """
    model = made.model
    own: dict[str, Any] = vars(model)
    kept = {name: own[name] for name in _GRAPHS if name in own}
    own.update(train_function=None, test_function=None, _run_eagerly=True)
    planned = planned_of(made)
    taken = min(steps, planned or steps)
    before = sums_of(model)
    history = on_behalf(
        fit,
        model,
        made.train.repeat(),
        steps_per_epoch=taken,
        epochs=1,
        validation_data=made.validation,
        validation_steps=None if made.validation is None else 1,
        verbose=0,
        shuffle=False,
        class_weight=made.class_weight,
    )
    own.update(kept)
    if any(isinstance(one, OF_KERAS) for one in made.callbacks):
        history.history["lr"] = [rate_of(model.optimizer)]  # as they themselves write it down
    if made.epochs and not any(map(_may_stop, made.callbacks)):
        _as_long_as(history, range(made.begins_at, made.begins_at + made.epochs))
    known = model.optimizer, line, taken, planned or taken, before, trained_in(model)
    known = *known, compiled, _spec(made.train)
    return history, Rehearsed(model, given, *known)


def _may_stop(callback: Any) -> bool:
    """Whether a callback may end a training before its last epoch; anybody's own may."""
    return isinstance(callback, _STOPPING) or "keras" not in type(callback).__module__


def _as_long_as(history: Any, epochs: range) -> None:
    """Scripts count on from the last epoch of a history: it holds as many as there would be."""
    history.epoch = [*epochs]
    history.history = {name: held[:1] * len(epochs) for name, held in history.history.items()}


def _spec(batches: Any) -> Any:
    return getattr(batches, "element_spec", None)


def planned_of(made: Any) -> int:
    """The steps of the whole `fit`; 0 where nobody can tell."""
    batches = made.steps_per_epoch or made.batches or int(made.train.cardinality())
    return max(0, batches) * made.epochs


def trained_in(model: Any) -> frozenset[str]:
    weights = named_weights(model)
    chosen = {id(weight) for weight in model.trainable_weights} if weights else set()
    return frozenset(name for name, weight in weights.items() if id(weight) in chosen)


def sums_of(model: Any) -> dict[str, float]:
    return {name: float(abs(weight.numpy()).sum()) for name, weight in named_weights(model).items()}
