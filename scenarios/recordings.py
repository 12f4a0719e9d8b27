"""Runs on a device that most hosts lack, kept beside their scenario and shown as recordings.

On a host that has the device: `python -m scenarios.recordings gpu_assert` writes `recorded.json`.
"""

import datetime
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

import scenarios
from debugger.outcome import Event, from_json, to_json
from debugger.report import Report, gather
from debugger.run import WALK, Run
from debugger.workers.local import LocalEngine
from scenarios import RECORDED, Scenario, ScenarioError

SECONDS, MEMORY_MB = 300, 16_000


@dataclass(frozen=True)
class Recording:
    """The events of one real walk through the stages, with the script that was run."""

    date: str
    device: str
    script: str
    events: tuple[Event, ...]

    @property
    def report(self) -> Report:
        return gather(self.events)

    def answers(self, run: Run) -> bool:
        """Whether this is what was asked for: the same script, every stage up to the fault."""
        return run.stage == WALK and run.script == self.script


def read(scenario: Scenario) -> Recording | None:
    """The scenario's recording, None where there is none, a ScenarioError if it cannot be read."""
    path = scenario.folder / RECORDED
    if not path.exists():
        return None
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        events = tuple(from_json(json.dumps(event).encode()) for event in raw["events"])
        date = datetime.date.fromisoformat(raw["date"]).isoformat()
        recording = Recording(date, raw["device"], raw["script"], events)
        gather(events)
    except (KeyError, TypeError, ValueError, ValidationError) as error:
        raise ScenarioError(f"{path} is not a recording: make it again.") from error
    if recording.script != scenario.script:
        raise ScenarioError(f"{path} was made of another script: make it again.")
    return recording


def record(scenario: Scenario, run: Run, device: str) -> Path:
    """Run the scenario here and keep what really happened; `device` is its name for people."""
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalEngine(1, SECONDS, MEMORY_MB, Path(folder)) as engine,
    ):
        events = list(engine.events(run))
    if run.device not in gather(events).device:
        raise ScenarioError(f"{scenario.id} did not run on {run.device}: nothing was kept.")
    kept = {
        "date": datetime.date.today().isoformat(),
        "device": device,
        "script": run.script,
        "events": [json.loads(to_json(event)) for event in events],
    }
    path = scenario.folder / RECORDED
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def main(scenario_id: str) -> int:
    import torch

    scenario = scenarios.find(scenario_id)
    if scenario.needs != "cuda":
        print(f"{scenario.id} needs no device that a host may lack: nothing to record.")
        return os.EX_USAGE
    if not torch.cuda.is_available():
        print("This host has no CUDA device, so there is nothing real to record.")
        return 2
    run = Run(scenario.script, WALK, device="cuda", steps=scenario.checks.steps)
    print(f"Wrote {record(scenario, run, torch.cuda.get_device_name())}.")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Name a scenario: python -m scenarios.recordings gpu_assert")
    try:
        sys.exit(main(sys.argv[1]))
    except ScenarioError as wrong:
        print(wrong, file=sys.stderr)
        sys.exit(os.EX_USAGE)
