"""A few rows through `model.evaluate`, with an eye on everything that reaches the metric."""

from __future__ import annotations

from itertools import islice
from typing import Any, cast

import numpy as np
import tensorflow as tf
import tf_keras
from transformers.keras_callbacks import KerasMetricCallback

from debugger.failure import on_behalf
from debugger.frameworks.keras.afterwards import held_against
from debugger.frameworks.keras.answering import answer_to, loss_of
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.columns import array_of, leaf_by_leaf
from debugger.frameworks.keras.forwarding import trains_its_own_way
from debugger.frameworks.keras.made_up import MadeUp, labels_of
from debugger.frameworks.keras.met_before import met_before
from debugger.frameworks.keras.reading import (
    HowLabels,
    Rows,
    batches_of,
    classes_in,
    parts_of,
    size_of,
    told,
)
from debugger.frameworks.keras.reopened import refused
from debugger.frameworks.keras.reordered import in_other_order
from debugger.frameworks.keras.rest import first_rows, left_out, metric_names, printed
from debugger.frameworks.keras.steering import may_add_numbers
from debugger.frameworks.keras.training import planned_steps
from debugger.pipelines.columns import swapped, two_columns, wider
from debugger.pipelines.data import Data
from debugger.pipelines.evaluate import Evaluate, Guesses
from debugger.pipelines.facts import Facts
from debugger.pipelines.metrics import Spy, count_classes, guessed, metric_watched, numbers
from debugger.pipelines.models import names_in
from debugger.pipelines.rows import overlap
from debugger.pipelines.trials import HIGHER_IS_BETTER

ROWS = 32
FEW_EPOCHS = 2
_RATES = ("lr", "learning_rate")
_WATCH = (tf_keras.callbacks.EarlyStopping, tf_keras.callbacks.ReduceLROnPlateau)


def evaluate(fit: Fit, facts: Facts, data: Data, train: Rows) -> Evaluate:
    """A KerasMetricCallback is the metric where there is one, else what `compile` was given."""
    model = fit.model
    callback = next((c for c in fit.callbacks if isinstance(c, KerasMetricCallback)), None)
    compiled = _user_metrics(model) or own_metrics(model)
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
        "anew": fit.after.anew,
        **_asked_afterwards(fit, facts, train),
        "reach": _reach(model),
        "dropout": max((_rate(one) for one in model._flatten_layers()), default=0.0),
        "unknown_key": _unknown_key(fit),
        "watched_in_vain": _watched_in_vain(fit),
        "impatient": _impatient(fit),
    }
    if dataset is None:
        return Evaluate(**known)
    known["eval_rows"] = data.eval.count if data.eval else None
    spy = Spy(None if callback is None else callback.metric_fn)
    answer, constant, perfect = {}, None, None
    failure = made_up = None
    try:
        batches = _some(dataset)
        with metric_watched(spy):
            if callback is not None:
                answer = _by_callback(callback, model, batches, spy)
            else:
                rows = _again(batches)
                answer = on_behalf(model.evaluate, rows, verbose=0, return_dict=True)
        asked = MadeUp(fit, facts, train.how, loss_of(model), callback)
        constant, perfect = asked.guesses(spy, batches)
        if callback is not None or _user_metrics(model):
            made_up = asked.trials(spy, batches)
    except Exception as error:
        failure = told(error)
        batches = []
    return Evaluate(
        **known,
        rows=sum(size_of(parts_of(batch)) for batch in batches),
        called=spy.given is not None or bool(compiled and answer),
        given=_shapes(spy.given),
        into_metric=tuple(spy.into_metric),
        guesses=_guessed(spy.given, facts),
        real=numbers(answer, ""),
        constant=constant,
        perfect=perfect,
        tried_classes=_tried_classes(batches, train.how),
        known_metrics=tuple(answer),
        untested=_untested(fit, answer),
        **_kept_by(fit.callbacks, answer),
        trials=made_up,
        failure=failure,
    )


def _asked_afterwards(fit: Fit, facts: Facts, train: Rows) -> dict[str, Any]:
    """What the rest of the script prints, and whether it asks about rows of another kind."""
    amounts = facts.task == "regression"
    scores = answer_to(fit.model, train.batch).scores
    tried = printed(fit, scores, train.labels, amounts)
    learned, asked = array_of(train), tried.rows
    others = [leaf for rows in asked if (leaf := first_rows(rows)) is not None]
    found = [] if learned is None else [swapped(learned, one) for one in others]
    scales = [] if learned is None else [two_columns(learned, one) for one in others]
    scales += [two_columns(*pair) for rows in asked for pair in leaf_by_leaf(train, rows)]
    fails = fit.after.fails or refused(fit)
    order = in_other_order(asked, tried.names, tried.printed)
    return {
        "held": (*held_against(fit), *([order] if order else [])),
        "printed": tried.printed,
        "fails_later": fails or tried.fails,
        "left_out": "" if fails else left_out(tried),
        "met_before": met_before(train, fit.validation, asked, tried.names)
        if tried.whole
        else None,
        "asked_swapped": next(filter(None, found), ()),
        "asked_scale": max(filter(None, scales), key=wider, default=None),
    }


def _kept_by(callbacks: tuple[Any, ...], answer: Any) -> dict[str, Any]:
    """The number by which a callback tells a better epoch from a worse one, and which way: of
    several callbacks the first that goes against the name of its number."""
    found: list[dict[str, Any]] = []
    for one in filter(_watches, callbacks):
        name, lower = str(one.monitor).removeprefix("val_"), cast(Any, one.monitor_op)
        falls = any(word in name.lower() for word in ("loss", "err", "inacc"))
        rises = not falls and any(word in name.lower() for word in HIGHER_IS_BETTER)
        if name not in answer and not rises:
            continue
        kept = {"best_metric": name, "greater_is_better": not lower(0.0, 1.0)}
        kept["best_by"] = type(one).__name__
        if kept["greater_is_better"] is not rises and (rises or name == "loss"):
            return kept
        found.append(kept)
    return found[0] if found else {}


def _untested(fit: Fit, answer: dict[str, Any]) -> bool:
    """The whole evaluation comes to 0, as where Keras is left to evaluate and was told no loss."""
    own = fit.model.compiled_loss
    told = None if own is None else getattr(own, "_user_losses", None)
    return trains_its_own_way(fit.model) and not told and not any(answer.values())


def _watches(callback: Any) -> bool:
    """Whether a callback of Keras does something, or nothing, by one number of an epoch."""
    keeps = isinstance(callback, tf_keras.callbacks.ModelCheckpoint) and callback.save_best_only
    return isinstance(callback, _WATCH) or keeps


def _impatient(fit: Fit) -> str:
    """What an early stopping watches that takes the first epoch without a gain for the end."""
    stops = (c for c in fit.callbacks if isinstance(c, tf_keras.callbacks.EarlyStopping))
    return next((one.monitor for one in stops if not one.patience and fit.epochs > FEW_EPOCHS), "")


def _logged(fit: Fit) -> list[str]:
    """The numbers that an epoch ends with, where Keras alone writes them: callbacks and steps of
    one's own may add to them."""
    model = fit.model
    if (
        any(map(may_add_numbers, fit.callbacks))
        or model.compiled_metrics is None
        or own_metrics(model)
    ):
        return []
    if type(model).train_step is not tf_keras.Model.train_step:
        return []
    names = [*model.metrics_names] or ["loss", *metric_names(model)]
    return names + ([f"val_{one}" for one in names] if fit.validation is not None else [])


def _unknown_key(fit: Fit) -> tuple[str, str, int] | None:
    names = _logged(fit)
    unknown = [one for one in fit.after.looked_up if one[0] not in (*names, *_RATES)]
    return (unknown[0][0], ", ".join(names), unknown[0][1]) if names and unknown else None


def _watched_in_vain(fit: Fit) -> tuple[str, str, str] | None:
    names = _logged(fit)
    for one in filter(_watches, fit.callbacks):
        if names and one.monitor not in (*names, *_RATES):
            return type(one).__name__, str(one.monitor), ", ".join(names)
    return None


def _rate(layer: Any) -> float:
    return float(layer.rate or 0.0) if isinstance(layer, tf_keras.layers.Dropout) else 0.0


def _reach(model: Any) -> tuple[float, float] | None:
    """Of what ends in shares, one for each output."""
    layers = getattr(model, "layers", ())
    last = getattr(layers[-1], "activation", None) if layers else None
    shares = getattr(last, "__name__", "") in ("sigmoid", "softmax")
    return (0.0, 1.0) if shares else None


def _user_metrics(model: Any) -> list[Any]:
    given = getattr(model.compiled_metrics, "_user_metrics", None)
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple)) else [given]


def own_metrics(model: Any) -> list[str]:
    """Metrics that a model keeps by itself, beside those that it was compiled with."""
    compiled = {id(one) for one in model.compiled_metrics.metrics}
    names = (one.name for one in model.metrics if id(one) not in compiled)
    return [name for name in names if "loss" not in name]


def _some(dataset: Any) -> list[Any]:
    """As many batches as hold so many rows."""
    batches: list[Any] = []
    rows = 0
    for batch in islice(batches_of(dataset), ROWS):
        batches.append(batch)
        rows += size_of(parts_of(batch))
        if rows >= ROWS:
            break
    return batches


def _again(batches: list[Any]) -> Any:
    return tf.data.Dataset.from_generator(
        lambda: iter(batches), output_signature=_loose(batches[0])
    )


def _loose(batch: Any) -> Any:
    def one(tensor: Any) -> Any:
        return tf.type_spec_from_value(tensor)._with_tensor_ranks_only()

    return tf.nest.map_structure(one, batch)


def _by_callback(callback: Any, model: Any, batches: list[Any], spy: Spy) -> dict[str, Any]:
    """The callback's own work at the end of an epoch, on these few batches."""
    before = dict(vars(callback))
    logs: dict[str, Any] = {}
    try:
        vars(callback).update(model=model, eval_dataset=batches, metric_fn=spy)
        on_behalf(callback.on_epoch_end, 0, logs)
    finally:
        vars(callback).clear()
        vars(callback).update(before)
    return logs


def _tried_classes(batches: list[Any], how: HowLabels) -> int | None:
    raw = labels_of(batches)
    return None if raw is None else count_classes(classes_in(raw, how))


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
