"""A learner asks the script something: what is run, what is kept of it, and what is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from debugger import catalogue, settings
from debugger.outcome import Accepted, Event, Evidence, Finding, Outcome, Shown, Standing, Stop
from debugger.run import WALK, Run
from debugger.web.checks import OLDER, OLDER_END, kept_of
from debugger.web.clinic import Clinic
from debugger.web.clinic_page import _enter
from debugger.web.desk import Desk
from debugger.web.progress_file import export_record, import_record, merged
from debugger.web.regions import foot, right
from debugger.web.visit import (
    CHECK,
    MOST_ANSWER,
    MOST_CHECK,
    MOST_CHECKS,
    Asked,
    Case,
    Record,
    Visit,
    kept_case,
    read_record,
)
from debugger.words import Words
from debugger.workers.engine import Asker
from debugger.workers.sharing import Shared

WORDS = Words()
SCENARIO = catalogue.find("wrong_collator")
HOSTILE = "<img src=x onerror=alert(1)> {{1}} ${x} `y` </textarea>"


class Answering:
    """An engine that answers every check with the same text, and keeps what it was asked."""

    text, left_out, end = "[1]\n", 0, ""
    at: Stop = "training"
    outcome = Outcome("pass", "cpu", 0.1)

    def __init__(self) -> None:
        self.runs: list[Run] = []

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        self.runs.append(run)
        data = {"text": self.text, "left_out": self.left_out, "end": self.end}
        yield from (Accepted("t"), Standing(self.at, 56, 0))
        yield from (Shown(Evidence("text", "answer", "setup", data)), self.outcome)

    def cancel(self, ticket: str) -> None: ...


@pytest.fixture
def engine() -> Answering:
    return Answering()


@pytest.fixture
def clinic(engine: Answering) -> Clinic:
    return Clinic(catalogue.every(), Shared(engine, grace=0.1), settings.read({}))


@pytest.fixture
def desk() -> Desk:
    return Desk(visit=Visit(SCENARIO.id, stage="batch", panel="console"))


def ask(clinic: Clinic, desk: Desk, check: str) -> str | None:
    what = clinic.plan(desk, CHECK, check)

    async def through() -> None:
        async for _ in clinic.follow(desk, what or ""):
            pass

    if what is not None:
        with ThreadPoolExecutor(1) as aside:  # in this thread a browser's loop may be running
            aside.submit(lambda: asyncio.run(through())).result()
    return what


def panel(clinic: Clinic, desk: Desk) -> str:
    return right(clinic.scene(desk), WORDS)


def test_a_check_runs_in_the_sandbox_over_the_script_as_it_is(
    clinic: Clinic, desk: Desk, engine: Answering
) -> None:
    fix = SCENARIO.twin_fixes[0]
    assert clinic.apply(desk, fix)
    ask(clinic, desk, " kept \n")
    run = engine.runs[-1]
    assert (run.script, run.check, run.typed) == (SCENARIO.changed([fix]), "kept", True)
    asked = desk.record.case(SCENARIO.id).checks[0]
    assert (asked.check, asked.text, asked.changes) == ("kept", "[1]\n", (fix,))
    label = SCENARIO.words.of(fix).label
    assert WORDS.say("clinic", "on_changed", labels=label).split('"')[0] in panel(clinic, desk)


def test_it_leaves_stages_answers_and_the_walk_as_they_were(clinic: Clinic, desk: Desk) -> None:
    before = desk.record.case(SCENARIO.id)
    ask(clinic, desk, "kept")
    case = desk.record.case(SCENARIO.id)
    assert replace(case, checks=(), at=None, stage=None) == replace(before, at=None, stage=None)
    assert (desk.asking, desk.flights, desk.note) == ("", [], "")


def test_what_is_asked_and_answered_stays_text(
    clinic: Clinic, desk: Desk, engine: Answering
) -> None:
    engine.text, engine.end, engine.left_out = HOSTILE, HOSTILE, 1234
    ask(clinic, desk, HOSTILE)
    shown = panel(clinic, desk)
    assert "<img" not in shown
    assert shown.count("</textarea>") == 1
    assert not set("{}$`") & set(shown)
    assert WORDS.say("clinic", "check_left_out", count=1234) in shown


def test_the_last_ten_stay_the_newest_first_and_older_ones_are_shortened(
    clinic: Clinic, desk: Desk, engine: Answering
) -> None:
    engine.text = "é" * MOST_ANSWER
    for number in range(MOST_CHECKS + 2):
        ask(clinic, desk, str(number))
    checks = desk.record.case(SCENARIO.id).checks
    assert [one.check for one in checks] == [str(n) for n in range(MOST_CHECKS + 1, 1, -1)]
    assert len(checks[0].text) == MOST_ANSWER
    assert {len(one.text + one.end) for one in checks[1:]} == {OLDER + OLDER_END}
    assert {one.left_out for one in checks[1:]} == {2 * (MOST_ANSWER - OLDER - OLDER_END)}
    assert len(kept_case(desk.record, SCENARIO.id)) < 30_000
    assert kept_of(checks) == checks


def test_a_reload_and_a_file_bring_them_back(clinic: Clinic, desk: Desk) -> None:
    ask(clinic, desk, "kept")
    checks = desk.record.case(SCENARIO.id).checks
    exported, wrong = import_record(export_record(desk.record))
    assert (exported.case(SCENARIO.id).checks, wrong) == (checks, [])
    again = Desk(record=read_record(export_record(desk.record)))
    _enter(again, desk.visit.address, clinic, None)
    again.visit = replace(again.visit, panel="console")
    assert "kept" in panel(clinic, again)
    further = Record(cases={SCENARIO.id: Case(solved=True)})
    assert merged(further, exported).case(SCENARIO.id).checks == checks


def test_a_record_that_holds_too_much_is_not_believed() -> None:
    many = [Asked("x")] * (MOST_CHECKS + 1)
    told = '{"cases": {"a": {"checks": [%s]}}}'
    one = '{"check": "x", "text": "%s"}'
    assert read_record(told % (one % "y")).case("a").checks[0].text == "y"
    assert read_record(told % ", ".join([one % "y"] * len(many))).cases == {}
    assert read_record(told % (one % ("y" * (MOST_ANSWER + 1)))).cases == {}


def test_one_that_came_to_no_end_says_why_and_is_asked_anew(
    clinic: Clinic, desk: Desk, engine: Answering
) -> None:
    finding = Finding("check_out_of_time", "fault", "setup", None, {"seconds": 20.0})
    engine.outcome, engine.text = Outcome("stopped", "cpu", 20.0, finding=finding), ""
    for _ in range(2):
        ask(clinic, desk, "while True: pass")
    assert len(engine.runs) == 2
    assert WORDS.finding(finding) in panel(clinic, desk)
    assert WORDS.say("clinic", "check_nothing") not in panel(clinic, desk)


@pytest.mark.parametrize("at", ["training", "crash", "end"])
def test_it_says_where_the_script_stood(
    clinic: Clinic, desk: Desk, engine: Answering, at: Stop
) -> None:
    engine.at, engine.text = at, ""
    ask(clinic, desk, "x = 1")
    shown = panel(clinic, desk)
    assert WORDS.say("clinic", f"stood_{at}", line=56) in shown
    assert WORDS.say("clinic", "check_nothing") in shown


@pytest.mark.parametrize(
    ("check", "note"), [("", ""), ("  \n", ""), ("x" * (MOST_CHECK + 1), "check_too_long")]
)
def test_what_cannot_be_asked_is_not(
    clinic: Clinic, desk: Desk, engine: Answering, check: str, note: str
) -> None:
    assert ask(clinic, desk, check) is None
    assert (desk.note, engine.runs) == (note, [])


def test_half_a_letter_does_no_harm(clinic: Clinic, desk: Desk) -> None:
    ask(clinic, desk, "'\ud800'")
    assert kept_case(desk.record, SCENARIO.id)


def test_while_a_run_is_going_on_a_check_waits_and_says_so(clinic: Clinic, desk: Desk) -> None:
    desk.showing = True
    assert clinic.plan(desk, CHECK, "kept") is None
    shown = panel(clinic, desk)
    assert WORDS.say("clinic", "check_waits") in shown


def test_while_a_check_is_running_it_stands_first_and_is_told(clinic: Clinic, desk: Desk) -> None:
    desk.asking = "slow()"
    running = WORDS.say("clinic", "check_running")
    assert f'data-news="{running}"' in panel(clinic, desk)
    assert running in foot(clinic.scene(desk), WORDS)


def test_where_nobody_can_type_one_sentence_says_why(engine: Answering, desk: Desk) -> None:
    told = {"typed": {"pytorch": {"why": "switched_off", "broken": []}}}
    clinic = Clinic(catalogue.every(), Shared(engine), settings.read({}), status=lambda: told)
    assert ask(clinic, desk, "kept") is None
    desk.remember(hints=4)
    for name in ("console", "evidence"):
        desk.visit = replace(desk.visit, panel=name)  # type: ignore[arg-type]
        assert "textarea" not in panel(clinic, desk)
        assert f'data-act="{CHECK}"' not in panel(clinic, desk)
    desk.visit = replace(desk.visit, panel="console")
    assert WORDS.finding(Finding("typing_switched_off", "note", "setup")) in panel(clinic, desk)


def test_a_check_is_offered_once_its_hint_was_read(clinic: Clinic, desk: Desk) -> None:
    offered = [one for one in SCENARIO.recommended if one.hint == 1]
    assert offered
    assert 'class="chip"' not in panel(clinic, desk)
    clinic.press(desk, "hint", "")
    assert desk.visit.panel == "evidence"
    assert panel(clinic, desk).count('class="chip"') == len(offered)
    desk.visit = replace(desk.visit, panel="console")
    assert panel(clinic, desk).count('class="chip"') == len(offered)
    desk.visit = replace(desk.visit, demo=True)
    assert "chip" not in panel(clinic, desk)
    assert clinic.plan(desk, CHECK, "kept") is None
    assert clinic.plan(desk, "run", WALK) == WALK
