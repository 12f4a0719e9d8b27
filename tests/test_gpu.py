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


def answered(
    engine: Engine, script: str, device: Any, stage: Any = "walk", typed: bool = False
) -> Report:
    run = Run(script, stage, device=device, steps=60, typed=typed)
    report = gather(engine.events(run))
    codes = {finding.code for finding in report.findings}
    if "framework_missing" in codes:
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


@pytest.mark.parametrize("stage", ["forward", "train"])
def test_typed_code_runs_on_cuda_within_the_sandbox(engine: Engine, stage: str) -> None:
    report = answered(engine, catalogue.find("two_labels").twin, "cuda", stage, typed=True)

    assert report.outcome in ("pass", "look")
    assert report.device.startswith("cuda")


@pytest.mark.parametrize(
    ("attack", "told"),
    [
        ("open('/etc/passwd').read()", "[Errno 13]"),
        ("open('/tmp/left', 'w')", "[Errno 13]"),
        ("open('/proc/self/net/tcp').read()", "[Errno 13]"),
        ("__import__('subprocess').run(['true'])", "[Errno 1]"),
        ("__import__('socket').socket()", "[Errno 1]"),
        ("__import__('os').kill(1, 0)", "[Errno 1]"),
    ],
)
def test_the_sandbox_is_no_wider_for_cuda(engine: Engine, attack: str, told: str) -> None:
    script = catalogue.find("two_labels").twin
    opened = "import torch\ntorch.zeros(1, device='cuda')\n"

    report = answered(engine, f"{opened}{attack}\n{script}", "cuda", "data", typed=True)

    assert report.outcome in ("fail", "unknown")
    assert report.findings[0].numbers["said"].startswith(told)


def test_the_next_stage_on_cuda_comes_from_the_process_that_waits(engine: Engine) -> None:
    script = "import os\nprint('built in', os.getpid())\n" + catalogue.find("two_labels").twin
    said = [console(answered(engine, script, "cuda", stage)) for stage in ("data", "forward")]

    assert "built in" in said[0]
    assert said[0] == said[1]


def test_after_an_assert_no_process_waits(engine: Engine) -> None:
    script = catalogue.find("two_labels").script + "# asked for here alone\n"
    answered(engine, script, "cuda", "forward")
    waiting = engine.status()["residents"]

    answered(engine, script, "cuda", "forward")

    assert engine.status()["residents"] == waiting


def test_what_was_trained_before_is_found_on_cuda_too(engine: Engine) -> None:
    report = answered(engine, catalogue.find("trained_twice").script, "cuda", "forward")

    assert "trained_already" in [finding.code for finding in report.findings]


def test_a_run_has_its_share_of_the_memory(tmp_path: Any) -> None:
    settings = replace(read({}), workers=1, gpu_share=0.02, memory_mb=16_000, data_dir=tmp_path)
    whole = "torch.cuda.get_device_properties(0).total_memory"
    script = f"import torch\ntorch.empty({whole} // 20, dtype=torch.uint8, device='cuda')\n"

    with started(settings) as engine:
        report = answered(engine, script + catalogue.find("two_labels").twin, "cuda", "data")

    assert "out_of_memory" in [finding.code for finding in report.findings]


def console(report: Report) -> str:
    return next(e.data["text"] for s in report.stages for e in s.evidence if e.code == "console")
