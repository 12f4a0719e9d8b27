"""A checkpoint's weights are not drawn first, and nobody can tell: not by a single bit."""

from __future__ import annotations

import random
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tf_keras.src import backend
from transformers import (
    AutoConfig,
    TFAutoModel,
    TFAutoModelForSequenceClassification,
    TFBertForMaskedLM,
    TFBertForSequenceClassification,
    TFPreTrainedModel,
)

from debugger.frameworks.keras.bench import Rng
from debugger.frameworks.keras.loading import drawn_late, was_loaded
from tests.tiny_keras import bert

LAYERS = 3
KINDS = {
    "all of it is there": (TFBertForSequenceClassification, {}),
    "a head is missing": (TFBertForMaskedLM, {}),
    "a head of another size": (
        TFAutoModelForSequenceClassification,
        {"num_labels": 7, "ignore_mismatched_sizes": True},
    ),
    "no head": (TFAutoModel, {}),
    "more layers than were trained": (TFAutoModel, {"num_hidden_layers": LAYERS + 2}),
}


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("checkpoint"))
    bert(num_hidden_layers=LAYERS).save_pretrained(folder, safe_serialization=False)
    return folder


def loaded(spared: bool, load: Any, checkpoint: str, **given: Any) -> tuple[Any, ...]:
    """Every weight's bits, and where every generator stands."""
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(7)
    with drawn_late() if spared else nullcontext():
        model = load(checkpoint, **given)
    rng: Any = Rng()
    weights = {weight.name: weight.numpy().tobytes() for weight in model.weights}
    generators = rng.python, rng.numpy[1].tolist(), rng.seed, rng.layers_state
    return weights, generators, rng.eager_state, float(tf.random.uniform(())), random.random()


@pytest.mark.parametrize("kind", KINDS)
def test_every_weight_and_generator_is_the_same_to_the_last_bit(kind: str, checkpoint: str) -> None:
    made, given = KINDS[kind]
    plainly = loaded(False, made.from_pretrained, checkpoint, **given)
    assert loaded(True, made.from_pretrained, checkpoint, **given) == plainly


def test_only_what_is_missing_is_drawn(checkpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    draw = backend.tf.random.stateless_truncated_normal

    def counted(shape: Any, **given: Any) -> Any:
        drawn.append(int(np.prod(shape)))
        return draw(shape, **given)

    monkeypatch.setattr(backend.tf.random, "stateless_truncated_normal", counted)
    load = TFAutoModelForSequenceClassification.from_pretrained
    other: Any = {"num_labels": 7, "ignore_mismatched_sizes": True}
    plainly = loaded(False, load, checkpoint, **other)
    everything = len(drawn)
    drawn.clear()
    assert loaded(True, load, checkpoint, **other) == plainly
    assert everything > 6 * LAYERS
    assert drawn == [16 * 7]


def test_a_class_of_her_own_is_loaded_as_ever(checkpoint: str) -> None:
    """It may do anything with a weight while it is made, and would do it to a mark."""

    class Doubled(TFBertForSequenceClassification):
        def build(self, input_shape: Any = None) -> None:
            super().build(input_shape)
            self.doubled = tf.Variable(2 * self.classifier.kernel)

    with drawn_late():
        model: Any = Doubled.from_pretrained(checkpoint)
    assert np.isfinite(model.doubled.numpy()).all()


def test_a_nan_of_the_checkpoint_stays(checkpoint: str, tmp_path: Path) -> None:
    broken = bert(num_hidden_layers=LAYERS)
    broken.classifier.kernel.assign(tf.fill((16, 3), np.nan))
    broken.save_pretrained(str(tmp_path), safe_serialization=False)
    load = TFBertForSequenceClassification.from_pretrained
    plainly = loaded(False, load, str(tmp_path))
    assert loaded(True, load, str(tmp_path)) == plainly
    assert loaded(True, load, str(tmp_path)) != loaded(True, load, checkpoint)


def test_what_it_says_of_the_loading_is_still_told(checkpoint: str) -> None:
    with drawn_late():
        _, told = TFBertForMaskedLM.from_pretrained(checkpoint, output_loading_info=True)
    assert told["missing_keys"]


def test_afterwards_everything_is_drawn_at_once() -> None:
    before = dict(vars(TFPreTrainedModel)), dict(vars(backend.RandomGenerator))
    with drawn_late():
        pass
    assert (dict(vars(TFPreTrainedModel)), dict(vars(backend.RandomGenerator))) == before
    assert np.isfinite(bert().classifier.kernel.numpy()).all()


def test_a_config_alone_brings_no_weights(checkpoint: str) -> None:
    with drawn_late():
        config = AutoConfig.from_pretrained(checkpoint)
        left_behind = TFAutoModelForSequenceClassification.from_config(config)
        loaded = TFAutoModelForSequenceClassification.from_pretrained(checkpoint)

    assert left_behind.config._name_or_path == checkpoint
    assert not was_loaded(left_behind)
    assert was_loaded(loaded)
    assert was_loaded(loaded.bert)
