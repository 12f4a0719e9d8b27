"""The stages that train end when their time is up."""

from __future__ import annotations

from typing import Any

from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.pipeline import KerasPipeline
from tests import tiny_keras as tiny


def silent(*_: Any) -> None: ...


def test_a_stage_that_trains_ends_when_its_time_is_up_and_says_so() -> None:
    face = KerasPipeline(Fit(tiny.compiled(), tiny.batches(), tiny.batches(12, seed=1), epochs=9))
    memory, training = face.overfit(20, silent, 0.0), face.train(6, silent, 0.0)
    assert (len(memory.losses), memory.out_of_time) == (1, True)
    assert (len(training.losses), training.out_of_time) == (1, True)
    assert len(training.accuracies) == 1
    assert not face.train(3, silent, 600.0).out_of_time
