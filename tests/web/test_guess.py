"""What the page of the diagnosis shows once something was said, or changed."""

from __future__ import annotations

from debugger import catalogue
from debugger.web.guess import diagnosis
from debugger.web.scene import Scene
from debugger.web.visit import Case, Visit
from debugger.words import Words

WORDS = Words()


def shown(case: Case, changes: tuple[str, ...] = ("three_labels",)) -> str:
    scenario = catalogue.find("one_label")
    visit = Visit(scenario.id, stage="forward", changes=changes)
    return diagnosis(Scene(scenario, (), visit, case, "0a0b0c0d", {}), WORDS)


def said(code: str, cause: str = "one_label") -> str:
    return WORDS.say("clinic", code, cause=WORDS.say("cause", cause))


def test_what_was_said_stays_there_while_the_script_is_repaired() -> None:
    assert said("cause_right") in shown(Case(cause="one_label", sure="fairly"))
    wrong = shown(Case(cause="imbalanced", sure="fairly"))
    assert said("cause_wrong", "imbalanced") in wrong
    assert said("cause_told") in wrong


def test_who_asked_to_be_told_finds_it_there_again() -> None:
    assert said("cause_told") in shown(Case(opened=True))


def test_a_changed_script_is_not_judged_and_the_way_back_is_told() -> None:
    html = shown(Case())
    assert WORDS.say("clinic", "judged_unchanged") in html
    assert "data-act" not in html
