"""What a tab shows of runs that are not simply answered: killed, stopped, recorded."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from debugger import catalogue, settings
from debugger.catalogue.recordings import Recording
from debugger.outcome import Accepted, Event, Finding, Found, Outcome, StageEnded, StageStarted
from debugger.run import WALK, Run
from debugger.web import demo
from debugger.web.clinic import Clinic
from debugger.web.desk import Desk
from debugger.web.panel import evidence
from debugger.web.regions import foot
from debugger.web.routes import Ahead
from debugger.web.visit import Visit
from debugger.words import Words
from debugger.workers.sharing import Shared

WORDS = Words()
PASSED = (StageStarted("setup"), StageEnded("setup", "pass", 0.1), StageStarted("data"))
KILLED = Outcome("unknown", "cpu", 0.2, {}, Finding("killed", "fault", "data"))
RECORDED = Recording(
    "2030-01-02",
    "a toy GPU",
    catalogue.find("gpu_assert").script,
    (
        Accepted("t"),
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

    def events(self, run: Run) -> Iterator[Event]:
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


def test_how_a_killed_run_ended_is_shown_to_who_ran_it_and_to_nobody_else() -> None:
    clinic, desk, other = clinic_with(Told(*PASSED, KILLED)), desk_at("one_label"), Desk()
    followed(clinic, desk, WALK)
    scene = clinic.scene(desk)

    assert scene.reports["setup"].outcome == "pass"
    assert scene.reports["data"].outcome == "unknown"
    desk.go_to(stage="data")
    desk.remember(opened=True)
    assert WORDS.say("finding", "killed") in evidence(clinic.scene(desk), WORDS)
    other.visit, other.record = desk.visit, desk.record
    assert clinic.scene(other).reports == {}
    assert clinic.scene(other).stale == {"setup", "data"}


@pytest.mark.parametrize("what", ["train", "setup", WALK])
def test_a_run_that_came_no_further_than_setup_leads_there_and_says_why(what: str) -> None:
    missing = Outcome("unknown", "cpu", 0.0, {}, Finding("framework_missing", "note", "setup"))
    clinic, desk = clinic_with(Told(missing)), desk_at("one_label")
    desk.go_to(stage="forward")
    followed(clinic, desk, what)

    assert desk.visit.stage == "setup"
    words = WORDS.of("pytorch")
    said = words.say("finding", "framework_missing").split("`")[0]
    assert said in evidence(clinic.scene(desk), words)


def test_a_warm_process_that_died_is_told_at_once_and_nobody_is_asked_to_guess() -> None:
    numbers = {"framework": "keras", "how": "signal 11, SIGSEGV"}
    died = Finding("warm_crashed", "fault", "setup", None, numbers)
    clinic, desk = clinic_with(Told(Outcome("unknown", "cpu", 0.0, {}, died))), desk_at("one_label")
    followed(clinic, desk, WALK)
    scene = clinic.scene(desk)

    assert "crashed while it imported its libraries (signal 11, SIGSEGV)" in evidence(scene, WORDS)
    assert WORDS.say("clinic", "covered") not in evidence(scene, WORDS)
    assert WORDS.say("clinic", "no_answer") in foot(scene, WORDS)


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
    followed(clinic, desk, WALK)
    scene = clinic.scene(desk)

    assert engine.asked == 0
    assert scene.visit.stage == "forward"
    assert scene.sources["forward"].recorded == "a toy GPU"
    said = WORDS.say("clinic", "not_live", date="2030-01-02", device="a toy GPU")
    assert said in evidence(scene, WORDS)


def test_a_demonstration_claims_no_cure_when_its_run_is_killed() -> None:
    clinic, desk = clinic_with(Told(*PASSED, KILLED)), desk_at("one_label")
    captions: list[str] = []

    async def watch() -> None:
        async for _ in demo.demonstrate(clinic, desk):
            captions.append(desk.caption)

    finish(watch())
    assert list(dict.fromkeys(captions)) == ["demo_fails", "demo_stopped"]
    assert not desk.busy
