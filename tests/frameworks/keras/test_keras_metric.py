"""What a metric of a Keras model counts: broken, sound, and odd but right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from transformers.keras_callbacks import KerasMetricCallback

from debugger.frameworks.keras.bench import cost_of
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.pipeline import KerasPipeline
from debugger.outcome import Finding
from debugger.stages import evaluate
from debugger.stages.judging import View, judged
from debugger.words import Words
from tests.frameworks.keras.test_keras_untouched import everything

KERAS: Any = tf.keras
LOSSES, METRICS = KERAS.losses, KERAS.metrics
ROWS = 48
CLASSES = np.arange(ROWS) % 3
VECTORS = np.eye(3, dtype="float32")[CLASSES]
YES = (np.arange(ROWS) % 2).astype("float32")
TAGS = np.stack([np.arange(ROWS) % 2, np.arange(ROWS) % 3 == 0, np.arange(ROWS) % 5 == 0], 1)
AMOUNTS = np.linspace(3.0, 9.0, ROWS).astype("float32")
WORDS = np.where(np.arange(ROWS * 6).reshape(ROWS, 6) % 6 < 4, CLASSES[:, None], -100)


def fit(labels: Any, outputs: int, ending: Any, loss: Any, metrics: Any, **more: Any) -> Fit:
    tf.keras.utils.set_random_seed(0)
    features = np.random.RandomState(0).randn(ROWS, 8).astype("float32")
    if labels.ndim > 1 and labels is WORDS:
        features = np.random.RandomState(0).randn(ROWS, 6, 8).astype("float32")
    model = KERAS.Sequential([KERAS.layers.Dense(outputs, activation=ending)])
    model.compile("adam", loss, metrics=metrics)
    model(features[:1])
    made = tf.data.Dataset.from_tensor_slices((features, labels)).batch(16)
    other = tf.data.Dataset.from_tensor_slices((features[::-1], labels[::-1])).batch(16)
    if (metric := more.pop("metric_fn", None)) is not None:
        more["callbacks"] = (KerasMetricCallback(metric, other),)
    return Fit(model, made, other, **more)


def findings(made: Fit) -> dict[str, Finding]:
    pipeline = KerasPipeline(made)
    before = everything(made.model)
    seen = pipeline.evaluate()
    assert everything(made.model) == before
    found, _ = judged("evaluate", evaluate.RULES, seen, View(pipeline.facts))
    for one in found:
        Words().finding(one)
    known = ("eval_set_is_train_set", "leak")
    return {f.code: f for f in found if f.severity in ("fault", "look") and f.code not in known}


def sparse(metrics: Any, ending: Any = None, **more: Any) -> Fit:
    loss = LOSSES.SparseCategoricalCrossentropy(from_logits=ending is None)
    return fit(CLASSES, 3, ending, loss, metrics, **more)


def vectors(metrics: Any, ending: Any = "softmax") -> Fit:
    loss = LOSSES.CategoricalCrossentropy(from_logits=ending is None)
    return fit(VECTORS, 3, ending, loss, metrics)


def binary(metrics: Any, ending: Any = "sigmoid") -> Fit:
    return fit(YES, 1, ending, LOSSES.BinaryCrossentropy(from_logits=ending is None), metrics)


def tags(metrics: Any, ending: Any = "sigmoid") -> Fit:
    loss = LOSSES.BinaryCrossentropy(from_logits=ending is None)
    return fit(TAGS.astype("float32"), 3, ending, loss, metrics)


def amounts(metrics: Any, **more: Any) -> Fit:
    return fit(AMOUNTS, 1, None, "mse", metrics, **more)


def ignoring(wanted: Any, given: Any) -> Any:
    kept = tf.cast(wanted != -100, tf.float32)
    each = LOSSES.sparse_categorical_crossentropy(tf.maximum(wanted, 0), given, from_logits=True)
    return tf.reduce_sum(each * kept) / tf.reduce_sum(kept)


def by_distance(wanted: Any, given: Any) -> Any:
    """A yes is to lie near, and a no beyond 1."""
    near, far = tf.square(given), tf.square(tf.maximum(1 - given, 0))
    return tf.reduce_mean(wanted * near + (1 - wanted) * far)


def far_apart(wanted: Any, given: Any) -> Any:
    """A yes is to lie beyond 1, and a no near."""
    return by_distance(1 - wanted, given)


def near_enough(wanted: Any, given: Any) -> Any:
    return tf.reduce_mean(tf.cast(tf.equal(wanted, tf.cast(given < 0.5, wanted.dtype)), tf.float32))


def among_counted(wanted: Any, given: Any) -> Any:
    right = tf.cast(tf.argmax(given, -1) == tf.cast(wanted, tf.int64), tf.float32)
    kept = tf.cast(wanted != -100, tf.float32)
    return tf.reduce_sum(right * kept) / tf.reduce_sum(kept)


def words(metrics: Any, **more: Any) -> Fit:
    return fit(WORDS, 3, None, ignoring, metrics, **more)


def of_one_class(wanted: Any, given: Any) -> Any:
    del wanted
    return tf.reduce_mean(tf.cast(tf.argmax(given, -1) >= 0, tf.float32))


def worst_class(wanted: Any, given: Any) -> Any:
    return tf.cast(tf.argmin(given, -1) == tf.cast(tf.squeeze(wanted), tf.int64), tf.float32)


def named(function: Any, name: str) -> Any:
    return METRICS.MeanMetricWrapper(function, name=name)


SOUND: dict[str, Callable[[], Fit]] = {
    "classes": lambda: sparse(["accuracy"]),
    "shares of classes": lambda: sparse(["acc"], "softmax"),
    "vectors": lambda: vectors(["accuracy", METRICS.AUC()]),
    "vectors of logits": lambda: vectors([METRICS.CategoricalAccuracy()], None),
    "macro F1": lambda: vectors([METRICS.F1Score(average="macro")]),
    "F1 of each class": lambda: vectors([METRICS.F1Score()]),
    "the best two": lambda: sparse([METRICS.SparseTopKCategoricalAccuracy(k=2)]),
    "yes or no": lambda: binary(["accuracy", METRICS.Precision(), METRICS.Recall()]),
    "yes from logits": lambda: binary([METRICS.BinaryAccuracy(threshold=0.0)], None),
    "tags": lambda: tags([METRICS.BinaryAccuracy(), METRICS.AUC(multi_label=True)]),
    "amounts": lambda: amounts(["mae", METRICS.RootMeanSquaredError(), METRICS.R2Score()]),
    "percent of amounts": lambda: amounts(["mape"]),
    "words that count": lambda: words([named(among_counted, "accuracy")]),
    "far or near": lambda: fit(
        YES[:, None], 1, "softplus", far_apart, [METRICS.BinaryAccuracy("accuracy", threshold=0.5)]
    ),
    "none": lambda: sparse(None),
    "near or far": lambda: fit(
        YES[:, None], 1, "softplus", by_distance, [named(near_enough, "accuracy")]
    ),
    "a callback": lambda: sparse(
        None, metric_fn=lambda g: {"accuracy": float((g[0].argmax(-1) == g[1]).mean())}
    ),
    "a callback in percent": lambda: sparse(
        None, metric_fn=lambda g: {"accuracy": 100 * float((g[0].argmax(-1) == g[1]).mean())}
    ),
    "a callback of amounts": lambda: amounts(
        None, metric_fn=lambda g: {"mae": float(np.abs(g[0].ravel() - g[1]).mean())}
    ),
}
BROKEN: dict[str, tuple[Callable[[], Fit], str, str]] = {
    "vectors expected of numbers": (
        lambda: sparse([METRICS.CategoricalAccuracy()]),
        "metric_wrong_on_perfect",
        "fault",
    ),
    "accuracy of logits": (lambda: binary(["accuracy"], None), "threshold_on_logits", "look"),
    "tags from logits": (
        lambda: tags([METRICS.BinaryAccuracy(threshold=0.5)], None),
        "threshold_on_logits",
        "look",
    ),
    "accuracy of amounts": (lambda: amounts(["accuracy"]), "accuracy_of_amounts", "fault"),
    "equal amounts": (lambda: amounts([METRICS.Accuracy()]), "amounts_held_equal", "fault"),
    "ignored words": (
        lambda: words([METRICS.SparseCategoricalAccuracy("accuracy")]),
        "metric_counts_ignored",
        "fault",
    ),
    "blind": (lambda: sparse([named(of_one_class, "accuracy")]), "metric_blind", "fault"),
    "the worst class": (
        lambda: sparse([named(worst_class, "accuracy")]),
        "metric_prefers_chance",
        "fault",
    ),
    "a blind callback": (
        lambda: sparse(None, metric_fn=lambda g: {"accuracy": float((g[1] >= 0).mean())}),
        "metric_blind",
        "fault",
    ),
    "micro called macro": (
        lambda: sparse(
            None, metric_fn=lambda g: {"f1_macro": float((g[0].argmax(-1) == g[1]).mean())}
        ),
        "average_named_otherwise",
        "fault",
    ),
    "a callback that counts what is ignored": (
        lambda: words(
            None, metric_fn=lambda g: {"accuracy": float((g[0].argmax(-1) == g[1]).mean())}
        ),
        "metric_counts_ignored",
        "fault",
    ),
    "a callback of equal amounts": (
        lambda: amounts(None, metric_fn=lambda g: {"hits": float((g[0].ravel() == g[1]).mean())}),
        "amounts_held_equal",
        "fault",
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_a_metric_that_counts_right_is_left_alone(name: str) -> None:
    found = findings(SOUND[name]())

    assert set(found) <= {"no_metric", "blind_training"}


@pytest.mark.parametrize("name", BROKEN)
def test_a_metric_that_counts_something_else_is_named(name: str) -> None:
    made, code, severity = BROKEN[name]

    found = findings(made())

    assert {one: finding.severity for one, finding in found.items()}.get(code) == severity


def test_a_model_that_was_never_compiled_has_no_loss_to_ask() -> None:
    model, labels = KERAS.Sequential([KERAS.layers.Dense(1)]), tf.constant([[1.0], [0.0]])

    assert cost_of(model, labels, 1 - labels) is None
    model.compile("sgd", "mse")
    assert cost_of(model, labels, 1 - labels) == 1.0
    assert cost_of(model, labels, "no numbers") is None


def watched(callback: Any, metrics: Any) -> dict[str, str]:
    found = findings(sparse(metrics, callbacks=(callback,)))
    return {code: str(one.numbers.get("kept", "")) for code, one in found.items()}


def test_a_callback_that_takes_the_worst_epoch_for_the_best_is_told() -> None:
    stop, kept = KERAS.callbacks.EarlyStopping, KERAS.callbacks.ModelCheckpoint
    named = [METRICS.SparseCategoricalAccuracy("share_right")]

    assert watched(stop("val_accuracy", mode="min"), ["accuracy"]) == {"best_is_worst": "lowest"}
    assert watched(stop("val_loss", mode="max"), ["accuracy"]) == {"best_is_worst": "highest"}
    # Keras guesses by the name which way is better, and knows but a few.
    assert watched(stop("val_share_right"), named) == {"best_is_worst": "lowest"}
    best = kept("kept", monitor="val_share_right", save_best_only=True)
    assert watched(best, named) == {"best_is_worst": "lowest"}


def test_a_callback_that_takes_the_best_epoch_is_not() -> None:
    stop, kept = KERAS.callbacks.EarlyStopping, KERAS.callbacks.ModelCheckpoint
    named = [METRICS.SparseCategoricalAccuracy("share_right")]

    assert watched(stop("val_accuracy"), ["accuracy"]) == {}
    assert watched(stop("val_loss"), ["accuracy"]) == {}
    assert watched(stop("val_share_right", mode="max"), named) == {}
    assert watched(stop("val_f1"), named) == {"watched_in_vain": ""}
    assert watched(kept("kept", monitor="val_share_right"), named) == {}  # it keeps every epoch
    assert watched(KERAS.callbacks.ReduceLROnPlateau("val_accuracy"), ["accuracy"]) == {}


class Scored(KERAS.callbacks.Callback):
    """Puts a number of its own into the logs of each epoch, under this name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if logs is not None:
            logs[self.name] = 0.1 * epoch


def kept_by(*callbacks: Any) -> tuple[str, ...]:
    """What is said of callbacks that tell a better epoch from a worse one."""
    found = findings(sparse(["accuracy"], callbacks=callbacks))
    told = found.get("best_is_worst")
    return () if told is None else tuple(str(told.numbers[n]) for n in ("name", "kept", "better"))


@pytest.mark.parametrize("name", ["val_macro_f1", "val_precision", "val_recall", "val_pearson"])
def test_a_score_that_a_callback_puts_there_is_better_where_it_is_higher(name: str) -> None:
    stop, kept = KERAS.callbacks.EarlyStopping, KERAS.callbacks.ModelCheckpoint
    worst = (name.removeprefix("val_"), "lowest", "higher")

    assert kept_by(Scored(name), stop(name)) == worst  # Keras takes it for a loss
    assert kept_by(Scored(name), stop(name, mode="min")) == worst
    assert kept_by(Scored(name), kept("kept", monitor=name, save_best_only=True)) == worst
    assert kept_by(Scored(name), stop(name, mode="max")) == ()
    assert kept_by(Scored(name), kept("kept", monitor=name, mode="max", save_best_only=True)) == ()
    assert kept_by(Scored(name), kept("kept", monitor=name)) == ()  # it keeps every epoch


def test_of_several_callbacks_the_one_that_goes_astray_is_told() -> None:
    stop, kept = KERAS.callbacks.EarlyStopping, KERAS.callbacks.ModelCheckpoint
    best = kept("kept", monitor="val_f1", save_best_only=True, mode="max")

    assert kept_by(stop("val_loss"), Scored("val_f1"), best) == ()
    assert kept_by(stop("val_loss"), Scored("val_f1"), stop("val_f1")) == ("f1", "lowest", "higher")
    astray = stop("val_loss", mode="max")
    assert kept_by(best, Scored("val_f1"), astray) == ("loss", "highest", "lower")


def test_a_number_of_ones_own_whose_name_says_nothing_is_not_judged() -> None:
    stop = KERAS.callbacks.EarlyStopping

    assert kept_by(Scored("val_cost"), stop("val_cost")) == ()
    assert kept_by(Scored("val_margin"), stop("val_margin", mode="max")) == ()
    assert kept_by(Scored("val_distance"), stop("val_distance", mode="min")) == ()


def test_an_early_stopping_that_nobody_told_to_wait() -> None:
    def impatient(epochs: int, **told: Any) -> str:
        stop = KERAS.callbacks.EarlyStopping("val_loss", **told)
        made = sparse(["accuracy"], callbacks=(stop,), epochs=epochs)
        return KerasPipeline(made).evaluate().impatient

    assert impatient(9) == "val_loss"
    assert impatient(9, patience=2) == ""
    assert impatient(1) == ""
