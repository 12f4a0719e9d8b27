"""Whoever waits reads when her turn comes: from what was measured, and not before."""

from __future__ import annotations

import threading
import time

import pytest

from debugger.outcome import Accepted
from debugger.printing.sentences import waiting
from debugger.run import WALK, Run
from debugger.words import Words
from debugger.workers import line
from debugger.workers.engine import Asker
from debugger.workers.estimates import UNKNOWN, Turn, Usual, waits
from debugger.workers.line import Job, Line

KERAS = "import tensorflow\n"


def test_a_stage_takes_what_it_took_lately_with_its_framework() -> None:
    usual = Usual()
    for seconds in (9.0, 3.0, 5.0):
        usual.add(Run("x", "train"), seconds)
    assert usual.of(Run("another", "train")) == (3.0, 9.0)
    assert usual.of(Run(KERAS, "train")) == usual.of(Run("x", "data")) == UNKNOWN
    assert usual.of(Run("x", "train", check="1")) == UNKNOWN


def test_one_slow_run_of_many_says_little_and_old_ones_are_forgotten() -> None:
    usual = Usual()
    for seconds in (*[1.0] * 20, *range(2, 11), 300.0):
        usual.add(Run("x"), float(seconds))
    least, most = usual.of(Run("x"))
    assert 1.0 == least < most < 11.0
    for _ in range(20):
        usual.add(Run("x"), 2.0)
    assert usual.of(Run("x")) == (2.0, 2.0)


def test_who_waits_starts_when_one_ahead_of_her_is_through() -> None:
    running = [Turn("a", (10, 20), 5), Turn("b", (10, 20), 15)]
    ahead = [Turn(name, (10, 20)) for name in "cde"]
    assert waits(running, ahead, 2, alone=True) == [(0, 5), (5, 15), (10, 25)]
    assert waits([], ahead, 3, alone=True) == [(0, 0)] * 3


def test_a_sessions_second_training_waits_for_its_first() -> None:
    running, mine = [Turn("a", (10, 20), 5)], [Turn("a", (10, 20))]
    assert waits(running, mine, 2, alone=True) == [(5, 15)]
    assert waits(running, mine, 2, alone=False) == [(0, 0)]


def test_nobody_tells_what_nobody_has_measured() -> None:
    first, second = Turn("a", UNKNOWN), Turn("b", (1, 2))
    assert waits([first], [second], 1, alone=True) == [None]
    assert waits([second], [first, second], 1, alone=True) == [(1, 2), None]
    overdue = Turn("a", (1, 2), spent=3)
    assert waits([overdue], [second], 1, alone=True) == [None]


def news(job: Job) -> list[tuple[int, tuple[int, int] | None]]:
    told = []
    while not job.news.empty():
        event = job.news.get()
        if isinstance(event, Accepted):
            told.append((event.place, event.wait))
    return told


def test_a_queue_tells_the_place_and_the_time_and_tells_them_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(line, "TELL_SECONDS", 0.01)
    line_up = Line(1, 9, lambda job: None)
    line_up._usual.add(Run("x", WALK), 58.0)
    first, second, third = (Job(Run("x", WALK), Asker(name)) for name in "abc")
    for job in (first, second, third):
        line_up.join(job)
    assert [news(job) for job in (first, second, third)] == [
        [(0, None)],
        [(1, (55, 60))],
        [(2, (60, 120))],
    ]
    assert first.began is not None
    first.began -= 30
    deadline = time.monotonic() + 20
    while not (told := news(second)):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert told == [(1, (25, 30))]
    first.began -= 60
    while not (told := news(second)):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert told == [(1, None)]
    for job in (second, third):
        line_up.cancel(job)
    assert line_up.status()["queued"] == 0


def test_what_was_cancelled_is_no_measure(make_engine) -> None:
    engine = make_engine(workers=1)
    events = engine.events(Run("say(x=1); time.sleep(60)", device="cpu"))
    while isinstance(next(events), Accepted):
        pass
    waits_ = engine.events(Run("say(x=1)", device="cpu"))
    threading.Thread(target=list, args=(waits_,), daemon=True).start()
    events.close()
    deadline = time.monotonic() + 20
    while engine.status()["finished"] < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert len(engine._line._usual._took[WALK, "pytorch"]) == 1


@pytest.mark.parametrize(
    ("wait", "said"),
    [
        (None, "Waiting: place 2 in the queue."),
        ((0, 5), "Waiting: place 2 in the queue, your turn in less than 5 seconds."),
        ((20, 40), "Waiting: place 2 in the queue, your turn in about 20 to 40 seconds."),
        ((60, 60), "Waiting: place 2 in the queue, your turn in about 60 seconds."),
        ((0, 120), "Waiting: place 2 in the queue, your turn in less than 2 minutes."),
        ((60, 180), "Waiting: place 2 in the queue, your turn in about 1 to 3 minutes."),
        ((120, 120), "Waiting: place 2 in the queue, your turn in about 2 minutes."),
    ],
)
def test_the_wait_is_said_as_people_say_it(wait: tuple[int, int] | None, said: str) -> None:
    assert waiting(2, wait, Words()) == said
