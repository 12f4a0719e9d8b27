"""A few rows through `model.evaluate`, with an eye on everything that reaches the metric."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import tensorflow as tf
from transformers.keras_callbacks import KerasMetricCallback

from debugger.failure import failure_of
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.reading import Rows, parts_of
from debugger.frameworks.keras.training import planned_steps
from debugger.pipelines.face import Data, Evaluate, Facts, Guesses
from debugger.pipelines.metrics import Spy, classes_in, guessed, metric_watched, numbers, tried
from debugger.pipelines.models import names_in
from debugger.pipelines.rows import overlap

ROWS = 32


def evaluate(fit: Fit, facts: Facts, data: Data, train: Rows) -> Evaluate:
    """A KerasMetricCallback is the metric where there is one, else what `compile` was given."""
    model = fit.model
    callback = next((c for c in fit.callbacks if isinstance(c, KerasMetricCallback)), None)
    compiled = _user_metrics(model)
    dataset = fit.validation if callback is None else callback.eval_dataset
    eval_names = data.eval.class_names if data.eval else None
    measured = dataset is not None
    known: dict[str, Any] = {
        "strategy": "epoch" if measured else "no",
        "steps": planned_steps(fit, facts, train.count),
        "evaluations": fit.epochs if measured else 0,
        "has_metric": callback is not None or bool(compiled),
        **overlap(data),
        "num_labels": facts.num_labels,
        "train_names": data.train.class_names if data.train else None,
        "eval_names": eval_names,
        "model_names": names_in(getattr(model, "config", None)),
    }
    if dataset is None:
        return Evaluate(**known)
    known["eval_rows"] = data.eval.count if data.eval else None
    spy = Spy(None if callback is None else callback.metric_fn)
    answer, constant, perfect = {}, None, None
    failure = None
    try:
        batches = _some(dataset)
        with metric_watched(spy):
            if callback is not None:
                answer = _by_callback(callback, model, batches, spy)
            else:
                answer = model.evaluate(_again(batches), verbose=0, return_dict=True)
        constant, perfect = _tried(model, spy, callback, batches, facts)
    except Exception as error:
        failure = failure_of(error)
        batches = []
    labels = sum(len(np.ravel(parts_of(batch).labels)) for batch in batches)
    return Evaluate(
        **known,
        rows=labels,
        called=spy.given is not None or bool(compiled and answer),
        given=_shapes(spy.given),
        into_metric=tuple(spy.into_metric),
        guesses=_guessed(spy.given, facts),
        real=numbers(answer, ""),
        constant=constant,
        perfect=perfect,
        tried_classes=classes_in(_labels(batches)) if batches else None,
        known_metrics=tuple(answer),
        failure=failure,
    )


def _user_metrics(model: Any) -> list[Any]:
    given = getattr(model.compiled_metrics, "_user_metrics", None)
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _some(dataset: Any) -> list[Any]:
    """As many batches as hold so many rows."""
    batches: list[Any] = []
    for batch in islice(dataset, ROWS):
        batches.append(batch)
        if sum(int(parts_of(b).labels.shape[0]) for b in batches) >= ROWS:
            break
    return batches


def _again(batches: list[Any]) -> Any:
    return tf.data.Dataset.from_generator(
        lambda: iter(batches), output_signature=_loose(batches[0])
    )


def _loose(batch: Any) -> Any:
    def one(tensor: Any) -> Any:
        shape = [None] * len(tensor.shape)
        return tf.TensorSpec(shape, tensor.dtype)

    return tf.nest.map_structure(one, batch)


def _by_callback(callback: Any, model: Any, batches: list[Any], spy: Spy) -> dict[str, Any]:
    """The callback's own work at the end of an epoch, on these few batches."""
    before = dict(vars(callback))
    logs: dict[str, Any] = {}
    try:
        vars(callback).update(model=model, eval_dataset=batches, metric_fn=spy)
        callback.on_epoch_end(0, logs)
    finally:
        vars(callback).clear()
        vars(callback).update(before)
    return logs


def _tried(
    model: Any, spy: Spy, callback: Any, batches: list[Any], facts: Facts
) -> tuple[Any, Any]:
    """The metric's answer when one class is always guessed, and when every guess is right."""
    labels = _labels(batches)
    if labels.dtype.kind not in "iu":
        return None, None
    spy.watching = False
    if callback is not None:
        return tried(labels, facts, lambda _, sure: spy((sure, labels)))
    return tried(labels, facts, lambda _, sure: _asked(model, labels, sure))


def _labels(batches: list[Any]) -> Any:
    return np.concatenate([np.ravel(parts_of(batch).labels) for batch in batches])


def _asked(model: Any, labels: Any, predictions: Any) -> dict[str, float]:
    """What the compiled metrics answer, the loss left out."""
    compiled = model.compiled_metrics
    compiled.reset_state()
    compiled.update_state(tf.constant(labels), tf.constant(predictions))
    return {m.name: float(m.result()) for m in compiled.metrics if m.name != "loss"}


def _guessed(given: Any, facts: Facts) -> Guesses:
    if given is None:
        return {}
    predictions, labels = given
    return guessed(predictions, labels, facts)


def _shapes(given: Any) -> dict[str, tuple[int, ...]]:
    if given is None:
        return {}
    predictions, labels = given
    return {"predictions": np.shape(predictions), "label_ids": np.shape(labels)}
