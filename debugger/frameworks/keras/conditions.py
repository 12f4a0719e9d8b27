"""What a Keras training is set to, as measured, for those who change one thing of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras
from transformers import TFPreTrainedModel

from debugger.frameworks.keras.answering import Answer, Loss, are_shares
from debugger.frameworks.keras.bench import count_of
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.facts import head_of, tokenizer_of
from debugger.frameworks.keras.loading import was_loaded
from debugger.frameworks.keras.plan import (
    CLIPPED_BY,
    asked_for,
    body_dropout,
    never_trained,
    number,
)
from debugger.frameworks.keras.rates import rate_of, rates_of, schedule_of
from debugger.frameworks.keras.reading import Parts, Rows, dense
from debugger.frameworks.keras.steering import by_epochs
from debugger.pipelines.facts import Facts
from debugger.pipelines.inputs import closes, filling
from debugger.pipelines.portions import (
    LONGEST_PLAN,
    come_in_blocks,
    level_of,
    narrowest_of,
    spread_of,
    widest_of,
)
from debugger.pipelines.trying import Conditions

DECAYED_BY = ("weight_decay", "weight_decay_rate")
DROPPED_BY = ("rate", "dropout", "recurrent_dropout")
PENALISED_BY = ("kernel_regularizer", "bias_regularizer", "embeddings_regularizer")
HALVES = ("float16", "bfloat16")
_DROPS = (
    tf_keras.layers.Dropout,
    tf_keras.layers.GaussianDropout,
    tf_keras.layers.AlphaDropout,
    tf_keras.layers.RNN,
)


def conditions_of(
    fit: Fit, facts: Facts, loss: Loss, rows: Rows, planned: int | None, library: Any
) -> Conditions:
    """`library` is the loss that stands in for one of the script's own, where there is one."""
    model = fit.model
    optimizer = inner(model.optimizer)
    updates = planned if planned and fit.whole else LONGEST_PLAN
    peak, share = rates(fit, planned)
    trained, all_of_it = _trainable(model)
    _, drawn = never_trained(model)
    kernels, biases = head_weights(model)
    x = () if rows.batch is None else rows.batch.x
    positions, wrong = _mask_against_padding(fit, rows.batch)
    inputs = [values for _, values in _amounts(model, x)]
    return Conditions(
        optimizer=type(optimizer).__name__,
        rate=peak,
        momentum=number(optimizer, "momentum") or 0.0,
        pretrained=facts.pretrained or any(map(was_loaded, model._flatten_layers())),
        weights=all_of_it,
        weight_decay=max(_decay(optimizer), _penalty(model)),
        dropout=_dropout(model),
        batches=updates,
        updates=updates,
        rate_share=share,
        clipping=min((c for n in CLIPPED_BY if (c := number(optimizer, n))), default=0.0),
        half=_half(model, "compute_dtype"),
        half_weights=bool(_half(model, "variable_dtype")),
        frozen=1 - trained / all_of_it if all_of_it else 0.0,
        frozen_trained=not drawn,
        own_loss=loss.counts == "other" and loss.name != "none" and library is not None,
        positions=positions,
        masked_wrongly=wrong,
        in_blocks=come_in_blocks(rows.labels),
        head=next(iter(kernels), ""),
        head_spread=spread_of(dense(kernel) for kernel in kernels.values()),
        widest=widest_of(inputs),
        narrowest=narrowest_of(inputs),
        widest_label=_widest_label(facts, rows),
        head_bias=max((float(np.abs(dense(b)).max()) for b in biases), default=0.0),
    )


def inner(optimizer: Any) -> Any:
    """What mixed precision wraps."""
    return getattr(optimizer, "inner_optimizer", optimizer)


def rates(fit: Fit, planned: int | None) -> tuple[float, float]:
    """The highest learning rate that was asked for, and the mean of the training against it."""
    optimizer = inner(fit.model.optimizer)
    known = rates_of(schedule_of(optimizer), planned) or _by_epochs(fit)
    peak = max([asked_for(optimizer), *known])
    if not peak or not math.isfinite(peak):
        return rate_of(optimizer) or 0.0, 1.0
    return peak, sum(known) / len(known) / peak


def _by_epochs(fit: Fit) -> list[float]:
    begun = rate_of(inner(fit.model.optimizer)) or 0.0
    return by_epochs(fit.callbacks, min(fit.epochs, LONGEST_PLAN), begun) or [begun]


def head_weights(model: Any) -> tuple[dict[str, Any], list[Any]]:
    """The kernels of the layers behind the body, by the layers' names, and their biases."""
    layers = head_layers(model)
    kernels = {one.name: one.kernel for one in layers}
    biases = [one.bias for one in layers if getattr(one, "bias", None) is not None]
    return kernels, biases


def head_layers(model: Any) -> list[Any]:
    """Of a model of transformers what stands behind its body, else the last layer of all."""
    dense_ones = [
        one
        for one in model._flatten_layers()
        if isinstance(one, tf_keras.layers.Dense) and one.built
    ]
    outside = set(head_of(model))
    if outside:
        return [one for one in dense_ones if one.kernel.name in outside]
    return dense_ones[-1:]


@contextmanager
def thawed(model: Any) -> Iterator[None]:
    """While open, every layer may be trained."""
    layers = list(model._flatten_layers())
    kept = [(layer, layer._trainable) for layer in layers]
    try:
        for layer in layers:
            layer._trainable = True
        yield
    finally:
        for layer, trainable in kept:
            layer._trainable = trainable


def made_anew(fit: Fit, x: Any) -> Any:
    """A mask that covers the filling; None where nobody can tell it."""
    if not isinstance(x, dict) or not isinstance(fit.model, TFPreTrainedModel):
        return None
    ids = x.get("input_ids")
    knows = tokenizer_of(fit) or getattr(fit.model, "config", None)
    pad = getattr(knows, "pad_token_id", None)
    if ids is None or pad is None or len(ids.shape) != 2 or not ids.dtype.is_integer:
        return None
    given = x.get("attention_mask")
    made = (~filling(dense(ids), pad, closes(knows))).astype(np.int64)
    if given is None:
        return tf.constant(made, ids.dtype)
    return tf.constant(made, given.dtype) if tuple(given.shape) == made.shape else None


def library_loss(facts: Facts, loss: Loss, parts: Parts | None, answer: Answer) -> Any:
    """What Keras has for this task, for these labels and outputs; None where nobody can tell."""
    if loss.counts != "other" or parts is None or parts.labels is None or answer.scores is None:
        return None
    labels, scores = dense(parts.labels), dense(answer.scores)
    logits = not are_shares(scores) and not answer.keeps_logits
    losses: Any = tf_keras.losses
    if facts.task == "classification":
        if scores.ndim < 2 or scores.shape[-1] == 1:
            return None
        if labels.shape == scores.shape:
            return losses.CategoricalCrossentropy(from_logits=logits)
        return losses.SparseCategoricalCrossentropy(from_logits=logits)
    if facts.task == "regression" and labels.size == scores.size:
        return losses.MeanSquaredError()
    return None


def _trainable(model: Any) -> tuple[int, int]:
    """How many weights are trained, and how many would be with nothing frozen."""
    now = count_of(model.trainable_weights)
    with thawed(model):
        return now, count_of(model.trainable_weights)


def _decay(optimizer: Any) -> float:
    return max(number(optimizer, name) or 0.0 for name in DECAYED_BY)


def _penalty(model: Any) -> float:
    """The weight of the squares, where layers add them to the loss."""
    given = (getattr(one, n, None) for one in model._flatten_layers() for n in PENALISED_BY)
    return max((float(getattr(one, "l2", 0.0)) for one in given if one is not None), default=0.0)


def _dropout(model: Any) -> float:
    found = [
        float(rate)
        for layer in model._flatten_layers()
        if isinstance(layer, _DROPS)
        for name in DROPPED_BY
        if isinstance(rate := getattr(layer, name, None), (int, float))
    ]
    return max([body_dropout(model)[1], *found])


def _half(model: Any, which: str) -> str:
    names = {getattr(layer, which, "") for layer in model._flatten_layers()}
    return next((name for name in HALVES if name in names), "")


def levels_of(model: Any, x: Any) -> dict[int, tuple[Any, Any]]:
    """Mean and deviation of each column, by the place of the inputs that are amounts."""
    return {place: level_of(values) for place, values in _amounts(model, x)}


def _amounts(model: Any, x: Any) -> list[tuple[int, Any]]:
    """Whole numbers are amounts, too, where nothing looks them up."""
    known = [one for one in model._flatten_layers() if isinstance(one, tf_keras.layers.Embedding)]
    kinds = "f" if known or isinstance(model, TFPreTrainedModel) else "fiu"
    given = [
        (place, dense(one).astype("float32"))
        for place, one in enumerate(tf.nest.flatten(x))
        if isinstance(one, tf.Tensor | np.ndarray) and np.dtype(_kind(one)).kind in kinds
    ]
    return [(place, values) for place, values in given if values.size]


def _widest_label(facts: Facts, rows: Rows) -> float:
    labels = None if rows.batch is None else rows.batch.labels
    if labels is None or facts.task != "regression":
        return 0.0
    return widest_of([dense(labels).astype(float)])


def _kind(given: Any) -> Any:
    return tf.as_dtype(given.dtype).as_numpy_dtype


def _mask_against_padding(fit: Fit, parts: Parts | None) -> tuple[int, int]:
    x = None if parts is None else parts.x
    made = made_anew(fit, x)
    if made is None or x is None:
        return 0, 0
    given = x.get("attention_mask")
    mask = np.ones(made.shape) if given is None else dense(given)
    return mask.size, int(((mask != 0) != (dense(made) != 0)).sum())
