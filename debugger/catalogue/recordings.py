"""Runs on a device that most hosts lack, kept beside their scenario and shown as recordings.

They are made by `python tools/gpu_day.py` on a machine that has the device, never by hand.
"""

import datetime
import json
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from debugger.catalogue.scenario import RECORDED, Scenario, ScenarioError
from debugger.outcome import Event, from_json, to_json
from debugger.report import Report, gather
from debugger.run import WALK, Run


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


def keep(scenario: Scenario, run: Run, events: list[Event], device: str, date: str) -> Path:
    """Keep beside the scenario what really happened; `device` is its name for people."""
    if run.device not in gather(events).device:
        raise ScenarioError(f"{scenario.id} did not run on {run.device}: nothing was kept.")
    head = {"date": date, "device": device, "script": run.script}
    named = (f"{json.dumps(name)}: {json.dumps(text)}" for name, text in head.items())
    told = ",\n".join(to_json(event).decode() for event in events)  # one may hold a whole batch
    path = scenario.folder / RECORDED
    path.write_text(f'{{{", ".join(named)}, "events": [\n{told}\n]}}\n', encoding="utf-8")
    return path
