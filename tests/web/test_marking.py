"""Rows that the learner marks, and what the healthy twin's rows say to it."""

from __future__ import annotations

from debugger import catalogue
from debugger.report import StageReport
from debugger.web.marking import marking
from debugger.web.scene import Scene
from debugger.web.visit import Case, Visit
from debugger.words import Words

WORDS = Words()


def rows(*labels: str) -> StageReport:
    judged = [[f"dog {number}", label] for number, label in enumerate(labels)]
    return StageReport("data", "pass", measured={"train": {"judged": judged}})


def shown(case: Case, twin: StageReport | None = None, changes: tuple[str, ...] = ()) -> str:
    scenario = catalogue.find("shuffled_labels")
    visit = Visit(scenario.id, stage="data", changes=changes)
    known = {"data": rows("yes", "no", "no")}
    scene = Scene(scenario, (), visit, case, "0a0b0c0d", known, twin_data=twin)  # type: ignore[arg-type]
    return marking(scene, WORDS)


def said(code: str, **numbers: object) -> str:
    return WORDS.say("marking", code, **numbers)


def test_rows_are_marked_and_taken_back_before_the_twin_is_asked() -> None:
    html = shown(Case(marks=(1,)))
    assert html.count('data-act="mark"') == 3
    assert html.count('aria-pressed="true"') == 1
    assert "dog 1" in html


def test_the_twin_has_the_last_word_on_every_row() -> None:
    html = shown(Case(marks=(0, 1), marked=True), rows("yes", "yes", "yes"))
    assert said("right_marked", row=1, label="yes") in html
    assert said("wrong_marked", row=2, label="no", other="yes") in html
    assert said("wrong_missed", row=3, label="no", other="yes") in html
    assert "data-act" not in html


def test_rows_that_all_fit_are_told_so() -> None:
    assert said("all_fit", rows=3) in shown(Case(marked=True), rows("yes", "no", "no"))


def test_rows_with_other_texts_than_the_twins_are_not_compared() -> None:
    other = StageReport("data", "pass", measured={"train": {"judged": [["cat", "yes"]]}})
    assert said("other_texts") in shown(Case(marks=(0,), marked=True), other)


def test_a_changed_script_has_nothing_to_mark() -> None:
    assert shown(Case(), changes=("a_change",)) == ""
