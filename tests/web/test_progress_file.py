"""A file of progress: what goes in comes out, and what is loaded takes nothing away."""

from __future__ import annotations

import json

import pytest

from debugger import catalogue
from debugger.web.catalogue_page import left_out
from debugger.web.progress_file import RecordError, export_record, import_record, merged
from debugger.web.visit import MOST_CASES, Case, Record
from debugger.words import Words

WORDS = Words()
KNOWN = {scenario.id: scenario for scenario in catalogue.every()}
EARLY, LATE = "2026-11-12T10:00:00Z", "2026-11-20T10:00:00Z"


def test_a_record_goes_through_a_file_and_back() -> None:
    record = Record(learner="0123abcd").changed("two_labels", hints=2, answers={"data": 1}, at=LATE)
    loaded, wrong = import_record(export_record(record))
    assert (loaded.cases, wrong) == (record.cases, [])


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "[" * 5000, '{"cases": 1}', '{"more": 1}', '{"cases": {}, "version": 2}'],
)
def test_a_file_of_something_else_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(RecordError) as caught:
        import_record(text)
    assert WORDS.say("page", caught.value.code).endswith(".")


def test_a_damaged_case_is_left_out_by_its_title_and_the_others_are_taken() -> None:
    cases = {
        "two_labels": {"answers": {"setup": "x"}},
        "imbalanced": {"solved": True},
        "never_heard_of": {"hints": 99},
        "x" * 90: {},
    }
    loaded, wrong = import_record(json.dumps({"version": 1, "cases": cases}))
    assert (set(loaded.cases), loaded.solved) == ({"imbalanced"}, {"imbalanced"})
    said = left_out(wrong, KNOWN, WORDS)
    none = WORDS.say("page", "of_no_scenario")
    title = KNOWN["two_labels"].words.title
    assert said.strip() == WORDS.say("page", "left_out", count=3, titles=f"{title}; {none}")
    assert "two_labels" not in said
    assert left_out([], KNOWN, WORDS) == ""


def test_a_file_that_is_loaded_takes_nothing_away() -> None:
    mine = Record(learner="0a0b0c0d").changed("two_labels", solved=True).changed("imbalanced")
    loaded = Record(learner="ffffffff").changed("two_labels", hints=4)
    loaded = loaded.changed("one_label", solved=True).changed("imbalanced", answers={"data": 1})
    both = merged(mine, loaded)
    assert (both.learner, both.solved) == ("0a0b0c0d", {"two_labels", "one_label"})
    assert both.case("two_labels").hints == 0
    assert both.case("imbalanced").answers == {"data": 1}


def both(mine: Case, loaded: Case) -> Case:
    return merged(Record(cases={"a": mine}), Record(cases={"a": loaded})).case("a")


def test_of_two_the_first_time_it_was_solved_stays_and_the_last_time_it_was_touched() -> None:
    old = Case(solved=True, solved_at=EARLY, at=EARLY)
    new = Case(solved=True, solved_at=LATE, again_at=LATE, at=LATE)
    for case in (both(old, new), both(new, old)):
        assert (case.solved_at, case.again_at, case.at) == (EARLY, LATE, LATE)


def test_an_old_file_does_not_undo_that_a_case_was_started_over() -> None:
    old = Case(solved=True, solved_at=EARLY, at=EARLY, cause="x", sure="guess", hints=1)
    afresh = Record(cases={"a": old}).restarted("a", LATE).case("a")
    assert both(afresh, old) == both(old, afresh) == afresh


def test_the_first_diagnosis_is_not_lost_to_a_case_that_got_further() -> None:
    afresh = Case(first="imbalanced", first_sure="certain", answers={"data": 1})
    solved = Case(solved=True, cause="one_label", sure="guess")
    assert both(afresh, solved).diagnosis == ("imbalanced", "certain")


def test_a_record_and_a_file_are_never_too_many_cases_together() -> None:
    mine = Record(cases={f"a{number}": Case() for number in range(MOST_CASES)})
    loaded, wrong = import_record(
        json.dumps({"cases": {f"b{number}": {} for number in range(MOST_CASES + 2)}})
    )
    assert len(wrong) == 2
    assert merged(mine, loaded).cases == mine.cases
