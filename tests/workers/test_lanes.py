"""Runs that only look pass those that train, and take the core from them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from test_endings import ended_as, said

from debugger.outcome import Accepted, Outcome
from debugger.run import ALL, ON, WALK, Run
from debugger.workers.engine import Asker
from debugger.workers.forking import POLITE
from debugger.workers.lanes import LATELY, NICENESS, Had, lanes, trains

SLOW = "say(x=1); time.sleep(60)"


@dataclass(frozen=True)
class Job:
    name: str
    run: Run
    asker: Asker = field(default_factory=Asker)
    since: float = 0.0


def jobs(names: str, stage: str) -> list[Job]:
    return [Job(name, Run(name, stage)) for name in names]  # type: ignore[arg-type]


def asked(told: str, stage: str = WALK, since: float = 0.0) -> list[Job]:
    """`a1 a2 b1`: each session's runs, a second apart; those of `-` were not asked for."""
    return [
        Job(name, Run(name, stage), Asker(name[0].strip("-"), name[0] == "-"), since + second)  # type: ignore[arg-type]
        for second, name in enumerate(told.split())
    ]


def order(waiting: list[Job], running: list[Job], workers: int, **had: float) -> tuple[str, str]:
    """Who starts, and who waits, of the lane of those that may train."""
    _, (starting, left) = lanes(waiting, running, workers, lambda name: had.get(name, 0.0))
    return tuple(" ".join(job.name for job in part) for part in (starting, left))  # type: ignore[return-value]


def test_a_walk_may_train_and_a_stage_or_a_check_only_looks() -> None:
    assert all(trains(Run("", stage)) for stage in (WALK, ON, ALL, "overfit", "train"))
    assert not any(trains(Run("", stage)) for stage in ("setup", "data", "step", "evaluate"))
    assert not trains(Run("", check="trainer.args"))


def test_each_lane_has_its_own_places_in_the_order_of_asking() -> None:
    long, light = jobs("abc", WALK), jobs("uvwx", "data")
    waiting = [job for pair in zip(light, [*long, light[3]], strict=True) for job in pair][:7]
    looks, walks = lanes(waiting, jobs("r", WALK), 2)
    assert ("".join(job.name for job in looks[0]), len(looks[1])) == ("uv", 2)
    assert ("".join(job.name for job in walks[0]), len(walks[1])) == ("a", 2)


def test_sessions_take_turns_whoever_asked_for_most() -> None:
    waiting = asked("a1 a2 a3 b1 b2 c1")
    assert order(waiting, asked("x1 y1"), 2) == ("", "a1 b1 c1 a2 b2 a3")


def test_a_session_trains_one_thing_at_a_time_and_others_pass_it() -> None:
    assert order(asked("a2 a3 b1"), asked("a1"), 3) == ("b1", "a2 a3")
    assert order(asked("a1 a2"), [], 2) == ("a1", "a2")
    looks, _ = lanes(asked("a1 a2", "data"), asked("a0"), 2)
    assert [job.name for job in looks[0]] == ["a1", "a2"]


def test_who_has_had_least_goes_first_and_waiting_makes_up_for_it() -> None:
    running = asked("x1 y1")
    assert order(asked("a1 b1"), running, 2, a=60.0) == ("", "b1 a1")
    late = asked("b1", since=61.0)
    assert order([*asked("a1"), *late], running, 2, a=60.0) == ("", "a1 b1")


def test_those_who_are_never_met_again_hold_nobody_up() -> None:
    strangers = [Job(name, Run(name), since=since) for since, name in enumerate("pq")]
    assert order(strangers, [], 2) == ("p q", "")


def test_what_nobody_asked_for_goes_last_until_somebody_does() -> None:
    waiting = asked("-1 a1 b1")
    assert order(waiting, asked("x1 y1"), 2) == ("", "a1 b1 -1")
    waiting[0].asker.ahead = False
    assert order(waiting, asked("x1 y1"), 2) == ("", "-1 a1 b1")


def test_what_a_session_had_is_forgotten_after_a_while() -> None:
    now = 100.0
    had = Had(now=lambda: now)
    had.add("a", 30.0)
    had.add("", 99.0)
    now += LATELY / 2
    had.add("a", 4.0)
    assert (had.of("a"), had.of("b"), had.of("")) == (34.0, 0.0, 0.0)
    now += LATELY / 2
    assert had.of("a") == 4.0
    now += LATELY
    assert had.of("a") == 0.0


def test_a_second_training_of_a_session_waits_beside_a_free_place(make_engine, ask):
    engine = make_engine(workers=2)
    first, second = (engine.events(Run(SLOW, device="cpu"), Asker("ada")) for _ in range(2))
    other = engine.events(Run(SLOW, device="cpu"), Asker("bo"))
    assert [next(one).place for one in (first, second, other)] == [0, 1, 0]
    assert engine.status()["queued"] == 1
    first.close()
    assert next(second).place == 0
    for one in (second, other):
        one.close()


def test_a_look_starts_beside_a_training_and_a_training_waits_for_it(make_engine, ask):
    engine = make_engine(workers=1)
    first = engine.events(Run(SLOW, device="cpu"))
    assert [next(first), said([next(first)])][1] == {"x": 1}
    assert said(ask(engine, "say(looked=1)", stage="data")) == {"looked": 1}
    second = engine.events(Run(SLOW, device="cpu"))
    waits = next(second)
    assert isinstance(waits, Accepted)
    assert waits.place == 1
    first.close()
    assert any(not isinstance(event, Accepted) for event in (next(second), next(second)))
    second.close()


def test_what_trains_steps_back_but_for_whoever_runs_her_own(make_engine, ask):
    asked, here = "say(nice=os.nice(0))", os.nice(0) + POLITE
    engine = make_engine()
    assert said(ask(engine, asked)) == {"nice": here + NICENESS}
    assert said(ask(engine, asked, stage="data")) == {"nice": here}
    assert said(ask(make_engine(hers=True), asked)) == {"nice": here}


def test_those_who_wait_are_told_when_the_engine_closes(make_engine):
    engine = make_engine(workers=1)
    first, second = (engine.events(Run(SLOW, device="cpu")) for _ in range(2))
    next(first)
    next(second)
    engine.close()
    for one in (first, second):
        last = list(one)[-1]
        assert isinstance(last, Outcome)
        assert last.outcome == "stopped"


def test_a_server_that_stops_tells_all_and_lets_what_only_looks_come_to_its_end(make_engine):
    engine = make_engine(workers=1)
    trains_, waits = (engine.events(Run(SLOW, device="cpu")) for _ in range(2))
    looks = engine.events(Run("say(x=1); time.sleep(0.3); say(y=2)", "data", device="cpu"))
    hangs = make_engine(workers=1)
    stuck = hangs.events(Run(SLOW, "data", device="cpu"))
    for one in (trains_, looks, stuck):
        while isinstance(next(one), Accepted):
            pass
    engine.drain(20)
    hangs.drain(0.2)
    ended = [ended_as(list(one)) for one in (trains_, waits, stuck)]
    assert [finding.code for _, finding in ended] == ["server_stops"] * 3
    assert {ending for ending, _ in ended} == {"unknown"}
    assert said(list(looks)) == {"y": 2}
    late = list(engine.events(Run("say(x=1)", "data", device="cpu")))
    assert ended_as(late)[1].code == "server_stops"
    assert engine.status()["stopping"]
