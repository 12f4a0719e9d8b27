"""One example in a strip over the stages: as far as it gets, as open as the stages themselves."""

from __future__ import annotations

from typing import Any

from debugger import catalogue
from debugger.evidence.tables import say
from debugger.outcome import Evidence, StageName
from debugger.report import StageReport
from debugger.web.journey import STOPS, journey
from debugger.web.scene import Scene
from debugger.web.visit import LOOKED, Case, Visit
from debugger.words import Words

WORDS = Words()
SAMPLE = {"tokens": ["[CLS]", "dog"], "mask": [1, 1], "rows": [[say("label"), "2 (bird)"]]}
ANSWER = {"rows": [[say("logits"), [0.1, 0.2]], [say("label"), 2]]}
ERROR = {"exception": "IndexError", "message": "Target 2 is out of bounds.", "frames": []}
STOPPED: dict[StageName, StageReport] = {
    "data": StageReport("data", "pass"),
    "batch": StageReport(
        "batch", "pass", evidence=(Evidence("example", "example", "batch", SAMPLE),)
    ),
    "forward": StageReport(
        "forward",
        "fail",
        evidence=(
            Evidence("traceback", "traceback", "forward", ERROR),
            Evidence("example", "example_forward", "forward", ANSWER),
        ),
    ),
    "step": StageReport("step", "not run"),
}
ANSWERED: dict[StageName, int] = dict.fromkeys(STOPS, LOOKED)


def strip(case: Case, **known: Any) -> str:
    scenario = catalogue.find("two_labels")
    visit = Visit("two_labels", side="journey")
    return journey(Scene(scenario, (), visit, case, "0a0b0c0d", **known), WORDS)


def test_the_strip_is_red_where_the_example_goes_wrong_and_ends_there() -> None:
    html = strip(Case(answers=ANSWERED), reports=STOPPED)
    assert html.count('class="fail"') == 1
    assert "IndexError: Target 2 is out of bounds." in html
    assert "[0.1, 0.2]" in html
    assert "dog" in html
    assert html.count(WORDS.say("journey", "never_there")) == 2


def test_a_stage_whose_question_is_open_stays_folded_in_both_strips() -> None:
    answers: dict[StageName, int] = {"data": LOOKED, "batch": LOOKED}
    html = strip(Case(answers=answers), reports=STOPPED, beside=STOPPED)
    assert "IndexError" not in html
    assert html.count("dog") == 2
    assert html.count(WORDS.say("journey", "folded")) == 2 * 3


def test_the_twin_is_run_by_who_asks_for_it() -> None:
    button = 'data-act="run" data-with="twin"'
    assert button in strip(Case(answers=ANSWERED), reports=STOPPED)
    html = strip(Case(answers=ANSWERED), reports=STOPPED, beside=STOPPED)
    assert button not in html
    assert WORDS.say("journey", "twin") in html
