"""Known answers are given again, identical runs joined, and what nobody waits for stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from debugger.outcome import Accepted, Event, Finding, Outcome, StageEnded, StageStarted
from debugger.run import WALK, Run
from debugger.workers.engine import Asker
from debugger.workers.sharing import Flight, Shared

STAGES = ("setup", "data", "batch")


class SlowEngine:
    """Answers every run with three stages, the last of which waits until it is let go."""

    def __init__(self) -> None:
        self.asked: list[Run] = []
        self.askers: list[Asker | None] = []
        self.started: list[Run] = []
        self.cancelled: list[str] = []
        self.go_on = threading.Event()
        self.ending: Outcome = Outcome("pass", "cpu", 0.3)

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        self.asked.append(run)
        self.askers.append(asker)
        return self._told(run)

    def _told(self, run: Run) -> Iterator[Event]:
        self.started.append(run)
        yield Accepted(f"t{len(self.started)}")
        for stage in STAGES:
            yield StageStarted(stage)
            if stage == STAGES[-1]:
                self.go_on.wait(20)
            yield StageEnded(stage, "pass", 0.1)
        yield self.ending

    def cancel(self, ticket: str) -> None:
        self.cancelled.append(ticket)
        self.go_on.set()


@pytest.fixture
def engine() -> SlowEngine:
    return SlowEngine()


def landed(flight: Flight) -> Flight:
    deadline = time.monotonic() + 20
    while not flight.ended:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return flight


def test_an_identical_run_in_flight_is_joined_and_sees_everything(engine: SlowEngine) -> None:
    shared = Shared(engine)
    first = shared.board(Run("x"))
    late = shared.board(Run("x"))
    engine.go_on.set()
    assert late is first
    assert landed(first).events == list(shared.events(Run("x")))
    assert len(engine.started) == 1


def test_a_finished_run_is_known_and_again_starts_it_anew(engine: SlowEngine) -> None:
    shared = Shared(engine)
    engine.go_on.set()
    landed(shared.board(Run("x")))
    known = shared.board(Run("x"))
    assert known.shared
    assert known.ended
    landed(shared.board(Run("x"), again=True))
    assert len(engine.started) == 2


def test_other_scripts_seeds_and_devices_are_other_runs(engine: SlowEngine) -> None:
    shared = Shared(engine)
    engine.go_on.set()
    for run in (Run("x"), Run("y"), Run("x", seed=1), Run("x", device="cuda")):
        landed(shared.board(run))
    assert len(engine.started) == 4


def test_a_walk_answers_for_each_of_its_stages(engine: SlowEngine) -> None:
    shared = Shared(engine)
    engine.go_on.set()
    landed(shared.board(Run("x", WALK, steps=20)))
    known = shared.known(Run("x", "batch", steps=99))
    assert known is not None
    ended = [event.stage for event in known.events if isinstance(event, StageEnded)]
    assert ended == ["setup", "batch"]
    assert shared.known(Run("x", "train", steps=20)) is None


@pytest.mark.parametrize(
    "ending",
    [
        Outcome("stopped", "cpu", 1.0),
        Outcome("fail", "cpu", 1.0, finding=Finding("process_died", "fault", "batch")),
    ],
)
def test_what_was_ended_from_outside_is_nobodys_answer(engine: SlowEngine, ending: Outcome) -> None:
    shared = Shared(engine)
    engine.ending = ending
    engine.go_on.set()
    landed(shared.board(Run("x")))
    assert shared.known(Run("x")) is None


def test_a_run_is_stopped_when_the_last_one_leaves_and_not_before(engine: SlowEngine) -> None:
    shared = Shared(engine)
    one, other = shared.board(Run("x")), shared.board(Run("x"))
    while one.ticket is None:
        time.sleep(0.01)
    shared.leave(one, at_once=True)
    assert engine.cancelled == []
    shared.leave(other, at_once=True)
    assert engine.cancelled == ["t1"]


def test_whoever_comes_back_in_time_finds_the_run_going_on(engine: SlowEngine) -> None:
    shared = Shared(engine, grace=0.3)
    flight = shared.board(Run("x"))
    shared.leave(flight)
    assert shared.board(Run("x")) is flight
    time.sleep(0.6)
    assert engine.cancelled == []
    shared.leave(flight)
    landed(flight)
    assert engine.cancelled == ["t1"]


def test_the_oldest_answers_go_first(engine: SlowEngine) -> None:
    shared = Shared(engine, kept=4)
    engine.go_on.set()
    landed(shared.board(Run("x", "batch")))
    landed(shared.board(Run("y", "batch")))
    landed(shared.board(Run("z", "batch")))
    assert shared.known(Run("x", "batch")) is None
    assert shared.known(Run("z", "batch")) is not None


def test_what_was_weighed_answers_who_asks_for_less_and_not_the_other_way_round(
    engine: SlowEngine,
) -> None:
    engine.go_on.set()
    shared, plain = Shared(engine), Run("x", "train")
    landed(shared.board(replace(plain, against="twin")))
    assert shared.known(plain) is not None
    assert shared.known(replace(plain, against="other")) is None
    shared = Shared(engine)
    landed(shared.board(plain))
    assert shared.known(replace(plain, against="twin")) is None


def test_what_was_run_ahead_is_of_whoever_asks_first(engine: SlowEngine) -> None:
    shared = Shared(engine)
    ahead = shared.board(Run("x"), asker=Asker(ahead=True))
    assert shared.board(Run("x"), asker=Asker("ada")) is ahead
    shared.board(Run("x"), asker=Asker("bo"))
    assert [(who.session, who.ahead) for who in engine.askers if who] == [("ada", False)]


def test_runs_are_asked_for_in_the_order_of_boarding(engine: SlowEngine) -> None:
    shared = Shared(engine)
    for script in "abcdef":
        shared.board(Run(script))
    assert [run.script for run in engine.asked] == list("abcdef")


def test_what_is_left_before_it_was_accepted_is_stopped_all_the_same(engine: SlowEngine) -> None:
    begin = threading.Event()
    told = engine.events

    def late(run: Run, asker: Asker | None = None) -> Iterator[Event]:
        def after() -> Iterator[Event]:
            begin.wait(20)
            yield from told(run, asker)

        return after()

    engine.events = late
    shared = Shared(engine)
    flight = shared.board(Run("x"))
    shared.leave(flight, at_once=True)
    begin.set()
    landed(flight)
    assert engine.cancelled == ["t1"]


def test_nobody_joins_a_run_that_is_being_stopped(engine: SlowEngine) -> None:
    engine.cancel = lambda ticket: engine.cancelled.append(ticket)  # it takes a while to end
    shared = Shared(engine)
    flight = shared.board(Run("x"))
    while flight.ticket is None:
        time.sleep(0.01)
    shared.leave(flight, at_once=True)
    other = shared.board(Run("x"))
    assert other is not flight
    assert engine.cancelled == ["t1"]
    engine.go_on.set()
    landed(flight)
    assert shared.flying(Run("x")) or other.ended
    assert landed(other).listeners == 1


@pytest.mark.usefixtures("toys_need_no_framework")
def test_what_waits_leaves_the_queue_with_the_last_who_waited(make_engine) -> None:
    engine = make_engine(workers=1)
    shared = Shared(engine, grace=0.2)
    busy = shared.board(Run("say(x=1); time.sleep(60)", device="cpu"))
    waits = shared.board(Run("say(x=2)", device="cpu"))
    assert engine.status()["queued"] == 1
    shared.leave(waits)
    landed(waits)
    assert engine.status()["queued"] == 0
    assert not any(isinstance(event, StageStarted) for event in waits.events)
    shared.leave(busy, at_once=True)
    landed(busy)
