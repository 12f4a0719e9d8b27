"""What a tab shows and what a browser keeps."""

from __future__ import annotations

import json
import re

import pytest

from debugger import catalogue
from debugger.web.visit import (
    NOTHING_WRONG,
    LinkError,
    Record,
    Visit,
    causes,
    kept_case,
    read_address,
    read_record,
    shuffled,
    stacked,
)
from debugger.words import Words

ALL = catalogue.every()
KNOWN = {scenario.id: scenario for scenario in ALL}
AT, LATER = "2026-11-12T10:00:00Z", "2026-11-20T10:00:00Z"


def test_an_address_brings_the_same_view_back() -> None:
    visit = Visit("two_labels", "batch", ("three_labels",), "en", present=True, panel="evidence")
    assert read_address(visit.address, KNOWN) == visit
    assert read_address(Visit("two_labels").address, KNOWN) == Visit("two_labels")


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.id)
def test_an_address_does_not_tell_what_is_wrong_and_an_old_one_leads_to_it(
    scenario: catalogue.Scenario,
) -> None:
    visit = read_address(f"scenario={scenario.id}&stage=batch", KNOWN)
    assert visit.scenario == scenario.id
    assert re.fullmatch(r"\?case=\d{4}&stage=batch", visit.address)
    assert read_address(visit.address, KNOWN) == visit


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("scenario=two_labels&stage=nonsense", Visit("two_labels", lost=True)),
        ("scenario=two_labels&fixes=no_such_fix", Visit("two_labels", lost=True)),
        ("case=2587&changes=1111", Visit("two_labels", lost=True)),
        ("scenario=two_labels&fixes=three_labels,three_labels", Visit("two_labels", lost=True)),
        ("scenario=two_labels&lang=<script>", Visit("two_labels")),
    ],
)
def test_what_an_address_gets_wrong_is_left_out_and_said(query: str, expected: Visit) -> None:
    assert read_address(query, KNOWN) == expected


@pytest.mark.parametrize(("query", "code"), [("", "no_name"), ("scenario=x", "no_scenario")])
def test_a_link_that_leads_nowhere_says_why(query: str, code: str) -> None:
    with pytest.raises(LinkError) as caught:
        read_address(query, KNOWN)
    assert caught.value.code == code
    assert Words().has("clinic", code)


@pytest.mark.parametrize("kept", ["", "{}", "7", "x", "[]", '{"cases": 3, "learner": 4}'])
def test_a_browser_that_keeps_nonsense_starts_afresh(kept: str) -> None:
    record = read_record(kept)
    assert record.cases == {}
    assert re.fullmatch("[0-9a-f]{8}", record.learner)


def test_one_case_that_cannot_be_read_does_not_take_the_others_along() -> None:
    kept = {"learner": "0a0b0c0d", "cases": {"a": {"hints": 99}, "b": {"solved": True}, "c": 1}}
    record = read_record(json.dumps(kept))
    assert (record.learner, record.solved, set(record.cases)) == ("0a0b0c0d", {"b"}, {"b"})


def test_a_tab_tells_its_browser_about_its_own_scenario_only() -> None:
    record = Record(learner="0a0b0c0d").changed("two_labels", hints=1).changed("imbalanced")
    told = json.loads(kept_case(record, "two_labels"))
    assert (told["learner"], told["scenario"], told["case"]["hints"]) == (
        "0a0b0c0d",
        "two_labels",
        1,
    )
    assert json.loads(kept_case(record, "one_label"))["case"] is None


@pytest.mark.parametrize("at", ["2026-02-30T10:00:00Z", "2026-11-12", "soon", 7, "x" * 90])
def test_a_case_with_a_time_that_never_was_is_left_out(at: object) -> None:
    kept = {"learner": "0a0b0c0d", "cases": {"a": {"at": at}, "b": {"at": "2026-11-12T10:00:00Z"}}}
    assert set(read_record(json.dumps(kept)).cases) == {"b"}


def test_what_older_clinics_kept_is_still_read() -> None:
    kept = {"answers": {"data": 1}, "cause": "one_label", "sure": "guess", "ran": {"": ["data"]}}
    case = read_record(json.dumps({"learner": "0a0b0c0d", "cases": {"a": kept}})).case("a")
    assert (case.at, case.diagnosis) == (None, ("one_label", "guess"))


def test_a_case_that_is_started_over_stays_solved_and_keeps_its_first_diagnosis() -> None:
    first = {"missed": "imbalanced", "missed_sure": "certain", "cause": "one_label"}
    record = Record().changed("a", solved=True, solved_at=AT, answers={"data": 1}, **first)
    case = record.restarted("a", LATER).case("a")
    assert (case.solved, case.done, case.alone, case.solved_at) == (True, False, True, AT)
    assert (case.answers, case.cause, case.missed, case.at) == ({}, None, None, LATER)
    assert case.diagnosis == ("imbalanced", "certain")
    again = record.changed("a", hints=3).restarted("a", AT).changed("a", cause="x", sure="guess")
    assert again.restarted("a", LATER).case("a").diagnosis == ("imbalanced", "certain")
    assert not again.case("a").alone


def test_a_case_with_nothing_to_keep_is_forgotten_when_it_is_started_over() -> None:
    record = Record().changed("a", answers={"data": 1}, hints=2, tried=("b",), at=AT)
    assert record.restarted("a", LATER).cases == {}


def test_learners_get_lists_in_orders_of_their_own() -> None:
    orders = {tuple(shuffled(range(6), f"{n}", "two_labels")) for n in range(20)}
    assert len(orders) > 10
    assert shuffled(range(6), "a") == shuffled(range(6), "a")


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.id)
def test_the_right_cause_is_always_among_the_answers_and_so_is_nothing(
    scenario: catalogue.Scenario,
) -> None:
    offered = causes(scenario, ALL, "0a0b0c0d")
    assert offered[-1] == NOTHING_WRONG
    assert len(offered) == len(set(offered)) >= 4
    if scenario.code:
        assert scenario.code in offered
    assert all(Words().has("cause", code) for code in offered)


def test_a_change_that_does_not_fit_takes_the_place_of_the_last_ones() -> None:
    scenario = KNOWN["two_labels"]
    assert stacked(scenario, (), "four_labels") == ("four_labels",)
    assert stacked(scenario, ("four_labels",), "three_labels") == ("three_labels",)
