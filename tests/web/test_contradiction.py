"""A wrong diagnosis is answered with evidence: what was looked for and not found, or what stops."""

from __future__ import annotations

from dataclasses import replace

import pytest

from debugger import catalogue
from debugger.outcome import Evidence, Finding, NotRun, StageName
from debugger.report import StageReport
from debugger.stages import LOOKS
from debugger.stages.judging import COMMON
from debugger.web.contradiction import WITNESSES, against
from debugger.web.scene import Scene
from debugger.web.visit import NOTHING_WRONG, Case, Visit
from debugger.words import Words

WORDS = Words()
RULES = {look.name: {rule.__name__ for rule in (*COMMON, *look.rules)} for look in LOOKS}
HEAD = Evidence("table", "head", "forward", {"columns": ["what"], "rows": [["num_labels"], [3]]})
TRACE = Evidence("text", "traceback", "batch", {"text": "expected sequence of length 20"})
FORWARD = StageReport("forward", "pass", evidence=(HEAD,))
BATCH = StageReport("batch", "fail", evidence=(TRACE,))


def scene(*reports: StageReport) -> Scene:
    by_stage: dict[StageName, StageReport] = {report.stage: report for report in reports}
    scenario = catalogue.find("wrong_collator")
    return Scene(scenario, (), Visit(scenario.id), Case(), "0a0b0c0d", by_stage)


def said(code: str, stage: str = "") -> str:
    return WORDS.say("clinic", code, stage=stage)


@pytest.mark.parametrize("cause", sorted(WITNESSES))
def test_every_cause_shows_in_a_stage_that_looks_for_it(cause: str) -> None:
    stage, evidence = WITNESSES[cause]
    assert stage == "setup" or cause in RULES[stage]
    assert not evidence or WORDS.has("evidence", evidence)
    assert WORDS.has("ruled_out", cause)


def test_every_cause_that_can_be_picked_has_its_answer() -> None:
    picked = {scenario.code for scenario in catalogue.every() if scenario.code}
    assert picked <= WITNESSES.keys()


def test_what_was_looked_for_and_not_found_is_shown() -> None:
    html = against(scene(FORWARD), "one_label", WORDS)
    assert WORDS.say("ruled_out", "one_label") in html
    assert "num_labels" in html


@pytest.mark.parametrize(
    "report",
    [
        replace(FORWARD, outcome="unknown"),
        replace(FORWARD, not_run=(NotRun("one_label", "not_for_this_task"),)),
        replace(FORWARD, findings=(Finding("one_label", "look", "forward"),)),
    ],
)
def test_a_rule_that_could_not_judge_or_did_fire_rules_nothing_out(report: StageReport) -> None:
    html = against(scene(report), "one_label", WORDS)
    assert WORDS.say("ruled_out", "one_label") not in html
    assert said("not_ruled_out") in html


def test_a_script_that_stops_earlier_shows_where() -> None:
    html = against(scene(BATCH), "one_label", WORDS)
    assert said("stops_before", WORDS.say("short", "batch")) in html
    assert "expected sequence of length 20" in html


def test_who_says_that_nothing_is_wrong_is_shown_what_fails() -> None:
    html = against(scene(BATCH, FORWARD), NOTHING_WRONG, WORDS)
    assert said("not_passed", WORDS.say("short", "batch")) in html
    assert "expected sequence of length 20" in html
