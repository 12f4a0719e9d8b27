"""What only a CUDA device shows: an assert that comes late, and a process that is lost with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from debugger import catalogue
from debugger.catalogue import Scenario
from debugger.report import Report, gather
from debugger.run import Run
from debugger.settings import read
from debugger.workers import Engine, started

pytestmark = pytest.mark.gpu
NEEDY = [scenario for scenario in catalogue.every() if scenario.needs == "cuda"]
SIGNS = {"gpu_assert": "device_side_assert", "hungry_tensorflow": "takes_all_memory"}
"""What only a GPU makes of each, or makes matter."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("clinic")
    settings = replace(read({}), workers=1, time_limit=300, memory_mb=16_000, data_dir=folder)
    with started(settings) as engine:
        yield engine


def answered(engine: Engine, script: str, device: Any, stage: Any = "walk") -> Report:
    report = gather(engine.events(Run(script, stage, device=device, steps=60)))
    codes = {finding.code for finding in report.findings}
    if "no_tensorflow" in codes:
        pytest.skip("TensorFlow is not installed here")
    if "no_cuda" in codes:
        pytest.skip("TensorFlow sees no GPU here: it wants CUDA libraries of its own")
    return report


def taken(report: Report) -> float:
    """How much of the first GPU's memory was taken when the script was built."""
    table = next(shown for shown in report.stage("setup").evidence if shown.code == "gpu_memory")
    taken = table.data["rows"][2][1]
    used, total = taken["part"], taken["whole"]
    return int(used) / int(total)


def test_a_label_outside_the_head_is_a_late_assert_on_cuda(engine: Engine) -> None:
    report = answered(engine, catalogue.find("two_labels").script, "cuda")

    codes = [finding.code for finding in report.findings]
    assert "device_side_assert" in codes
    assert report.device.startswith("cuda")


@pytest.mark.parametrize("scenario", NEEDY, ids=lambda scenario: scenario.id)
def test_a_scenario_that_needs_cuda_shows_its_symptom_there(
    engine: Engine, scenario: Scenario
) -> None:
    report = answered(engine, scenario.script, "cuda")

    assert report.outcome == "fail"
    assert report.device.startswith("cuda")
    assert SIGNS[scenario.id] in [finding.code for finding in report.findings]


def test_one_tensorflow_takes_nearly_all_memory_and_its_repair_leaves_most(
    engine: Engine,
) -> None:
    scenario = catalogue.find("hungry_tensorflow")

    assert taken(answered(engine, scenario.script, "cuda", "setup")) > 0.8
    assert taken(answered(engine, scenario.twin, "cuda", "setup")) < 0.5


@pytest.mark.parametrize("scenario", NEEDY, ids=lambda scenario: scenario.id)
def test_its_repair_holds_on_cuda(engine: Engine, scenario: Scenario) -> None:
    assert answered(engine, scenario.twin, "cuda", "forward").outcome == "pass"


def test_the_run_after_an_assert_is_healthy(engine: Engine) -> None:
    scenario = catalogue.find("two_labels")
    answered(engine, scenario.script, "cuda")

    report = answered(engine, scenario.twin, "cuda", "forward")

    assert report.outcome == "pass"


def test_the_same_script_names_the_label_on_the_cpu(engine: Engine) -> None:
    report = answered(engine, catalogue.find("two_labels").script, "cpu")

    assert report.device == "cpu"
    assert [f.code for f in report.findings if f.severity == "fault"] == ["label_outside_head"]


def test_auto_takes_the_gpu_where_there_is_one(engine: Engine) -> None:
    report = answered(engine, catalogue.find("two_labels").twin, "auto", "forward")

    assert report.device.startswith("cuda")


@pytest.mark.parametrize("name", ["wrong_collator", "logits_in_metric", "high_learning_rate"])
def test_the_other_scenarios_fail_on_cuda_where_they_fail_on_the_cpu(
    engine: Engine, name: str
) -> None:
    scenario = catalogue.find(name)

    assert answered(engine, scenario.script, "cuda").first_failing_stage == scenario.first_stage


def test_the_twin_learns_on_cuda(engine: Engine) -> None:
    report = answered(engine, catalogue.find("two_labels").twin, "cuda", "train")

    assert report.stage("train").measured["accuracy"] > report.stage("train").measured["majority"]
