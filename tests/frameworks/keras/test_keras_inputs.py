"""What a batch feeds a Keras model, and what its labels ask for: broken ones and sound ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from transformers import (
    BertConfig,
    GPT2Config,
    TFBertForQuestionAnswering,
    TFBertForTokenClassification,
    TFGPT2LMHeadModel,
)

from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.feeding import as_batches
from debugger.frameworks.keras.pipeline import KerasPipeline
from debugger.stages import batch, data, forward
from debugger.stages.judging import View, judged
from debugger.words import Words
from tests import tiny_keras as tiny

KERAS: Any = tf.keras
LAYERS: Any = tf.keras.layers
RANDOM = np.random.RandomState(0)
PIXELS = RANDOM.randint(0, 256, (48, 8, 8, 3)).astype("float32")
TWO = RANDOM.randint(0, 2, 48)


def codes(fit: Fit, stage: Any) -> dict[str, str]:
    pipeline = KerasPipeline(fit)
    seen = {batch: pipeline.batch, data: pipeline.data, forward: pipeline.forward}[stage]()
    found, _ = judged(stage.__name__.rpartition(".")[2], stage.RULES, seen, View(pipeline.facts))
    for one in found:
        Words().finding(one)
    return {one.code: one.severity for one in found if one.severity != "note"}


def seeing(*before: Any) -> Any:
    layers = [*before, LAYERS.Conv2D(4, 3, activation="relu"), LAYERS.Flatten()]
    model = KERAS.Sequential([KERAS.Input((8, 8, 3)), *layers, LAYERS.Dense(1, "sigmoid")])
    model.compile(optimizer="adam", loss="binary_crossentropy")
    return model


@pytest.mark.parametrize(
    ("model", "pixels", "wanted"),
    [
        (lambda: seeing(), PIXELS / 255, {}),
        (lambda: seeing(LAYERS.Rescaling(1 / 255)), PIXELS, {}),
        (lambda: seeing(LAYERS.BatchNormalization()), PIXELS, {}),
        (lambda: seeing(), PIXELS, {"inputs_not_scaled": "look"}),
        (lambda: seeing(), PIXELS.astype("uint8"), {"inputs_not_scaled": "look"}),
        (lambda: seeing(), PIXELS / 255**2, {"inputs_nearly_constant": "fault"}),
        (lambda: seeing(), np.ones_like(PIXELS), {"identical_inputs": "fault"}),
    ],
)
def test_pictures(model: Any, pixels: Any, wanted: dict[str, str]) -> None:
    assert codes(Fit(model(), as_batches(pixels, TWO, size=16), epochs=4), batch) == wanted


def padded(mask: bool) -> Any:
    ids = RANDOM.randint(5, tiny.WORDS, (24, tiny.LENGTH)) * (np.arange(tiny.LENGTH) < 4)
    inputs: Any = {"input_ids": ids, **({"attention_mask": (ids > 0).astype(int)} if mask else {})}
    made: Any = (inputs, np.arange(24) % 3)
    return tf.data.Dataset.from_tensor_slices(made).batch(4)


def test_padding_without_a_mask_is_felt() -> None:
    model = tiny.compiled()

    assert codes(Fit(model, padded(mask=True), epochs=4), batch) == {}
    assert codes(Fit(model, padded(mask=False), epochs=4), batch) == {"mask_missing": "look"}


def regression(rate: float) -> Any:
    model = KERAS.Sequential([KERAS.Input((5,)), LAYERS.Dense(4, "relu"), LAYERS.Dense(1)])
    model.compile(optimizer=KERAS.optimizers.Adam(rate), loss="mse")
    return model


def test_labels_that_a_training_cannot_come_to() -> None:
    features = RANDOM.standard_normal((48, 5)).astype("float32")
    amounts = features[:, 0] * 10 + 300
    given = as_batches(features, amounts, size=16)
    scaled = as_batches(features, (amounts - 300) / 10, size=16)

    assert codes(Fit(regression(1e-3), given, epochs=4), forward) == {"labels_far_off": "fault"}
    assert codes(Fit(regression(1e-2), given, epochs=4000), forward) == {}
    assert codes(Fit(regression(1e-3), scaled, epochs=4), forward) == {}


def test_answers_that_end_where_they_begin() -> None:
    sizes: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    model: Any = TFBertForQuestionAnswering(
        BertConfig(vocab_size=tiny.WORDS, intermediate_size=16, **sizes)
    )
    model.compile(optimizer="adam")
    inputs: Any = {"input_ids": RANDOM.randint(5, tiny.WORDS, (40, tiny.LENGTH))}
    starts = RANDOM.randint(1, 4, 40)

    def given(ends: Any) -> Any:
        made: Any = (inputs, {"start_positions": starts, "end_positions": ends})
        return tf.data.Dataset.from_tensor_slices(made).batch(8)

    assert codes(Fit(model, given(starts + TWO[:40]), epochs=4), data) == {}
    assert codes(Fit(model, given(starts), epochs=4), data) == {"spans_of_one_token": "look"}


SIZES: Any = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}


def of_tokens(model: Any, inputs: Any, labels: Any, **compiled: Any) -> Fit:
    model.compile(optimizer="adam", **compiled)
    made: Any = (inputs, labels) if compiled else {**inputs, "labels": labels}
    return Fit(model, tf.data.Dataset.from_tensor_slices(made).batch(8), epochs=4)


def test_a_language_model_is_asked_for_the_tokens_it_reads() -> None:
    ids = RANDOM.randint(5, tiny.WORDS, (24, tiny.LENGTH))
    sizes: Any = {"n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 8}
    model = TFGPT2LMHeadModel(GPT2Config(vocab_size=tiny.WORDS, **sizes))
    inputs = {"input_ids": ids}
    prompted = np.where(np.arange(tiny.LENGTH) < 2, -100, ids)

    assert codes(of_tokens(model, inputs, ids), batch) == {}
    assert codes(of_tokens(model, inputs, prompted), batch) == {}
    assert codes(of_tokens(model, inputs, np.roll(ids, -1, 1)), batch) == {}  # see forward
    told = codes(of_tokens(model, inputs, ids[::-1]), batch)
    assert told == {"labels_of_other_text": "fault"}
    told = codes(of_tokens(model, inputs, np.where(prompted < 0, -100, 3)), batch)
    assert told == {"labels_of_one_token": "fault"}


def test_labels_of_padding_are_marked_or_learned() -> None:
    mask = np.ones((24, tiny.LENGTH), int) * (np.arange(tiny.LENGTH) < 4)
    inputs = {
        "input_ids": RANDOM.randint(5, tiny.WORDS, mask.shape) * mask,
        "attention_mask": mask,
    }
    config = BertConfig(vocab_size=tiny.WORDS, intermediate_size=16, num_labels=3, **SIZES)
    model = TFBertForTokenClassification(config)
    labels = RANDOM.randint(0, 3, mask.shape) * mask
    marked = np.where(mask == 1, labels, -100)

    def own(wanted: Any, given: Any) -> Any:
        return tf.reduce_mean(given) + 0 * tf.cast(tf.reduce_sum(wanted), tf.float32)

    assert codes(of_tokens(model, inputs, marked), batch) == {}
    assert codes(of_tokens(model, inputs, labels), batch) == {"padding_not_ignored": "fault"}
    assert codes(of_tokens(model, inputs, labels, loss=own), batch) == {}


def test_batches_of_one_label_are_seen_in_the_order_that_an_epoch_takes() -> None:
    features = RANDOM.standard_normal((192, 5)).astype("float32")
    labels = np.arange(192) // 64
    model = KERAS.Sequential([KERAS.Input((5,)), LAYERS.Dense(3)])
    model.compile("adam", KERAS.losses.SparseCategoricalCrossentropy(from_logits=True))
    sorted_rows = tf.data.Dataset.from_tensor_slices((features, labels))

    def told(rows: Any) -> dict[str, str]:
        return codes(Fit(model, rows.batch(8), epochs=4), batch)

    assert told(sorted_rows) == {"batches_of_one_label": "fault"}
    assert told(sorted_rows.shuffle(3)) == {"batches_of_one_label": "fault"}
    assert told(sorted_rows.shuffle(192)) == {}
    assert told(tf.data.Dataset.from_tensor_slices((features, labels[::-1] * 0))) == {}


@pytest.mark.parametrize(("kept", "says"), [(1, True), (24, False)])
def test_rows_of_tokens_that_were_never_filled(kept: int, says: bool) -> None:
    ids = 1 + RANDOM.randint(0, 30, (24, 6)) * (np.arange(24) < kept)[:, None]
    ids[kept:] = 0
    layers = [KERAS.layers.GlobalAveragePooling1D(), KERAS.layers.Dense(1, "sigmoid")]
    model = KERAS.Sequential([KERAS.layers.Embedding(32, 4), *layers])
    model.compile(optimizer="adam", loss="binary_crossentropy")
    made = Fit(model, as_batches(ids, np.arange(24) % 2, size=24), epochs=4)

    assert ("rows_of_filling" in codes(made, batch)) == says
