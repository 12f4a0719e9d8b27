"""What the clinic knows of runs for a tab: asked of the engine, and never waited for."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from debugger.catalogue import Scenario, ScenarioError
from debugger.catalogue.running import on_its_device, run_of
from debugger.outcome import StageName, Weighed
from debugger.report import Report, StageReport
from debugger.run import WALK, Run
from debugger.settings import Settings
from debugger.web.desk import Desk
from debugger.web.flights import compared, report_of, went_through
from debugger.web.host import lent
from debugger.web.scene import Provenance
from debugger.web.visit import SYMPTOM, Visit, is_typed
from debugger.workers.sharing import Flight, Shared

MOST_TRIED = 4


class Answers:
    """The runs of a scenario as this host makes them, and their answers as far as they are kept."""

    def __init__(self, engine: Shared, settings: Settings) -> None:
        self._engine, self._settings = engine, settings

    def run(self, scenario: Scenario, stage: str, script: str, typed: bool = False) -> Run:
        run = run_of(scenario, stage, self._settings, script, typed=typed)
        if script != scenario.script or typed:
            return run
        there = on_its_device(scenario, run)
        there_only = lent(scenario, self._settings) or self._engine.recorded(there)
        return there if there_only else run

    def made_here(self, run: Run) -> Run:
        """The same run on this machine's device, where it is shown as a recording."""
        return replace(run, device=self._settings.device) if self._engine.recorded(run) else run

    def weighing(self, scenario: Scenario, script: str, typed: bool = False) -> Run:
        """The training whose weights are tried in the twin's model, where the script never runs."""
        return replace(self.run(scenario, "train", script, typed), against=scenario.twin)

    def weighed(self, scenario: Scenario, script: str, typed: bool = False) -> Weighed | None:
        flight = self._engine.known(self.weighing(scenario, script, typed))
        return None if flight is None else report_of(flight).weighed

    def whole_script(self, scenario: Scenario) -> Run:
        return self.run(scenario, "train", scenario.script)

    def symptom(self, desk: Desk, scenario: Scenario) -> Report | None:
        """What the author of the script saw, once this learner has asked for it."""
        case = desk.record.case(scenario.id)
        if desk.flights and case.running == SYMPTOM:
            return report_of(desk.flights[0])
        if desk.symptom is not None or not case.seen:
            return desk.symptom
        flight = self._engine.known(self.whole_script(scenario))
        return None if flight is None else report_of(flight)

    def beside(self, scenario: Scenario, visit: Visit) -> dict[StageName, StageReport]:
        """What is known of the twin's stages, for whoever looks at a journey."""
        asked = self.run(scenario, WALK, scenario.twin)
        flight = self._engine.known(asked) if visit.side == "journey" else None
        if flight is None:
            return {}
        return {stage.stage: stage for stage in report_of(flight).stages}

    def twin_data(self, scenario: Scenario) -> StageReport | None:
        asked = [self.run(scenario, stage, scenario.twin) for stage in ("data", WALK)]
        flight = next((one for run in asked if (one := self._engine.known(run))), None)
        return None if flight is None else report_of(flight).stage("data")

    def trainings(self, desk: Desk, scenario: Scenario, script: str) -> dict[str, StageReport]:
        """The longest training known of the broken, the changed and the healthy script.

        Of the repairs that were tried before, too: the last few, by their changes.
        """
        found: dict[str, StageReport] = {}
        scripts = {"broken": scenario.script, "here": script, "twin": scenario.twin}
        variants = [one for one in desk.record.case(scenario.id).ran if one]
        for variant in variants[-MOST_TRIED:]:
            with suppress(ScenarioError):  # of a scenario that was another one then
                tried = scenario.changed(tuple(variant.split("+")))
                if tried not in scripts.values():
                    scripts[variant] = tried
        for whose, text in scripts.items():
            typed = whose == "here" and is_typed(desk.visit.changes)
            alone = self.run(scenario, "train", text, typed)
            walked = self.run(scenario, WALK, text, typed)
            flight = self._engine.known(alone) or self._engine.known(walked)
            report = report_of(flight).stage("train") if flight else None
            if report is not None and report.curves:
                found[whose] = report
        return found

    def tried(self, desk: Desk, scenario: Scenario) -> dict[str, Report]:
        """How the script ended with each change that this learner applied, as far as is known."""
        found: dict[str, Report] = {}
        for change in desk.record.case(scenario.id).tried:
            changes = desk.visit.changes if change in desk.visit.changes else (change,)
            run = self.run(scenario, WALK, scenario.changed(changes))
            if (flight := self._engine.known(run)) is not None:
                found[change] = report_of(flight)
        return found

    def reports(
        self, desk: Desk, scenario: Scenario, variant: str, script: str
    ) -> tuple[dict[StageName, StageReport], dict[StageName, Provenance]]:
        """What this browser ran on this script and the clinic still knows."""
        reports: dict[StageName, StageReport] = {}
        sources: dict[StageName, Provenance] = {}
        for stage in desk.record.case(scenario.id).ran.get(variant, ()):
            if (variant, stage) in desk.own:
                reports[stage], sources[stage] = desk.own[variant, stage]
                continue
            flight = self.of_stage(scenario, stage, script, is_typed((variant,)))
            if flight is None:
                continue
            report = report_of(flight)
            if stage == "train":
                report = self.beside_twin(scenario, flight)
            reports[stage] = report.stage(stage)
            shared = desk.shared.get((variant, stage), True)
            sources[stage] = replace(source_of(flight, report, stage), shared=shared)
        return reports, sources

    def of_stage(
        self, scenario: Scenario, stage: StageName, script: str, typed: bool = False
    ) -> Flight | None:
        """What is known of a stage: looked at by itself, else as a walk went through it."""
        alone = self.run(scenario, stage, script, typed)
        walked = replace(alone, steps=scenario.checks.steps)
        return self._engine.known(alone) or self._engine.known(walked)

    def beside_twin(self, scenario: Scenario, flight: Flight) -> Report:
        """The training with that of the healthy twin, where it is known."""
        asked = replace(flight.run, script=scenario.twin, experiments=False, typed=False)
        twin = self._engine.known(asked)
        return report_of(flight) if twin is None else compared(flight, twin)

    def whole(self, scenario: Scenario, script: str, typed: bool = False) -> Report | None:
        """The walk over a script, if it went through all stages."""
        flight = self._engine.known(self.run(scenario, WALK, script, typed))
        if flight is None:
            return None
        report = report_of(flight)
        return report if went_through(report) else None


def source_of(flight: Flight, report: Report, stage: StageName) -> Provenance:
    seconds = report.stage(stage).seconds
    made = flight.started, flight.shared, seconds, report.device
    return Provenance(*made, recorded=flight.recorded, place=flight.place)
