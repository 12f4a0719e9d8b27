"""What other programs may call: list, run and judge, with the answers of the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from debugger.judge import judge as judged
from debugger.outcome import STAGES
from debugger.printing import catalogue, verdict
from debugger.report import Report, gather
from debugger.run import ALL, WALK, Run
from debugger.settings import Settings
from debugger.stages.train import steps_for
from debugger.words import Words
from debugger.workers.sharing import Shared
from scenarios import Scenario, ScenarioError


def endpoints(
    scenarios: Sequence[Scenario], engine: Shared, settings: Settings, words: Words
) -> list[tuple[str, Callable[..., Any]]]:
    known = {scenario.id: scenario for scenario in scenarios}

    def of(name: str) -> Scenario:
        if name not in known:
            raise gr.Error(words.say("clinic", "no_scenario", value=name[:60]))
        return known[name]

    def report(scenario: Scenario, script: str, stage: str) -> Report:
        run = Run(
            script,
            stage,  # type: ignore[arg-type]
            device=settings.device,  # type: ignore[arg-type]
            assets=settings.assets,  # type: ignore[arg-type]
            steps=steps_for(stage, scenario.checks.steps),
        )
        return gather(engine.events(run))

    def changed(scenario: Scenario, fixes: list[str]) -> str:
        try:
            return scenario.changed(fixes)
        except ScenarioError as error:
            raise gr.Error(str(error)) from error

    def list_() -> list[dict[str, Any]]:
        """Every scenario: its id, the stage that can see its fault, its fixes and its cheats."""
        return [catalogue.to_json(scenario) for scenario in scenarios]

    def run(scenario: str, fixes: list[str], stage: str = WALK) -> dict[str, Any]:
        """Run a scenario, with fixes applied, through one stage, or all up to the first failure."""
        found = of(scenario)
        if stage not in (WALK, ALL, *STAGES):
            allowed = ", ".join((WALK, ALL, *STAGES))
            raise gr.Error(words.say("cli", "unknown_stage", value=stage[:60], allowed=allowed))
        return report(found, changed(found, fixes), stage).to_json(words)

    def judge(scenario: str, fixes: list[str]) -> dict[str, Any]:
        """Whether a scenario is cured by these fixes, proved by running it beside its twin."""
        found = of(scenario)
        mine = report(found, changed(found, fixes), ALL)
        twin = report(found, found.twin, ALL)
        return verdict.to_json(judged(mine, twin, found), mine, words)

    return [("list", list_), ("run", run), ("judge", judge)]
