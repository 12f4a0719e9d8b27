"""What is asked of an engine when a scenario is run."""

from dataclasses import replace
from typing import Any

from debugger.catalogue.scenario import Scenario
from debugger.run import Run
from debugger.settings import Settings
from debugger.stages.train import steps_for


def run_of(
    scenario: Scenario, stage: str, settings: Settings, script: str | None = None, **fields: Any
) -> Run:
    """A stage, or a walk, over its script, or over what it was changed into."""
    given: dict[str, Any] = {
        "device": settings.device,
        "assets": settings.assets,
        "steps": steps_for(stage, scenario.checks.steps),
        **fields,
    }
    return Run(scenario.script if script is None else script, stage, **given)  # type: ignore[arg-type]


def on_its_device(scenario: Scenario, run: Run) -> Run:
    """Where its symptom shows: another scenario may have the very same script, for all devices."""
    return run if scenario.needs is None else replace(run, device=scenario.needs)
