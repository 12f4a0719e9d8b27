"""What each press does to a tab, and all that there is to draw of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, get_args

from debugger.catalogue import Scenario, ScenarioError, translated
from debugger.catalogue.recordings import Recording
from debugger.catalogue.running import on_its_device
from debugger.homework.seal import Seal
from debugger.outcome import STAGES, Finding, StageName, Weighed
from debugger.run import WALK, Run
from debugger.settings import Settings
from debugger.stages import LIGHT
from debugger.web.answers import Answers
from debugger.web.bounds import Bounds
from debugger.web.checks import taken
from debugger.web.desk import Desk
from debugger.web.flights import busy_with, going_on, report_of
from debugger.web.following import Following
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
from debugger.words import Words, languages
from debugger.workers.engine import Asker
from debugger.workers.sharing import Shared

MOST_MARKS = 9


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
        self.engine, self.answers = engine, Answers(engine, settings)
        self.bounds = Bounds(settings.runs_a_minute, settings.sessions)
        self._prepared: set[str] = set()
        self._status, self.seal = status, seal
        self._lent = frozenset(s.id for s in catalogue if lent(s, settings))
        self.instead: dict[str, Recording] = {}
        for scenario, recording in recorded:
            if scenario.id in self._lent:
                self.instead[scenario.id] = recording
                continue
            made = datetime.fromisoformat(recording.date)
            run = on_its_device(scenario, self.answers.run(scenario, WALK, scenario.script))
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
                    give(desk, "left_alone", self.seal)
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

    def run_of(self, desk: Desk, what: str) -> Run:
        """That stage, or a walk, over the script as this tab has it."""
        scenario, changes = self.known[desk.visit.scenario], desk.visit.changes
        script = script_of(scenario, changes, desk.record.case(scenario.id))
        return self.answers.run(scenario, what, script, is_typed(changes))

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
            run = self.answers.run(scenario, WALK, scenario.script)
            self.engine.leave(self.engine.board(run, asker=Asker(ahead=True)))

    def resumable(self, desk: Desk) -> str | None:
        """The run that was going on when this tab was reloaded: it still is, or ended meanwhile."""
        case = desk.record.case(desk.visit.scenario)
        what = case.running
        if what is None or (what not in (WALK, SYMPTOM) and what not in STAGES):
            return None
        scenario = self.known[desk.visit.scenario]
        run = self.run_of(desk, what)
        if what == SYMPTOM:
            run = self.answers.whole_script(scenario)
        seen = what in case.ran.get(desk.visit.variant, ())
        going_on = self.engine.flying(run) or (not seen and self.engine.known(run) is not None)
        return what if going_on else None

    def _weighed(
        self, desk: Desk, scenario: Scenario, script: str
    ) -> tuple[Weighed | None, Weighed | None]:
        """What a typed script's training was worth, and that of its twin, as far as is known."""
        left = self.answers.weighed(scenario, script, typed=True)
        by_twin = self.answers.weighed(scenario, scenario.twin)
        return left or desk.weighed.get(desk.visit.variant), by_twin

    def follow(self, desk: Desk, what: str) -> AsyncGenerator[None]:
        """What `plan` told to run; wakes whenever there is news."""
        return Following(self, desk).follow(what)

    def scene(self, desk: Desk) -> Scene:
        """Everything to be drawn, from what is known and what is going on."""
        visit, shelf = desk.visit, self.shelf(desk.visit.language)
        scenario = shelf[visit.scenario]
        case = desk.record.case(scenario.id)
        script, typed = script_of(scenario, visit.changes, case), is_typed(visit.changes)
        broken, sources = self.answers.reports(desk, scenario, "", scenario.script)
        reports = dict(broken)
        if visit.changes:
            reports, sources = self.answers.reports(desk, scenario, visit.variant, script)
        if desk.flights and not desk.aside:
            live = report_of(desk.flights[0])
            twin = report_of(desk.flights[1]) if len(desk.flights) > 1 else None
            if desk.flights[0].run.script == script:
                reports |= going_on(live, twin)
        ran: set[StageName] = {stage for stages in case.ran.values() for stage in stages}
        whole = self.answers.whole(scenario, script, typed)
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
            twin=self.answers.whole(scenario, scenario.twin),
            weighed=self._weighed(desk, scenario, script) if typed else (None, None),
            broken=broken,
            symptom=self.answers.symptom(desk, scenario),
            beside=self.answers.beside(scenario, visit),
            twin_data=self.answers.twin_data(scenario) if case.marked else None,
            trainings=self.answers.trainings(desk, scenario, script) if visit.changes else {},
            search=desk.search and (desk.search.runs, len(desk.search.script.splitlines())),
            shorter=desk.shorter,
            training=desk.training,
            tried=self.answers.tried(desk, scenario) if desk.shorter else {},
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
