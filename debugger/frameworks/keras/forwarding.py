"""One batch through the model: what comes out, what each example costs, where nan begins."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.failure import Failure, failure_of
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.reading import Parts, Rows
from debugger.pipelines.face import Facts, Forward
from debugger.pipelines.rows import label_range


def forward(fit: Fit, facts: Facts, all_labels: tuple[Any, ...], first: Rows) -> Forward:
    """Eagerly and without dropout, by the model's own `test_step`."""
    model, parts = fit.model, first.batch
    if parts is None:
        return Forward((), "", failure=first.failure)
    labels = None if parts.labels is None else np.asarray(parts.labels)
    loss, failure = _with_loss(model, parts.raw)
    known: dict[str, Any] = {
        "labels": tuple(labels.tolist()) if labels is not None and labels.ndim == 1 else (),
        "label_type": "" if labels is None else labels.dtype.name,
        "problem_type": getattr(getattr(model, "config", None), "problem_type", None),
        "label_range": label_range(all_labels, [] if labels is None else labels.ravel().tolist()),
        "batch_device": "cpu" if "CPU" in getattr(parts.labels, "device", "CPU") else "cuda",
        "own_loss": _loss_of(facts) not in ("", *_CROSS_ENTROPIES),
        **_sizes(model, parts.inputs.get(facts.main_input)),
    }
    if failure is not None and (failure.device_lost or failure.out_of_memory):
        return Forward(**known, failure=failure)
    logits, of_each = _looked_at(model, parts, facts)
    finite = logits is not None and bool(np.isfinite(logits).all())
    broken = tuple(np.flatnonzero(~np.isfinite(of_each)).tolist()) if of_each is not None else ()
    nan_weights = tuple(w.name for w in model.weights if not np.isfinite(w.numpy()).all())
    return Forward(
        **known,
        loss=loss,
        losses=() if of_each is None else tuple(_finite(one) for one in of_each.tolist()),
        first_logits=() if logits is None or logits.ndim != 2 else tuple(logits[0].tolist()),
        logits_shape=() if logits is None else tuple(logits.shape),
        logits_low=float(logits.min()) if logits is not None and finite else None,
        logits_high=float(logits.max()) if logits is not None and finite else None,
        nan_starts_at="logits" if logits is not None and not finite else None,
        nan_weights=nan_weights,
        nan_rows=broken,
        expects=_expects(model, facts),
        gives=_gives(logits) if finite else None,
        failure=failure,
    )


_CROSS_ENTROPIES = ("sparse_categorical_crossentropy", "SparseCategoricalCrossentropy")


def _with_loss(model: Any, batch: Any) -> tuple[float | None, Failure | None]:
    try:
        return float(model.test_step(batch)["loss"]), None
    except Exception as error:
        return None, failure_of(error)


def _looked_at(model: Any, parts: Parts, facts: Facts) -> tuple[Any, Any]:
    """Logits and the loss of each example, as far as they can be had at all."""
    inputs = {name: value for name, value in parts.inputs.items() if name != parts.inside}
    try:
        logits = scores(model(_like(parts.x, inputs), training=False))
    except Exception:  # the failure with its loss is the one that is reported
        return None, None
    if logits is None:
        return None, None
    return np.asarray(logits), _of_each(model, parts, inputs, logits, facts)


def _of_each(model: Any, parts: Parts, inputs: Any, logits: Any, facts: Facts) -> Any:
    if facts.task != "classification" or parts.labels is None or logits.shape.rank != 2:
        return None
    try:
        if not _loss_of(facts):
            loss = model({**inputs, "labels": parts.labels}, training=False).loss
        else:
            loss = _plain(model.loss)(parts.labels, logits)
        values = np.asarray(loss, dtype=float)
    except Exception:
        return None
    return values if values.shape == (int(logits.shape[0]),) else None


def _loss_of(facts: Facts) -> str:
    return facts.compiled.loss if facts.compiled else ""


def _plain(loss: Any) -> Any:
    """A loss as a function that answers for every example."""
    found = tf_keras.losses.get(loss)
    return found.call if isinstance(found, tf_keras.losses.Loss) else found


def scores(outputs: Any) -> Any:
    """What a model returns for its classes: its logits, or all there is."""
    if hasattr(outputs, "logits"):
        return outputs.logits
    return outputs if isinstance(outputs, tf.Tensor) else None


def _like(x: Any, inputs: dict[str, Any]) -> Any:
    return inputs if hasattr(x, "keys") else x


def _expects(model: Any, facts: Facts) -> Any:
    """What a cross-entropy of Keras takes: probabilities, unless it is told otherwise."""
    if _loss_of(facts) not in _CROSS_ENTROPIES:
        return None
    given = getattr(tf_keras.losses.get(model.loss), "_fn_kwargs", {})
    return "logits" if given.get("from_logits") else "probabilities"


def _gives(logits: Any) -> Any:
    inside = (logits >= 0).all() and (logits <= 1).all()
    whole = logits.ndim == 2 and np.allclose(logits.sum(axis=1), 1, atol=1e-3)
    return "probabilities" if inside and whole else "logits"


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _sizes(model: Any, inputs: Any) -> dict[str, Any]:
    if inputs is None or not inputs.dtype.is_integer:
        return {}
    config = getattr(model, "config", None)
    return {
        "highest_id": int(np.asarray(inputs).max()),
        "vocabulary": getattr(config, "vocab_size", None),
        "length": int(inputs.shape[-1]),
        "positions": getattr(config, "max_position_embeddings", None),
    }
