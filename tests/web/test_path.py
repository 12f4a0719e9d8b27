"""Mastery, sureness, and where to go on, from records and toy catalogues. Nothing runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from debugger import catalogue
from debugger.catalogue import Scenario
from debugger.web.path import (
    Judged,
    Mastery,
    advice,
    after,
    calibration,
    due,
    go_on,
    mastery,
    resumable,
    suggested,
)
from debugger.web.times import stamp
from debugger.web.visit import NOTHING_WRONG, Case, Record, Sureness
from debugger.words import Words

TWO_LABELS = catalogue.find("two_labels")
DECOY = catalogue.find("nothing_wrong")
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def toy(name: str, code: str, order: int, **facts: object) -> Scenario:
    return replace(TWO_LABELS, id=name, code=code, order=order, **facts)


HEAD = toy("head", "label_outside_head", 10, symptom="crash")
HEAD_AGAIN = toy("head_again", "label_outside_head", 60, symptom="no_learning")
HEAD_TOO = toy("head_too", "one_label", 50, symptom="false_number", difficulty=2)
HEAD_HARD = toy("head_hard", "loss_expects_probabilities", 20, difficulty=3)
METRIC = toy("metric", "label_order", 30, symptom="false_number")
METRIC_TOO = toy("metric_too", "blind_training", 70)
DATA = toy("data", "raw_text", 40)
DATA_TOO = toy("data_too", "imbalanced", 80)
FINE, FINE_TOO = replace(DECOY, id="fine", order=45), replace(DECOY, id="fine_too", order=90)
ALL = [HEAD, HEAD_HARD, METRIC, DATA, FINE, HEAD_TOO, HEAD_AGAIN, METRIC_TOO, DATA_TOO, FINE_TOO]


def ago(days: float) -> str:
    return stamp(NOW - timedelta(days=days))


def record(**cases: Case) -> Record:
    return Record(cases=dict(cases))


def right(scenario: Scenario, days: float = 1, sure: Sureness = "fairly") -> Case:
    """Solved, and seen through at once."""
    cause = scenario.code or NOTHING_WRONG
    return Case(solved=True, solved_at=ago(days), at=ago(days), cause=cause, sure=sure)


def wrong(days: float = 1) -> Case:
    return Case(
        at=ago(days), missed="pads_from_map", missed_sure="certain", cause="x", sure="guess"
    )


def named(scenario: Scenario | None) -> str:
    return "" if scenario is None else scenario.id


def test_mastery_counts_what_is_solved_and_what_of_it_without_a_hint() -> None:
    known = record(head=right(HEAD), head_too=replace(right(HEAD_TOO), hints=1), metric=wrong())
    assert mastery(known, ALL) == [
        Mastery("data", 0, 0, 2),
        Mastery("head", 2, 1, 4),
        Mastery("metric", 0, 0, 2),
        Mastery("leave_alone", 0, 0, 2),
    ]


def test_starting_over_takes_no_mastery_away() -> None:
    known = record(head=right(HEAD)).restarted("head", ago(0))
    assert Mastery("head", 1, 1, 4) in mastery(known, ALL)
    assert Mastery("head", 1, 1, 4) in mastery(known.changed("head", hints=4), ALL)


def test_only_the_first_diagnosis_of_a_case_is_counted() -> None:
    known = record(
        head=right(HEAD, sure="certain"),
        data=replace(wrong(), cause="raw_text"),
        fine=right(FINE, sure="guess"),
        metric=Case(cause="label_order"),
    )
    assert calibration(known, ALL) == [Judged("certain", 1, 2), Judged("guess", 1, 1)]
    over = known.restarted("data", ago(0)).changed("data", cause="raw_text", sure="guess")
    assert calibration(over, ALL) == calibration(known, ALL)
    assert calibration(Record(), ALL) == []


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        ([Judged("certain", 5, 7)], ("look_once_more", 2)),
        ([Judged("certain", 0, 1)], ("look_once_more", 1)),
        ([Judged("certain", 19, 20)], ("well_judged", 19)),
        ([Judged("certain", 1, 1), Judged("fairly", 0, 1)], ("too_early", 2)),
        ([Judged("certain", 2, 2), Judged("guess", 2, 3)], ("better_than_guessed", 2)),
        ([Judged("certain", 3, 3), Judged("guess", 1, 2)], ("well_judged", 3)),
        ([Judged("fairly", 2, 4)], ("never_certain", 4)),
    ],
)
def test_one_sentence_says_what_the_sureness_means(
    judged: list[Judged], expected: tuple[str, int]
) -> None:
    assert advice(judged) == expected
    assert Words().say("path", expected[0], count=expected[1]).endswith(".")


def test_what_was_worked_on_last_is_resumed() -> None:
    begun = record(head=Case(at=ago(3)), metric=Case(at=ago(2)), data=right(DATA, 1))
    assert named(resumable(begun, ALL)) == "metric"
    assert named(resumable(begun.restarted("data", ago(0)), ALL)) == "data"
    assert named(resumable(record(head=Case()), ALL)) == "head"


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("head", right(HEAD)),
        ("head", Case(peeked=True)),
        ("fine", Case(cause="raw_text", sure="certain")),
    ],
)
def test_what_cannot_be_solved_any_more_is_not_resumed(name: str, case: Case) -> None:
    assert resumable(record(**{name: case}), ALL) is None


def test_after_a_cure_without_a_miss_the_next_in_the_courses_order_comes() -> None:
    known = record(data=right(DATA, 2), metric=right(METRIC, 1))
    assert named(suggested(known, ALL)) == "fine"
    known = record(fine_too=right(FINE_TOO))
    assert named(suggested(known, ALL)) == "head"
    assert suggested(Record(), []) is None


@pytest.mark.parametrize(
    "miss",
    [
        wrong(),
        replace(right(HEAD), hints=1),
        replace(right(HEAD), tried=("pray",)),
        Case(at=ago(1), peeked=True),
        Case(at=ago(1), opened=True),
    ],
    ids=["wrong diagnosis", "hint", "wrong repair", "solution", "told"],
)
def test_after_any_miss_another_of_its_skill_and_of_about_its_level_comes(miss: Case) -> None:
    wrong_fix = replace(TWO_LABELS.fixes[0], id="pray", right=False)
    scenarios = [replace(HEAD, fixes=(*HEAD.fixes, wrong_fix)), *ALL[1:]]
    assert named(suggested(record(head=miss), scenarios)) == "head_too"
    assert named(suggested(record(head=miss), scenarios, {"head_too"})) == "head_again"
    without = [s for s in scenarios if not s.id.startswith("head_")]
    assert named(suggested(record(head=miss), without)) == "metric"


def test_a_miss_is_made_up_for_by_the_next_of_its_skill() -> None:
    known = record(head=wrong(3), head_too=right(HEAD_TOO, 1))
    assert named(suggested(known, ALL)) == "head_again"
    known = record(head=wrong(3), metric=right(METRIC, 1))
    assert named(suggested(known, ALL)) == "head_too"
    known = record(head_too=wrong(3), metric=right(METRIC, 1), head=right(HEAD, 2))
    assert named(suggested(known, ALL)) == "data"


def test_what_a_skill_stands_on_comes_before_it() -> None:
    known = record(data=wrong(3), metric=wrong(1), fine=wrong(2))
    assert named(suggested(known, ALL)) == "fine_too"
    known = record(data=wrong(3), metric=wrong(1))
    assert named(suggested(known, ALL)) == "data_too"


def test_a_case_under_way_steers_nothing_for_that_would_tell_its_skill() -> None:
    open_cases = (Case(at=ago(0)), Case(at=ago(0), hints=4, tried=("two",), seen=True))
    told = {named(suggested(record(data=right(DATA), metric=case), ALL)) for case in open_cases}
    assert told == {"fine"}


def test_the_cause_comes_back_in_another_script_once_it_is_solved() -> None:
    known = record(head=right(HEAD))
    assert named(after(HEAD, known, ALL).familiar) == "head_again"
    assert named(after(HEAD, known.restarted("head", ago(0)), ALL).familiar) == ""
    assert after(HEAD, record(head=Case(at=ago(1))), ALL).familiar is None
    assert after(HEAD, known.changed("head_again", seen=True), ALL).familiar is None
    assert named(after(HEAD, known, ALL).suggested) == "head_hard"


def test_a_week_after_it_was_solved_a_case_is_asked_about_again() -> None:
    assert due(record(head=right(HEAD, 6.9)), ALL, NOW) == (None, 0)
    assert due(record(head=right(HEAD, 8), data=right(DATA, 9)), ALL, NOW) == (DATA, 9)
    assert due(record(head=replace(right(HEAD, 30), again_at=ago(2))), ALL, NOW) == (None, 0)
    assert due(record(head=right(HEAD, 30)).restarted("head", ago(0)), ALL, NOW) == (None, 0)
    assert due(record(head=Case(solved=True)), ALL, NOW) == (None, 0)
    assert due(record(head=right(HEAD, -3)), ALL, NOW) == (None, 0)


def test_a_disguise_that_was_solved_since_counts_for_what_it_disguises() -> None:
    known = record(head=right(HEAD, 30), head_again=right(HEAD_AGAIN, 2))
    assert due(known, ALL, NOW) == (None, 0)
    assert due(known, ALL, NOW + timedelta(days=5)) == (HEAD_AGAIN, 7)
    fine = record(fine=right(FINE, 9), fine_too=right(FINE_TOO, 1))
    assert due(fine, ALL, NOW) == (FINE, 9)


def test_the_first_page_offers_each_case_once() -> None:
    known = record(head=right(HEAD, 9), metric=Case(at=ago(0)), data=wrong(2))
    offer = go_on(known, ALL, NOW)
    assert [named(one) for one in (offer.resume, offer.again, offer.familiar)] == [
        "metric",
        "head",
        "head_again",
    ]
    assert (offer.days, named(offer.suggested)) == (9, "data_too")
    assert named(go_on(record(head=Case(at=ago(0))), ALL, NOW).suggested) == "head_hard"
