"""What a run made up to trip whoever tells of it, or judges it: no page ever meets it."""

from __future__ import annotations

import pytest

from debugger.evidence import html
from debugger.outcome import (
    Event,
    Evidence,
    Finding,
    Found,
    Outcome,
    Point,
    Shown,
    StageEnded,
    from_json,
)
from debugger.outcome import StageStarted as Started
from debugger.run import Run
from debugger.words import Words
from debugger.workers.order import Order, OutOfOrder

EVIL = "\"'><svg onload=alert(1)>"


def odd(kind: str, data: dict[str, object]) -> Event:
    return Shown(Evidence(kind, "console", "setup", data))  # type: ignore[arg-type]


MADE_UP: dict[str, Event] = {
    "a finding that nobody knows": Found(Finding("no_such", "fault", "setup")),
    "a code that is a path": Found(Finding("../out_of_memory", "fault", "setup")),
    "a word for a number": Found(
        Finding("out_of_memory", "fault", "setup", numbers={"memory_mb": "x"})
    ),
    "evidence that nobody knows": Shown(Evidence("text", "no_such", "setup", {"text": "x"})),
    "a text without one": odd("text", {}),
    "a table of something else": odd("table", {"columns": 3, "rows": {"a": "b"}}),
    "a matrix with no rows": odd("matrix", {"classes": ["a"], "counts": 7}),
    "a chart beyond all numbers": odd("chart", {"series": {"loss": [["x", "y"]]}, "marks": {}}),
    "frames of nothing": odd("traceback", {"exception": "E", "message": "m", "frames": [None]}),
    "a point beyond all numbers": Point("setup", "loss", float("inf"), 1.0),
    "no time at all": from_json(
        b'{"event":"stage_ended","stage":"setup","outcome":"pass","seconds":NaN}'
    ),
    "a word for steps": StageEnded("setup", "pass", 0.1, measured={"steps": "many"}),
    "time before it began": StageEnded("setup", "pass", -1e300),
    "time without end": Outcome("pass", "cpu", float("inf")),
}


@pytest.mark.parametrize("name", MADE_UP)
def test_what_no_page_could_show_ends_the_run(name: str) -> None:
    order = Order(Run(""))
    order.follow(Started("setup"))
    with pytest.raises(OutOfOrder):
        order.follow(MADE_UP[name])


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence("chart", "console", "setup", {"series": {EVIL: [[1.0, 1.0]]}, "marks": {EVIL: 1}}),
        Evidence("text", "console", "setup", {"text": EVIL}, snippet=EVIL),
        Evidence(
            "table", "console", "setup", {"columns": [EVIL], "rows": [[EVIL], [{EVIL: EVIL}]]}
        ),
        Evidence("matrix", "console", "setup", {"classes": [EVIL], "counts": [[1]]}),
        Evidence("tensor", "console", "setup", {"shape": EVIL, "dtype": EVIL, "low": EVIL}),
    ],
)
def test_what_can_be_told_reaches_no_page_as_markup(evidence: Evidence) -> None:
    try:
        assert "<svg onload" not in html.shown(evidence, Words())
    except (KeyError, TypeError, ValueError):
        order = Order(Run(""))
        order.follow(Started("setup"))
        with pytest.raises(OutOfOrder):
            order.follow(Shown(evidence))


def test_a_point_far_away_is_refused_on_a_known_curve_too() -> None:
    order = Order(Run(""))
    order.follow(Started("setup"))
    order.follow(Point("setup", "loss", 1.0, None))
    with pytest.raises(OutOfOrder):
        order.follow(Point("setup", "loss", 1.0, float("-inf")))
