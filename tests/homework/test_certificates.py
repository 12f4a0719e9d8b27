"""Certificates: what is in one, and how one that is not what it says is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from debugger.homework.certificate import (
    Checked,
    check,
    counted,
    in_text,
    issue,
    stamp,
    taken,
    together,
)
from debugger.homework.receipt import Receipt, signed
from debugger.homework.seal import KEY_BYTES, Seal
from debugger.homework.table import as_csv
from debugger.homework.task import Task

SEAL = Seal("k" * KEY_BYTES, Path("/nowhere"))
OTHER = Seal("o" * KEY_BYTES, Path("/nowhere"))
ADA, EVE = "0123abcd", "eeeeeeee"
TASK = Task("Week 3", (1001, 1002), until=500)


def receipt(case: int, at: int = 100, **more: Any) -> Receipt:
    return Receipt(**{"learner": ADA, "case": case, "how": "listed", "at": at} | more)


def handed_in(name: str, *receipts: Receipt, task: Task | None = None) -> dict[str, Any]:
    told = issue(receipts, (ADA, name), task, 900, lambda case: f"Title {case}", SEAL)
    return json.loads(json.dumps(told))


def checked(file: str, told: Any, task: Task | None = None) -> Checked:
    return check(file, told, SEAL, task)


def test_a_certificate_holds_what_was_solved_and_how_and_nothing_else() -> None:
    told = handed_in("", receipt(1001, how="typed", attempts=3, hints=2, shown=True))
    assert set(told) == {
        *("what", "version", "clinic", "name", "learner", "made", "task", "work", "seal"),
    }
    assert checked("a", told).genuine
    (work,) = told["work"]
    assert work.pop("receipt")
    assert work == {
        "case": 1001,
        "title": "Title 1001",
        "how": "typed",
        "at": stamp(100),
        "late": None,
        "attempts": 3,
        "hints": 2,
        "finding_shown": True,
    }


def test_for_a_task_it_holds_what_belongs_to_it_and_says_what_is_late() -> None:
    told = handed_in("", receipt(1001), receipt(1002, 501), receipt(1003), task=TASK)
    assert [(one["case"], one["late"]) for one in told["work"]] == [(1001, False), (1002, True)]


def test_an_instructor_measures_by_her_own_task_whatever_the_student_had() -> None:
    mine = replace(TASK, until=10**9)
    told = handed_in("", receipt(1001), receipt(1002, 501), task=mine)
    found = checked("a", told, TASK).certificate
    assert found is not None
    assert counted(found) == {"solved": 2, "typed": 0, "late": 1}


def test_a_scenario_counts_once_and_in_time_if_one_cure_of_it_was() -> None:
    told = handed_in("", receipt(1001, 100), receipt(1001, 800, how="typed"), task=TASK)
    found = checked("a", told).certificate
    assert found is not None
    assert counted(found) == {"solved": 1, "typed": 1, "late": 0}


def test_receipts_count_for_their_learner_once_and_if_this_clinic_signed_them() -> None:
    mine, hers = signed(receipt(1001), SEAL), signed(receipt(1002, learner=EVE), SEAL)
    forged = signed(receipt(1003), OTHER)
    _, clinic, mark = mine.split(".")
    changed = f"{signed(receipt(1009), SEAL).split('.')[0]}.{clinic}.{mark}"
    found, refused = taken([mine, mine, hers, forged, changed, "x", ""], ADA, SEAL)
    assert [one.case for one in found] == [1001]
    assert refused == {
        "twice": 1,
        "other_browser": 1,
        "other_clinic": 1,
        "changed": 1,
        "unreadable_token": 2,
    }
    task = SEAL.token("task", {"learner": ADA, "case": 1, "how": "listed", "at": 1})
    assert taken([task], ADA, SEAL)[1] == {"changed": 1}


CHANGES: list[dict[str, Any]] = [
    {"name": "Eve"},
    {"made": stamp(1)},
    {"work": []},
    {"learner": EVE},
    {"more": 1},
    {"seal": ""},
    {"seal": None},
    {"seal": ["x"]},
    {"seal": "\ud800"},
    {"version": 2},
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_after_it_was_signed_is_refused(change: dict[str, Any]) -> None:
    told = handed_in("Ada", receipt(1001))
    assert checked("a", told | change).reason == "changed"
    one = json.loads(json.dumps(told))
    one["work"][0]["at"] = stamp(1)
    assert checked("a", one).reason == "changed"
    del told["seal"]
    assert checked("a", told).reason == "changed"


def test_how_the_json_is_laid_out_does_not_matter() -> None:
    told = handed_in("Ädä", receipt(1001))
    for text in (
        json.dumps(told, indent=4, sort_keys=True),
        "\ufeff" + json.dumps(dict(reversed(told.items())), ensure_ascii=False),
    ):
        assert [checked("a", one).genuine for one in in_text(text)] == [True]


@pytest.mark.parametrize("told", [None, [], 1, "x", {}, {"what": "another"}, {"what": []}])
def test_what_is_no_certificate_is_said_to_be_none(told: Any) -> None:
    assert checked("a", told).reason == "no_certificate"


def test_another_clinics_certificate_is_not_taken() -> None:
    told = handed_in("Ada", receipt(1001))
    assert check("a", told, OTHER).reason == "other_clinic"
    assert check("a", told | {"clinic": OTHER.clinic}, OTHER).reason == "changed"


def test_what_a_later_version_signed_is_no_forgery() -> None:
    told = {name: value for name, value in handed_in("").items() if name != "seal"} | {"version": 2}
    assert checked("a", told | {"seal": SEAL.over("certificate", told)}).reason == "other_version"


def test_several_stand_in_one_text_and_a_broken_one_ends_it() -> None:
    ada, bob = (handed_in(name, receipt(1001)) for name in ("Ada", "Bob"))
    text = json.dumps(ada)
    assert in_text(f"{text}\n\n{json.dumps(bob)}") == [ada, bob]
    assert in_text(json.dumps([ada, bob])) == [ada, bob]
    assert in_text(f"{text}, {text[:-5]}") == [ada, None]
    twice = text.replace('"name"', '"name": "Eve", "name"', 1)
    for text in ("", "   ", "[" * 100_000, '{"a":' * 100_000, "9" * 9000, twice):
        assert in_text(text) == [None]


def test_work_that_was_passed_on_is_seen_in_both_files() -> None:
    shared, own = receipt(1001), receipt(1002)
    files = [
        checked("ada", handed_in("Ada", shared, own)),
        checked("eve", handed_in("Eve", shared)),
        checked("bob", handed_in("Bob", receipt(1001))),
    ]
    found = together(files)
    assert [(one.file, one.reason, one.others) for one in found] == [
        ("ada", "passed_on", ("eve",)),
        ("eve", "passed_on", ("ada",)),
        ("bob", "", ()),
    ]


def test_the_same_file_twice_is_passed_on_and_a_later_one_of_the_same_name_is_not() -> None:
    first = handed_in("Ada", receipt(1001))
    assert not any(one.genuine for one in together([checked("a", first), checked("b", first)]))
    one = receipt(1001)
    later = [
        checked("a", handed_in("Ada", one)),
        checked("b", handed_in("Ada", one, receipt(1002))),
    ]
    assert all(one.genuine for one in together(later))
    nameless = [checked("a", handed_in("", one)), checked("b", handed_in("", one, receipt(1002)))]
    assert not any(one.genuine for one in together(nameless))


def test_a_table_has_a_line_each_and_computes_nothing() -> None:
    files = [
        checked("=cmd()", handed_in("@SUM(A1)", receipt(1001), receipt(1002, how="typed"))),
        checked('a,"b', None),
    ]
    lines = as_csv(files).splitlines()
    assert lines[1] == f"'=cmd(),'@SUM(A1),1,,2,1,0,{stamp(100)},1001 1002"
    assert lines[2] == '"a,""b",,0,no_certificate,,,,,'
