"""What a learner has done and where to go on, as parts of the first page. All is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from debugger.catalogue import Scenario, ScenarioError
from debugger.catalogue.skills import BEFORE, PATH
from debugger.evidence.markup import escape
from debugger.web.buttons import button
from debugger.web.languages import linked
from debugger.web.path import Mastery, advice, calibration, go_on, mastery
from debugger.web.visit import Case, Record, Visit, script_of
from debugger.words import Words


def path(words: Words) -> str:
    """The skills in one line, for who has not begun: what there is to learn, and in which order."""
    steps = "".join(f"<li>{escape(words.say('skill', skill))}</li>" for skill in PATH)
    label = f'<span id="path">{escape(words.say("path", "to_learn"))}</span>'
    return f'<div class="path">{label}<ol aria-labelledby="path">{steps}</ol></div>'


def band(scenarios: Sequence[Scenario], words: Words, record: Record, now: datetime) -> str:
    """Where to go on. Why one is suggested is not said: that would tell its cause."""
    offer = go_on(record, scenarios, now)
    steps: list[str] = []
    if offer.resume is not None:
        case = record.case(offer.resume.id)
        address = _left_at(offer.resume, case, words)
        steps.append(_step("resume", offer.resume, words, address, _where(case, words)))
    if offer.again is not None:
        steps.append(_again(offer.again, offer.days, words))
    for code, scenario in (("familiar", offer.familiar), ("suggested", offer.suggested)):
        if scenario is not None:
            address = linked(f"clinic?case={scenario.number}", words)
            steps.append(_step(code, scenario, words, address, _about(scenario, words)))
    if not steps:
        return ""
    head = escape(words.say("path", "go_on"))
    return (
        f'<section class="go-on" aria-labelledby="go-on"><h2 id="go-on">{head}</h2>'
        f"<ul>{''.join(steps)}</ul></section>"
    )


def _step(code: str, scenario: Scenario, words: Words, address: str, about: str) -> str:
    return (
        f'<li class="{code}"><a href="{address}"><span>{escape(words.say("path", code))}</span>'
        f"<b>{escape(scenario.words.title)}</b><small>{escape(about)}</small></a></li>"
    )


def _again(scenario: Scenario, days: int, words: Words) -> str:
    """The same script once more: it is started over, and asks before it forgets the answers."""
    start = button(
        escape(words.say("path", "start_again")),
        "again",
        str(scenario.number),
        "plain",
        data_ask=words.say("path", "start_again_sure"),
        aria_describedby="again",
    )
    ago = escape(words.say("path", "solved_ago", days=days))
    asked, title = escape(words.say("path", "again")), escape(scenario.words.title)
    return (
        f'<li><div class="again"><span>{asked}</span><b id="again">{title}</b>'
        f"<p><small>{ago}</small>{start}</p></div></li>"
    )


def _left_at(scenario: Scenario, case: Case, words: Words) -> str:
    """The address where a case stood, without changes that are not offered any more."""
    visit = Visit(scenario.id, language=words.language)
    if case.stage is not None:
        visit = replace(visit, stage=case.stage, panel="evidence")
    with suppress(ScenarioError):
        script_of(scenario, case.changes, case)
        visit = replace(visit, changes=case.changes)
    return escape(f"clinic{visit.address}")


def _where(case: Case, words: Words) -> str:
    said = words.say("path", "at_symptom")
    if case.stage is not None:
        said = words.say("path", "at_stage", stage=words.say("short", case.stage))
    if case.changes:
        said += f", {words.say('path', 'with_changes', count=len(case.changes))}"
    return said


def _about(scenario: Scenario, words: Words) -> str:
    words = words.of(scenario.framework)
    level = words.say("page", "level", difficulty=scenario.difficulty)
    minutes = words.say("page", "minutes", minutes=scenario.minutes)
    return f"{level}, {minutes}, {words.say('page', 'framework')}"


def learnt(scenarios: Sequence[Scenario], words: Words, record: Record) -> str:
    """Skills and how well a learner judges; of what was never done, nothing."""
    return _skills(scenarios, words, record) + _judged(scenarios, words, record)


def _skills(scenarios: Sequence[Scenario], words: Words, record: Record) -> str:
    skills = mastery(record, scenarios)
    if not any(one.solved for one in skills):
        return ""
    rows = "".join(_skill(one, words) for one in skills)
    head = escape(words.say("path", "skills"))
    return f'<div><h3>{head}</h3><ul class="skills">{rows}</ul></div>'


def _skill(one: Mastery, words: Words) -> str:
    kinds = ["alone"] * one.alone + ["on"] * (one.solved - one.alone)
    kinds += [""] * (one.of - one.solved)
    pips = "".join(f'<i class="{kind}"></i>' for kind in kinds)
    said = words.say("path", "mastery", solved=one.solved, of=one.of)
    if one.alone:
        said = words.say("path", "mastery_alone", solved=one.solved, of=one.of, alone=one.alone)
    after = ""
    if names := ", ".join(words.say("skill", skill) for skill in BEFORE[one.skill]):
        after = f"<small>{escape(words.say('path', 'builds_on', skills=names))}</small>"
    return (
        f'<li class="{one.skill}"><b>{escape(words.say("skill", one.skill))}</b>'
        f'<span class="pips" aria-hidden="true">{pips}</span>'
        f"<span>{escape(said)} {after}</span></li>"
    )


def _judged(scenarios: Sequence[Scenario], words: Words, record: Record) -> str:
    judged = calibration(record, scenarios)
    if not judged:
        return ""
    rows = ""
    for one in judged:
        sure = words.say("clinic", one.sure)
        said = words.say("path", "judged", sure=sure, right=one.right, of=one.of)
        rows += f"<li>{escape(said)}</li>"
    code, count = advice(judged)
    head, told = escape(words.say("path", "sureness")), escape(words.say("path", code, count=count))
    return f'<div><h3>{head}</h3><ul class="judged">{rows}</ul><p>{told}</p></div>'
