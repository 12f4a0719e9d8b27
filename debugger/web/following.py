"""What a press runs for a tab: followed, never awaited."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from debugger.catalogue import Scenario
from debugger.outcome import STAGES, Finding, Outcome, StageName, Weighed
from debugger.run import WALK, Run
from debugger.web.answers import source_of
from debugger.web.asking import shorten
from debugger.web.checks import keep
from debugger.web.desk import Desk
from debugger.web.flights import report_of, turned_away, watched, went_through
from debugger.web.receipts import give
from debugger.web.scene import Scene
from debugger.web.visit import BESIDE, CHECK, EXPERIMENTS, ISSUE, MARKED, SYMPTOM, is_typed
from debugger.web.zero import refused
from debugger.workers.engine import Asker
from debugger.workers.sharing import Flight

if TYPE_CHECKING:
    from debugger.web.clinic import Clinic

TWINS = "twins"
"""Twins that train beside a run have the turn of one page: whoever comes next sees them, too."""


class Following:
    """The runs of one tab. Each step wakes the page whenever there is news."""

    def __init__(self, clinic: Clinic, desk: Desk) -> None:
        self._clinic, self.desk = clinic, desk
        self._engine, self._answers = clinic.engine, clinic.answers
        self._scenario = clinic.known[desk.visit.scenario]

    async def follow(self, what: str) -> AsyncGenerator[None]:
        """Run a stage or a walk, its twin too where it helps; wakes whenever there is news."""
        if what in (SYMPTOM, BESIDE, MARKED):
            async for _ in self._see() if what == SYMPTOM else self._see_twin(what):
                yield
            return
        if what == CHECK:
            async for _ in self._check():
                yield
            return
        if what in (ISSUE, EXPERIMENTS):
            async for _ in self._ask() if what == ISSUE else self._experiment():
                yield
            return
        self.desk.stopping = False
        variant, scenario = self.desk.visit.variant, self._scenario
        self.desk.remember(running=what)
        self.desk.weighed.pop(variant, None)
        if what != WALK:
            self.desk.go_to(stage=what, panel="evidence")
        again = what in self.desk.record.case(scenario.id).ran.get(variant, ())
        run = self._clinic.run_of(self.desk, what)
        if again:
            run = self._answers.made_here(run)
        twin = self._answers.run(scenario, what, scenario.twin)
        self.desk.flights = [self._engine.board(run, again, self.desk.asker)]
        if what == "train" and run != twin:
            self.desk.flights.append(self._engine.board(twin, asker=Asker(TWINS)))
        yield
        try:
            async for _ in self._watch():
                yield
            if turned_away(self.desk.flights[0]):
                return
            why = None if self.desk.stopping else refused(self.desk.flights[0])
            if why is not None:
                self.desk.flights[0] = self._stand_in(scenario, run)
                yield
                async for _ in self._watch():
                    yield
            self._ran(variant, why)
            went = what == WALK and went_through(report_of(self.desk.flights[0]))
            if went and not self.desk.stopping:
                self.desk.flights = [self._engine.board(twin, asker=self.desk.asker)]
                yield
                async for _ in self._watch():
                    yield
        finally:
            self._leave()
        scene = self._settle(what)
        yield
        if what == WALK and (scene.cured or scene.unweighed) and not self.desk.stopping:
            async for _ in self._train_on():
                yield
            self._remember_cure(self._clinic.scene(self.desk))
            yield

    async def _see(self) -> AsyncGenerator[None]:
        """Run the whole script as its author did. It answers no question of the quiz."""
        self.desk.stopping = False
        self.desk.remember(running=SYMPTOM)
        self.desk.go_to(panel=SYMPTOM)
        scenario = self._scenario
        run, why = self._answers.whole_script(scenario), None
        flight = self._engine.board(run, asker=self.desk.asker)
        async for _ in self._follow_aside([flight]):
            yield
        if not self.desk.stopping and (why := refused(flight)):
            flight = self._stand_in(scenario, flight.run)
            self.desk.remember(running=SYMPTOM)
            async for _ in self._follow_aside([flight]):
                yield
        if not (self.desk.stopping or self.desk.turned_away):
            self.desk.symptom = report_of(flight)
            source = source_of(flight, self.desk.symptom, "setup")
            self.desk.instead = replace(source, refused=why) if why else None
            self.desk.remember(seen=True)
        yield

    async def _see_twin(self, what: str) -> AsyncGenerator[None]:
        """Walk the healthy twin, or look at its rows, to compare them with the script's."""
        self.desk.stopping = False
        scenario = self._scenario
        stage = WALK if what == BESIDE else "data"
        run = self._answers.run(scenario, stage, scenario.twin)
        flight = self._engine.board(run, asker=self.desk.asker)
        async for _ in self._follow_aside([flight]):
            yield
        yield

    async def _experiment(self) -> AsyncGenerator[None]:
        """Try on the stage what an expert would try. The answer is of this tab alone."""
        self.desk.stopping = False
        scenario, variant, stage = self._scenario, self.desk.visit.variant, self.desk.visit.stage
        run = replace(self._clinic.run_of(self.desk, stage), experiments=True)
        flight = self._engine.board(run, asker=self.desk.asker)
        async for _ in self._follow_aside([flight]):
            yield
        if flight.ended and not (self.desk.stopping or self.desk.turned_away):
            report = self._answers.beside_twin(scenario, flight)
            self.desk.own[variant, stage] = report.stage(stage), source_of(flight, report, stage)
        yield

    async def _ask(self) -> AsyncGenerator[None]:
        """Make the script shorter for an issue about it, as it was found."""
        self.desk.stopping = False
        self.desk.go_to(panel=ISSUE)
        scenario = self._scenario
        walk = self._answers.run(scenario, WALK, scenario.script)
        whole = self._answers.whole_script(scenario)
        async for _ in shorten(self.desk, self._engine, whole, walk):
            yield
        if self.desk.stopping:
            self.desk.note = "stopped_by_you"
        yield

    async def _check(self) -> AsyncGenerator[None]:
        """Ask the script as it stands, in a copy. The answer is kept with what was asked."""
        self.desk.stopping = False
        self.desk.go_to(panel="console")
        changes = self.desk.visit.changes
        run = replace(self._clinic.run_of(self.desk, "setup"), typed=True, check=self.desk.asking)
        flight = self._engine.board(run, asker=self.desk.asker)
        try:
            async for _ in self._follow_aside([flight]):
                yield
        finally:
            self.desk.asking = ""
        if flight.ended and not self.desk.stopping:
            keep(self.desk, run, changes, flight.events)
        yield

    async def _train_on(self) -> AsyncGenerator[None]:
        """Train the cured script for as long as its symptom took: a few steps prove little to see.

        Its twin too, and the script as it was found, where it gets as far as that. Of a typed one,
        and of the twin then, what was learned is tried where neither script runs.
        """
        scenario, variant = self._scenario, self.desk.visit.variant
        here = self._clinic.run_of(self.desk, "train")
        twin = self._answers.run(scenario, "train", scenario.twin)
        if here.typed:
            here, twin = (replace(run, against=scenario.twin) for run in (here, twin))
        runs = [here, twin]
        if scenario.symptom != "crash":
            runs.append(self._answers.whole_script(scenario))
        runs = list(dict.fromkeys(runs))
        if all(self._engine.known(run) for run in runs):
            return
        flights = [self._engine.board(run, asker=self.desk.asker) for run in runs]
        async for _ in self._follow_aside(flights):
            yield
        if here.typed and not self.desk.stopping:
            left = report_of(flights[0]).weighed
            self.desk.weighed[variant] = left or Weighed(reason="weights_cut_off")
        yield

    async def _follow_aside(self, flights: list[Flight]) -> AsyncGenerator[None]:
        self.desk.flights, self.desk.aside = flights, True
        yield
        try:
            async for _ in self._watch():
                yield
        finally:
            self._leave()

    async def _watch(self) -> AsyncGenerator[None]:
        def over() -> bool:
            if self.desk.stopping or all(flight.ended for flight in self.desk.flights):
                return True
            first = self.desk.flights[0]
            # Where it did not get to train, there is nothing to compare.
            return first.ended and not report_of(first).stage("train").curves

        async for _ in watched(self.desk.flights, over):
            yield

    def _leave(self) -> None:
        for flight in self.desk.flights:
            self._engine.leave(flight, at_once=self.desk.stopping)
            self.desk.turned_away = self.desk.turned_away or turned_away(flight)
        self.desk.flights, self.desk.aside = [], False
        if self.desk.stopping:
            self.desk.note = "stopped_by_you"
        self.desk.remember(running=None)

    def _stand_in(self, scenario: Scenario, run: Run) -> Flight:
        """What is shown in place of a run on a GPU that was not lent."""
        recording = self._clinic.instead.get(scenario.id)
        if recording is None:
            return self._engine.board(replace(run, device="cpu"), asker=self.desk.asker)
        made = datetime.fromisoformat(recording.date)
        return Flight(run, made, list(recording.events), recorded=recording.device)

    def _settle(self, what: str) -> Scene:
        """Go where a run that has ended leads to."""
        scene = self._clinic.scene(self.desk)
        if what == WALK and scene.first_failing is not None and not self.desk.stopping:
            self.desk.go_to(stage=scene.first_failing, panel="evidence")
        elif what == WALK and scene.whole is not None:
            repaired = self.desk.visit.changes or scene.case.peeked
            self.desk.go_to(panel="fix" if repaired else "evidence", stage="train")
        elif scene.ended_at is not None and self.desk.visit.stage not in scene.reports:
            self.desk.go_to(stage=scene.ended_at, panel="evidence")
        self._remember_cure(scene)
        return scene

    def _remember_cure(self, scene: Scene) -> None:
        if scene.cured and not scene.case.peeked and not scene.scenario.decoy:
            self.desk.remember(solved=True)
            how = "typed" if is_typed(self.desk.visit.changes) else "listed"
            give(self.desk, how, self._clinic.seal)

    def _ran(self, variant: str, why: Finding | None) -> None:
        """Remember which stages have an answer for the script as it is; `why` it stands in."""
        flight, scenario = self.desk.flights[0], self._scenario
        report = report_of(flight)
        ended: set[StageName] = {s.stage for s in report.stages if s.outcome != "not run"}
        end = flight.events[-1] if flight.ended else None
        outside = end.finding if isinstance(end, Outcome) else None
        case = self.desk.record.case(self.desk.visit.scenario)
        ran = {*case.ran.get(variant, ()), *ended}
        in_order = tuple(stage for stage in STAGES if stage in ran)
        self.desk.remember(ran={**case.ran, variant: in_order})
        for stage in ended:
            self.desk.shared[variant, stage] = flight.shared
            self.desk.own.pop((variant, stage), None)
            kept = self._answers.of_stage(scenario, stage, flight.run.script, flight.run.typed)
            elsewhere = kept is None or kept.recorded != flight.recorded
            if elsewhere or why is not None or outside in report.stage(stage).findings:
                source = replace(source_of(flight, report, stage), refused=why)
                self.desk.own[variant, stage] = report.stage(stage), source
