"""What the host is told of runs is what happened to them, and nothing of whose they were."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from debugger.outcome import Accepted, Event, Finding, Outcome, StageEnded, StageStarted
from debugger.run import Run
from debugger.workers.engine import Asker
from debugger.workers.ledger import MOST_FAULTS, Kind, Ledger, Times

PYTORCH = Kind("pytorch", "walk")


class Playing:
    """An engine that plays events, and turns the clock before each."""

    def __init__(self, *played: tuple[float, Event]) -> None:
        self.played, self.now = played, 0.0
        self.cancelled: list[str] = []

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        for later, event in self.played:
            self.now += later
            yield event

    def cancel(self, ticket: str) -> None:
        self.cancelled.append(ticket)


def ended(code: str) -> Outcome:
    return Outcome("stopped", "cpu", 1.0, finding=Finding(code, "note", "setup"))


def test_a_run_is_counted_with_what_it_waited_what_it_took_and_what_its_stages_took() -> None:
    engine = Playing(
        (0.0, Accepted("t", 2)),
        (3.0, Accepted("t", 0)),
        (0.0, StageStarted("setup")),
        (0.5, StageEnded("setup", "pass", 0.5)),
        (0.0, StageEnded("data", "not run", 0.0)),
        (1.5, Outcome("pass", "cpu", 2.0)),
    )
    ledger = Ledger(engine, lambda: engine.now)
    assert list(ledger.events(Run("x"))) == [event for _, event in engine.played]

    told = ledger.told()
    assert told.started == {PYTORCH: 1}
    assert told.ended == {(PYTORCH, "pass"): 1}
    assert [list(times[PYTORCH].latest) for times in (told.waited, told.took)] == [[3.0], [2.0]]
    assert {kind.stage: list(times.latest) for kind, times in told.stages.items()} == {
        "setup": [0.5]
    }
    assert not told.faults


def test_what_was_cancelled_while_it_waited_never_began_and_is_no_fault() -> None:
    engine = Playing((0.0, Accepted("t", 1)), (9.0, ended("cancelled")))
    ledger = Ledger(engine, lambda: engine.now)
    list(ledger.events(Run("x")))
    told = ledger.told()
    assert (told.started, told.waited, told.took, told.faults) == ({}, {}, {}, {})
    assert told.ended == {(PYTORCH, "stopped"): 1}
    ledger.cancel("t")
    assert engine.cancelled == ["t"]


def test_the_same_fault_again_is_one_fault_and_the_oldest_are_forgotten() -> None:
    engine = Playing((0.0, Accepted("t")), (1.0, ended("killed")))
    ledger = Ledger(engine)
    for _ in range(3):
        list(ledger.events(Run("x")))
    (fault,) = ledger.told().faults.values()
    assert (fault.finding.code, fault.times, fault.kind) == ("killed", 3, PYTORCH)

    for number in range(MOST_FAULTS):
        engine.played = ((0.0, Accepted("t")), (1.0, ended(f"fault_{number}")))
        list(ledger.events(Run("x")))
    assert [fault.finding.code for fault in ledger.told().faults.values()] == [
        f"fault_{number}" for number in range(MOST_FAULTS)
    ]


@pytest.mark.parametrize(
    ("run", "kind"),
    [
        (Run("import tensorflow as tf"), Kind("keras", "walk")),
        (Run("x", "train"), Kind("pytorch", "train")),
        (Run("x", "setup", check="1 + 1", typed=True), Kind("pytorch", "check")),
        (Run("x", "a stage that somebody made up"), Kind("pytorch", "other")),  # type: ignore[arg-type]
    ],
)
def test_runs_are_of_few_kinds_whatever_is_asked(run: Run, kind: Kind) -> None:
    engine = Playing((0.0, Accepted("t")), (1.0, Outcome("pass", "cpu", 1.0)))
    ledger = Ledger(engine)
    list(ledger.events(run))
    assert list(ledger.told().started) == [kind]


def test_shares_and_bounds_of_times() -> None:
    times = Times()
    for hundredth in range(1, 101):
        times.add(hundredth / 10)
    assert (times.reached_by(0.5), times.reached_by(0.95)) == (5.0, 9.5)
    assert times.within == [1, 3, 10, 30, 100, 100, 100, 100, 100]
    one = Times()
    one.add(7.0)
    assert (one.reached_by(0.5), one.reached_by(0.95)) == (7.0, 7.0)


def test_what_was_told_stays_as_it_was_told() -> None:
    engine = Playing((0.0, Accepted("t")), (1.0, Outcome("pass", "cpu", 1.0)))
    ledger = Ledger(engine)
    before = ledger.told()
    list(ledger.events(Run("x")))
    assert not before.started
