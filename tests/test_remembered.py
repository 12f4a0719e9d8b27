"""What was run with the very same code is not run again; anything else is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from debugger.outcome import Accepted, Ending, Event, Outcome, StageEnded, StageStarted
from debugger.run import Run
from debugger.workers.engine import Asker
from tests import remembered
from tests.remembered import Remembered

RUN = Run("print()", "setup")


class Counting:
    def __init__(self, ending: Ending = "pass") -> None:
        self.asked = 0
        self.ending: Ending = ending

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        self.asked += 1
        yield Accepted(f"t{self.asked}")
        yield StageStarted("setup")
        yield StageEnded("setup", "pass", 0.1, (), {"losses": [1.5, None]})
        yield Outcome(self.ending, "cpu", 0.2)

    def cancel(self, ticket: str) -> None: ...


def test_a_run_is_remembered_by_the_next_call(tmp_path: Path) -> None:
    first, second = Counting(), Counting()

    asked = Remembered(first, tmp_path).events(RUN)
    told = [next(asked) for _ in range(4)]  # as `gather` does, which asks no further

    assert list(Remembered(second, tmp_path).events(RUN)) == told
    assert (first.asked, second.asked) == (1, 0)


def test_another_script_and_other_code_are_run_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Counting()
    for run in (RUN, Run("print(1)", "setup")):
        list(Remembered(engine, tmp_path).events(run))
    assert engine.asked == 2

    (tmp_path / "scenarios" / "assets").mkdir(parents=True)
    (tmp_path / "kept").mkdir()
    (tmp_path / "debugger").mkdir()
    monkeypatch.setattr(remembered, "ROOT", tmp_path)
    list(Remembered(engine, tmp_path / "kept").events(RUN))
    assert engine.asked == 3
    (tmp_path / "debugger" / "judge.py").write_text("...")
    list(Remembered(engine, tmp_path / "kept").events(RUN))
    assert engine.asked == 4
    assert len(list((tmp_path / "kept").iterdir())) == 1


def test_what_was_left_or_ended_by_accident_is_run_anew(tmp_path: Path) -> None:
    engine = Counting("stopped")
    list(Remembered(engine, tmp_path).events(RUN))
    list(Remembered(engine, tmp_path).events(RUN))
    assert engine.asked == 2

    left = Remembered(Counting(), tmp_path).events(RUN)
    next(left)
    left.close()  # type: ignore[attr-defined]
    whole = Counting()
    list(Remembered(whole, tmp_path).events(RUN))
    assert whole.asked == 1
