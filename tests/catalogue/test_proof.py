"""The proof of a scenario on a made-up engine: what it says, and how it saves runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from debugger import catalogue
from debugger.catalogue.checking import prove
from debugger.catalogue.proof import promises
from debugger.catalogue.runs import Runs
from debugger.outcome import (
    STAGES,
    Accepted,
    Event,
    Finding,
    Found,
    Outcome,
    StageEnded,
    StageName,
    StageStarted,
)
from debugger.run import WALK, Run
from debugger.workers.engine import Asker

TOY = catalogue.find("good", Path(__file__).parents[1] / "toy_scenarios")
FACTS = "pytorch/good/scenario.toml: "
ROWS = {"rows": 90, "labels": {"0": 45, "1": 45}, "digest": "abc"}
MEASURED: dict[StageName, dict[str, Any]] = {
    "data": {"train": ROWS, "eval": ROWS},
    "evaluate": {"has_metric": True, "eval_rows": 90, "answers": ["accuracy"], "perfect": None},
}
TOO_HIGH = ("step", "learning_rate_too_high")


@dataclass
class MadeUp:
    """An engine whose scripts fail where `fails` says. Each begins its training in its own way."""

    fails: dict[str, tuple[StageName, str]]
    line: int | None = 4
    alike: bool = False
    untrained: tuple[str, ...] = ()
    asked: list[Run] = field(default_factory=list)
    trained: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)

    def cancel(self, ticket: str) -> None:
        self.cancelled.append(ticket)

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        self.asked.append(run)
        yield Accepted(f"ticket {len(self.asked)}")
        where, code = self.fails.get(run.script, (None, ""))
        for stage in STAGES if run.steps else STAGES[:6]:
            yield StageStarted(stage)
            if stage == where:
                yield Found(Finding(code, "fault", stage, self.line))
                yield StageEnded(stage, "fail", 0.0)
                if run.stage == WALK:
                    break
            else:
                yield StageEnded(stage, "pass", 0.0, measured=self._measured(stage, run))
        yield Outcome("fail" if where else "pass", "cpu", 0.0)

    def _measured(self, stage: StageName, run: Run) -> dict[str, Any]:
        if stage == "step":
            return {"moved": "alike" if self.alike else run.script}
        if stage == "train":
            self.trained.append(run.script)
            losses = [] if run.script in self.untrained else [1.0] * run.steps
            return {"steps": len(losses), "losses": losses}
        return MEASURED.get(stage, {})


def sound(**changed: Any) -> MadeUp:
    fails = {TOY.script: TOO_HIGH, TOY.tried("more_steps"): TOO_HIGH}
    untrained = (TOY.cheated("no_training"),)
    return MadeUp(**{"fails": fails, "untrained": untrained, **changed})


def complaints(engine: MadeUp) -> list[str]:
    return prove(TOY, engine, 2, lambda *_: None)


def test_a_scenario_that_keeps_its_promises_is_sound() -> None:
    assert complaints(sound()) == []


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "the script passes": (
        {"fails": {TOY.tried("more_steps"): TOO_HIGH}},
        "the script as it is should fail; it passes every stage.",
    ),
    "the script fails elsewhere": (
        {"fails": {TOY.script: ("train", "diverged"), TOY.tried("more_steps"): TOO_HIGH}},
        'first_stage is "step"; the script ends at train with diverged.',
    ),
    "the script has another fault": (
        {"fails": {TOY.script: ("step", "nan_update"), TOY.tried("more_steps"): TOO_HIGH}},
        'code is "learning_rate_too_high"; the script ends at step with nan_update.',
    ),
    "no line is named": (
        {"line": None},
        'code is "learning_rate_too_high"; that finding names no line of the script.',
    ),
    "a right fix is none": (
        {"fails": {**sound().fails, TOY.mended("smallest_rate"): ("overfit", "cannot_memorise")}},
        "fixes[2] (smallest_rate) should cure; it ends at overfit with cannot_memorise, and the "
        "judge says stage_fails.",
    ),
    "a wrong fix cures": (
        {"fails": {TOY.script: TOO_HIGH}},
        'fixes[3] (more_steps) ends_at "step" with the code "learning_rate_too_high"; it passes '
        "every stage.",
    ),
    "a cheat is a cure": (
        {"untrained": ()},
        'cheats[1] (no_training) is refused_by "not_trained"; the judge calls it cured.',
    ),
}


@pytest.mark.parametrize(("changed", "sentence"), BROKEN.values(), ids=BROKEN.keys())
def test_a_promise_that_does_not_hold_is_told_with_what_really_happens(
    changed: dict[str, Any], sentence: str
) -> None:
    assert FACTS + sentence in complaints(sound(**changed))


def test_a_repair_that_is_none_is_named() -> None:
    script = TOY.repaired(TOY.repairs[1])
    broken = sound(fails={**sound().fails, script: ("forward", "nan_forward")})

    assert complaints(broken) == [
        "pytorch/good/repairs.toml: repairs[2] (rate_two) should cure; it ends at forward with "
        "nan_forward, and the judge says stage_fails, not_trained."
    ]


def test_with_a_twin_that_fails_one_sentence_stands_for_all_that_is_held_against_it() -> None:
    said = complaints(sound(fails={**sound().fails, TOY.twin: ("data", "raw_text")}))

    assert said == [
        FACTS + "twin_fixes should make a script that passes every stage; it ends at data with "
        "raw_text.",
        FACTS + "the twin should pass every stage; until it does, right fixes, cheats and repairs "
        "cannot be held against it.",
    ]


def test_progress_ends_with_nothing_left_to_look_at() -> None:
    told: list[tuple[int, int, float]] = []
    prove(TOY, sound(), 2, lambda *news: told.append(news))

    count = len(promises(TOY))
    assert [(done, of) for done, of, _ in told] == [(number, count) for number in range(count)]
    assert all(seconds > 0 for *_, seconds in told)


def test_each_script_is_run_once_for_whatever_wants_it() -> None:
    engine = sound()
    complaints(engine)

    assert len(engine.asked) == len(set(engine.asked))


def test_a_training_that_begins_as_another_one_is_not_run_again() -> None:
    engine = sound(alike=True)

    assert complaints(engine) == []
    proofs = [script for script in engine.trained if script != TOY.cheated("no_training")]
    assert len(proofs) == 1
    assert len(engine.cancelled) == len({TOY.mended(f.id) for f in TOY.fixes if f.right}) - 1 + 3


def test_of_three_repairs_that_go_their_own_ways_the_first_is_trained() -> None:
    engine = sound()
    complaints(engine)

    first, *rest = (TOY.repaired(repair) for repair in TOY.repairs)
    assert first in engine.trained
    assert not set(rest) & set(engine.trained)


class Held(MadeUp):
    """Answers a script when it is let go."""

    def __init__(self) -> None:
        super().__init__({})
        self.gates: dict[str, threading.Event] = {}
        self.begun = threading.Semaphore(0)

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        gate = self.gates.setdefault(run.script, threading.Event())
        self.begun.release()
        gate.wait(10)
        yield from super().events(run)


def test_a_proof_that_waits_for_its_twin_keeps_no_place_from_others() -> None:
    engine = Held()
    runs = Runs(engine, at_once=2)
    twin = runs.twin(TOY)
    cure = runs.repaired(TOY, TOY.mended("smallest_rate"))
    walk = runs.walk("print()")

    assert engine.begun.acquire(timeout=10)
    assert engine.begun.acquire(timeout=10)
    assert set(engine.gates) == {TOY.twin, "print()"}
    for gate in (TOY.twin, "print()", TOY.mended("smallest_rate")):
        engine.gates.setdefault(gate, threading.Event()).set()
    assert {one.result(10).outcome for one in (twin, cure, walk)} == {"pass"}


def test_a_run_that_nobody_could_ask_for_early_comes_before_those_that_wait() -> None:
    engine = Held()
    runs = Runs(engine, at_once=1)
    walks = [runs.walk(f"print({number})") for number in range(3)]
    whole = runs.whole("print()", steps=1)

    for script in ("print(0)", "print()"):
        assert engine.begun.acquire(timeout=10)
        assert list(engine.gates)[-1] == script
        engine.gates[script].set()
    assert whole.result(10).outcome == "pass"
    for script in ("print(1)", "print(2)"):
        engine.gates.setdefault(script, threading.Event()).set()
    assert {one.result(10).outcome for one in walks} == {"pass"}


def test_what_breaks_an_engine_reaches_who_waits_for_it_and_who_waits_for_that() -> None:
    class Broken(MadeUp):
        def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
            raise OSError("no more processes")

    runs = Runs(Broken({}), at_once=1)
    cure: Callable[[], Any] = runs.repaired(TOY, TOY.mended("smallest_rate")).result

    for answer in (runs.twin(TOY).result, cure):
        with pytest.raises(OSError, match="no more processes"):
            answer(10)
