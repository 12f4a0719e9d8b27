"""What a Keras process that waited answers is what a fresh one answers, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from debugger import catalogue
from debugger.report import StageReport, gather
from debugger.run import Run
from debugger.stages import LIGHT
from debugger.workers.local import LocalEngine

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.proof

SCENARIOS = "adam_by_name", "labels_in_the_dict", "own_head"


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalEngine, LocalEngine]]:
    data = tmp_path_factory.mktemp("engines")
    with (
        LocalEngine(1, 120, 4000, data, residents=1) as waiting,
        LocalEngine(1, 120, 4000, data) as fresh,
    ):
        yield waiting, fresh


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_stage_is_that_of_a_fresh_process(
    scenario: str, engines: tuple[LocalEngine, LocalEngine]
) -> None:
    """The order is one in which nobody clicks, so that what a stage left behind would show."""
    waiting, fresh = engines
    script = catalogue.find(scenario).script
    began = waiting.status()["started"]
    answers = {stage: answered(waiting, script, stage) for stage in reversed(LIGHT)}
    assert waiting.status()["started"] - began == len(LIGHT)
    assert waiting.status()["residents"] == 1
    for stage, answer in answers.items():
        assert answer == answered(fresh, script, stage), stage


def answered(engine: LocalEngine, script: str, stage: Any) -> list[StageReport]:
    """All but how long it took, and the console: `map` prints how fast it goes."""
    report = gather(engine.events(Run(script, stage, device="cpu")))
    assert report.stage(stage).outcome not in ("unknown", "not run")
    return [
        replace(one, seconds=0.0, evidence=tuple(e for e in one.evidence if e.code != "console"))
        for one in report.stages
    ]
