"""Silent faults on tiny Keras models: the one change that cures each is named, and no other."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from transformers import BertConfig, TFBertForSequenceClassification

from debugger import diagnose
from debugger.experiments.trying import Explained, explained
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.pipeline import KerasPipeline
from debugger.pipelines.trying import Change
from debugger.script.places import Places
from tests.frameworks.keras.test_keras_untouched import everything

KERAS: Any = tf.keras
WORDS, LENGTH, ROWS, BATCH = 15, 8, 256, 8


@cache
def sentences(count: int = ROWS, seed: int = 0, kind: str = "random") -> tuple[Any, Any]:
    """Those with word 5 in them against those with word 6; filled up with 0."""
    draw = np.random.RandomState(seed)
    labels = np.arange(count) % 2 if kind == "random" else np.sort(np.arange(count) % 2)
    if kind == "random":
        draw.shuffle(labels)
    ids = np.zeros((count, LENGTH), int)
    for row, label in zip(ids, labels, strict=True):
        length = draw.randint(3, LENGTH + 1)
        row[:length] = draw.randint(10, 15, length)
        row[draw.randint(1, length)] = 5 + label
    return ids, labels


def network(
    dropout: float = 0.1, trainable: bool = True, penalty: float = 0.0, dense: Any = None
) -> Any:
    tf.keras.utils.set_random_seed(0)
    layers: Any = KERAS.layers
    regular = KERAS.regularizers.l2(penalty) if penalty else None
    ids = KERAS.Input((LENGTH,), dtype="int32")
    x = layers.Embedding(WORDS, 128, mask_zero=True, trainable=trainable)(ids)
    x = layers.GlobalAveragePooling1D()(x)
    x = layers.Dense(128, activation="relu", kernel_regularizer=regular, trainable=trainable)(x)
    x = layers.Dropout(dropout)(x)
    return KERAS.Model(ids, layers.Dense(2, **(dense or {}))(x))


def bert(dropout: float = 0.1) -> Any:
    tf.keras.utils.set_random_seed(0)
    sizes: dict[str, Any] = {
        "vocab_size": WORDS,
        "hidden_size": 64,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": LENGTH,
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": dropout,
    }
    return TFBertForSequenceClassification(BertConfig(**sizes))


def fit(model: Any = None, optimizer: Any = None, loss: Any = None, **more: Any) -> Fit:
    """Healthy: it learns within two epochs."""
    model = network() if model is None else model
    given = KERAS.losses.SparseCategoricalCrossentropy(from_logits=True) if loss is None else loss
    model.compile(
        optimizer=optimizer or KERAS.optimizers.Adam(5e-3), loss=given, metrics=["accuracy"]
    )
    ids, labels = more.pop("rows", None) or sentences()
    x: Any = ids
    if isinstance(model, TFBertForSequenceClassification):
        x = {"input_ids": ids, "attention_mask": more.pop("mask", (ids != 0).astype(int))}
    data = tf.data.Dataset.from_tensor_slices((x, labels)).batch(BATCH)
    return Fit(model, data, epochs=more.pop("epochs", 4), **more)


def volts() -> tuple[Any, Any]:
    """A few thousand millivolts each; a few hundred more or less tell the label."""
    rows = 4000 + 200 * np.random.RandomState(0).randn(256, 4).astype("float32")
    return rows, (rows.sum(1) > 16_000).astype(int)


def of_volts(outputs: int = 2) -> Any:
    tf.keras.utils.set_random_seed(0)
    layers: Any = KERAS.layers
    given = KERAS.Input((4,))
    return KERAS.Model(given, layers.Dense(outputs)(layers.Dense(32, activation="tanh")(given)))


def cut_off(wanted: Any, given: Any) -> Any:
    """Counted on answers that are no longer of the model."""
    scores = tf.stop_gradient(given) + 0 * given
    return KERAS.losses.sparse_categorical_crossentropy(wanted, scores, from_logits=True)


def seeing_one_word() -> Any:
    mask = np.zeros((ROWS, LENGTH), int)
    mask[:, 0] = 1
    return mask


def late(epoch: int, _: float) -> float:
    """Next to nothing for most of the training."""
    return 1e-8 if epoch < 9 else 5e-3


def few_rates() -> Any:
    return KERAS.optimizers.schedules.PolynomialDecay(5e-3, 4, 0.0)


def steered() -> Fit:
    return fit(epochs=10, callbacks=(KERAS.callbacks.LearningRateScheduler(late),))


FAULTS: dict[str, tuple[str, Callable[[], Fit]]] = {
    "rate": ("cured_by_usual_rate", lambda: fit(optimizer=KERAS.optimizers.Adam(1e-8))),
    "old rate": (
        "cured_by_usual_rate",
        lambda: fit(optimizer=KERAS.optimizers.legacy.Adam(1e-8)),
    ),
    "dropout": ("cured_by_no_dropout", lambda: fit(network(dropout=0.999))),
    "bert's dropout": (
        "cured_by_no_dropout",
        lambda: fit(bert(dropout=0.9), KERAS.optimizers.Adam(2e-3)),
    ),
    "hardly apart": (
        "cured_by_spread_inputs",
        lambda: fit(of_volts(), rows=(volts()[0] / 1e5, volts()[1])),
    ),
    "unscaled labels": (
        "cured_by_scaled_labels",
        lambda: fit(of_volts(1), loss="mse", rows=((volts()[0] - 4000) / 200, volts()[0].sum(1))),
    ),
    "unscaled": ("cured_by_scaled_inputs", lambda: fit(of_volts(), rows=volts())),
    "short": (
        "cured_by_longer_training",
        lambda: fit(optimizer=KERAS.optimizers.Adam(2e-3), epochs=1, rows=sentences(2 * BATCH)),
    ),
    "schedule": (
        "cured_by_constant_rate",
        lambda: fit(optimizer=KERAS.optimizers.Adam(few_rates())),
    ),
    "callback": ("cured_by_constant_rate", steered),
    "decay": (
        "cured_by_no_weight_decay",
        lambda: fit(optimizer=KERAS.optimizers.AdamW(5e-3, weight_decay=100.0)),
    ),
    "penalty": ("cured_by_no_weight_decay", lambda: fit(network(penalty=50.0))),
    "clipping": (
        "cured_by_no_clipping",
        lambda: fit(optimizer=KERAS.optimizers.Adam(5e-3, clipnorm=1e-10)),
    ),
    "frozen": ("cured_by_thawing", lambda: fit(network(trainable=False))),
    "own loss": ("cured_by_library_loss", lambda: fit(loss=cut_off)),
    "order": (
        "cured_by_shuffling",
        lambda: fit(rows=sentences(kind="sorted")),
    ),
    "mask": (
        "cured_by_mask_from_padding",
        lambda: fit(bert(), KERAS.optimizers.Adam(2e-3), mask=seeing_one_word()),
    ),
    "head": (
        "cured_by_fresh_head",
        lambda: fit(network(dense={"bias_initializer": KERAS.initializers.Constant([0.0, 500.0])})),
    ),
}


def tried(on: Fit) -> Explained:
    lab = KerasPipeline(on).lab()
    assert lab is not None
    return explained(lab, "train", Places(""), lambda *_: None, seconds=600.0)


QUICK = ("rate", "dropout")


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=() if one in QUICK else pytest.mark.proof) for one in FAULTS],
)
def test_the_change_that_cures_a_silent_fault_is_named_and_no_other(name: str) -> None:
    code, made = FAULTS[name]

    told = tried(made())

    # Even where one label comes after the other, single words tell something of it.
    severity = "look" if name == "order" else "fault"
    assert [(cause.code, cause.severity) for cause in told.causes] == [(code, severity)]
    numbers = told.causes[0].numbers
    assert max(numbers["after"], numbers["again"]) < 0.6


def test_a_healthy_training_needs_no_experiment() -> None:
    told = tried(fit())

    assert told.causes == []
    assert [finding.code for finding in told.findings] == ["learns_as_it_is"]


EVERYTHING = Change(
    rate=1e-4,
    constant=True,
    weight_decay=True,
    dropout=True,
    clipping=True,
    precision=True,
    thaw=True,
    loss=True,
    mask=True,
    scaled=True,
    shuffle=True,
    head=True,
)


def half_frozen() -> Fit:
    rates = KERAS.optimizers.schedules.PolynomialDecay(1e-3, decay_steps=30)
    adam = KERAS.optimizers.AdamW(rates, weight_decay=0.1, clipnorm=1.0)
    model = network(penalty=0.1)
    model.layers[1].trainable = False
    return fit(model, adam, loss=cut_off)


OWN_LOSS = "half frozen, with a loss of its own"
MADE: dict[str, Callable[[], Fit]] = {
    OWN_LOSS: half_frozen,
    "steered": steered,
    "bert": lambda: fit(bert(), KERAS.optimizers.legacy.Adam(1e-3)),
}


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", MADE)
def test_whatever_is_changed_the_model_is_left_bit_identical(kind: str) -> None:
    made = MADE[kind]()
    if kind != "bert":
        made.model.fit(made.train.take(2), verbose=0)
    pipeline = KerasPipeline(made)
    before = {**everything(made.model), **_of_layers(made.model)}
    lab = pipeline.lab()
    assert lab is not None

    for change in (Change(), EVERYTHING):
        if kind != OWN_LOSS:
            change = replace(change, loss=False)  # it is the library's already
        assert lab.take(change, 1, True, math.inf) is not None
        assert {**everything(made.model), **_of_layers(made.model)} == before


def _of_layers(model: Any) -> dict[str, Any]:
    kept = ("rate", "_dtype_policy", "_compute_dtype_object", "_callable_losses", "_trainable")
    return {
        f"{number} {name}": str(vars(layer).get(name))
        for number, layer in enumerate(model._flatten_layers())
        for name in kept
    }


def test_no_step_is_taken_where_time_is_up() -> None:
    lab = KerasPipeline(fit()).lab()
    assert lab is not None

    assert lab.take(Change(), 0, False, 0.0) is None


def test_a_walk_asks_for_them_where_training_is_in_doubt() -> None:
    made = fit(optimizer=KERAS.optimizers.Adam(1e-8))

    report = diagnose(made.model, made.train, made.train, stage="overfit")

    codes = [finding.code for finding in report.stage("overfit").findings]
    assert codes[0] == "cured_by_usual_rate"
    assert "experiments" in {shown.code for shown in report.stage("overfit").evidence}
