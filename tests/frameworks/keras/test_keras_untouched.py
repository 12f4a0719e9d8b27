"""Nothing a stage does may change the learner's Keras model, down to the last bit."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.eager import context
from tf_keras.src import backend

from debugger import diagnose
from debugger.frameworks.keras.bench import EAGER_STEPS
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.pipeline import KerasPipeline
from tests import tiny_keras as tiny


def quiet(*_: Any) -> None:
    """Nobody watches these trainings."""


STAGES: dict[str, Callable[[KerasPipeline], Any]] = {
    "data": lambda pipeline: pipeline.data(),
    "batch": lambda pipeline: pipeline.batch(),
    "forward": lambda pipeline: pipeline.forward(),
    "step": lambda pipeline: pipeline.step(),
    "evaluate": lambda pipeline: pipeline.evaluate(),
    "overfit": lambda pipeline: pipeline.overfit(5, quiet),
    "train": lambda pipeline: pipeline.train(6, quiet),
}


def started() -> Any:
    """A model that was fitted: its optimizer and its metrics hold something by now."""
    model = tiny.compiled()
    model.fit(tiny.batches(8), verbose=0)
    return model


def scheduled_and_partly_frozen() -> Any:
    model = tiny.bert()
    model.bert.trainable = False
    rates = tf.keras.optimizers.schedules.PolynomialDecay(1e-3, decay_steps=30)
    return tiny.compiled(model, optimizer=tf.keras.optimizers.Adam(rates))


def with_its_own_loss() -> Any:
    return tiny.compiled(loss=None, metrics=None)


MODELS = {
    "just compiled": tiny.compiled,
    "started": started,
    "scheduled and partly frozen": scheduled_and_partly_frozen,
    "its own loss": with_its_own_loss,
}


@pytest.fixture(scope="module", params=MODELS)
def fit(request: pytest.FixtureRequest) -> Fit:
    tf.keras.utils.set_random_seed(0)
    inside = request.param == "its own loss"
    data = [tiny.batches(24, inside=inside), tiny.batches(12, seed=1, inside=inside)]
    return Fit(MODELS[request.param](), *data, epochs=5)


def everything(model: Any) -> dict[str, Any]:
    """All that a stage could disturb, as values that can be compared."""
    optimizer = model.optimizer
    # An old optimizer makes variables of its numbers when it is first asked for them.
    iterations, _ = int(optimizer.iterations), optimizer.learning_rate
    layers = model.submodules
    eager: Any = context.context()
    return {
        "weights": _values(model.weights),
        "trainable": [w.name for w in model.trainable_weights],
        "flags": [layer.trainable for layer in layers if hasattr(layer, "trainable")],
        "attributes": {name: id(value) for name, value in vars(model).items()},
        "lists": {n: len(v) for n, v in vars(model).items() if isinstance(v, list | dict)},
        "optimizer": id(optimizer),
        "of the optimizer": {name: id(value) for name, value in vars(optimizer).items()},
        "held": _values(_variables(optimizer)),
        "iterations": iterations,
        "metrics": {m.name: _values(m.variables) for m in model.compiled_metrics.metrics or ()},
        "of the metrics": {n: id(v) for n, v in vars(model.compiled_metrics).items()},
        "train function": id(model.train_function),
        "python": random.getstate(),
        "numpy": str(np.random.get_state()),
        "tensorflow": eager._rng.getstate(),
        "layers": backend._SEED_GENERATOR.generator.getstate(),
    }


def _variables(optimizer: Any) -> Any:
    held = optimizer.variables
    return held() if callable(held) else held


def _values(variables: Any) -> list[tuple[str, bytes]]:
    return [(variable.name, variable.numpy().tobytes()) for variable in variables]


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_leaves_the_model_bit_identical(fit: Fit, stage: str) -> None:
    pipeline = KerasPipeline(fit)
    before = everything(fit.model)

    STAGES[stage](pipeline)

    assert everything(fit.model) == before


def test_all_stages_with_a_training_in_a_graph_leave_the_model_bit_identical() -> None:
    tf.keras.utils.set_random_seed(0)
    data = tiny.batches(size=1)
    model = started()
    before = everything(model)

    report = diagnose(model, data, tiny.batches(12, seed=1), stage="all", steps=24)

    assert report.stage("train").measured["steps"] == 24 > EAGER_STEPS
    assert everything(model) == before


def test_the_schedule_is_the_same_before_and_after_other_stages() -> None:
    tf.keras.utils.set_random_seed(0)
    pipeline = KerasPipeline(Fit(scheduled_and_partly_frozen(), tiny.batches(), epochs=5))
    first = pipeline.step()
    pipeline.overfit(3, quiet)
    again = pipeline.step()

    assert first.learning_rates == pytest.approx((1e-3, 0.97e-3), rel=1e-4)
    assert again.learning_rates == first.learning_rates
    assert again.decay == first.decay
    assert again.decay is not None


@pytest.mark.parametrize("make", [tiny.compiled, started], ids=["just compiled", "started"])
def test_a_model_that_was_diagnosed_trains_on_exactly_as_one_that_was_not(
    make: Callable[[], Any],
) -> None:
    def losses(disturb: bool) -> list[float]:
        tf.keras.utils.set_random_seed(7)
        model = make()
        if disturb:
            pipeline = KerasPipeline(Fit(model, tiny.batches(), tiny.batches(12, seed=1)))
            for look in STAGES.values():
                look(pipeline)
        return [model.fit(tiny.batches(4), verbose=0).history["loss"][0] for _ in range(3)]

    assert losses(disturb=True) == losses(disturb=False)


def test_a_stage_that_fails_leaves_the_model_bit_identical() -> None:
    tf.keras.utils.set_random_seed(0)
    model = tiny.compiled(tiny.bert(num_labels=2))
    pipeline = KerasPipeline(Fit(model, tiny.batches()))
    before = everything(model)

    seen = pipeline.step()

    assert seen.failure is not None
    assert seen.failure.says("outside the valid range")
    assert everything(model) == before
