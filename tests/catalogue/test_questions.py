"""What questions may say: nothing that gives a cause away, and no number that no run showed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from debugger import catalogue
from debugger.catalogue.questions import (
    about_numbers,
    about_questions,
    about_what_happens,
    texts,
    with_the_longest_right,
)
from debugger.outcome import Evidence
from debugger.report import Report, StageReport

TOYS = Path(__file__).parents[1] / "toy_scenarios"
TOY = catalogue.find("good", TOYS)
ALL = catalogue.every()


def asking(scenario: catalogue.Scenario, **changed: Any) -> catalogue.Scenario:
    """The scenario with another question about its data."""
    questions = {
        **scenario.words.questions,
        "data": replace(scenario.words.questions["data"], **changed),
    }
    return replace(scenario, words=replace(scenario.words, questions=questions))


def said_of_numbers(because: str, *shown: object) -> list[str]:
    evidence = Evidence("table", "fields", "batch", {"rows": [list(shown)]})
    report = Report("pass", (StageReport("batch", "pass", evidence=(evidence,)),))
    return list(about_numbers(asking(TOY, because=(because, because)), [report]))


@pytest.mark.parametrize(("shown", "complaints"), [(30, 0), (31, 1)])
def test_what_happens_with_a_change_quotes_its_own_run(shown: int, complaints: int) -> None:
    evidence = Evidence("table", "fields", "batch", {"rows": [[shown]]})
    report = Report("pass", (StageReport("batch", "pass", evidence=(evidence,)),))
    (more_steps,) = (fix for fix in TOY.fixes if fix.id == "more_steps")
    said = replace(TOY.words.fixes["more_steps"], says="It learns 30 rows.")
    words = replace(TOY.words, fixes={**TOY.words.fixes, "more_steps": said})
    told = about_what_happens(replace(TOY, words=words), more_steps, "", [report])
    assert len(list(told)) == complaints


def test_the_right_choice_is_not_the_longest_more_often_than_by_chance() -> None:
    questions = [one for scenario in ALL for one in scenario.words.questions.values()]
    by_chance = sum(1 / len(question.choices) for question in questions)
    assert sum(len(with_the_longest_right(scenario)) for scenario in ALL) <= by_chance


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.id)
def test_no_question_and_no_title_tells_the_cause(scenario: catalogue.Scenario) -> None:
    assert len(list(texts(scenario))) > 8 * 4
    assert list(about_questions(scenario)) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"ask": "Is the learning rate too high?"}, "questions.data.ask"),
        ({"choices": ("learning_rate_too_high", "x" * 30)}, "questions.data.choices[1]"),
        ({"because": ("x", "The learning rate is far too high.")}, "questions.data.because[2]"),
    ],
)
def test_what_tells_the_cause_is_named_with_its_key(changed: dict[str, Any], said: str) -> None:
    complaints = list(about_questions(asking(TOY, **changed)))
    assert [complaint.partition(" ")[0] for complaint in complaints] == [said]


def test_a_right_choice_that_is_always_the_longest_is_complained_about() -> None:
    questions = {
        stage: replace(question, choices=("the longest of them", "short"))
        for stage, question in TOY.words.questions.items()
    }
    told = replace(TOY, words=replace(TOY.words, questions=questions))
    (complaint,) = about_questions(told)
    assert "at most 3 times" in complaint


@pytest.mark.parametrize(
    ("because", "shown"),
    [
        ("The batch has 8 rows of 24 tokens.", 24),
        ("Guessing costs 1.10.", 1.0986),
        ("30 % of the rows.", 0.3008),
        ("2,304 rows.", 2304),
        ("A rate of 1e-4.", 0.0001),
        ("The shape is [32, 3].", "[32, 3]"),
    ],
)
def test_a_number_that_was_shown_may_be_quoted(because: str, shown: object) -> None:
    assert said_of_numbers(because, shown, 3) == []


@pytest.mark.parametrize("because", ["25 tokens.", "It costs 1.11.", "31 %", "2,305 rows.", "1e-3"])
def test_a_number_that_nothing_shows_is_complained_about(because: str) -> None:
    said = said_of_numbers(because, 24, 1.0986, 0.3008, 2304, 0.0001)
    assert len(said) == 2
    assert "pytorch/good/en.toml: questions.data.because[1]" in said[0]
