"""What each press does to a tab. Runs are followed, never awaited."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, get_args

from debugger.catalogue import Scenario, ScenarioError, translated
from debugger.catalogue.recordings import Recording
from debugger.homework.seal import Seal
from debugger.outcome import STAGES, Finding, Outcome, StageName, Weighed
from debugger.run import WALK, Run
from debugger.settings import Settings
from debugger.stages import LIGHT
from debugger.web.answers import Answers, source_of
from debugger.web.asking import shorten
from debugger.web.bounds import Bounds
from debugger.web.checks import keep, taken
from debugger.web.desk import Desk
from debugger.web.flights import busy_with, going_on, report_of, turned_away, watched, went_through
from debugger.web.host import Closed, lent, why_closed, why_no_typing
from debugger.web.path import GoOn, after
from debugger.web.receipts import give
from debugger.web.scene import Scene
from debugger.web.times import stamp
from debugger.web.visit import (
    BESIDE,
    CHECK,
    EXPERIMENTS,
    ISSUE,
    LOOKED,
    MARKED,
    MOST_TYPED,
    SURENESS,
    SYMPTOM,
    Panel,
    Side,
    Visit,
    is_typed,
    kept_case,
    name_of,
    right_cause,
    scenario_named,
    script_of,
    stacked,
)
from debugger.web.zero import refused
from debugger.words import Words, languages
from debugger.workers.engine import Asker
from debugger.workers.sharing import Flight, Shared

MOST_MARKS = 9
TWINS = "twins"
"""Twins that train beside a run have the turn of one page: whoever comes next sees them, too."""


class Clinic:
    """The scenarios, the engine and the settings that every tab shares."""

    def __init__(
        self,
        catalogue: Sequence[Scenario],
        engine: Shared,
        settings: Settings,
        recorded: Iterable[tuple[Scenario, Recording]] = (),
        status: Callable[[], dict[str, Any]] = dict,
        seal: Seal | None = None,
    ) -> None:
        """`status` is the engine's: it tells whether typed code may run here. `seal` is what cures
        are signed with, where they are."""
        self.catalogue = catalogue
        self.known = {scenario.id: scenario for scenario in catalogue}
        self._shelves = {
            tag: {scenario.id: translated(scenario, tag) for scenario in catalogue}
            for tag in languages()
        }
        self.closed: dict[str, Closed] = {
            scenario.id: reason
            for scenario in catalogue
            if (reason := why_closed(scenario, settings))
        }
        self._engine, self._answers = engine, Answers(engine, settings)
        self.bounds = Bounds(settings.runs_a_minute, settings.sessions)
        self._prepared: set[str] = set()
        self._status, self._seal = status, seal
        self._lent = frozenset(s.id for s in catalogue if lent(s, settings))
        self._instead: dict[str, Recording] = {}
        for scenario, recording in recorded:
            if scenario.id in self._lent:
                self._instead[scenario.id] = recording
                continue
            made = datetime.fromisoformat(recording.date)
            run = self._answers.run(scenario, WALK, scenario.script)
            engine.hold(run, recording.events, made, recording.device)

    def shelf(self, language: str) -> dict[str, Scenario]:
        """Every scenario by its id, in that language."""
        return self._shelves[language]

    def shown_here(self, language: str) -> list[Scenario]:
        """Those whose symptom this machine can show."""
        return [s for s in self.shelf(language).values() if s.id not in self.closed]

    def press(self, desk: Desk, act: str, with_: str) -> None:
        """Everything that answers at once. What a page cannot have sent changes nothing."""
        case = desk.record.case(desk.visit.scenario)
        scenario = self.known[desk.visit.scenario]
        desk.note, desk.turned_away = "", None
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
            case "open":
                desk.remember(opened=True)
            case "mark" if with_.isdigit() and not case.marked and int(with_) < MOST_MARKS:
                desk.remember(marks=tuple(sorted({*case.marks} ^ {int(with_)})))
            case "cause" if Words().has("cause", with_) and case.sure is None:
                if with_ != case.missed:
                    desk.remember(cause=with_)
            case "sure" if case.cause is not None and case.sure is None and with_ in SURENESS:
                if case.missed is None and case.cause != right_cause(scenario):
                    desk.remember(missed=case.cause, missed_sure=with_, cause=None)
                    return
                desk.remember(sure=with_)
                if self.scene(desk).left_alone:
                    desk.remember(solved=True)
                    give(desk, "left_alone", self._seal)
            case "choose":
                desk.go_to(chosen=with_)
            case "hint" if case.hints < len(scenario.words.hints):
                desk.remember(hints=case.hints + 1)
                desk.go_to(panel="evidence")
            case "present":
                desk.go_to(present=not desk.visit.present)
            case "back" if not desk.busy:
                left = tuple(change for change in desk.visit.changes if change != with_)
                self._change(desk, left)
            case "original" if not desk.busy:
                self._change(desk, ())
            case "typed" if case.typed is not None and not desk.busy:
                desk.go_to(changes=(name_of(case.typed),), chosen=None)
            case "stop":
                desk.stopping = True
            case "reset" if not desk.busy:
                desk.record = desk.record.restarted(scenario.id, stamp(desk.now()))
                desk.symptom = desk.shorter = desk.training = desk.instead = None
                desk.visit = Visit(
                    scenario=scenario.id,
                    language=desk.visit.language,
                    present=desk.visit.present,
                )
            case _:
                return

    def no_typing(self, scenario: Scenario) -> Finding | None:
        """Why nobody can type on this machine, once that has been tried."""
        return why_no_typing(self._status(), scenario.framework)

    def type(self, desk: Desk, text: str) -> None:
        """Take over what stands in the editor. What the catalogue holds needs no typing."""
        scenario, case = self.known[desk.visit.scenario], desk.record.case(desk.visit.scenario)
        if desk.visit.demo or self.no_typing(scenario):
            return
        desk.note = "too_much_typed" if len(text) > MOST_TYPED else ""
        if desk.note:
            return
        if text == script_of(scenario, desk.visit.changes, case):
            return
        desk.remember(typed=text)
        changes = () if text == scenario.script else (name_of(text),)
        desk.go_to(changes=changes, chosen=None)

    def _run(self, desk: Desk, what: str) -> Run:
        """That stage, or a walk, over the script as this tab has it."""
        scenario, changes = self.known[desk.visit.scenario], desk.visit.changes
        script = script_of(scenario, changes, desk.record.case(scenario.id))
        return self._answers.run(scenario, what, script, is_typed(changes))

    def plan(self, desk: Desk, act: str, with_: str) -> str | None:
        """What a press that starts a run wants: a stage's name, a walk, the symptom or an issue.

        Changes are applied, and an answer is kept: it opens the evidence, which may be there.
        """
        scenario = self.known[desk.visit.scenario]
        desk.note, desk.turned_away = "", None
        if act == "answer" and self._answered(desk, with_):
            scene = self.scene(desk)
            there = scene.shown is not None or scene.blocked_by is not None
            return None if there or desk.busy else desk.visit.stage
        if desk.busy:
            return None
        if act == CHECK and not desk.visit.demo and not self.no_typing(scenario):
            desk.asking, desk.note = taken(with_)
            return CHECK if desk.asking else None
        if act == MARKED:
            desk.remember(marked=True)
            return MARKED
        if act == "apply":
            return WALK if self.apply(desk, with_) else None
        if act == "solution":
            self._change(desk, scenario.twin_fixes)
            desk.remember(peeked=True)
            return WALK
        if act == "run" and (
            with_ in (WALK, SYMPTOM, BESIDE, ISSUE, EXPERIMENTS) or with_ in STAGES
        ):
            return with_
        return None

    def _answered(self, desk: Desk, choice: str) -> bool:
        """Keep the answer to the stage's question, or that the learner looked without one."""
        question = self.known[desk.visit.scenario].words.questions[desk.visit.stage]
        given = int(choice) if choice == str(LOOKED) or choice.isdigit() else len(question.choices)
        answers = desk.record.case(desk.visit.scenario).answers
        if given >= len(question.choices) or desk.visit.stage in answers:
            return False
        desk.remember(answers={**answers, desk.visit.stage: given})
        return True

    def apply(self, desk: Desk, patch_id: str) -> bool:
        """Put one more change into the script; those give way that it does not go together with."""
        scenario = self.known[desk.visit.scenario]
        if not self._change(desk, stacked(scenario, desk.visit.changes, patch_id)):
            return False
        tried = desk.record.case(scenario.id).tried
        desk.remember(tried=tuple(dict.fromkeys((*tried, patch_id))))
        return True

    def _change(self, desk: Desk, changes: tuple[str, ...]) -> bool:
        """Put these changes into the script, if they go together."""
        try:
            self.known[desk.visit.scenario].changed(changes)
        except ScenarioError:
            return False
        desk.go_to(changes=changes, chosen=None)
        return True

    def prepare(self, name: str) -> None:
        """Run ahead what a visitor asks for first, where it takes a second or two, and once."""
        scenario = scenario_named(name, self.known)
        if scenario is None or scenario.id in self._prepared:
            return
        if scenario.first_stage in LIGHT and scenario.id not in self._lent:
            self._prepared.add(scenario.id)
            run = self._answers.run(scenario, WALK, scenario.script)
            self._engine.leave(self._engine.board(run, asker=Asker(ahead=True)))

    def resumable(self, desk: Desk) -> str | None:
        """The run that was going on when this tab was reloaded: it still is, or ended meanwhile."""
        case = desk.record.case(desk.visit.scenario)
        what = case.running
        if what is None or (what not in (WALK, SYMPTOM) and what not in STAGES):
            return None
        scenario = self.known[desk.visit.scenario]
        run = self._run(desk, what)
        if what == SYMPTOM:
            run = self._answers.whole_script(scenario)
        seen = what in case.ran.get(desk.visit.variant, ())
        going_on = self._engine.flying(run) or (not seen and self._engine.known(run) is not None)
        return what if going_on else None

    async def see(self, desk: Desk) -> AsyncGenerator[None]:
        """Run the whole script as its author did. It answers no question of the quiz."""
        desk.stopping = False
        desk.remember(running=SYMPTOM)
        desk.go_to(panel=SYMPTOM)
        scenario = self.known[desk.visit.scenario]
        run, why = self._answers.whole_script(scenario), None
        flight = self._engine.board(run, asker=desk.asker)
        async for _ in self._follow_aside(desk, [flight]):
            yield
        if not desk.stopping and (why := refused(flight)):
            flight = self._stand_in(scenario, flight.run, desk)
            desk.remember(running=SYMPTOM)
            async for _ in self._follow_aside(desk, [flight]):
                yield
        if not (desk.stopping or desk.turned_away):
            desk.symptom = report_of(flight)
            source = source_of(flight, desk.symptom, "setup")
            desk.instead = replace(source, refused=why) if why else None
            desk.remember(seen=True)
        yield

    async def see_twin(self, desk: Desk, what: str) -> AsyncGenerator[None]:
        """Walk the healthy twin, or look at its rows, to compare them with the script's."""
        desk.stopping = False
        scenario = self.known[desk.visit.scenario]
        stage = WALK if what == BESIDE else "data"
        run = self._answers.run(scenario, stage, scenario.twin)
        flight = self._engine.board(run, asker=desk.asker)
        async for _ in self._follow_aside(desk, [flight]):
            yield
        yield

    async def experiment(self, desk: Desk) -> AsyncGenerator[None]:
        """Try on the stage what an expert would try. The answer is of this tab alone."""
        desk.stopping = False
        scenario, variant, stage = (
            self.known[desk.visit.scenario],
            desk.visit.variant,
            desk.visit.stage,
        )
        run = replace(self._run(desk, stage), experiments=True)
        flight = self._engine.board(run, asker=desk.asker)
        async for _ in self._follow_aside(desk, [flight]):
            yield
        if flight.ended and not (desk.stopping or desk.turned_away):
            report = self._answers.beside_twin(scenario, flight)
            desk.own[variant, stage] = report.stage(stage), source_of(flight, report, stage)
        yield

    async def ask(self, desk: Desk) -> AsyncGenerator[None]:
        """Make the script shorter for an issue about it, as it was found."""
        desk.stopping = False
        desk.go_to(panel=ISSUE)
        scenario = self.known[desk.visit.scenario]
        walk = self._answers.run(scenario, WALK, scenario.script)
        async for _ in shorten(desk, self._engine, self._answers.whole_script(scenario), walk):
            yield
        if desk.stopping:
            desk.note = "stopped_by_you"
        yield

    async def check(self, desk: Desk) -> AsyncGenerator[None]:
        """Ask the script as it stands, in a copy. The answer is kept with what was asked."""
        desk.stopping = False
        desk.go_to(panel="console")
        changes = desk.visit.changes
        run = replace(self._run(desk, "setup"), typed=True, check=desk.asking)
        flight = self._engine.board(run, asker=desk.asker)
        try:
            async for _ in self._follow_aside(desk, [flight]):
                yield
        finally:
            desk.asking = ""
        if flight.ended and not desk.stopping:
            keep(desk, run, changes, flight.events)
        yield

    async def _follow_aside(self, desk: Desk, flights: list[Flight]) -> AsyncGenerator[None]:
        desk.flights, desk.aside = flights, True
        yield
        try:
            async for _ in self._watch(desk):
                yield
        finally:
            self._leave(desk)

    def _leave(self, desk: Desk) -> None:
        for flight in desk.flights:
            self._engine.leave(flight, at_once=desk.stopping)
            desk.turned_away = desk.turned_away or turned_away(flight)
        desk.flights, desk.aside = [], False
        if desk.stopping:
            desk.note = "stopped_by_you"
        desk.remember(running=None)

    async def follow(self, desk: Desk, what: str) -> AsyncGenerator[None]:
        """Run a stage or a walk, its twin too where it helps; wakes whenever there is news."""
        if what in (SYMPTOM, BESIDE, MARKED):
            async for _ in self.see(desk) if what == SYMPTOM else self.see_twin(desk, what):
                yield
            return
        if what == CHECK:
            async for _ in self.check(desk):
                yield
            return
        if what in (ISSUE, EXPERIMENTS):
            async for _ in self.ask(desk) if what == ISSUE else self.experiment(desk):
                yield
            return
        desk.stopping = False
        variant, scenario = desk.visit.variant, self.known[desk.visit.scenario]
        desk.remember(running=what)
        desk.weighed.pop(variant, None)
        if what != WALK:
            desk.go_to(stage=what, panel="evidence")
        again = what in desk.record.case(scenario.id).ran.get(variant, ())
        run = self._run(desk, what)
        twin = self._answers.run(scenario, what, scenario.twin)
        desk.flights = [self._engine.board(run, again, desk.asker)]
        if what == "train" and run != twin:
            desk.flights.append(self._engine.board(twin, asker=Asker(TWINS)))
        yield
        try:
            async for _ in self._watch(desk):
                yield
            if turned_away(desk.flights[0]):
                return
            why = None if desk.stopping else refused(desk.flights[0])
            if why is not None:
                desk.flights[0] = self._stand_in(scenario, run, desk)
                yield
                async for _ in self._watch(desk):
                    yield
            self._ran(desk, variant, why)
            went = what == WALK and went_through(report_of(desk.flights[0]))
            if went and not desk.stopping:
                desk.flights = [self._engine.board(twin, asker=desk.asker)]
                yield
                async for _ in self._watch(desk):
                    yield
        finally:
            self._leave(desk)
        scene = self._settle(desk, what)
        yield
        if what == WALK and (scene.cured or scene.unweighed) and not desk.stopping:
            async for _ in self._train_on(desk):
                yield
            self._remember_cure(desk, self.scene(desk))
            yield

    def _stand_in(self, scenario: Scenario, run: Run, desk: Desk) -> Flight:
        """What is shown in place of a run on a GPU that was not lent."""
        recording = self._instead.get(scenario.id)
        if recording is None:
            return self._engine.board(replace(run, device="cpu"), asker=desk.asker)
        made = datetime.fromisoformat(recording.date)
        return Flight(run, made, list(recording.events), recorded=recording.device)

    def _settle(self, desk: Desk, what: str) -> Scene:
        """Go where a run that has ended leads to."""
        scene = self.scene(desk)
        if what == WALK and scene.first_failing is not None and not desk.stopping:
            desk.go_to(stage=scene.first_failing, panel="evidence")
        elif what == WALK and scene.whole is not None:
            repaired = desk.visit.changes or scene.case.peeked
            desk.go_to(panel="fix" if repaired else "evidence", stage="train")
        elif scene.ended_at is not None and desk.visit.stage not in scene.reports:
            desk.go_to(stage=scene.ended_at, panel="evidence")
        self._remember_cure(desk, scene)
        return scene

    def _remember_cure(self, desk: Desk, scene: Scene) -> None:
        if scene.cured and not scene.case.peeked and not scene.scenario.decoy:
            desk.remember(solved=True)
            give(desk, "typed" if is_typed(desk.visit.changes) else "listed", self._seal)

    async def _train_on(self, desk: Desk) -> AsyncGenerator[None]:
        """Train the cured script for as long as its symptom took: a few steps prove little to see.

        Its twin too, and the script as it was found, where it gets as far as that. Of a typed one,
        and of the twin then, what was learned is tried where neither script runs.
        """
        scenario, variant = self.known[desk.visit.scenario], desk.visit.variant
        here, twin = self._run(desk, "train"), self._answers.run(scenario, "train", scenario.twin)
        if here.typed:
            here, twin = (replace(run, against=scenario.twin) for run in (here, twin))
        runs = [here, twin]
        if scenario.symptom != "crash":
            runs.append(self._answers.whole_script(scenario))
        runs = list(dict.fromkeys(runs))
        if all(self._engine.known(run) for run in runs):
            return
        flights = [self._engine.board(run, asker=desk.asker) for run in runs]
        async for _ in self._follow_aside(desk, flights):
            yield
        if here.typed and not desk.stopping:
            left = report_of(flights[0]).weighed
            desk.weighed[variant] = left or Weighed(reason="weights_cut_off")
        yield

    async def _watch(self, desk: Desk) -> AsyncGenerator[None]:
        def over() -> bool:
            if desk.stopping or all(flight.ended for flight in desk.flights):
                return True
            first = desk.flights[0]  # where it did not get to train, there is nothing to compare
            return first.ended and not report_of(first).stage("train").curves

        async for _ in watched(desk.flights, over):
            yield

    def _ran(self, desk: Desk, variant: str, why: Finding | None) -> None:
        """Remember which stages have an answer for the script as it is; `why` it stands in."""
        flight, scenario = desk.flights[0], self.known[desk.visit.scenario]
        report = report_of(flight)
        ended: set[StageName] = {s.stage for s in report.stages if s.outcome != "not run"}
        end = flight.events[-1] if flight.ended else None
        outside = end.finding if isinstance(end, Outcome) else None
        case = desk.record.case(desk.visit.scenario)
        ran = {*case.ran.get(variant, ()), *ended}
        in_order = tuple(stage for stage in STAGES if stage in ran)
        desk.remember(ran={**case.ran, variant: in_order})
        for stage in ended:
            desk.shared[variant, stage] = flight.shared
            desk.own.pop((variant, stage), None)
            kept = self._answers.of_stage(scenario, stage, flight.run.script, flight.run.typed)
            if kept is None or why is not None or outside in report.stage(stage).findings:
                source = replace(source_of(flight, report, stage), refused=why)
                desk.own[variant, stage] = report.stage(stage), source

    def _weighed(
        self, desk: Desk, scenario: Scenario, script: str
    ) -> tuple[Weighed | None, Weighed | None]:
        """What a typed script's training was worth, and that of its twin, as far as is known."""
        left = self._answers.weighed(scenario, script, typed=True)
        by_twin = self._answers.weighed(scenario, scenario.twin)
        return left or desk.weighed.get(desk.visit.variant), by_twin

    def scene(self, desk: Desk) -> Scene:
        """Everything to be drawn, from what is known and what is going on."""
        visit, shelf = desk.visit, self.shelf(desk.visit.language)
        scenario = shelf[visit.scenario]
        case = desk.record.case(scenario.id)
        script, typed = script_of(scenario, visit.changes, case), is_typed(visit.changes)
        broken, sources = self._answers.reports(desk, scenario, "", scenario.script)
        reports = dict(broken)
        if visit.changes:
            reports, sources = self._answers.reports(desk, scenario, visit.variant, script)
        if desk.flights and not desk.aside:
            live = report_of(desk.flights[0])
            twin = report_of(desk.flights[1]) if len(desk.flights) > 1 else None
            if desk.flights[0].run.script == script:
                reports |= going_on(live, twin)
        ran: set[StageName] = {stage for stages in case.ran.values() for stage in stages}
        whole = self._answers.whole(scenario, script, typed)
        here = self.shown_here(visit.language)
        return Scene(
            scenario=scenario,
            catalogue=tuple(shelf.values()),
            visit=visit,
            case=case,
            learner=desk.record.learner,
            reports=reports,
            stale=frozenset(ran - reports.keys()),
            sources=sources,
            busy=busy_with(desk.flights),
            whole=whole if whole is not None and set(STAGES) <= reports.keys() else None,
            twin=self._answers.whole(scenario, scenario.twin),
            weighed=self._weighed(desk, scenario, script) if typed else (None, None),
            broken=broken,
            symptom=self._answers.symptom(desk, scenario),
            beside=self._answers.beside(scenario, visit),
            twin_data=self._answers.twin_data(scenario) if case.marked else None,
            trainings=self._answers.trainings(desk, scenario, script) if visit.changes else {},
            search=desk.search and (desk.search.runs, len(desk.search.script.splitlines())),
            shorter=desk.shorter,
            training=desk.training,
            tried=self._answers.tried(desk, scenario) if desk.shorter else {},
            no_typing=self.no_typing(scenario),
            asking=desk.asking,
            lent=scenario.id in self._lent,
            instead=desk.instead,
            note=desk.note,
            turned_away=desk.turned_away,
            caption=desk.caption,
            turn=desk.turn,
            heard=desk.heard,
            kept="" if visit.demo else kept_case(desk.record, scenario.id),
            showing=desk.showing,
            aside=desk.aside,
            go_on=GoOn() if visit.demo else after(scenario, desk.record, here),
        )
