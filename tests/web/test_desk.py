"""What a tab shows of runs that are not simply answered: killed, stopped, recorded."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from debugger import catalogue, settings
from debugger.catalogue.recordings import Recording
from debugger.evidence.markup import escape, sentence
from debugger.evidence.tables import table
from debugger.outcome import (
    Accepted,
    Event,
    Evidence,
    Finding,
    Found,
    Outcome,
    Shown,
    StageEnded,
    StageStarted,
)
from debugger.printing.sentences import waiting
from debugger.run import WALK, Run
from debugger.web import demo
from debugger.web.clinic import Clinic
from debugger.web.desk import Desk
from debugger.web.flights import TURNED_AWAY
from debugger.web.panel import evidence
from debugger.web.regions import foot, rail
from debugger.web.repair import repairs
from debugger.web.routes import Ahead
from debugger.web.symptom import symptom
from debugger.web.visit import EXPERIMENTS, LOOKED, SYMPTOM, Visit
from debugger.words import Words
from debugger.workers.engine import Asker
from debugger.workers.sharing import Shared

WORDS = Words()
PASSED = (StageStarted("setup"), StageEnded("setup", "pass", 0.1), StageStarted("data"))
FAILED = Outcome("fail", "cpu", 0.2)
CRASH = Evidence(
    "traceback",
    "traceback",
    "train",
    {"exception": "IndexError", "message": "Target 2 is out of bounds.", "frames": []},
)
KILLED = Outcome("unknown", "cpu", 0.2, {}, Finding("killed", "fault", "data"))
RECORDED = Recording(
    "2030-01-02",
    "a toy GPU",
    catalogue.find("gpu_assert").script,
    (
        Accepted("t"),
        StageStarted("setup"),
        StageEnded("setup", "pass", 0.1),
        StageStarted("forward"),
        Found(Finding("device_side_assert", "fault", "forward", None, {"said": "CUDA error"})),
        StageEnded("forward", "fail", 0.5),
        Outcome("fail", "cuda:0", 1.0, {"torch": "2.13.0"}),
    ),
)


class Told:
    """An engine that tells what it was given; without an end it waits to be cancelled."""

    def __init__(self, *events: Event) -> None:
        self.events_told, self.asked, self.over = events, 0, threading.Event()

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        self.asked += 1
        yield Accepted("t")
        yield from self.events_told
        if not isinstance(self.events_told[-1], Outcome):
            self.over.wait(20)
            yield Outcome("stopped", "cpu", 0.1)

    def cancel(self, ticket: str) -> None:
        self.over.set()


def clinic_with(engine: Told, *recorded: Recording) -> Clinic:
    known = catalogue.every()
    pairs = [(catalogue.find("gpu_assert"), recording) for recording in recorded]
    return Clinic(known, Shared(engine, grace=0.1), settings.read({}), pairs)


def desk_at(scenario: str) -> Desk:
    return Desk(visit=Visit(scenario=scenario))


def finish(work: Coroutine[Any, Any, None]) -> None:
    """In a thread of its own: a browser that another test opened keeps this one's loop running."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def followed(clinic: Clinic, desk: Desk, what: str, stop_at: str = "") -> None:
    async def follow() -> None:
        async for _ in clinic.follow(desk, what):
            busy = clinic.scene(desk).busy
            if stop_at and busy is not None and busy.stage == stop_at:
                clinic.press(desk, "stop", "")

    finish(follow())


def test_the_whole_script_is_run_outside_the_quiz() -> None:
    stops = (StageStarted("train"), Shown(CRASH), StageEnded("train", "fail", 0.1))
    clinic, desk = clinic_with(Told(*stops, Outcome("fail", "cpu", 0.2))), desk_at("one_label")
    followed(clinic, desk, SYMPTOM)
    scene = clinic.scene(desk)

    assert "Target 2 is out of bounds" in symptom(scene, WORDS)
    assert (scene.reports, scene.case.ran, scene.case.answers) == ({}, {}, {})
    assert WORDS.say("clinic", "not_run_yet") in evidence(scene, WORDS)
    again = desk_at("one_label")
    again.record = desk.record
    assert "Target 2 is out of bounds" in symptom(clinic.scene(again), WORDS)


def test_a_run_that_ended_while_the_tab_was_reloaded_is_picked_up() -> None:
    clinic, desk = clinic_with(Told(*PASSED[:2], Outcome("pass", "cpu", 0.1))), desk_at("one_label")
    followed(clinic, desk, "setup")
    left = desk_at("one_label")
    assert clinic.resumable(left) is None
    left.remember(running="setup")
    assert clinic.resumable(left) == "setup"
    followed(clinic, left, "setup")
    assert "setup" in clinic.scene(left).reports
    left.remember(running="setup")
    assert clinic.resumable(left) is None


def test_a_bulk_run_leaves_questions_open_and_evidence_folded_until_the_learner_answers() -> None:
    clinic, desk = clinic_with(Told(*PASSED, KILLED)), desk_at("one_label")
    followed(clinic, desk, WALK)
    desk.go_to(stage="setup")
    folded = evidence(clinic.scene(desk), WORDS)
    assert WORDS.say("clinic", "folded") in folded
    assert 'class="verdict' not in folded
    assert folded.count('data-act="answer"') == 4

    assert clinic.plan(desk, "answer", "1") is None
    question = clinic.known["one_label"].words.questions["setup"]
    opened = evidence(clinic.scene(desk), WORDS)
    assert 'class="verdict pass"' in opened
    assert all(escape(question.because[n])[:40] in opened for n in (0, 1))
    assert clinic.plan(desk, "answer", "0") is None
    assert desk.record.case("one_label").answers == {"setup": 1}


@pytest.mark.parametrize("choice", ["0", "-1"])
def test_an_answer_runs_its_stage_where_it_was_not_run(choice: str) -> None:
    clinic, desk = clinic_with(Told(KILLED)), desk_at("one_label")
    desk.go_to(stage="data")
    assert clinic.plan(desk, "answer", choice) == "data"
    assert desk.record.case("one_label").answers == {"data": int(choice)}


@pytest.mark.parametrize("choice", ["7", "-2", "x", ""])
def test_an_answer_that_no_page_offers_is_none(choice: str) -> None:
    clinic, desk = clinic_with(Told(KILLED)), desk_at("one_label")
    assert clinic.plan(desk, "answer", choice) is None
    assert desk.record.case("one_label").answers == {}


def test_a_wrong_diagnosis_has_one_more_try_and_the_second_is_the_last() -> None:
    clinic, desk = clinic_with(Told(KILLED)), desk_at("one_label")
    for cause, sure in (("imbalanced", "certain"), ("imbalanced", ""), ("label_order", "guess")):
        clinic.press(desk, "cause", cause)
        clinic.press(desk, "sure", sure)
        case = desk.record.case("one_label")
        assert (case.missed, case.missed_sure) == ("imbalanced", "certain")
        assert clinic.scene(desk).open == (cause == "label_order")
    assert (case.cause, case.sure) == ("label_order", "guess")
    clinic.press(desk, "cause", "one_label")
    assert desk.record.case("one_label") == case


def test_a_record_tells_when_and_where_a_case_was_worked_on_by_the_servers_clock() -> None:
    clinic, desk = clinic_with(Told(KILLED)), desk_at("one_label")
    desk.now = lambda: datetime(2026, 11, 12, 9, 30, tzinfo=UTC)
    clinic.press(desk, "stage", "batch")
    assert desk.record.cases == {}
    clinic.press(desk, "hint", "")
    clinic.press(desk, "stage", "forward")
    case = desk.record.case("one_label")
    assert (case.at, case.stage, case.changes) == ("2026-11-12T09:30:00Z", "forward", ())
    clinic.apply(desk, "three_labels")
    assert desk.record.case("one_label").changes == ("three_labels",)


def test_a_case_has_the_day_it_was_solved_first_and_the_day_it_was_solved_again() -> None:
    clinic, desk = clinic_with(Told(KILLED)), desk_at("one_label")

    def solved_on(day: int) -> tuple[str | None, str | None, bool]:
        desk.now = lambda: datetime(2026, 11, day, tzinfo=UTC)
        desk.remember(solved=True)
        case = desk.record.case("one_label")
        return case.solved_at, case.again_at, case.done

    first, later = "2026-11-01T00:00:00Z", "2026-11-12T00:00:00Z"
    assert solved_on(1) == solved_on(2) == (first, None, True)
    clinic.press(desk, "reset", "")
    case = desk.record.case("one_label")
    assert (case.solved, case.done, case.at) == (True, False, "2026-11-02T00:00:00Z")
    assert solved_on(12) == solved_on(13) == (first, later, True)


def test_a_sure_crash_is_answered_before_its_twin_has_trained() -> None:
    class Twin(Told):
        def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
            if run.script != clinic.known["two_labels"].script:
                self.over.wait(20)
            yield from super().events(run)

    clinic = clinic_with(Twin(StageStarted("train"), StageEnded("train", "fail", 0.1), FAILED))
    desk, began = desk_at("two_labels"), time.monotonic()
    followed(clinic, desk, "train")
    assert time.monotonic() - began < 10
    assert clinic.scene(desk).reports["train"].outcome == "fail"


def test_a_wrong_repair_is_answered_with_what_its_run_found() -> None:
    shifted = Finding("labels_shifted", "fault", "data", 3, {"low": 1, "high": 3})
    found = (StageStarted("data"), Found(shifted), StageEnded("data", "fail", 0.1), FAILED)
    clinic, desk = clinic_with(Told(*found)), desk_at("two_labels")
    assert clinic.apply(desk, "one_label")
    followed(clinic, desk, WALK)
    page = repairs(clinic.scene(desk), WORDS)
    assert sentence(WORDS.finding(shifted)) in page
    assert escape(clinic.known["two_labels"].words.fixes["one_label"].says) in page


def test_the_solution_of_a_healthy_script_is_to_leave_it_alone() -> None:
    clinic, desk = clinic_with(Told(KILLED)), desk_at("nothing_wrong")
    assert WORDS.say("clinic", "solution") in repairs(clinic.scene(desk), WORDS)
    assert clinic.plan(desk, "solution", "") == WALK
    assert desk.visit.changes == ()
    assert desk.record.case("nothing_wrong").peeked


def test_how_a_killed_run_ended_is_shown_to_who_ran_it_and_to_nobody_else() -> None:
    clinic, desk, other = clinic_with(Told(*PASSED, KILLED)), desk_at("one_label"), Desk()
    followed(clinic, desk, WALK)
    scene = clinic.scene(desk)

    assert scene.reports["setup"].outcome == "pass"
    assert scene.reports["data"].outcome == "unknown"
    desk.go_to(stage="data")
    desk.remember(opened=True, answers={"data": LOOKED})
    assert WORDS.say("finding", "killed") in evidence(clinic.scene(desk), WORDS)
    other.visit, other.record = desk.visit, desk.record
    assert clinic.scene(other).reports == {}
    assert clinic.scene(other).stale == {"setup", "data"}


def test_what_an_expert_would_try_is_offered_in_doubt_and_shown_to_who_asked_alone() -> None:
    class Expert(Told):
        def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
            told = [Found(stuck)]
            if run.experiments:
                told = [Shown(table("experiments", "overfit", ["changed"], [["dropout"]]))]
            self.events_told = (*PASSED[:2], StageStarted("overfit"), *told, ended, FAILED)
            yield from super().events(run)

    numbers = {"steps": 20, "rows": 8, "first": 1.1, "last": 1.1}
    stuck = Finding("cannot_memorise", "fault", "overfit", None, numbers)
    ended = StageEnded("overfit", "fail", 1.0)
    clinic, desk, other = clinic_with(Expert()), desk_at("one_label"), desk_at("one_label")
    offer, shown = WORDS.say("clinic", "try_expert"), WORDS.say("evidence", "experiments")
    for one in (desk, other):
        one.go_to(stage="overfit", panel="evidence")
        one.remember(answers={"overfit": LOOKED})
        followed(clinic, one, "overfit")
    assert offer in evidence(clinic.scene(desk), WORDS)

    assert clinic.plan(desk, "run", EXPERIMENTS) == EXPERIMENTS
    followed(clinic, desk, EXPERIMENTS)

    assert shown in evidence(clinic.scene(desk), WORDS)
    assert offer not in evidence(clinic.scene(desk), WORDS)
    assert shown not in evidence(clinic.scene(other), WORDS)


@pytest.mark.some(5)
@pytest.mark.parametrize("what", ["train", "setup", WALK, SYMPTOM, EXPERIMENTS])
@pytest.mark.parametrize("code", TURNED_AWAY)
def test_who_is_turned_away_reads_why_has_lost_nothing_and_presses_again(
    what: str, code: str
) -> None:
    finding = Finding(code, "note", "setup", None, {"waiting": 7})
    engine = Told(Outcome("unknown", "cpu", 0.0, {}, finding))
    clinic, desk = clinic_with(engine), desk_at("one_label")
    desk.go_to(stage="forward")
    desk.remember(answers={"forward": LOOKED})
    before = clinic.scene(desk)
    followed(clinic, desk, what)
    scene = clinic.scene(desk)

    at = what if what in ("train", "setup") else "forward"
    assert escape(WORDS.finding(finding)) in foot(scene, WORDS)
    assert ("data-stops" in foot(scene, WORDS)) == (code == "server_stops")
    assert (scene.visit.stage, scene.reports, scene.symptom) == (at, {}, None)
    assert scene.case.ran == before.case.ran
    clinic.press(desk, "panel", "evidence")
    assert escape(WORDS.finding(finding)) not in foot(clinic.scene(desk), WORDS)
    engine.events_told = (*PASSED, KILLED)
    followed(clinic, desk, WALK)
    assert clinic.scene(desk).reports["setup"].outcome == "pass"


def test_who_waits_is_said_to_wait_and_when_her_turn_comes() -> None:
    class Queue(Told):
        def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
            yield Accepted("t", 3, (20, 40))
            self.over.wait(20)
            yield Outcome("stopped", "cpu", 0.0)

    clinic, desk = clinic_with(Queue()), desk_at("one_label")
    drawn: list[str] = []

    async def follow() -> None:
        async for _ in clinic.follow(desk, WALK):
            scene = clinic.scene(desk)
            if scene.busy is not None and scene.busy.place:
                drawn.append(rail(scene, WORDS) + foot(scene, WORDS))
                clinic.press(desk, "stop", "")

    finish(follow())
    assert waiting(3, (20, 40), WORDS) in drawn[0]
    assert f'<span class="state">{WORDS.say("waiting", "state")}</span>' in drawn[0]
    assert WORDS.say("clinic", "running") not in drawn[0]


@pytest.mark.parametrize("what", ["train", "setup", WALK])
def test_a_run_that_came_no_further_than_setup_leads_there_and_says_why(what: str) -> None:
    missing = Outcome("unknown", "cpu", 0.0, {}, Finding("framework_missing", "note", "setup"))
    clinic, desk = clinic_with(Told(missing)), desk_at("one_label")
    desk.go_to(stage="forward")
    desk.remember(answers={"setup": LOOKED})
    followed(clinic, desk, what)

    assert desk.visit.stage == "setup"
    words = WORDS.of("pytorch")
    said = words.say("finding", "framework_missing").split("`")[0]
    assert said in evidence(clinic.scene(desk), words)


def test_a_warm_process_that_died_is_told_at_once_and_nobody_is_asked_to_guess() -> None:
    numbers = {"framework": "keras", "how": "signal 11, SIGSEGV"}
    died = Finding("warm_crashed", "fault", "setup", None, numbers)
    clinic, desk = clinic_with(Told(Outcome("unknown", "cpu", 0.0, {}, died))), desk_at("one_label")
    desk.remember(answers={"setup": LOOKED})
    followed(clinic, desk, WALK)
    scene = clinic.scene(desk)

    assert "crashed while it imported its libraries (signal 11, SIGSEGV)" in evidence(scene, WORDS)
    assert WORDS.say("clinic", "covered") not in evidence(scene, WORDS)
    assert WORDS.say("clinic", "no_answer") in foot(scene, WORDS)


def test_why_nothing_ran_is_not_hidden_behind_a_question() -> None:
    failed = Finding("clinic_error", "note", "setup")
    clinic, desk = (
        clinic_with(Told(Outcome("unknown", "cpu", 0.0, {}, failed))),
        desk_at("one_label"),
    )
    followed(clinic, desk, WALK)
    assert escape(WORDS.finding(failed)) in foot(clinic.scene(desk), WORDS)
    desk.remember(answers={"setup": LOOKED})
    assert WORDS.say("clinic", "no_answer") in foot(clinic.scene(desk), WORDS)


def test_a_run_that_is_killed_early_says_so_though_an_earlier_one_came_further() -> None:
    engine = Told(*PASSED, Outcome("pass", "cpu", 1.0))
    clinic, desk = clinic_with(engine), desk_at("one_label")
    followed(clinic, desk, "setup")
    assert clinic.scene(desk).reports["setup"].outcome == "pass"
    engine.events_told = (replace(KILLED, outcome="stopped"),)
    desk.go_to(stage="data")
    followed(clinic, desk, "data")
    killed = Finding("killed", "fault", "setup", None, {})
    assert (desk.visit.stage, clinic.scene(desk).reports["setup"].outcome) == ("setup", "stopped")
    assert escape(WORDS.finding(killed)) in foot(clinic.scene(desk), WORDS)
    engine.events_told = (*PASSED, Outcome("pass", "cpu", 1.0))
    followed(clinic, desk, "setup")
    assert clinic.scene(desk).reports["setup"].outcome == "pass"


def test_what_was_seen_before_a_stop_stays() -> None:
    engine = Told(*PASSED)
    clinic, desk = clinic_with(engine), desk_at("one_label")
    followed(clinic, desk, WALK, stop_at="data")
    scene = clinic.scene(desk)

    assert scene.note == "stopped_by_you"
    assert list(scene.reports) == ["setup"]
    assert not desk.busy


def test_an_answer_that_is_gone_asks_for_another_run() -> None:
    clinic, desk = clinic_with(Told(KILLED)), desk_at("one_label")
    desk.remember(ran={"": ("data",)})
    desk.go_to(stage="data")

    assert WORDS.say("clinic", "forgotten") in evidence(clinic.scene(desk), WORDS)


def test_what_a_visitor_asks_for_first_is_run_ahead_once_and_only_where_it_is_light() -> None:
    engine = Told(KILLED)
    clinic = clinic_with(engine)
    for scenario in ("one_label", "one_label", "nothing_wrong", "shuffled_labels"):
        clinic.prepare(scenario)
    until = time.monotonic() + 5
    while not engine.asked and time.monotonic() < until:
        time.sleep(0.01)

    assert engine.asked == 1


def test_the_address_of_a_scenario_is_enough_to_run_it_ahead() -> None:
    opened: list[str] = []

    async def page(*_: object) -> None:
        opened.append("page")

    class Listening:
        prepare = staticmethod(opened.append)

    async def visit(path: str, query: str) -> None:
        scope = {"type": "http", "path": path, "query_string": query.encode()}
        await Ahead(page, Listening())(scope, page, page)  # type: ignore[arg-type]

    finish(visit("/clinic", "scenario=one_label&stage=data"))
    finish(visit("/", "scenario=one_label"))

    assert opened == ["one_label", "page", "page"]


def test_a_recording_is_shown_as_one_and_nothing_runs() -> None:
    engine = Told(KILLED)
    clinic, desk = clinic_with(engine, RECORDED), desk_at("gpu_assert")
    desk.remember(answers={"forward": LOOKED})
    followed(clinic, desk, WALK)
    scene = clinic.scene(desk)

    assert engine.asked == 0
    assert scene.visit.stage == "forward"
    assert scene.sources["forward"].recorded == "a toy GPU"
    said = WORDS.say("clinic", "not_live", date="2030-01-02", device="a toy GPU")
    assert said in evidence(scene, WORDS)


def test_what_was_recorded_elsewhere_is_made_here_when_asked_again() -> None:
    here = StageStarted("forward"), StageEnded("forward", "fail", 0.1), FAILED
    engine = Told(*here)
    clinic, desk = clinic_with(engine, RECORDED), desk_at("gpu_assert")
    for device in ("a toy GPU", ""):
        followed(clinic, desk, "forward")
        assert clinic.scene(desk).sources["forward"].recorded == device
    assert engine.asked == 1


def test_a_recording_answers_for_its_own_scenario_alone() -> None:
    engine = Told(*PASSED, FAILED)
    clinic, desk = clinic_with(engine, RECORDED), desk_at("two_labels")
    assert catalogue.find("two_labels").script == RECORDED.script
    followed(clinic, desk, WALK)
    assert engine.asked == 1
    assert not any(source.recorded for source in clinic.scene(desk).sources.values())


@pytest.mark.proof
def test_a_demonstration_claims_no_cure_when_its_run_is_killed() -> None:
    clinic, desk = clinic_with(Told(*PASSED, KILLED)), desk_at("one_label")
    captions: list[str] = []

    async def watch() -> None:
        async for _ in demo.demonstrate(clinic, desk):
            captions.append(desk.caption)

    finish(watch())
    assert list(dict.fromkeys(captions)) == ["demo_fails", "demo_stopped"]
    assert not desk.busy
