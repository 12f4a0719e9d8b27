"""What a compiled loss rewards, behind a model's last activation: broken and sound ones, asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.pipeline import KerasPipeline
from debugger.outcome import Finding
from debugger.pipelines.losses import Asked
from debugger.stages import forward
from debugger.stages.judging import View, judged
from debugger.words import Words
from tests import tiny_keras as tiny

KERAS: Any = tf.keras
LOSSES: Any = tf.keras.losses
ROWS = 24


def dense(outputs: int, activation: Any = None, bias: float = 0.0) -> Any:
    tf.keras.utils.set_random_seed(0)
    last = KERAS.layers.Dense(
        outputs, activation, bias_initializer=KERAS.initializers.Constant(bias)
    )
    return KERAS.Sequential([KERAS.Input((5,)), KERAS.layers.Dense(8, "relu"), last])


def rows(labels: Any) -> Any:
    inputs = np.random.RandomState(0).standard_normal((len(labels), 5)).astype("float32")
    return tf.data.Dataset.from_tensor_slices((inputs, labels)).batch(12)


def seen_by(model: Any, loss: Any, labels: Any, **more: Any) -> tuple[Any, Asked | None]:
    model.compile(optimizer="adam", loss=loss)
    pipeline = KerasPipeline(Fit(model, rows(labels), epochs=4, **more))
    return pipeline, pipeline.forward().asked


def findings(model: Any, loss: Any, labels: Any, **more: Any) -> dict[str, Finding]:
    model.compile(optimizer="adam", loss=loss)
    pipeline = KerasPipeline(Fit(model, rows(labels), epochs=4, **more))
    found, _ = judged("forward", forward.RULES, pipeline.forward(), View(pipeline.facts))
    for one in found:
        Words().of("keras").finding(one)
    return {one.code: one for one in found if one.severity != "note"}


def told(*given: Any, **more: Any) -> dict[str, str]:
    return {one.code: one.severity for one in findings(*given, **more).values()}


THREE = np.arange(ROWS) % 3
TWO = np.arange(ROWS) % 2
ONE_HOT = np.eye(3, dtype="float32")[THREE]
SEVERAL = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1]] * 6, "float32")
AMOUNTS = np.linspace(-2, 2, ROWS).astype("float32")
PAIRS = np.stack([AMOUNTS, 0.5 * AMOUNTS], axis=1) / 2
SPARSE = LOSSES.SparseCategoricalCrossentropy
SHARED_OUT = SEVERAL / SEVERAL.sum(1, keepdims=True)
OF_ONE_CLASS = {"one_class_for_several": "fault", "first_loss_off": "look"}
OF_ONE_LABEL = {"outputs_for_one_label": "fault"}
OTHER_LABELS = {"wrong_problem_type": "fault"}


def masked(wanted: Any, given: Any) -> Any:
    wanted = tf.reshape(wanted, [-1])
    costs = LOSSES.sparse_categorical_crossentropy(tf.maximum(wanted, 0), given, from_logits=True)
    counted = tf.cast(wanted >= 0, costs.dtype)
    return tf.reduce_sum(costs * counted) / tf.reduce_sum(counted)


def upside_down(wanted: Any, given: Any) -> Any:
    return -LOSSES.sparse_categorical_crossentropy(wanted, given, from_logits=True)


def of_no_labels(wanted: Any, given: Any) -> Any:
    return tf.reduce_logsumexp(given, axis=-1) + 0 * tf.cast(wanted, tf.float32)


@pytest.mark.parametrize(
    ("model", "loss", "labels", "wanted"),
    [
        (lambda: dense(3), SPARSE(from_logits=True), THREE, {}),
        (lambda: dense(3), SPARSE(from_logits=True), THREE[:, None].astype("float32"), {}),
        (lambda: dense(3, "softmax"), "sparse_categorical_crossentropy", THREE, {}),
        (lambda: dense(3, "softmax"), "categorical_crossentropy", ONE_HOT, {}),
        (lambda: dense(3, tf.nn.softmax), "categorical_crossentropy", ONE_HOT, {}),
        (lambda: dense(3, "softmax"), "mse", ONE_HOT, {}),
        (lambda: dense(3, "sigmoid"), "binary_crossentropy", ONE_HOT, {}),
        (lambda: dense(3, "sigmoid"), "binary_crossentropy", SEVERAL, {}),
        (lambda: dense(3), LOSSES.BinaryFocalCrossentropy(from_logits=True), SEVERAL, {}),
        (lambda: dense(3), LOSSES.CategoricalCrossentropy(True, 0.1), ONE_HOT, {}),
        (lambda: dense(1, "sigmoid"), "binary_crossentropy", TWO, {}),
        (lambda: dense(1), LOSSES.BinaryCrossentropy(from_logits=True), TWO.astype("float32"), {}),
        (lambda: dense(1), "mse", AMOUNTS, {}),
        (lambda: dense(1), LOSSES.Huber(), AMOUNTS[:, None], {}),
        (lambda: dense(1, "relu"), "mae", AMOUNTS + 3, {}),
        (lambda: dense(1, "tanh"), "mse", AMOUNTS / 3, {}),
        (lambda: dense(3), masked, THREE, {}),
        (lambda: dense(1, "softmax"), "binary_crossentropy", TWO, {"output_always_same": "fault"}),
        (lambda: dense(1, "softmax"), "mse", AMOUNTS + 3, {"output_always_same": "fault"}),
        (
            lambda: dense(3, "softmax"),
            "binary_crossentropy",
            SEVERAL,
            {"shares_for_several": "fault"},
        ),
        (
            lambda: dense(3, "softmax"),
            "categorical_crossentropy",
            SEVERAL,
            {"shares_for_several": "fault", "first_loss_off": "look"},
        ),
        (lambda: dense(3, "sigmoid"), "categorical_crossentropy", SEVERAL, OF_ONE_CLASS),
        (lambda: dense(3), LOSSES.CategoricalCrossentropy(True), SEVERAL, OF_ONE_CLASS),
        (lambda: dense(3, "softmax"), "categorical_crossentropy", SHARED_OUT, {}),
        (lambda: dense(2, "softmax"), "binary_crossentropy", TWO, OF_ONE_LABEL),
        (lambda: dense(2), LOSSES.BinaryCrossentropy(True), TWO[:, None], OF_ONE_LABEL),
        (lambda: dense(2, "sigmoid"), "binary_crossentropy", np.eye(2)[TWO], {}),
        (
            lambda: dense(3, "relu", -3.0),
            SPARSE(from_logits=True),
            THREE,
            {"relu_before_loss": "fault"},
        ),
        (lambda: dense(3, "relu"), SPARSE(from_logits=True), THREE, {"relu_before_loss": "look"}),
        (
            lambda: dense(1, "relu"),
            "binary_crossentropy",
            TWO,
            {"loss_expects_probabilities": "fault", "first_loss_off": "look"},
        ),
        (lambda: dense(3), upside_down, THREE, {"loss_wrong_sign": "fault"}),
        (lambda: dense(3), of_no_labels, THREE, {"loss_ignores_labels": "look"}),
        (lambda: dense(1, "sigmoid"), "mse", AMOUNTS, {"output_cannot_reach": "fault"}),
        (lambda: dense(1, "relu"), "mse", AMOUNTS, {"output_cannot_reach": "fault"}),
        (lambda: dense(1), "mse", 1e5 * AMOUNTS, {}),
        (lambda: dense(2, "sigmoid"), "mse", PAIRS, {"output_cannot_reach": "fault"}),
        (lambda: dense(2, "sigmoid"), "mse", PAIRS / 3 + 0.5, {}),
        (lambda: dense(2), "mse", PAIRS, {}),
        (lambda: dense(3, "softmax"), "mse", THREE, {"amounts_for_classes": "fault"}),
        (lambda: dense(3, "softmax"), "categorical_crossentropy", THREE, OTHER_LABELS),
        (lambda: dense(3, "softmax"), "categorical_crossentropy", THREE[:, None], OTHER_LABELS),
        (lambda: dense(1), LOSSES.CategoricalCrossentropy(from_logits=True), TWO, OTHER_LABELS),
        (lambda: dense(1), SPARSE(from_logits=True), TWO, OTHER_LABELS),
        (lambda: dense(3), SPARSE(from_logits=True), ONE_HOT, OTHER_LABELS),
        (lambda: dense(3), LOSSES.BinaryCrossentropy(from_logits=True), THREE, OTHER_LABELS),
    ],
)
def test_a_loss_is_asked(model: Any, loss: Any, labels: Any, wanted: dict[str, str]) -> None:
    assert told(model(), loss, labels) == wanted


def test_weights_of_classes_are_seen() -> None:
    labels = np.array([0] * 6 + [1] * 4 + [2] * 2).repeat(2)
    np.random.RandomState(0).shuffle(labels)
    loss = SPARSE(from_logits=True)
    counts = {0: 12, 1: 8, 2: 4}
    fair = {label: 8 / count for label, count in counts.items()}

    assert told(dense(3), loss, labels, class_weight=fair) == {}
    assert told(dense(3), loss, labels, class_weight=counts) == {"weights_favour_frequent": "fault"}


def test_weights_of_yes_and_no_are_to_help_the_rare_one() -> None:
    rare = (np.arange(ROWS) % 6 == 0).astype("float32")
    right, swapped = {0: 0.6, 1: 3.0}, {0: 3.0, 1: 0.6}

    assert told(dense(1, "sigmoid"), "binary_crossentropy", rare, class_weight=right) == {}
    found = told(dense(1, "sigmoid"), "binary_crossentropy", rare, class_weight=swapped)
    assert found == {"positive_weight_upside_down": "fault"}


def test_a_model_of_transformers_is_asked_through_its_logits() -> None:
    pipeline = KerasPipeline(Fit(tiny.compiled(), tiny.batches(), epochs=4))
    asked = pipeline.forward().asked

    assert asked is not None
    assert asked.even == pytest.approx(np.log(3), rel=1e-3)
    assert asked.right[-1] < 1e-3 < asked.wrong[-1]


def test_no_layer_keeps_what_was_put_around_it() -> None:
    model = dense(3)
    seen_by(model, SPARSE(from_logits=True), THREE)

    assert not [layer for layer in model.layers if "call" in vars(layer)]


@pytest.mark.parametrize(("words", "wanted"), [(20, {"ids_outside_vocabulary"}), (40, set())])
def test_ids_beyond_the_only_embedding_are_told_where_that_fails(
    words: int, wanted: set[str]
) -> None:
    ids = np.arange(ROWS * 3).reshape(ROWS, 3) % 40
    layers = [KERAS.layers.GlobalAveragePooling1D(), KERAS.layers.Dense(3)]
    model = KERAS.Sequential([KERAS.layers.Embedding(words, 4), *layers])
    model.compile(optimizer="adam", loss=SPARSE(from_logits=True))
    made = tf.data.Dataset.from_tensor_slices((ids, THREE)).batch(ROWS)
    pipeline = KerasPipeline(Fit(model, made, epochs=4))
    found, _ = judged("forward", forward.RULES, pipeline.forward(), View(pipeline.facts))

    assert {one.code for one in found if one.severity == "fault"} == wanted


@pytest.mark.parametrize(
    ("loss", "low", "says"), [("msle", -2, True), ("mse", -2, False), ("msle", 0.5, False)]
)
def test_logarithms_are_blind_below_zero(loss: str, low: float, says: bool) -> None:
    labels = np.linspace(low, 2, ROWS).astype("float32")
    assert ("amounts_draw_nowhere" in told(dense(1), loss, labels)) == says


@pytest.mark.parametrize(
    ("loss", "low", "says"), [("mape", -2, True), ("mape", 0.5, False), ("mae", -2, False)]
)
def test_a_percentage_of_labels_around_nothing(loss: str, low: float, says: bool) -> None:
    labels = np.random.RandomState(0).permutation(np.linspace(low, 2, ROWS)).astype("float32")
    assert ("percentage_across_nothing" in told(dense(1), loss, labels)) == says
