"""A learner types the repair: what is kept of it, what is said of it, and how it is run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from debugger import catalogue, settings
from debugger.outcome import Accepted, Event, Outcome, StageEnded, StageStarted
from debugger.run import WALK, Run
from debugger.script.marks import MOST_MARKS, marked
from debugger.web.clinic import Clinic
from debugger.web.clinic_page import _enter, _in_editor
from debugger.web.desk import Desk
from debugger.web.progress_file import merged
from debugger.web.regions import left
from debugger.web.repair import repairs
from debugger.web.typed import changed_lines, nearest
from debugger.web.visit import EDIT, MOST_TYPED, TYPED, Case, Record, Visit, is_typed, read_record
from debugger.words import Words
from debugger.workers.engine import Asker
from debugger.workers.sharing import Shared

WORDS = Words()
SCENARIO = catalogue.find("wrong_collator")
MENDED = SCENARIO.script.replace("    model,\n", "    model,\n    processing_class=tokenizer,\n")


class Watched:
    """An engine that keeps what it was asked to run."""

    def __init__(self) -> None:
        self.runs: list[Run] = []

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        self.runs.append(run)
        yield from (Accepted("t"), StageStarted("setup"), StageEnded("setup", "pass", 0.1))
        yield Outcome("fail", "cpu", 0.1)

    def cancel(self, ticket: str) -> None: ...


@pytest.fixture
def engine() -> Watched:
    return Watched()


@pytest.fixture
def clinic(engine: Watched) -> Clinic:
    return Clinic(catalogue.every(), Shared(engine, grace=0.1), settings.read({}))


@pytest.fixture
def desk() -> Desk:
    return Desk(visit=Visit(SCENARIO.id, stage="batch", panel="evidence", side=EDIT))


def follow(clinic: Clinic, desk: Desk, what: str) -> None:
    async def through() -> None:
        async for _ in clinic.follow(desk, what):
            pass

    with ThreadPoolExecutor(1) as aside:  # in this thread a browser's loop may be running
        aside.submit(lambda: asyncio.run(through())).result()


def test_what_is_typed_is_the_script_from_then_on_and_runs_in_the_sandbox(
    clinic: Clinic, desk: Desk, engine: Watched
) -> None:
    clinic.type(desk, MENDED)
    assert clinic.scene(desk).script == MENDED
    follow(clinic, desk, WALK)
    assert [(run.script, run.typed) for run in engine.runs] == [(MENDED, True)]
    assert desk.record.case(SCENARIO.id).ran == {desk.visit.variant: ("setup",)}


def test_listed_changes_need_no_sandbox_and_leave_the_text_where_it_was(
    clinic: Clinic, desk: Desk, engine: Watched
) -> None:
    clinic.type(desk, MENDED)
    fix = SCENARIO.twin_fixes[0]
    assert clinic.plan(desk, "apply", fix) == WALK
    assert desk.visit.changes == (fix,)
    follow(clinic, desk, "setup")
    assert not any(run.typed for run in engine.runs)
    assert WORDS.say("clinic", "my_text") in left(clinic.scene(desk), WORDS)
    clinic.press(desk, "typed", "")
    assert clinic.scene(desk).script == MENDED


def test_the_way_back_to_the_original(clinic: Clinic, desk: Desk) -> None:
    clinic.type(desk, MENDED)
    clinic.press(desk, "back", desk.visit.changes[0])
    assert clinic.scene(desk).script == SCENARIO.script
    clinic.press(desk, "typed", "")
    clinic.type(desk, SCENARIO.script)
    assert desk.visit.changes == ()


def test_a_reload_a_restart_and_a_second_tab_find_the_text_again(
    clinic: Clinic, desk: Desk
) -> None:
    clinic.type(desk, MENDED)
    kept = desk.record
    again = Desk(record=kept)
    _enter(again, desk.visit.address, clinic, None)
    assert clinic.scene(again).script == MENDED
    assert again.note == ""
    second = Desk(record=kept)
    _enter(second, f"?case={SCENARIO.number}", clinic, None)
    second.visit = replace(second.visit, side=EDIT)
    assert WORDS.say("clinic", "my_text") in left(clinic.scene(second), WORDS)


def test_another_browser_is_told_that_the_text_stayed_behind(clinic: Clinic, desk: Desk) -> None:
    clinic.type(desk, MENDED)
    assert desk.visit.address.endswith(f"changes={TYPED}")
    other = Desk(record=Record())
    _enter(other, desk.visit.address, clinic, None)
    assert other.note == "link_typed"
    assert clinic.scene(other).script == SCENARIO.script


def test_a_text_survives_what_a_browser_keeps_and_a_file_that_is_loaded() -> None:
    case = Case(typed=MENDED)
    told = '{"learner": "00000000", "cases": {"wrong_collator": {"typed": "import os\\n"}}}'
    assert read_record(told).case("wrong_collator").typed == "import os\n"
    further = Record(cases={SCENARIO.id: Case(solved=True)})
    both = merged(further, Record(cases={SCENARIO.id: case})).case(SCENARIO.id)
    assert (both.solved, both.typed) == (True, MENDED)


def test_too_much_is_said_and_not_kept(clinic: Clinic, desk: Desk) -> None:
    clinic.type(desk, "#" * (MOST_TYPED + 1))
    assert desk.note == "too_much_typed"
    assert desk.visit.changes == ()


def test_where_nobody_can_type_the_editor_stays_closed_and_says_why(
    engine: Watched, desk: Desk
) -> None:
    told = {"typed": {"pytorch": {"why": "promise_broken", "broken": ["no_network"]}}}
    clinic = Clinic(catalogue.every(), Shared(engine), settings.read({}), status=lambda: told)
    clinic.type(desk, MENDED)
    scene = clinic.scene(desk)
    assert desk.visit.changes == ()
    assert "it does not (no_network)" in left(scene, WORDS)
    assert _in_editor(desk, scene) == {"__type__": "update"}


def test_the_editor_is_filled_once_and_never_while_one_types(clinic: Clinic, desk: Desk) -> None:
    def sent() -> Any:
        return _in_editor(desk, clinic.scene(desk)).get("value")

    assert sent() == SCENARIO.script
    assert sent() is None
    desk.editor = MENDED
    clinic.type(desk, MENDED)
    assert sent() is None
    clinic.press(desk, "back", desk.visit.changes[0])
    assert sent() == SCENARIO.script


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = 1\nprint(x)\n", []),
        ("x = (1\n", [(1, "no_python", "'(' was never closed")]),
        ("import os\n\nprint(trainr)\n", [(3, "no_such_name", "trainr")]),
        ("def f():\n    print(y)\n    y = 1\n", [(2, "no_such_name", "y")]),
        ("print(__file__)\n", []),
        ("a\0b", [(1, "no_python", "source code string cannot contain null bytes")]),
    ],
)
def test_marks_of_a_text_that_was_never_run(text: str, found: list[tuple[int, str, str]]) -> None:
    assert [(mark.line, mark.code, mark.said) for mark in marked(text)] == found


@pytest.mark.parametrize("text", ["(" * 9000, "a" + ".a" * 9000, "-" * 9000 + "1", "[" * 90 + "]"])
def test_a_text_that_is_nested_too_deep_is_no_python_and_no_crash(text: str) -> None:
    assert [mark.code for mark in marked(text)] in (["no_python"], ["no_such_name"])


def test_many_marks_are_cut() -> None:
    assert len(marked("\n".join(f"n{number}" for number in range(50)))) == MOST_MARKS


def test_the_lines_that_differ_are_counted() -> None:
    assert changed_lines("a\nb\nc\n", "a\nB\nc\nd\n") == 2


def test_who_is_stuck_sees_the_listed_changes_that_come_closest(clinic: Clinic, desk: Desk) -> None:
    clinic.type(desk, SCENARIO.changed(["pass_the_tokenizer"]) + "\n")
    follow(clinic, desk, WALK)
    scene = clinic.scene(desk)
    assert is_typed(scene.visit.changes)
    assert nearest(scene)[0].id == "pass_the_tokenizer"
    assert WORDS.say("clinic", "what_you_typed") in repairs(scene, WORDS)


def test_every_mark_stands_beside_the_editor(clinic: Clinic, desk: Desk) -> None:
    clinic.type(desk, SCENARIO.script + "print(trainr)\n")
    html = left(clinic.scene(desk), WORDS)
    line = len(SCENARIO.script.splitlines()) + 1
    assert f'data-edit-line="{line}"' in html
    assert WORDS.say("clinic", "lines_changed", count=1) in html
