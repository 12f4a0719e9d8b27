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
    RecordError,
    Visit,
    causes,
    export_record,
    import_record,
    kept_case,
    merged,
    read_address,
    read_record,
    shuffled,
    stacked,
)
from debugger.words import Words

ALL = catalogue.every()
KNOWN = {scenario.id: scenario for scenario in ALL}


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


def test_a_record_goes_through_a_file_and_back() -> None:
    record = Record(learner="0123abcd").changed("two_labels", hints=2, answers={"data": 1})
    assert import_record(export_record(record)) == record
    assert read_record(export_record(record)) == record


@pytest.mark.parametrize("text", ["", "[]", "{", '{"cases": 1}', '{"version": 2}', '{"more": 1}'])
def test_a_file_of_something_else_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(RecordError) as caught:
        import_record(text)
    said = Words().say("page", caught.value.code, place=caught.value.place)
    assert said.endswith(".")
    assert caught.value.place in said


def test_a_file_that_is_loaded_takes_nothing_away() -> None:
    mine = Record(learner="0a0b0c0d").changed("two_labels", solved=True).changed("imbalanced")
    loaded = Record(learner="ffffffff").changed("two_labels", hints=4)
    loaded = loaded.changed("one_label", solved=True).changed("imbalanced", answers={"data": 1})
    both = merged(mine, loaded)
    assert (both.learner, both.solved) == ("0a0b0c0d", {"two_labels", "one_label"})
    assert both.case("two_labels").hints == 0
    assert both.case("imbalanced").answers == {"data": 1}


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
