"""The metric of a Keras model tried on made-up answers: what `compile` was given, or a callback's.

A metric of `compile` is asked as Keras asks it, with the labels as they came.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from debugger.frameworks.keras.answering import Loss, answered, are_shares
from debugger.frameworks.keras.bench import cost_of
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.facts import tokenizer_of
from debugger.frameworks.keras.reading import HowLabels, classes_in, dense, parts_of
from debugger.pipelines.facts import Facts
from debugger.pipelines.metrics import Spy, numbers, tried
from debugger.pipelines.trials import Form, Kind, Trials, trials

LONG = 0.5
"""Seconds that one call of a metric may take to be tried on made-up answers."""


class MadeUp:
    """A metric, and labels of the evaluation rows that it can be asked about.

    Only rows of batches that are as wide as the first: others cannot be put into one array.
    """

    def __init__(self, fit: Fit, facts: Facts, how: HowLabels, loss: Loss, callback: Any) -> None:
        self._fit, self._facts, self._loss, self._callback = fit, facts, loss, callback
        self._how: HowLabels = how

    def guesses(self, spy: Spy, batches: list[Any]) -> tuple[Any, Any]:
        """Its answer when one class is always guessed, and when every guess is right."""
        raw = labels_of(batches)
        labels = None if raw is None else np.asarray(classes_in(raw, self._how))
        if raw is None or labels is None or labels.dtype.kind not in "iu":
            return None, None
        spy.watching = False
        if self._callback is not None:
            return tried(labels, self._facts, lambda _, sure: spy((sure, raw)))
        asked = _Compiled(self._fit.model, raw)
        return tried(labels, self._facts, lambda wanted, sure: asked(self._like(wanted, sure)))

    def trials(self, spy: Spy, batches: list[Any]) -> Trials | None:
        spy.watching = False
        if self._callback is not None:
            if spy.given is None or spy.seconds > LONG:
                return None
            predictions, labels = spy.given
            if not all(isinstance(one, np.ndarray) for one in (predictions, labels)):
                return None

            def ask(made: Any, wanted: Any = None) -> dict[str, float]:
                return numbers(spy((made, labels.copy() if wanted is None else wanted)), "")

            return self._made_up(predictions, labels, ask)
        kept, raw = _alike(batches), labels_of(batches)
        answers = [answered(self._fit.model, parts_of(batch)).scores for batch in kept]
        if raw is None or not answers or any(one is None for one in answers):
            return None
        if len({tuple(one.shape[1:]) for one in answers}) > 1:
            return None
        masks: list[Any] = [getattr(one, "_keras_mask", None) for one in answers]
        mask = None if any(one is None for one in masks) else tf.concat(masks, 0)
        predictions = np.concatenate([dense(one) for one in answers])
        return self._made_up(predictions, raw, _Compiled(self._fit.model, raw, mask))

    def _made_up(
        self, predictions: Any, raw: Any, ask: Callable[..., dict[str, float]]
    ) -> Trials | None:
        kind, labels = self._held(predictions, raw)
        if labels is None or self._turned(predictions, raw):
            return None
        callback, knows = self._callback, tokenizer_of(self._fit)
        form = Form(
            causal=self._facts.task == "causal_lm",
            generated=bool(getattr(callback, "predict_with_generate", False)),
            pad=getattr(knows, "pad_token_id", None) or 0,
            shares=self._are_shares(predictions),
            logits=self._loss.logits,
        )

        def shaped(made: Any, *others: Any) -> dict[str, float]:
            alike = made.size == predictions.size
            return ask(made.reshape(predictions.shape) if alike else made, *others)

        return trials(predictions, labels, form, shaped, kind)

    def _turned(self, predictions: Any, raw: Any) -> bool:
        """Whether the loss asks for the opposite of a yes or no, as one of distances does."""
        if raw.size != predictions.size or not np.isin(raw, (0, 1)).all():
            return False
        made = raw.reshape(predictions.shape).astype(np.float32)
        model, labels = self._fit.model, tf.constant(raw)
        right, opposite = (cost_of(model, labels, tf.constant(one)) for one in (made, 1 - made))
        return right is not None and opposite is not None and opposite < right

    def _held(self, predictions: Any, raw: Any) -> tuple[Kind | None, Any]:
        """Of which kind it is, and the labels in the form that this kind has everywhere."""
        task, one_each = self._facts.task, predictions.size == len(raw) == raw.size
        if raw.dtype.kind not in "iufb":
            return None, None
        if task == "classification" and self._how == "whole":
            return ("many", raw.reshape(-1, 1)) if one_each else (None, None)
        if task == "classification":
            classes = np.asarray(classes_in(raw, self._how))
            known = classes.dtype.kind in "iu" and classes.shape == predictions.shape[:-1]
            return ("classes", classes) if known else (None, None)
        if task == "regression":
            return ("amounts", raw.astype(float).reshape(-1)) if one_each else (None, None)
        if task == "multilabel":
            return ("many", raw) if raw.shape == predictions.shape else (None, None)
        return None, raw

    def _are_shares(self, predictions: Any) -> bool:
        if predictions.dtype.kind != "f" or self._loss.logits or not predictions.size:
            return False
        inside = predictions.min() >= 0 and predictions.max() <= 1
        return bool(are_shares(predictions) or (inside and self._loss.counts == "each"))

    def _like(self, wanted: Any, sure: Any) -> Any:
        """As the model would say it: a score for each class, or a yes of its one output."""
        return wanted[:, None].astype(np.float32) if self._how == "whole" else sure


class _Compiled:
    """What the compiled metrics answer, the loss left out."""

    def __init__(self, model: Any, labels: Any, mask: Any = None) -> None:
        self._compiled, self._labels, self._mask = model.compiled_metrics, labels, mask

    def __call__(self, made: Any, labels: Any = None) -> dict[str, float]:
        compiled, predictions = self._compiled, tf.constant(made)
        if self._mask is not None:
            vars(predictions)["_keras_mask"] = self._mask
        compiled.reset_state()
        compiled.update_state(tf.constant(self._labels if labels is None else labels), predictions)
        answers = {one.name: dense(one.result()) for one in compiled.metrics if one.name != "loss"}
        return {name: float(value.mean()) for name, value in answers.items()}


def labels_of(batches: list[Any]) -> Any:
    """Of those batches that are as wide as the first, where each has its labels beside it."""
    found = [parts_of(batch).labels for batch in _alike(batches)]
    if not found or any(labels is None for labels in found):
        return None
    return np.concatenate([dense(labels) for labels in found])


def _alike(batches: list[Any]) -> list[Any]:
    def widths(batch: Any) -> Any:
        return [tuple(leaf.shape[1:]) for leaf in tf.nest.flatten(batch)]

    return [batch for batch in batches if widths(batch) == widths(batches[0])]
