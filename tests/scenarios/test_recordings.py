"""Recordings of runs that a host cannot show: made by real runs, shown as what they are.

No GPU here: the mechanism is tried with a run on the CPU, in a copy of the scenario.
"""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest

import scenarios
from debugger.__main__ import main
from debugger.outcome import Accepted, Finding, Found, Outcome, StageEnded, StageStarted, to_json
from debugger.run import WALK, Run
from debugger.workers import local
from debugger.workers.local import LocalEngine
from scenarios import RECORDED, Scenario, ScenarioError, recordings

EVENTS = (
    Accepted("ticket"),
    StageStarted("forward"),
    Found(Finding("device_side_assert", "fault", "forward", None, {"said": "CUDA error"})),
    StageEnded("forward", "fail", 0.5),
    Outcome("fail", "cuda:0", 1.0, {"torch": "2.13.0"}),
)


@pytest.fixture
def copied(tmp_path: Path) -> Scenario:
    folder = tmp_path / "pytorch" / "gpu_assert"
    shutil.copytree(scenarios.find("gpu_assert").folder, folder)
    (folder / RECORDED).unlink(missing_ok=True)
    return scenarios.load(folder)


def kept(scenario: Scenario, **changes: object) -> None:
    events = [json.loads(to_json(event)) for event in EVENTS]
    raw = {"date": "2030-01-02", "device": "a toy GPU", "script": scenario.script, "events": events}
    (scenario.folder / RECORDED).write_text(json.dumps(raw | changes))


def test_a_scenario_without_a_recording_has_none(copied: Scenario) -> None:
    assert recordings.read(copied) is None


def test_a_recording_answers_its_own_script_walked_to_its_fault(copied: Scenario) -> None:
    kept(copied)
    recording = recordings.read(copied)

    assert recording is not None
    assert recording.report.first_failing_stage == "forward"
    assert recording.answers(Run(copied.script, WALK, device="cuda"))
    assert not recording.answers(Run(copied.twin, WALK, device="cuda"))
    assert not recording.answers(Run(copied.script, "data", device="cuda"))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"events": []}, "is not a recording"),
        ({"events": [{"event": "lunch"}]}, "is not a recording"),
        ({"device": None, "events": None}, "is not a recording"),
        ({"script": "print('another')\n"}, "was made of another script"),
    ],
)
def test_what_is_no_recording_of_this_script_is_refused(
    copied: Scenario, changes: dict[str, object], sentence: str
) -> None:
    kept(copied, **changes)

    with pytest.raises(ScenarioError, match=sentence):
        recordings.read(copied)


def test_a_scenario_that_needs_no_device_has_no_recording(tmp_path: Path) -> None:
    folder = tmp_path / "pytorch" / "two_labels"
    shutil.copytree(scenarios.find("two_labels").folder, folder)
    (folder / RECORDED).write_text("{}")

    with pytest.raises(ScenarioError, match=r"scenario\.toml: needs is missing"):
        scenarios.load(folder)


def test_nothing_is_recorded_where_nothing_real_can_be(capsys: pytest.CaptureFixture[str]) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device")
    assert recordings.main("gpu_assert") == 2
    assert recordings.main("two_labels") == 64
    assert "nothing real to record" in capsys.readouterr().out


@pytest.mark.slow
def test_a_real_run_is_recorded_and_shown_as_a_recording(
    copied: Scenario,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device, so the run is live")
    with closing(LocalEngine(1, 300, 4000, tmp_path / "clinic")) as engine:
        monkeypatch.setattr(LocalEngine, "__exit__", lambda *_: None)
        for module in (local, recordings):  # one warm process for all five runs
            monkeypatch.setattr(module, "LocalEngine", lambda *_, **__: engine)
        recorded_and_shown(copied, monkeypatch, capsys)


def recorded_and_shown(
    copied: Scenario, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(scenarios, "find", lambda name: copied)
    assert main(["run", "gpu_assert"]) == 2
    assert "no CUDA device" in capsys.readouterr().out
    with pytest.raises(ScenarioError, match="gpu_assert did not run on cuda: nothing was kept"):
        recordings.record(copied, Run(copied.script, WALK, device="cuda"), "no device at all")

    recordings.record(copied, Run(copied.script, WALK, device="cpu"), "a CPU, for this test")

    assert main(["run", "gpu_assert"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("This host has no CUDA device. What follows is a recording")
    assert "on a CPU, for this test." in said
    assert "The data holds the label 2." in said
    assert main(["run", "gpu_assert", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["first_failing_stage"], answer["recorded"]["device"]) == (
        "forward",
        "a CPU, for this test",
    )
    assert main(["run", "gpu_assert", "--fix", "three_labels"]) == 2
