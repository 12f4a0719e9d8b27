"""What one tab has open, and what each press does to it. Runs are followed, never awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from debugger.outcome import STAGES, StageName
from debugger.report import Report, StageReport
from debugger.run import WALK, Run
from debugger.settings import Settings
from debugger.stages.train import ENOUGH_STEPS
from debugger.web.flights import busy_with, compared, going_on, report_of, went_through
from debugger.web.scene import Scene, Source
from debugger.web.visit import SURENESS, Panel, Record, Side, Visit, stacked
from debugger.words import Words
from debugger.workers.sharing import Flight, Shared
from scenarios import Scenario, ScenarioError

TICK_SECONDS = 0.08


@dataclass(eq=False)
class Desk:
    """Mutable on purpose: a press and a run that is going on work on the same tab."""

    visit: Visit = field(default_factory=Visit)
    record: Record = field(default_factory=Record)
    flights: list[Flight] = field(default_factory=list)
    shared: dict[tuple[str, StageName], bool] = field(default_factory=dict)
    drawn: dict[str, str] = field(default_factory=dict)
    sent: Record | None = None
    wanted: str | None = None
    stopping: bool = False
    note: str = ""

    @property
    def busy(self) -> bool:
        return bool(self.flights)

    def remember(self, **fields: object) -> None:
        self.record = self.record.changed(self.visit.scenario, **fields)

    def go_to(self, **fields: object) -> None:
        self.visit = replace(self.visit, **fields)  # type: ignore[arg-type]


class Clinic:
    """The scenarios, the engine and the settings that every tab shares."""

    def __init__(
        self, catalogue: Sequence[Scenario], engine: Shared, settings: Settings, words: Words
    ) -> None:
        self.catalogue = catalogue
        self.known = {scenario.id: scenario for scenario in catalogue}
        self.words = words
        self._engine, self._settings = engine, settings

    def press(self, desk: Desk, act: str, with_: str) -> None:
        """Everything that answers at once. What a page cannot have sent changes nothing."""
        case = desk.record.case(desk.visit.scenario)
        scenario = self.known[desk.visit.scenario]
        desk.note = ""
        match act:
            case "stage" if with_ in STAGES:
                desk.go_to(stage=with_, panel="evidence")
            case "move" if with_ in ("-1", "1"):
                place = STAGES.index(desk.visit.stage) + int(with_)
                if 0 <= place < len(STAGES):
                    desk.go_to(stage=STAGES[place], panel="evidence")
            case "panel" if with_ in get_args(Panel):
                desk.go_to(panel=with_)
            case "side" if with_ in get_args(Side):
                desk.go_to(side=with_)
            case "answer" if with_ == "-1" or with_.isdigit():
                question = scenario.words.questions[desk.visit.stage]
                if int(with_) < len(question.choices):
                    answers = {**case.answers, desk.visit.stage: int(with_)}
                    desk.remember(answers=answers)
            case "open":
                desk.remember(opened=True)
            case "cause" if self.words.has("cause", with_) and case.sure is None:
                desk.remember(cause=with_)
            case "sure" if case.cause is not None and with_ in SURENESS:
                desk.remember(sure=with_)
                if self.scene(desk).left_alone:
                    desk.remember(solved=True)
            case "choose":
                desk.go_to(chosen=with_)
            case "hint" if case.hints < len(scenario.words.hints):
                desk.remember(hints=case.hints + 1)
            case "present":
                desk.go_to(present=not desk.visit.present)
            case "back" if not desk.busy:
                left = tuple(change for change in desk.visit.changes if change != with_)
                self._change(desk, left)
            case "stop":
                desk.stopping = True
            case "reset" if not desk.busy:
                desk.record = desk.record.without(desk.visit.scenario)
                desk.visit = Visit(
                    scenario=scenario.id,
                    language=desk.visit.language,
                    present=desk.visit.present,
                )
            case _:
                return

    def plan(self, desk: Desk, act: str, with_: str) -> str | None:
        """What a press that starts a run wants: a stage's name or a walk. Changes are applied."""
        scenario = self.known[desk.visit.scenario]
        desk.note = ""
        if desk.busy:
            return None
        if act == "apply":
            tried = desk.record.case(scenario.id).tried
            if not self._change(desk, stacked(scenario, desk.visit.changes, with_)):
                return None
            desk.remember(tried=tuple(dict.fromkeys((*tried, with_))))
            return WALK
        if act == "solution":
            self._change(desk, scenario.twin_fixes)
            desk.remember(peeked=True)
            return WALK
        if act == "run" and (with_ == WALK or with_ in STAGES):
            return with_
        return None

    def _change(self, desk: Desk, changes: tuple[str, ...]) -> bool:
        """Put these changes into the script, if they go together."""
        try:
            self.known[desk.visit.scenario].changed(changes)
        except ScenarioError:
            return False
        desk.go_to(changes=changes, chosen=None)
        return True

    def resumable(self, desk: Desk) -> str | None:
        """The run that was going on when this tab was reloaded, if it still is."""
        what = desk.record.case(desk.visit.scenario).running
        if what is None or (what != WALK and what not in STAGES):
            return None
        return what if self._engine.flying(self._run(desk, what)) else None

    async def follow(self, desk: Desk, what: str) -> AsyncIterator[None]:
        """Run a stage or a walk, its twin too where it helps; wakes whenever there is news."""
        desk.stopping = False
        variant, scenario = desk.visit.variant, self.known[desk.visit.scenario]
        script = scenario.changed(desk.visit.changes)
        desk.remember(running=what)
        if what != WALK:
            desk.go_to(stage=what, panel="evidence")
        again = what in desk.record.case(scenario.id).ran.get(variant, ())
        run = self._run(desk, what)
        desk.flights = [self._engine.board(run, again)]
        if what == "train" and script != scenario.twin:
            desk.flights.append(self._engine.board(replace(run, script=scenario.twin)))
        yield
        try:
            async for _ in self._watch(desk):
                yield
            if not desk.stopping:
                self._ran(desk, variant, what)
                if what == WALK and went_through(report_of(desk.flights[0])):
                    desk.flights = [self._engine.board(replace(run, script=scenario.twin))]
                    yield
                    async for _ in self._watch(desk):
                        yield
        finally:
            for flight in desk.flights:
                self._engine.leave(flight, at_once=desk.stopping)
            desk.flights = []
        if desk.stopping:
            desk.note = self.words.say("clinic", "stopped_by_you")
        desk.remember(running=None)
        scene = self.scene(desk)
        if what == WALK and scene.first_failing is not None and not desk.stopping:
            desk.go_to(stage=scene.first_failing, panel="evidence")
        elif what == WALK and scene.whole is not None:
            desk.go_to(panel="fix" if desk.visit.changes else "evidence", stage="train")
        if scene.cured and not scene.case.peeked and not scenario.decoy:
            desk.remember(solved=True)
        yield

    async def _watch(self, desk: Desk) -> AsyncIterator[None]:
        seen = -1
        while True:
            total = sum(len(flight.events) for flight in desk.flights)
            if total != seen:
                seen = total
                yield
            if desk.stopping or all(flight.ended for flight in desk.flights):
                return
            await asyncio.sleep(TICK_SECONDS)

    def _ran(self, desk: Desk, variant: str, what: str) -> None:
        """Remember which stages have an answer for the script as it is."""
        flight = desk.flights[0]
        report = report_of(flight)
        ended: set[StageName] = {s.stage for s in report.stages if s.outcome != "not run"}
        case = desk.record.case(desk.visit.scenario)
        ran = {*case.ran.get(variant, ()), *ended}
        in_order = tuple(stage for stage in STAGES if stage in ran)
        desk.remember(ran={**case.ran, variant: in_order})
        for stage in ended:
            desk.shared[variant, stage] = flight.shared

    def _run(self, desk: Desk, stage: str, script: str | None = None) -> Run:
        scenario = self.known[desk.visit.scenario]
        steps = scenario.checks.steps
        return Run(
            scenario.changed(desk.visit.changes) if script is None else script,
            stage,  # type: ignore[arg-type]
            device=self._settings.device,  # type: ignore[arg-type]
            assets=self._settings.assets,  # type: ignore[arg-type]
            steps=max(steps, ENOUGH_STEPS) if stage == "train" else steps,
        )

    def scene(self, desk: Desk) -> Scene:
        """Everything to be drawn, from what is known and what is going on."""
        visit, scenario = desk.visit, self.known[desk.visit.scenario]
        case, script = desk.record.case(scenario.id), scenario.changed(visit.changes)
        broken, sources = self._known_reports(desk, "", scenario.script)
        reports = dict(broken)
        if visit.changes:
            reports, sources = self._known_reports(desk, visit.variant, script)
        if desk.flights:
            live = report_of(desk.flights[0])
            twin = report_of(desk.flights[1]) if len(desk.flights) > 1 else None
            if desk.flights[0].run.script == script:
                reports |= going_on(live, twin)
        elsewhere: set[StageName] = {
            stage for name, stages in case.ran.items() if name != visit.variant for stage in stages
        }
        whole = self._whole(desk, script)
        return Scene(
            scenario=scenario,
            catalogue=self.catalogue,
            visit=visit,
            case=case,
            learner=desk.record.learner,
            reports=reports,
            stale=frozenset(elsewhere - reports.keys()),
            sources=sources,
            busy=busy_with(desk.flights),
            whole=whole if whole is not None and set(STAGES) <= reports.keys() else None,
            twin=self._whole(desk, scenario.twin),
            broken=broken,
            note=desk.note,
        )

    def _known_reports(
        self, desk: Desk, variant: str, script: str
    ) -> tuple[dict[StageName, StageReport], dict[StageName, Source]]:
        """What this browser ran on this script and the clinic still knows."""
        reports: dict[StageName, StageReport] = {}
        sources: dict[StageName, Source] = {}
        for stage in desk.record.case(desk.visit.scenario).ran.get(variant, ()):
            flight = self._answer(desk, stage, script)
            if flight is None:
                continue
            report = report_of(flight)
            if stage == "train":
                report = self._beside_twin(desk, flight)
            reports[stage] = report.stage(stage)
            sources[stage] = Source(
                flight.started,
                desk.shared.get((variant, stage), True),
                report.stage(stage).seconds,
                report.device,
            )
        return reports, sources

    def _answer(self, desk: Desk, stage: StageName, script: str) -> Flight | None:
        """What is known of a stage: looked at by itself, else as a walk went through it."""
        alone, steps = self._run(desk, stage, script), self.known[desk.visit.scenario].checks.steps
        return self._engine.known(alone) or self._engine.known(replace(alone, steps=steps))

    def _beside_twin(self, desk: Desk, flight: Flight) -> Report:
        scenario = self.known[desk.visit.scenario]
        twin = self._engine.known(replace(flight.run, script=scenario.twin))
        return report_of(flight) if twin is None else compared(flight, twin)

    def _whole(self, desk: Desk, script: str) -> Report | None:
        """The walk over a script, if it went through all stages."""
        flight = self._engine.known(self._run(desk, WALK, script))
        if flight is None:
            return None
        report = report_of(flight)
        return report if went_through(report) else None
