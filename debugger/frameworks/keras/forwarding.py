"""One batch through the model: what comes out, what each example costs, where nan begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tf_keras

from debugger.failure import Failure, on_behalf
from debugger.frameworks.keras import losses, targets
from debugger.frameworks.keras.answering import (
    Answer,
    Loss,
    are_shares,
    has_own,
    loss_of,
    of_library,
    without_labels,
)
from debugger.frameworks.keras.apart import rows_apart, sees_ahead, trains_always
from debugger.frameworks.keras.bench import Bench, broken_weights, named_weights
from debugger.frameworks.keras.bounding import beyond
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.facts import configured_like
from debugger.frameworks.keras.heads import heads_of, unknown_output
from debugger.frameworks.keras.penalties import penalty
from debugger.frameworks.keras.reading import (
    HowLabels,
    Parts,
    Rows,
    classes_in,
    dense,
    leaves_out,
    told,
)
from debugger.frameworks.keras.within import text_given, unknown_name, unknown_weights
from debugger.pipelines.columns import first_gap
from debugger.pipelines.facts import Facts
from debugger.pipelines.forward import Forward
from debugger.pipelines.layout import Swapped, is_swap
from debugger.pipelines.losses import Asked
from debugger.pipelines.rows import label_range


def forward(
    fit: Fit,
    facts: Facts,
    bench: Bench,
    all_labels: tuple[Any, ...],
    first: Rows,
    answer: Answer,
    planned: int | None = None,
) -> Forward:
    """Eagerly and without dropout, by the model's own `test_step`. `answer` is the model's to the
    first batch, `planned` the steps of fit.
    """
    model, parts = fit.model, first.batch
    if parts is None:
        return Forward((), "", failure=first.failure)
    compiled = loss_of(model)
    known = _of_batch(model, parts, facts, compiled, all_labels, first.how)
    with bench.untouched():
        loss, failure = _with_loss(model, parts.raw)
    if failure is not None and has_own(model, "train_step"):
        with bench.mounted(1, keep=False):
            loss, failure = _by_training(model, parts.raw)
    if failure is not None and (failure.device_lost or failure.out_of_memory):
        return Forward(**known, failure=failure)
    if failure is not None and known.get("vocabulary") is None:
        known |= _looked_up(model, parts)
    with bench.untouched():
        of_each = _of_each(model, parts, answer, facts, compiled)
        asked = None
        if answer.scores is not None and failure is None:
            asked = losses.asked(fit, parts, answer, compiled, all_labels)
            known |= targets.distance(model, parts, answer.scores, asked, planned)
            known |= rows_apart(model, parts, answer.scores)
            known["sees_ahead"] = sees_ahead(model, parts)
            known |= {"trains_always": trains_always(model, parts)}
            known |= {"penalty": penalty(fit, parts), **unknown_weights(model, parts)}
            if asked is None:
                known |= beyond(model, parts, answer, _loss_of_labels(model, parts))
        known |= {
            "swapped": _swapped(model),
            "heads": heads_of(model, parts),
            "unknown_output": unknown_output(model, parts),
        }
    logits = None if answer.scores is None else dense(answer.scores)
    finite = logits is not None and bool(np.isfinite(logits).all())
    broken = tuple(np.flatnonzero(~np.isfinite(of_each)).tolist()) if of_each is not None else ()
    return Forward(
        **known,
        configured_like=configured_like(fit),
        loss=loss,
        losses=() if of_each is None else tuple(_finite(one) for one in of_each.tolist()),
        first_logits=() if logits is None or logits.ndim != 2 else tuple(logits[0].tolist()),
        logits_shape=() if logits is None else tuple(logits.shape),
        logits_low=float(logits.min()) if logits is not None and finite else None,
        logits_high=float(logits.max()) if logits is not None and finite else None,
        nan_starts_at="logits" if logits is not None and not finite else None,
        nan_weights=broken_weights(named_weights(model)),
        nan_rows=broken,
        expects=_expects(compiled),
        gives=_gives(logits, answer, compiled, asked) if finite else None,
        asked=asked,
        recovers=answer.keeps_logits,
        failure=failure,
    )


def _swapped(model: Any) -> Swapped | None:
    """A layer that was meant to change the places of two axes."""
    for layer in model._flatten_layers():
        reshapes = isinstance(layer, tf_keras.layers.Reshape) or "reshape" in layer.name
        shapes = [getattr(layer, f"{one}_shape", None) for one in ("input", "output")]
        known = [one[1:] for one in shapes if reshapes and isinstance(one, tuple)]
        if len(known) == 2 and None not in known[0] and is_swap(*known):
            return Swapped(known[0], known[1], layer=layer.name)
    return None


_CROSS_ENTROPIES = ("own", "numbers", "vectors", "each")


def _of_batch(
    model: Any,
    parts: Parts,
    facts: Facts,
    compiled: Loss,
    all_labels: tuple[Any, ...],
    how: HowLabels,
) -> dict[str, Any]:
    """What is known of it before it has gone through."""
    plain = [] if parts.labels is None else classes_in(parts.labels, how)
    flat = all(isinstance(one, (int, float)) for one in plain)
    return {
        "labels": tuple(plain) if flat else (),
        "label_type": _type_of(parts, plain if flat else []),
        "problem_type": getattr(getattr(model, "config", None), "problem_type", None),
        "label_range": label_range(all_labels, _numbers(parts)),
        "batch_device": "cpu" if "CPU" in getattr(parts.labels, "device", "CPU") else "cuda",
        "counts": compiled.counts if compiled.counts in _CROSS_ENTROPIES[1:] else None,
        "labels_shape": () if parts.labels is None else tuple(dense(parts.labels).shape),
        "own_loss": compiled.counts not in _CROSS_ENTROPIES
        or not compiled.plain
        or leaves_out(parts)
        or parts.weights is not None,
        "batched": _is_batched(model, parts),
        "row_shapes": _row_shapes(model, parts),
        "label_smoothing": compiled.smoothing,
        "text": text_given(model, parts),
        "nan_inputs": first_gap(
            {name: dense(one) for name, one in parts.inputs.items() if name != parts.inside}
        ),
        "unknown": unknown_name(model),
        **_sizes(model, parts.inputs.get(facts.main_input)),
    }


def _is_batched(model: Any, parts: Parts) -> bool:
    """One row alone lacks an axis, as a model tells that was made for rows of one shape."""
    if parts.labels is None or not len(parts.labels.shape):
        return parts.labels is None
    made, wanted = (getattr(model, name, None) for name in ("input_shape", "output_shape"))
    if not isinstance(made, tuple) or not isinstance(wanted, tuple):
        return True
    given = getattr(parts.x, "shape", None)
    if given is None or not len(given) or given[0] == parts.labels.shape[0]:
        return True
    return len(given) != len(made) - 1 or len(parts.labels.shape) != len(wanted) - 1


def _row_shapes(model: Any, parts: Parts) -> tuple[str, str] | None:
    made, given = getattr(model, "input_shape", None), getattr(parts.x, "shape", None)
    if not isinstance(made, tuple) or not all(one is None or isinstance(one, int) for one in made):
        return None
    if given is None or len(given) != len(made):
        return None
    fits = all(None in pair or pair[0] == pair[1] for pair in zip(made, given, strict=True))
    return None if fits else (str(made), str(tuple(given)))


def _with_loss(model: Any, batch: Any) -> tuple[float | None, Failure | None]:
    try:
        return loss_in(on_behalf(model.test_step, batch)), None
    except Exception as error:
        return None, told(error)


def _by_training(model: Any, batch: Any) -> tuple[float | None, Failure | None]:
    """A training step of one's own may be all that knows how a batch goes through: a test step
    of one's own may be meant for other batches."""
    try:
        return loss_in(on_behalf(model.train_step, batch)), None
    except Exception as error:
        return None, told(error)


def trains_its_own_way(model: Any) -> bool:
    """Its `train_step` is its own, and how it is tested is not."""
    return has_own(model, "train_step") and not has_own(model, "test_step")


def _loss_of_labels(model: Any, parts: Parts) -> Callable[[Any], float | None]:
    def asked(labels: Any) -> float | None:
        model.reset_metrics()  # which may tell a mean of all that was asked before
        return _with_loss(model, (parts.x, labels))[0]

    return asked


def loss_in(logs: Any) -> float | None:
    """Steps of one's own may have several losses, or none that must fall: those are not judged."""
    found = logs if isinstance(logs, dict) else {}
    value = found.get("loss", found.get("total_loss"))
    return None if value is None or np.ndim(value) else float(value)


def _of_each(model: Any, parts: Parts, answer: Answer, facts: Facts, loss: Loss) -> Any:
    shape = answer.shape or ()
    if facts.task != "classification" or parts.labels is None or len(shape) != 2:
        return None
    try:
        if loss.counts == "own":
            found = _own_loss(model, parts, answer.scores)
        elif loss.counts in _CROSS_ENTROPIES:
            found = _plain(model.loss)(parts.labels, answer.scores)
        else:
            return None
        values = np.asarray(found, dtype=float)
    except Exception:
        return None
    return values if values.shape == shape[:1] else None


def _own_loss(model: Any, parts: Parts, scores: Any) -> Any:
    """Of a model of the library that is what its `call` does with labels and scores."""
    if of_library(model):
        return model.hf_compute_loss(parts.labels, scores)
    inputs = without_labels(model, parts.x, parts.inside)
    return model({**inputs, "labels": parts.labels}, training=False).loss


def _plain(loss: Any) -> Any:
    """A loss as a function that answers for every example."""
    found = tf_keras.losses.get(loss)
    return found.call if isinstance(found, tf_keras.losses.Loss) else found


def _type_of(parts: Parts, plain: list[Any]) -> str:
    """Of the classes, where vectors or fractions were read as such."""
    if parts.labels is None:
        return ""
    return np.asarray(plain).dtype.name if plain else dense(parts.labels).dtype.name


def _numbers(parts: Parts) -> list[Any]:
    """The labels as they came, where they are numbers at all."""
    array = dense(parts.labels) if parts.labels is not None else np.zeros(0)
    return array.ravel().tolist() if array.dtype.kind in "iuf" else []


def _expects(loss: Loss) -> Any:
    """What a cross-entropy of Keras takes: probabilities, unless it is told otherwise."""
    if loss.counts not in ("numbers", "vectors", "each"):
        return None
    return "logits" if loss.logits else "probabilities"


def _gives(logits: Any, answer: Answer, loss: Loss, asked: Asked | None) -> Any:
    """Scores of single outputs may lie between 0 and 1 by chance: how far they reach tells."""
    if are_shares(logits) or answer.keeps_logits:
        return "probabilities"
    inside = (logits >= 0).all() and (logits <= 1).all()
    if not inside or loss.counts != "each":
        return "logits"
    if asked is None or asked.reach is None:
        return None
    return "probabilities" if asked.reach[0] >= 0 and asked.reach[1] <= 1 else "logits"


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _looked_up(model: Any, parts: Parts) -> dict[str, Any]:
    """The ids of a model of one's own, and how many its only embedding knows."""
    kind = tf_keras.layers.Embedding
    found = [one.input_dim for one in model._flatten_layers() if isinstance(one, kind)]
    given = [value for name, value in parts.inputs.items() if name != parts.inside]
    if len(found) != 1 or len(given) != 1 or not given[0].dtype.is_integer:
        return {}
    return {"highest_id": int(dense(given[0]).max()), "vocabulary": found[0]}


def _sizes(model: Any, inputs: Any) -> dict[str, Any]:
    if inputs is None or not inputs.dtype.is_integer:
        return {}
    config = getattr(model, "config", None)
    return {
        "highest_id": int(np.asarray(inputs).max()),
        "vocabulary": getattr(config, "vocab_size", None),
        "length": int(inputs.shape[-1]),
    }
