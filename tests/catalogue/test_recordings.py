"""Recordings of runs that a host cannot show: made by real runs, shown as what they are.

No GPU here: the mechanism is tried with a run on the CPU, in a copy of the scenario.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from debugger import catalogue
from debugger.__main__ import main
from debugger.catalogue import RECORDED, Scenario, ScenarioError, recordings
from debugger.outcome import Accepted, Finding, Found, Outcome, StageEnded, StageStarted, to_json
from debugger.run import WALK, Run
from debugger.settings import read
from debugger.workers import Engine, started

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
    shutil.copytree(catalogue.find("gpu_assert").folder, folder)
    (folder / RECORDED).unlink(missing_ok=True)
    return catalogue.load(folder)


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
    shutil.copytree(catalogue.find("two_labels").folder, folder)
    (folder / RECORDED).write_text("{}")

    with pytest.raises(ScenarioError, match=r"scenario\.toml: needs is missing"):
        catalogue.load(folder)


def test_what_differs_on_a_device_may_have_a_recording_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "pytorch" / "out_of_memory"
    shutil.copytree(catalogue.find("out_of_memory").folder, folder)
    scenario = catalogue.load(folder)
    assert (scenario.needs, scenario.recorded_on) == (None, "cuda")

    run = Run(scenario.script, WALK, device="cuda")
    recordings.keep(catalogue.load(folder), run, list(EVENTS), "a toy GPU", "2030-01-02")

    recording = recordings.read(catalogue.load(folder))
    assert recording is not None
    assert (recording.device, recording.events) == ("a toy GPU", EVENTS)


def test_what_ran_elsewhere_is_not_kept(copied: Scenario) -> None:
    elsewhere = [*EVENTS[:-1], Outcome("fail", "cpu", 1.0)]

    with pytest.raises(ScenarioError, match="gpu_assert did not run on cuda: nothing was kept"):
        recordings.keep(copied, Run(copied.script, device="cuda"), elsewhere, "a GPU", "2030-01-02")

    assert not (copied.folder / RECORDED).exists()


@pytest.mark.proof
def test_a_real_run_is_recorded_and_shown_as_a_recording(
    copied: Scenario,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device, so the run is live")
    settings = replace(read({}), time_limit=300, memory_mb=4000, data_dir=tmp_path / "clinic")
    with started(settings) as engine:

        @contextmanager
        def again(*_: object, **__: object) -> Iterator[Engine]:
            """One warm process for all five runs."""
            yield engine

        monkeypatch.setattr("debugger.workers.started", again)
        recorded_and_shown(engine, copied, monkeypatch, capsys)


def recorded_and_shown(
    engine: Engine,
    copied: Scenario,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(catalogue, "find", lambda name: copied)
    assert main(["run", "gpu_assert"]) == 2
    assert "no CUDA device" in capsys.readouterr().out

    run = Run(copied.script, WALK, device="cpu")
    events = list(engine.events(run))
    recordings.keep(copied, run, events, "a CPU, for this test", "2030-01-02")

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
