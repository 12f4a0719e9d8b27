"""A receipt is given for what the clinic has proved, and for nothing that a browser says."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from debugger import catalogue, settings
from debugger.homework.receipt import Receipt, read
from debugger.homework.seal import KEY_BYTES, Seal
from debugger.outcome import STAGES, Event, Outcome, StageEnded, StageStarted
from debugger.run import WALK
from debugger.web.clinic import Clinic
from debugger.web.desk import Desk
from debugger.web.progress_file import export_record, import_record, merged
from debugger.web.visit import NOTHING_WRONG, Case, Record, Visit, name_of
from debugger.words import Words
from debugger.workers.sharing import Shared
from tests.web.test_desk import Told

SEAL = Seal("k" * KEY_BYTES, Path("/nowhere"))
CASE = catalogue.find("two_labels")
DECOY = next(one for one in catalogue.every() if one.decoy)
TRAINED = {"losses": [1.1, 0.6], "steps": 20, "accuracy": 0.8}
WELL: list[Event] = [
    event
    for stage in STAGES
    for event in (
        StageStarted(stage),
        StageEnded(stage, "pass", 0.1, measured=TRAINED if stage == "train" else {}),
    )
]
ADA = Record(learner="0123abcd")


def clinic_that(*events: Event, seal: Seal | None = SEAL) -> Clinic:
    engine = Shared(Told(*events), grace=0.1)
    return Clinic(catalogue.every(), engine, settings.read({}), seal=seal)


def healthy(seal: Seal | None = SEAL) -> Clinic:
    return clinic_that(*WELL, Outcome("pass", "cpu", 1.0), seal=seal)


def desk_with(changes: tuple[str, ...] = CASE.twin_fixes, record: Record = ADA) -> Desk:
    return Desk(Visit(CASE.id, panel="evidence", changes=changes), record)


def walked(clinic: Clinic, desk: Desk) -> list[Receipt]:
    walk(clinic, desk)
    return given(desk)


def walk(clinic: Clinic, desk: Desk) -> None:
    async def through() -> None:
        async for _ in clinic.follow(desk, WALK):
            pass

    with ThreadPoolExecutor(1) as aside:  # in this thread a browser's loop may be running
        aside.submit(lambda: asyncio.run(through())).result()


def given(desk: Desk) -> list[Receipt]:
    return [read(token, SEAL) for token in desk.record.case(desk.visit.scenario).receipts]


def test_a_proved_cure_is_signed_once_with_what_it_took() -> None:
    clinic, desk = healthy(), desk_with()
    desk.remember(hints=2, opened=True)
    (receipt,) = walked(clinic, desk)
    told = (receipt.learner, receipt.case, receipt.how, receipt.attempts, receipt.hints)
    assert told == ("0123abcd", CASE.number, "listed", 1, 2)
    assert receipt.shown
    assert walked(clinic, desk) == [receipt]


def test_nothing_is_signed_for_what_fails_or_was_shown_or_is_demonstrated() -> None:
    failing = [StageStarted("forward"), StageEnded("forward", "fail", 0.1)]
    assert walked(clinic_that(*failing, Outcome("fail", "cpu", 1.0)), desk_with()) == []
    shown = desk_with()
    shown.remember(peeked=True)
    assert walked(healthy(), shown) == []
    shows = desk_with()
    shows.visit = replace(shows.visit, demo=True)
    assert walked(healthy(), shows) == []


def test_what_a_browser_says_that_it_has_solved_and_run_is_signed_by_nobody() -> None:
    said = Case(solved=True, ran={"+".join(CASE.twin_fixes): STAGES}, sure="certain")
    desk = desk_with(record=replace(ADA, cases={CASE.id: said}))
    clinic = healthy()
    for act, with_ in (("sure", "certain"), ("stage", "train"), ("panel", "fix"), ("open", "")):
        clinic.press(desk, act, with_)
    assert given(desk) == []


def test_a_receipt_that_was_made_up_neither_counts_nor_stands_in_the_way() -> None:
    forged = Seal("o" * KEY_BYTES, Path("/nowhere")).token("receipt", {"case": CASE.number})
    held = Case(receipts=(forged, "x" * 400))
    desk = desk_with(record=replace(ADA, cases={CASE.id: held}))
    walk(healthy(), desk)
    assert read(desk.record.case(CASE.id).receipts[-1], SEAL).case == CASE.number


def test_leaving_a_healthy_script_alone_is_signed_when_it_was_seen_to_be_healthy() -> None:
    desk = Desk(Visit(DECOY.id, panel="evidence"), ADA)
    desk.remember(cause=NOTHING_WRONG)
    clinic = healthy()
    clinic.press(desk, "sure", "certain")
    assert given(desk) == []
    desk.remember(sure=None)
    walked(clinic, desk)
    clinic.press(desk, "sure", "certain")
    assert [one.how for one in given(desk)] == ["left_alone"]


def test_a_cure_is_a_cure_where_nothing_can_be_signed(tmp_path: Path) -> None:
    file = tmp_path / "no" / "clinic.key"
    file.parent.write_text("no folder")
    for seal in (None, Seal("", file)):
        desk = desk_with()
        assert walked(healthy(seal), desk) == []
        assert desk.record.case(CASE.id).solved


def test_receipts_outlive_a_new_start_and_a_file_and_go_along_to_a_new_browser() -> None:
    desk = desk_with()
    first = walked(healthy(), desk)
    fresh = desk.record.restarted(CASE.id, "2026-11-23T00:00:00Z")
    loaded, wrong = import_record(export_record(fresh))
    assert wrong == []
    phone = merged(Record(learner="99999999"), loaded)
    assert (phone.learner, phone.cases[CASE.id].receipts) == (
        "0123abcd",
        desk.record.case(CASE.id).receipts,
    )
    busy = merged(Record(learner="99999999").changed("one_label", hints=1), loaded)
    assert busy.learner == "99999999"
    again = Desk(desk_with().visit, busy)
    receipts = walked(healthy(), again)
    assert [one.learner for one in receipts] == ["0123abcd", "99999999"]
    assert receipts[0] == first[0]


@pytest.mark.parametrize("seen", ["opened", "peeked"])
def test_starting_over_does_not_hide_that_the_answer_was_seen(seen: str) -> None:
    desk = desk_with()
    desk.remember(**{seen: True})
    again = Desk(desk.visit, desk.record.restarted(CASE.id, "2026-11-23T00:00:00Z"))
    assert [one.shown for one in walked(healthy(), again)] == [True]
    assert [one.shown for one in walked(healthy(), desk_with())] == [False]


def test_a_typed_repair_is_signed_as_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("debugger.web.scene.proven", lambda found, *_: found)
    desk, text = desk_with(()), CASE.twin.replace("\n", "\n\n", 1)
    desk.remember(typed=text)
    desk.go_to(changes=(name_of(text),))
    assert [one.how for one in walked(healthy(), desk)] == ["typed"]


def test_why_a_receipt_is_left_out_is_said() -> None:
    for code in ("twice", "other_browser", "other_clinic", "changed", "unreadable_token"):
        assert Words().say("homework", code).endswith(".")
