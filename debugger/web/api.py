"""What other programs may call: list, run and judge, with the answers of the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from debugger.catalogue import NotThere, Scenario
from debugger.catalogue.running import run_of
from debugger.judge import judge as judged
from debugger.outcome import STAGES
from debugger.printing import catalogue, verdict
from debugger.report import Report, gather
from debugger.run import ALL, WALK
from debugger.settings import Settings
from debugger.words import LanguageError, Words
from debugger.workers.engine import Asker
from debugger.workers.sharing import Shared

PROGRAMS = "programs"
"""All of them together have the turn of one page."""


def endpoints(
    scenarios: Sequence[Scenario], engine: Shared, settings: Settings
) -> list[tuple[str, Callable[..., Any]]]:
    known = {scenario.id: scenario for scenario in scenarios}

    def in_(language: str) -> Words:
        try:
            return Words(language)
        except LanguageError as error:
            raise gr.Error(str(error)) from error

    def of(name: str, words: Words) -> Scenario:
        if name not in known:
            raise gr.Error(words.say("clinic", "no_scenario", value=name[:60]))
        return known[name]

    def report(scenario: Scenario, script: str, stage: str) -> Report:
        return gather(engine.events(run_of(scenario, stage, settings, script), Asker(PROGRAMS)))

    def changed(scenario: Scenario, fixes: list[str], words: Words) -> str:
        try:
            return scenario.changed(fixes)
        except NotThere as error:
            raise gr.Error(error.said(words)) from error

    def list_() -> list[dict[str, Any]]:
        """Every scenario: its id, the stage that can see its fault, its fixes and its cheats."""
        return [catalogue.to_json(scenario) for scenario in scenarios]

    def run(scenario: str, fixes: list[str], stage: str = WALK, lang: str = "en") -> dict[str, Any]:
        """Run a scenario, with fixes applied, through one stage, or all up to the first failure."""
        words = in_(lang)
        found = of(scenario, words)
        if stage not in (WALK, ALL, *STAGES):
            allowed = ", ".join((WALK, ALL, *STAGES))
            raise gr.Error(words.say("cli", "unknown_stage", value=stage[:60], allowed=allowed))
        return report(found, changed(found, fixes, words), stage).to_json(words)

    def judge(scenario: str, fixes: list[str], lang: str = "en") -> dict[str, Any]:
        """Whether a scenario is cured by these fixes, proved by running it beside its twin."""
        words = in_(lang)
        found = of(scenario, words)
        mine = report(found, changed(found, fixes, words), ALL)
        twin = report(found, found.twin, ALL)
        return verdict.to_json(judged(mine, twin, found), mine, words)

    return [("list", list_), ("run", run), ("judge", judge)]
