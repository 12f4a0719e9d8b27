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


def test_labels_above_all_answers_are_drawn_to_alike_by_a_distance() -> None:
    """Not because each answer is held against each label: a sigmoid begins at one half."""
    high = (0.8 + AMOUNTS / 20).astype("float32")

    assert "rows_pulled_alike" not in told(dense(1, "sigmoid"), "mae", high)
    assert "rows_pulled_alike" not in told(dense(1, "sigmoid"), "mae", high[:, None])


def tagger(last: Any) -> Any:
    tf.keras.utils.set_random_seed(0)
    layers = KERAS.layers
    return KERAS.Sequential(
        [KERAS.Input((6,)), layers.Embedding(12, 8), layers.LSTM(8, return_sequences=True), last]
    )


def words() -> Any:
    return np.random.RandomState(0).randint(1, 12, (ROWS, 6))


def of_words(model: Any, loss: Any, labels: Any) -> set[str]:
    model.compile(optimizer="adam", loss=loss)
    data = tf.data.Dataset.from_tensor_slices((words(), labels)).batch(12)
    pipeline = KerasPipeline(Fit(model, data, epochs=4))
    found, _ = judged("forward", forward.RULES, pipeline.forward(), View(pipeline.facts))
    return {one.code for one in found if one.severity != "note"}


def test_a_softmax_that_is_asked_step_by_step_gives_shares() -> None:
    step = KERAS.layers.TimeDistributed(KERAS.layers.Dense(3, "softmax"))
    bare = KERAS.layers.TimeDistributed(KERAS.layers.Dense(3))

    assert of_words(tagger(step), "sparse_categorical_crossentropy", words() % 3) == set()
    said = of_words(tagger(bare), "sparse_categorical_crossentropy", words() % 3)
    assert "loss_expects_probabilities" in said


def filled_up(wanted: Any, given: Any) -> Any:
    costs = LOSSES.sparse_categorical_crossentropy(wanted, given, from_logits=True)
    counted = tf.cast(wanted != 0, costs.dtype)
    return tf.reduce_sum(costs * counted) / tf.reduce_sum(counted)


def test_what_only_fills_rows_up_may_be_left_out() -> None:
    tags = words() % 3
    ended = np.where(np.arange(6) < 4, np.maximum(tags, 1), 0)

    assert "labels_left_out" not in of_words(tagger(KERAS.layers.Dense(3)), filled_up, ended)
    assert "labels_left_out" in of_words(tagger(KERAS.layers.Dense(3)), filled_up, tags)


@pytest.mark.parametrize("backward", [True, False])
def test_what_is_to_be_foretold_may_not_be_seen(backward: bool) -> None:
    layers, ids = KERAS.layers, words()
    following = np.roll(ids, -1, 1)
    read: Any = layers.LSTM(8, return_sequences=True)
    tf.keras.utils.set_random_seed(0)
    model = KERAS.Sequential(
        [
            KERAS.Input((6,), dtype="int32"),
            layers.Embedding(12, 8),
            layers.Bidirectional(read) if backward else read,
            layers.Dense(12),
        ]
    )

    assert (
        "sees_what_is_asked" in of_words(model, SPARSE(from_logits=True), following)
    ) is backward


def test_nodes_of_a_graph_see_each_other_and_some_of_them_weigh_nothing() -> None:
    nodes, kinds = 40, np.arange(40) % 3
    edges = (kinds[:, None] == kinds).astype("float32") / 13
    about = np.eye(3, dtype="float32")[kinds] + np.random.RandomState(0).rand(nodes, 3)
    layers = KERAS.layers
    first, beside = KERAS.Input((3,)), KERAS.Input((nodes,))
    mixed = layers.Lambda(lambda both: tf.matmul(both[0], both[1]))(
        [beside, layers.Dense(8)(first)]
    )
    model = KERAS.Model([first, beside], layers.Dense(3, "softmax")(mixed))
    model.compile("adam", "sparse_categorical_crossentropy", weighted_metrics=["accuracy"])
    known = (np.arange(nodes) < 12).astype("float32")

    def data(weights: Any) -> Any:
        rows = tf.data.Dataset.from_tensor_slices(((about, edges), kinds, weights))
        return rows.batch(nodes)

    fit = Fit(model, data(known), validation=data(1 - known), epochs=4)
    pipeline = KerasPipeline(fit)
    found, _ = judged("forward", forward.RULES, pipeline.forward(), View(pipeline.facts))
    seen = pipeline.data()

    assert {one.code for one in found} & {"rows_mingled", "first_loss_off"} == set()
    assert seen.train is not None
    assert seen.train.count == 12
    assert seen.shared_rows == 0
