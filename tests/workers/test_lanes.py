"""Runs that only look pass those that train, and take the core from them."""

from __future__ import annotations

import os
from dataclasses import dataclass

from test_endings import said

from debugger.outcome import Accepted, Outcome
from debugger.run import ALL, ON, WALK, Run
from debugger.workers.forking import POLITE
from debugger.workers.lanes import NICENESS, lanes, trains

SLOW = "say(x=1); time.sleep(60)"


@dataclass(frozen=True)
class Job:
    name: str
    run: Run


def jobs(names: str, stage: str) -> list[Job]:
    return [Job(name, Run(name, stage)) for name in names]  # type: ignore[arg-type]


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
