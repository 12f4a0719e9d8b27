"""The order in which an honest run tells its story, and no other."""

from __future__ import annotations

import pytest

from debugger.outcome import (
    STAGES,
    Event,
    Evidence,
    Finding,
    Found,
    Outcome,
    Point,
    Shown,
    StageEnded,
    StageName,
    StageStarted,
)
from debugger.run import WALK, Run
from debugger.workers.order import Order, OutOfOrder

DONE = Outcome("pass", "cpu", 1.0)


def stage(name: StageName, *told: Event) -> list[Event]:
    return [StageStarted(name), *told, StageEnded(name, "pass", 0.1)]


WHOLE = [event for name in STAGES for event in stage(name)]
FAILED = StageEnded("data", "fail", 0.1)


def follow(events: list[Event], run: Run) -> None:
    order = Order(run)
    for event in events:
        order.follow(event)


@pytest.mark.parametrize(
    ("events", "run"),
    [
        ([*WHOLE, DONE], Run("", WALK)),
        (
            [*stage("setup"), *stage("train", Point("train", "loss", 1, 1.0)), DONE],
            Run("", "train"),
        ),
        (
            [*stage("setup"), StageStarted("data"), FAILED, Outcome("fail", "cpu", 1.0)],
            Run("", WALK),
        ),
        ([*WHOLE[:12], DONE], Run("", WALK, steps=0)),
        (
            [
                StageStarted("setup"),
                Shown(Evidence("text", "console", "setup", {"text": "x"})),
                Found(Finding("out_of_memory", "note", "setup")),
                StageEnded("setup", "unknown", 0.1),
                Outcome("unknown", "cpu", 1.0),
            ],
            Run("", WALK),
        ),
    ],
)
def test_an_honest_story(events: list[Event], run: Run) -> None:
    follow(events, run)


@pytest.mark.parametrize(
    "events",
    [
        [DONE],
        [*WHOLE[:-2], DONE],
        [*WHOLE[:-1], DONE],
        [*stage("setup"), *stage("batch"), *stage("data")],
        [*stage("setup"), *stage("setup")],
        [StageStarted("setup"), StageStarted("data")],
        [StageEnded("setup", "pass", 0.1)],
        [*stage("setup", Found(Finding("out_of_memory", "note", "train")))],
        [StageStarted("setup"), Point("train", "loss", 1, 1.0)],
        [StageStarted("setup"), StageEnded("setup", "pass", 19.0)],
        [*stage("setup"), StageStarted("data"), FAILED, DONE],
        [*WHOLE, Outcome("pass", "cpu", 1.0, finding=Finding("x", "note", "setup"))],
    ],
)
def test_a_story_that_was_made_up(events: list[Event]) -> None:
    with pytest.raises(OutOfOrder):
        follow(events, Run("", WALK))
