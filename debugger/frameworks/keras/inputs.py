"""What a batch feeds a Keras model: its pictures or features, and whether padding is felt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras
from transformers import TFPreTrainedModel

from debugger.frameworks.keras.answering import loss_of, scores_of, without_labels
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.facts import tokenizer_of
from debugger.frameworks.keras.reaching import reached
from debugger.frameworks.keras.reading import Parts, dense
from debugger.frameworks.keras.within import scaled
from debugger.pipelines.inputs import (
    SMALLEST,
    Padding,
    Signal,
    closes,
    filling,
    padding_of,
    signal_of,
)
from debugger.pipelines.targets import IGNORED, ends_of, targets_of

FELT = 1e-4
CHANNELS = (1, 3, 4)
FEWEST_TOKENS = 4
_RECURRENT = (tf_keras.layers.LSTM, tf_keras.layers.GRU, tf_keras.layers.SimpleRNN)
_PASS_ON = (tf_keras.layers.Dropout, tf_keras.layers.SpatialDropout1D, tf_keras.Model)
_SCALING = ("Rescaling", "Normalization", "BatchNormalization", "LayerNormalization", "Lambda")


def seen_in(fit: Fit, parts: Parts, labels: list[Any]) -> dict[str, Any]:
    told = {"signal": _signal(fit.model, parts, labels), "padding": _padding(fit, parts)}
    told |= {"scaled": scaled(fit.model, parts), **reached(fit.model, parts)}
    told |= {"answer": _answer_among(fit.model, parts)}
    return told | _targets(fit, parts) | {"filled_behind": _filled_behind(fit.model, parts.x)}


def _answer_among(model: Any, parts: Parts) -> str:
    """The one of several inputs that holds a class for each place, and those are the labels."""
    classes = "categorical" in loss_of(model).name.lower()
    if not classes or parts.labels is None or len(parts.inputs) < 2:
        return ""
    asked = _places(dense(parts.labels))
    if asked is None or len(np.unique(asked)) < 2:
        return ""
    given = ((name, _places(dense(value))) for name, value in parts.inputs.items())
    alike = (name for name, one in given if one is not None and np.array_equal(one, asked))
    return next(alike, "")


def _places(values: np.ndarray) -> np.ndarray | None:
    """Rows of classes, also where each of those is written as a vector."""
    if values.dtype.kind not in "iufb":
        return None
    if values.ndim == 3:
        values = values.argmax(axis=-1) if values.shape[-1] > 1 else values[..., 0]
    return values if values.ndim == 2 and values.shape[1] > 1 else None


def _filled_behind(model: Any, x: Any) -> tuple[str, float] | None:
    """A layer that answers with what it holds at the last place, where no mask is made of words
    that are all followed by zeros; and the share of zeros at the end of a row, as a median."""
    if not isinstance(x, tf.Tensor) or len(x.shape) != 2 or not x.dtype.is_integer:
        return None
    layers = [one for one in model._flatten_layers() if not isinstance(one, _PASS_ON)]
    for table, layer in pairwise(layers):
        words = isinstance(table, tf_keras.layers.Embedding) and not table.mask_zero
        ends = isinstance(layer, _RECURRENT) and not layer.return_sequences
        if words and ends and not layer.go_backwards:
            words_end = dense(x)[:, ::-1] != 0
            zeros = np.where(words_end.any(1), words_end.argmax(1), words_end.shape[1])
            return layer.name, float(np.median(zeros)) / max(1, words_end.shape[1])
    return None


def _signal(model: Any, parts: Parts, labels: list[Any]) -> Signal | None:
    """Of a model that takes one array of fractions, and does not scale it by itself."""
    found = {name: dense(value) for name, value in parts.inputs.items() if name != parts.inside}
    if len(found) != 1:
        return None
    (name, values), *_ = found.items()
    square = values.ndim == 3 and values.shape[1] == values.shape[2]
    pictures = square or (values.ndim == 4 and values.shape[-1] in CHANNELS)
    pictures = pictures and min(values.shape[1:3]) >= SMALLEST
    if values.dtype.kind not in ("iuf" if pictures else "f") or not values.size:
        return None
    different = len(set(labels)) if all(isinstance(one, int) for one in labels) else 0
    kind = "pixel_values" if pictures and not _scales(model) else "features"
    if isinstance(model, TFPreTrainedModel):
        kind = name
    return signal_of(name, values.astype(np.float32), different, None, kind)


def _scales(model: Any) -> bool:
    """What a model of one's own does in its `call` is not seen."""
    if not getattr(model, "inputs", None) or not getattr(model, "_is_graph_network", False):
        return True
    kinds = [type(layer).__name__ for layer in model._flatten_layers()]
    return any(kind.startswith("TFOpLambda") or kind in _SCALING for kind in kinds)


def _targets(fit: Fit, parts: Parts) -> dict[str, Any]:
    """Of a model of transformers, and a label for each token or each word of an answer."""
    model, ids, labels = fit.model, parts.inputs.get("input_ids"), parts.labels
    if not isinstance(model, TFPreTrainedModel) or ids is None or labels is None:
        return {}
    if len(labels.shape) != 2 or len(ids.shape) != 2 or not labels.dtype.is_integer:
        return {}
    if not tf.size(labels):
        return {}
    ids, labels, knows = dense(ids), dense(labels), tokenizer_of(fit)
    pad = getattr(knows or getattr(model, "config", None), "pad_token_id", None)
    padded = None if pad is None else filling(ids, pad, closes(knows or model.config))
    decoder = parts.inputs.get("decoder_input_ids")
    told = targets_of(
        ids,
        labels,
        None if padded is None else ~padded,
        None if decoder is None else dense(decoder),
        knows,
    )
    if getattr(model.config, "is_encoder_decoder", False) and knows is not None:
        told = replace(told, generates=_generates(fit), **ends_of(labels, knows))
    # A weight or a loss of one's own may leave padding out.
    plain = parts.weights is None and loss_of(model).counts in ("own", "numbers")
    if plain and pad is not None and labels.shape != ids.shape:
        told = replace(told, filled=int(filling(labels, pad, closes(knows or model.config)).sum()))
    mask = parts.inputs.get("attention_mask")
    if not plain or mask is None or tuple(mask.shape) != labels.shape:
        return {"targets": told}
    padded = dense(mask) == 0
    counted = int((padded & (labels != IGNORED)).sum())
    return {"targets": told, "counted_padding": counted, "padded_positions": int(padded.sum())}


def _generates(fit: Fit) -> bool:
    return any(getattr(one, "predict_with_generate", False) for one in fit.callbacks)


def _padding(fit: Fit, parts: Parts) -> Padding | None:
    model = fit.model
    ids = parts.inputs.get("input_ids")
    if ids is None and isinstance(model, TFPreTrainedModel) and isinstance(parts.x, tf.Tensor):
        ids = parts.x
    knows = tokenizer_of(fit) or getattr(model, "config", None)
    pad = getattr(knows, "pad_token_id", None)
    if ids is None or pad is None or len(ids.shape) != 2 or not ids.dtype.is_integer:
        return _never_filled(parts.x)
    mask = parts.inputs.get("attention_mask")
    if mask is not None and mask.shape != ids.shape:
        return None
    filled = filling(dense(ids), pad, closes(knows))
    told = padding_of(None if mask is None else dense(mask), filled)
    felt = _felt(model, parts, ids, filled) if told.open else None
    return Padding(**{**vars(told), "felt": felt})


def _never_filled(x: Any) -> Padding | None:
    """Of rows of tokens that nobody knows the filling of: those that are all zeros."""
    if not isinstance(x, tf.Tensor) or len(x.shape) != 2 or not x.dtype.is_integer:
        return None
    empty = int((dense(x) == 0).all(1).sum())
    if not empty or int(tf.shape(x)[1]) < FEWEST_TOKENS:
        return None
    return Padding(filled=0, open=0, real=0, hidden=0, has_mask=False, empty=empty, of=len(x))


def _felt(model: Any, parts: Parts, ids: Any, filled: Any) -> bool | None:
    """Whether the model answers otherwise once the padding is masked."""
    if not isinstance(model, TFPreTrainedModel):
        return None
    x = without_labels(model, parts.x, parts.inside)
    x = dict(x) if isinstance(x, Mapping) else {"input_ids": ids}
    mask = tf.cast(tf.constant(~filled), ids.dtype)
    try:
        before, after = (
            scores_of(model(given, training=False)) for given in (x, {**x, "attention_mask": mask})
        )
    except Exception:  # what the script's own batch runs into is told by the next stage
        return None
    if before is None or after is None or before.shape != after.shape:
        return None
    before, after = dense(before), dense(after)
    if before.ndim == 3 and before.shape[:2] == filled.shape:
        before, after = before[~filled], after[~filled]
    return bool(np.abs(before - after).max() > FELT * max(float(before.std()), 1e-6))
