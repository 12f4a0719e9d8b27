"""What a run is going to do, in real Keras models: broken, healthy, and odd but right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import tensorflow as tf
from transformers import create_optimizer

from debugger import diagnose
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.pipeline import KerasPipeline
from debugger.frameworks.keras.plan import never_trained
from debugger.outcome import Finding
from debugger.stages import step
from debugger.stages.judging import View, judged
from debugger.words import Words
from tests import tiny_keras as tiny


def findings(fit: Fit, pretrained: bool = False) -> dict[str, Finding]:
    pipeline = KerasPipeline(fit)
    facts = replace(pipeline.facts, pretrained=pretrained)
    found, _ = judged("step", step.RULES, pipeline.step(), View(facts))
    for one in found:
        Words().finding(one)
    return {one.code: one for one in found if one.severity != "note"}


def run(model: Any, epochs: int = 4, **more: Any) -> dict[str, str]:
    found = findings(Fit(model, tiny.batches(), epochs=epochs, **more))
    return {one.code: one.severity for one in found.values()}


def optimized(optimizer: Any, **more: Any) -> dict[str, str]:
    return run(tiny.compiled(optimizer=optimizer), **more)


KERAS: Any = tf.keras
RATES: Any = KERAS.optimizers.schedules


@pytest.mark.parametrize(
    ("optimizer", "wanted"),
    [
        (lambda: KERAS.optimizers.Adam(1e-3), {}),
        (lambda: KERAS.optimizers.legacy.Adam(1e-3, decay=1e-4), {}),
        (lambda: KERAS.optimizers.AdamW(1e-3, weight_decay=0.01, clipnorm=1.0), {}),
        (lambda: KERAS.optimizers.SGD(0.1, momentum=0.9), {}),
        (lambda: KERAS.optimizers.Adam(RATES.CosineDecay(1e-3, 24)), {}),
        (lambda: KERAS.optimizers.Adam(RATES.PiecewiseConstantDecay([8], [1e-3, 1e-4])), {}),
        (lambda: KERAS.optimizers.Adam(1e-7), {"too_little_movement": "fault"}),
        (lambda: KERAS.optimizers.legacy.Adam(1e-7), {"too_little_movement": "fault"}),
        (lambda: KERAS.optimizers.SGD(1e-6), {"too_little_movement": "fault"}),
        (lambda: KERAS.optimizers.Adam(1e-3, epsilon=10.0), {"eps_swallows_update": "fault"}),
        (lambda: KERAS.optimizers.Adam(1e-3, clipnorm=1e-9), {"gradients_cut_away": "fault"}),
        (
            lambda: KERAS.optimizers.AdamW(1e-2, weight_decay=100.0),
            {"weight_decay_too_strong": "fault"},
        ),
        (
            lambda: KERAS.optimizers.Adam(RATES.PolynomialDecay(1e-3, 10, 0.0)),
            {"schedule_too_short": "look", "rate_gone_early": "fault"},
        ),
        (lambda: KERAS.optimizers.Adam(1e-3, beta_1=0.999), {"momentum_too_long": "look"}),
        (lambda: KERAS.optimizers.Adam(RATES.ExponentialDecay(1e-3, 10_000, 0.96)), {}),
        (
            lambda: create_optimizer(1e-3, num_train_steps=24, num_warmup_steps=2000)[0],
            {"warmup_longer_than_run": "fault"},
        ),
        (lambda: create_optimizer(1e-3, num_train_steps=24, num_warmup_steps=6)[0], {}),
        (
            lambda: KERAS.optimizers.Adam(
                RATES.CosineDecay(0.0, 1000, warmup_target=1e-3, warmup_steps=20_000)
            ),
            {"warmup_longer_than_run": "fault", "schedule_too_long": "look"},
        ),
    ],
)
def test_the_optimizer_of_a_run(optimizer: Any, wanted: dict[str, str]) -> None:
    assert optimized(optimizer()) == wanted


@pytest.mark.parametrize(
    ("rates", "reason"),
    [
        (1e-3, "no_decay"),
        (RATES.CosineDecay(1e-3, 24), None),
        (RATES.PolynomialDecay(1e-3, 24), None),
        (RATES.ExponentialDecay(1e-3, 10_000, 0.96), "schedule_without_end"),
        (RATES.CosineDecayRestarts(1e-3, 6), "schedule_without_end"),
        (RATES.PolynomialDecay(1e-3, 10, cycle=True), "schedule_without_end"),
    ],
)
def test_what_has_no_end_is_not_judged_by_it(rates: Any, reason: str | None) -> None:
    model = tiny.compiled(optimizer=KERAS.optimizers.Adam(rates))
    pipeline = KerasPipeline(Fit(model, tiny.batches(), epochs=4))
    _, not_run = judged("step", step.RULES, pipeline.step(), View(pipeline.facts))

    reasons = {one.rule: one.reason for one in not_run}
    assert reasons.get("schedule_too_long") == reason
    assert reasons.get("schedule_too_short") == reason


def test_few_steps_are_counted_only_where_fit_says_how_many_there_are() -> None:
    assert optimized(KERAS.optimizers.Adam(1e-3), epochs=1) == {"few_updates": "look"}

    report = diagnose(tiny.compiled(), tiny.batches(), tiny.batches(12, seed=1), stage="step")

    assert "few_updates" not in [one.code for one in report.findings]


def test_a_rate_that_a_callback_steers_is_not_judged_ahead() -> None:
    climbing = tf.keras.callbacks.LearningRateScheduler(lambda epoch: 1e-3)
    adam = KERAS.optimizers.Adam(1e-7)

    assert optimized(adam, callbacks=(climbing,)) == {}


def headed(rate: float) -> Any:
    layers = [
        tf.keras.layers.Embedding(tiny.WORDS, 4),
        tf.keras.layers.GlobalAveragePooling1D(),
        tf.keras.layers.Dropout(rate),
        tf.keras.layers.Dense(3),
    ]
    return tiny.compiled(tf.keras.Sequential([tf.keras.Input((tiny.LENGTH,)), *layers]))


def only_ids(inputs: Any, labels: Any) -> Any:
    return inputs["input_ids"], labels


@pytest.mark.parametrize(
    ("rate", "wanted"),
    [
        (0.0, {}),
        (0.5, {}),
        (0.85, {"head_dropout_high": "look"}),
        (0.99, {"head_dropout_high": "fault"}),
    ],
)
def test_dropout_before_a_head(rate: float, wanted: dict[str, str]) -> None:
    fit = Fit(headed(rate), tiny.batches().map(only_ids), epochs=4)

    assert {one.code: one.severity for one in findings(fit).values()} == wanted


def test_dropout_of_a_body_stands_in_its_config() -> None:
    assert run(tiny.compiled(tiny.bert(hidden_dropout_prob=0.9))) == {"dropout_high": "fault"}


def frozen(part: str, **more: Any) -> Any:
    model = tiny.bert(**more)
    getattr(model, part).trainable = False
    return tiny.compiled(model)


def test_a_body_that_was_never_trained_must_not_be_frozen() -> None:
    model = frozen("bert")
    found = findings(Fit(model, tiny.batches(), epochs=4))

    assert {one.code: one.severity for one in found.values()} == {"frozen_before_training": "fault"}
    body = sum(weight.shape.num_elements() for weight in model.bert.weights)
    assert found["frozen_before_training"].numbers["frozen"] == body


def test_a_body_that_was_trained_may_be_frozen() -> None:
    trained = tiny.compiled(tiny.bert(), optimizer=KERAS.optimizers.Adam(1e-3))
    trained.fit(tiny.batches().take(1), verbose=0)
    model = frozen("bert")
    model.bert.set_weights(trained.bert.get_weights())

    assert run(model) == {}


def test_convolutions_of_a_body_that_was_taken_apart_are_counted_with_their_norms() -> None:
    layers = KERAS.layers
    given = KERAS.Input((8, 8, 3))
    turned = layers.BatchNormalization()(layers.Conv2D(16, 3, use_bias=False)(given))
    body = KERAS.Model(given, layers.GlobalAveragePooling2D()(turned))
    body.trainable = False
    model = KERAS.Model(given, layers.Dense(2, "softmax")(body.output))
    model.compile(KERAS.optimizers.Adam(1e-3), "sparse_categorical_crossentropy")

    name, weights = never_trained(model)
    assert (name[:6], weights) == ("conv2d", 3 * 3 * 3 * 16 + 4 * 16)
    model.layers[2].beta.assign_add(tf.ones(16))
    assert never_trained(model)[1] == 0
