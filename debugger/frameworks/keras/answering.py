"""What a model answers to a batch, and what its loss takes the answers and the labels for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import tensorflow as tf
import tf_keras
from transformers import TFPreTrainedModel

from debugger.frameworks.keras.bench import named_weights, optimizers_of
from debugger.frameworks.keras.listening import Call, calls_heard
from debugger.frameworks.keras.reading import HowLabels, Parts, dense
from debugger.pipelines.facts import Task
from debugger.pipelines.models import task_of

TINY = 1e-7
"""As Keras does it: no share is so small that its logarithm has no end."""
Counts = Literal["numbers", "vectors", "each", "amounts", "own", "other"]
"""How a loss counts: a class number, a vector of shares, yes or no of each output, an amount;
`own` is the model's own loss, `other` one that the clinic does not know."""
_COUNTS: dict[str, Counts] = {
    "sparse_categorical_crossentropy": "numbers",
    "categorical_crossentropy": "vectors",
    "categorical_focal_crossentropy": "vectors",
    "binary_crossentropy": "each",
    "binary_focal_crossentropy": "each",
    "mean_squared_error": "amounts",
    "mean_absolute_error": "amounts",
    "mean_absolute_percentage_error": "amounts",
    "mean_squared_logarithmic_error": "amounts",
    "huber": "amounts",
    "log_cosh": "amounts",
    "poisson": "amounts",
}


Made = Sequence[tuple[Any, Any]]


@dataclass(frozen=True)
class Answer:
    """`scores` are the numbers for each class, or all there is; None where nothing came out.

    `keeps_logits`: Keras itself made them of logits, which its cross-entropies take in their place.
    `made`: layers that end in an activation, and what they made, where that is as large as these.
    """

    scores: Any
    keeps_logits: bool = False
    made: Made = ()

    @property
    def shape(self) -> tuple[int, ...] | None:
        return None if self.scores is None else tuple(self.scores.shape)


@dataclass(frozen=True)
class Loss:
    """What the model was compiled with. `logits`: it was told to expect them."""

    name: str
    counts: Counts
    logits: bool = False
    plain: bool = True
    smoothing: float = 0.0


def answered(model: Any, parts: Parts) -> Answer:
    """The model's answer to one batch, without dropout."""
    with _heads_noted(model) as made:
        scores = scores_of(model(without_labels(model, parts.x, parts.inside), training=False))
    if scores is None:
        return Answer(None)
    alike = [
        (layer, output)
        for layer, output in made
        if isinstance(output, tf.Tensor)
        and output.shape.num_elements() == scores.shape.num_elements()
    ]
    return Answer(scores, hasattr(scores, "_keras_logits"), tuple(alike))


@contextmanager
def _heads_noted(model: Any) -> Iterator[list[tuple[Any, Any]]]:
    """While open, every layer that ends in an activation leaves itself and what it made."""
    made: list[tuple[Any, Any]] = []
    layers = [one for one in model._flatten_layers() if _ends_in(one) is not None]

    def noting(layer: Any, call: Call) -> Call:
        def noted(*args: Any, **kwargs: Any) -> Any:
            output = call(*args, **kwargs)
            made.append((_ends_in(layer), output))
            return output

        return noted

    with calls_heard(layers, noting):
        yield made


def _ends_in(layer: Any) -> Any:
    """The layer with that activation: itself, or the one that it asks step by step."""
    inner = layer.layer if isinstance(layer, tf.keras.layers.TimeDistributed) else layer
    return inner if callable(getattr(inner, "activation", None)) else None


def answer_to(model: Any, parts: Parts | None) -> Answer:
    """The same; nothing where it cannot be had: the stage that lets a batch through tells why."""
    if parts is None:
        return Answer(None)
    try:
        return answered(model, parts)
    except Exception:
        return Answer(None)


def built(model: Any, parts: Parts | None) -> bool:
    """Whether the model had its weights before this; if not it is called, as `fit` would, by a
    training step of its own where its `call` wants something else."""
    counted = [one for one in model.submodules if isinstance(one, tf_keras.metrics.Metric)]
    of_metrics = {id(variable) for one in counted for variable in one.variables}
    if any(id(weight) not in of_metrics for weight in named_weights(model).values()):
        return True
    answer = answer_to(model, parts)
    if answer.scores is None and parts is not None and has_own(model, "train_step"):
        _step_without_learning(model, parts.raw)
    return False


def _step_without_learning(model: Any, batch: Any) -> None:
    optimizers = [vars(model)[name] for name in optimizers_of(model)]
    for one in optimizers:
        one.apply_gradients = lambda *_, **__: None
    try:
        model.train_step(batch)
    except Exception:  # the stage that lets a batch through tells why
        pass
    finally:
        for one in optimizers:
            del one.apply_gradients
        model.reset_metrics()


def has_own(model: Any, step: str) -> bool:
    own = getattr(type(model), step)
    return all(own is not getattr(kind, step) for kind in (tf_keras.Model, TFPreTrainedModel))


def without_labels(model: Any, x: Any, inside: str | None) -> Any:
    """A model of transformers computes a loss where it finds labels: only its answer is wanted."""
    if inside is None or not hasattr(getattr(model, "config", None), "num_labels"):
        return x
    return {name: value for name, value in x.items() if name != inside}


def of_library(model: Any) -> bool:
    """Whether its class is one of transformers itself, with no line of a script's."""
    return type(model).__module__.startswith("transformers.models.")


def scores_of(outputs: Any) -> Any:
    """What a model returns for its classes: its logits, or all there is."""
    if hasattr(outputs, "logits"):
        return outputs.logits
    if isinstance(outputs, dict) and "logits" in outputs:
        return outputs["logits"]
    found = tf.nest.flatten(outputs)
    return found[0] if len(found) == 1 and isinstance(found[0], tf.Tensor) else None


def loss_of(model: Any) -> Loss:
    if getattr(model, "_using_dummy_loss", False):
        return Loss("", "own")
    given = model.loss
    if isinstance(given, (list, tuple, dict)) and len(given) == 1:
        given = tf.nest.flatten(given)[0]
    if not given:  # compile(loss=None) is kept as an empty dict
        return Loss("none", "other")
    if isinstance(given, (list, tuple, dict)):
        return Loss(type(given).__name__, "other")
    weights = getattr(model.compiled_loss, "_user_loss_weights", None)
    found = loss_as(given)
    return found if weights is None else replace(found, plain=False)


def loss_as(given: Any) -> Loss:
    """A single loss, as `compile` takes it: by name, a function, or made."""
    name = given if isinstance(given, str) else getattr(given, "__name__", type(given).__name__)
    try:
        found: Any = tf_keras.losses.get(given)
    except ValueError:  # there is none of that name: the stage that lets a batch through tells it
        return Loss(name, "other")
    function = getattr(found, "fn", found)
    ours = str(getattr(function, "__module__", "")).startswith("tf_keras.")
    told = getattr(found, "_fn_kwargs", {})
    called = getattr(function, "__name__", "")
    summed = getattr(found, "reduction", "") == tf_keras.losses.Reduction.SUM
    return Loss(
        name=name,
        counts=_COUNTS.get(called, "other") if ours else "other",
        logits=bool(told.get("from_logits")),
        plain=ours and not summed and "focal" not in called,
        smoothing=float(told.get("label_smoothing") or 0.0),
    )


def task(model: Any, loss: Loss, parts: Parts | None, answer: Answer) -> Task:
    """By the loss and by what comes out; a model of transformers says it itself."""
    shape, labels = answer.shape, None if parts is None else parts.labels
    if loss.counts == "each" and shape and len(shape) <= 2:
        return "classification" if one_output(shape) else "multilabel"
    config: Any = getattr(model, "config", None)
    if hasattr(config, "num_labels"):
        found = task_of(model, config)
        if loss.counts == "amounts" and found == "classification":
            return "regression"
        return found
    if shape is None or labels is None:
        return "unknown"
    if loss.counts == "amounts":
        return "regression" if len(shape) <= 2 else "unknown"
    whole = labels.dtype.is_integer and labels.dtype != tf.bool
    if loss.counts == "vectors" or (whole and len(shape) == 2 and len(_flat(labels)) == 1):
        return "classification" if len(shape) == 2 and not one_output(shape) else "unknown"
    if loss.counts == "numbers" and len(shape) >= 2:
        return "classification" if len(shape) == 2 else "tokens"
    return "unknown"


def outputs(model: Any, chosen: Task, loss: Loss, answer: Answer) -> int | None:
    """How many classes the head can tell apart. One output with yes and no tells two."""
    shape = answer.shape
    if chosen == "classification" and loss.counts == "each":
        return 2
    config: Any = getattr(model, "config", None)
    if hasattr(config, "num_labels"):
        return config.num_labels
    if shape is not None and (len(shape) == 2 or chosen == "tokens"):
        return int(shape[-1])
    return None


def how_labels(chosen: Task, loss: Loss, parts: Parts | None) -> HowLabels:
    labels = None if parts is None else parts.labels
    if labels is None or chosen not in ("classification", "regression"):
        return "as they are"
    if loss.counts == "each":
        return "whole"
    array = dense(labels)
    if chosen == "regression" or array.ndim < 2 or array.shape[1] == 1:
        return "one of each"
    return "places" if _one_hot(array) else "as they are"


def one_output(shape: tuple[int, ...]) -> bool:
    return len(shape) == 1 or shape[-1] == 1


def log_shares(scores: Any, loss: Loss) -> Any:
    """What each class is given of a row, as logarithms; None where nobody can tell."""
    numbers = None if scores is None else dense(scores).astype(float)
    if numbers is None or numbers.ndim > 2 or not np.isfinite(numbers).all():
        return None
    if numbers.ndim == 1 or numbers.shape[1] == 1:
        if loss.counts != "each":
            return None
        return _of_yes(numbers.reshape(-1), loss.logits or not _inside(numbers))
    if are_shares(numbers):
        return np.log(np.maximum(numbers, TINY))
    highest = numbers.max(axis=1, keepdims=True)
    spread_out = np.log(np.exp(numbers - highest).sum(axis=1)) + highest[:, 0]
    return numbers - spread_out[:, None]


def _of_yes(yes: Any, are_logits: bool) -> Any:
    """One output for two classes."""
    if are_logits:
        return np.stack([-np.logaddexp(0, yes), -np.logaddexp(0, -yes)], axis=1)
    return np.log(np.maximum(np.stack([1 - yes, yes], axis=1), TINY))


def are_shares(numbers: Any) -> bool:
    return _inside(numbers) and numbers.ndim > 1 and np.allclose(numbers.sum(axis=-1), 1, atol=1e-3)


def _inside(numbers: Any) -> bool:
    return bool((numbers >= 0).all() and (numbers <= 1).all())


def _one_hot(array: Any) -> bool:
    return bool(
        array.ndim == 2 and ((array == 0) | (array == 1)).all() and (array.sum(axis=1) == 1).all()
    )


def _flat(labels: Any) -> tuple[int, ...]:
    """The axes of labels that are more than one wide."""
    shape = tuple(labels.shape)
    return shape[:-1] if len(shape) == 2 and shape[1] == 1 else shape
