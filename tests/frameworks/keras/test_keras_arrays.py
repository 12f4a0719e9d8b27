"""The arrays that a Keras model is given: both sets alike, inputs of their own, words known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.feeding import as_batches
from debugger.frameworks.keras.pipeline import KerasPipeline
from debugger.stages import data
from debugger.stages.judging import View, judged
from debugger.words import Words

KERAS: Any = tf.keras
LAYERS: Any = tf.keras.layers
RANDOM = np.random.RandomState(0)
PIXELS = RANDOM.randint(0, 256, (48, 6, 6, 3)).astype("float32")
FEATURES = RANDOM.standard_normal((48, 5)).astype("float32")
TWO = RANDOM.randint(0, 2, 48)
WORDS = RANDOM.randint(2, 50, (48, 8)) * (np.arange(8) < RANDOM.randint(3, 8, (48, 1)))
OTHERS = RANDOM.randint(2, 50, (48, 8))


def codes(model: Any, train: tuple[Any, Any], held_out: tuple[Any, Any] | None) -> dict[str, str]:
    fit = Fit(model, as_batches(*train, size=16), held_out and as_batches(*held_out, size=16))
    pipeline = KerasPipeline(fit)
    found, _ = judged("data", data.RULES, pipeline.data(), View(pipeline.facts))
    for one in found:
        Words().finding(one)
    return {one.code: one.severity for one in found if one.severity != "note"}


def parted(x: Any, y: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    return (x[:32], y[:32]), (x[32:], y[32:])


def flat(shape: tuple[int, ...], loss: str = "binary_crossentropy") -> Any:
    ending = "sigmoid" if loss == "binary_crossentropy" else None
    model = KERAS.Sequential([KERAS.Input(shape), LAYERS.Flatten(), LAYERS.Dense(1, ending)])
    model.compile(optimizer="adam", loss=loss)
    return model


def test_sets_that_were_made_alike_are_left_alone() -> None:
    assert codes(flat((6, 6, 3)), *parted(PIXELS / 255, TWO)) == {}
    assert codes(flat((6, 6, 3)), *parted(PIXELS, TWO)) == {}
    assert codes(flat((5,)), *parted(FEATURES, TWO)) == {}
    assert codes(flat((5,)), *parted(np.exp(2 * FEATURES), TWO)) == {}


def test_pictures_of_which_one_set_only_is_scaled() -> None:
    (x, y), (x_other, y_other) = parted(PIXELS, TWO)

    wanted = {"splits_on_other_scales": "fault"}
    assert codes(flat((6, 6, 3)), (x / 255, y), (x_other, y_other)) == wanted
    assert codes(flat((6, 6, 3)), (x / 255, y), (x_other.astype("uint8"), y_other)) == wanted
    assert codes(flat((6, 6, 3)), (x, y), (x_other / 255, y_other)) == wanted


def test_targets_of_which_one_set_only_is_scaled() -> None:
    amounts = RANDOM.standard_normal(96).astype("float32") * 40 + 150
    features = RANDOM.standard_normal((96, 5)).astype("float32")
    (x, y), (x_other, y_other) = (features[:48], amounts[:48]), (features[48:], amounts[48:])
    mean, spread = y.mean(), y.std()

    assert codes(flat((5,), "mse"), (x, (y - mean) / spread), (x_other, y_other)) == {
        "labels_of_another_scale": "fault"
    }
    scaled = (y_other - mean) / spread
    assert codes(flat((5,), "mse"), (x, (y - mean) / spread), (x_other, scaled)) == {}


def paired(shared: bool) -> Any:
    one, other = KERAS.Input((8,), dtype="int64"), KERAS.Input((8,), dtype="int64")
    embed = LAYERS.Embedding(50, 4)
    second = embed if shared else LAYERS.Embedding(50, 4)
    pool = LAYERS.GlobalAveragePooling1D()
    merged = LAYERS.Concatenate()([pool(embed(one)), pool(second(other))])
    model = KERAS.Model([one, other], LAYERS.Dense(1, "sigmoid")(merged))
    model.compile(optimizer="adam", loss="binary_crossentropy")
    return model


@pytest.mark.parametrize(
    ("shared", "second", "wanted"),
    [
        (True, OTHERS, {}),
        (True, WORDS, {"input_given_twice": "fault"}),
        (False, WORDS, {"input_given_twice": "look"}),
        (True, np.ones_like(WORDS), {}),
    ],
)
def test_two_inputs(shared: bool, second: Any, wanted: dict[str, str]) -> None:
    assert codes(paired(shared), ((WORDS, second), TWO), None) == wanted


def reading() -> Any:
    layers = [LAYERS.Embedding(50, 4), LAYERS.GlobalAveragePooling1D(), LAYERS.Dense(1, "sigmoid")]
    model = KERAS.Sequential([KERAS.Input((8,), dtype="int64"), *layers])
    model.compile(optimizer="adam", loss="binary_crossentropy")
    return model


def test_a_text_in_which_hardly_a_word_known() -> None:
    assert codes(reading(), (WORDS, TWO), None) == {}
    unknown = codes(reading(), (np.minimum(WORDS, 1), TWO), None)

    assert unknown["hardly_a_word_known"] == "fault"


def test_columns_of_yes_and_no_are_no_words() -> None:
    rows = RANDOM.randint(0, 2, (48, 8))

    assert "hardly_a_word_known" not in codes(flat((8,)), (rows, TWO), None)
