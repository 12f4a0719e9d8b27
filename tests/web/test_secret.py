"""Nothing that a page shows before the diagnosis names the cause: no text, and no link."""

from __future__ import annotations

import html
import re

import pytest

from debugger import catalogue, settings
from debugger.asking.draft import Shorter
from debugger.catalogue.skills import BEFORE
from debugger.outcome import Finding, Found, Outcome, Point, StageEnded
from debugger.report import gather
from debugger.web.catalogue_page import first_page
from debugger.web.clinic import Clinic
from debugger.web.clinic_page import PARTS
from debugger.web.desk import Desk
from debugger.web.regions import PANELS, SIDES
from debugger.web.visit import LOOKED, Case, Record, Visit
from debugger.words import Words
from debugger.workers.sharing import Shared

WORDS = Words()
ALL = catalogue.every()
CLINIC = Clinic(ALL, Shared(None), settings.read({}))  # type: ignore[arg-type]
CHOICES = re.compile(r'<button [^>]*data-act="(cause|choose)".*?</button>', re.DOTALL)
"""Causes and changes to choose from: all of them stand there, right and wrong alike."""


def read(page: str) -> str:
    """What a person reads, hears or sees in the address bar."""
    page = CHOICES.sub("", page)
    links = re.findall(r'(?:href|data-address|download|title|aria-label)="(.*?)"', page)
    return html.unescape(" ".join([*links, re.sub(r"<[^>]*>", " ", page)]))


def shown(scenario: catalogue.Scenario, **remembered: object) -> str:
    desk = Desk(visit=Visit(scenario.id))
    desk.remember(**remembered)
    desk.shorter, desk.training = written(scenario), written(scenario).report
    words = WORDS.of(scenario.framework)
    pages: list[str] = []
    for panel in PANELS:
        for side in SIDES:
            desk.go_to(panel=panel, side=side)
            pages += [part(CLINIC.scene(desk), words) for part in PARTS.values()]
    return read("".join(pages))


def written(scenario: catalogue.Scenario) -> Shorter:
    """A draft about what the stages found: it stands on the page as well."""
    stage = scenario.first_stage or "train"
    finding = Finding(scenario.code or "stuck_at_chance", "fault", stage)
    events = [Point("train", "loss", 1, 1.1), Found(finding), StageEnded(stage, "fail", 0.1)]
    return Shorter(scenario.script, gather([*events, Outcome("fail", "cpu", 0.1)]), 60, 9, True)


def telling(scenario: catalogue.Scenario) -> list[str]:
    words, said = WORDS.of(scenario.framework), scenario.words
    told = [scenario.course.title, scenario.course.url, scenario.origin.url, said.lesson]
    told += [one.says for one in (*said.fixes.values(), *said.cheats.values())]
    told += [scenario.id] if "_" in scenario.id else []
    if scenario.code:
        told += [scenario.code, words.say("cause", scenario.code)]
    return told


@pytest.mark.some(7)
@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.id)
def test_a_page_tells_nothing_before_the_diagnosis(scenario: catalogue.Scenario) -> None:
    page = shown(scenario, answers=dict.fromkeys(scenario.words.questions, LOOKED))
    assert scenario.words.complaint in page
    assert WORDS.say("issue", "loss", first="1.1", last="1.1", steps=1) in page
    told = [re.compile(rf"\b{re.escape(text)}(?!\w)") for text in telling(scenario)]
    assert [text.pattern for text in told if text.search(page)] == []


def test_what_was_kept_back_is_told_to_who_asks_for_it() -> None:
    scenario = catalogue.find("wrong_collator")
    page = shown(scenario, opened=True)
    assert scenario.course.title in page
    assert scenario.course.url in page


def test_no_link_of_the_first_page_names_a_scenario() -> None:
    links = re.findall('href="(.*?)"', first_page(ALL, WORDS, Record()))
    assert len(links) > len(ALL)
    named = [scenario.id for scenario in ALL if any(scenario.id in link for link in links)]
    assert named == []


def test_the_first_page_says_of_nothing_that_it_offers_which_skill_it_trains() -> None:
    missed = Case(cause="one_label", sure="certain", hints=4, at="2026-11-01T10:00:00Z")
    done = Case(solved=True, solved_at="2026-11-01T10:00:00Z", at="2026-11-01T10:00:00Z")
    skills = [WORDS.say("skill", skill) for skill in BEFORE]
    for scenario in ALL:
        for case in (missed, done, Case(hints=2)):
            page = first_page(ALL, WORDS, Record(cases={scenario.id: case}))
            band = re.search(r'<section class="go-on".*?</section>', page, re.DOTALL)
            assert band is not None
            titles = re.findall(r"<b.*?>(.*?)</b>", band[0])
            assert titles
            told = read(re.sub(r"<b.*?</b>", "", band[0]))
            causes = [WORDS.of(s.framework).say("cause", s.code) for s in ALL if s.code]
            assert [text for text in (*skills, *causes) if text in told] == []


def test_the_first_page_is_the_same_whatever_an_open_case_is_about() -> None:
    """Hints, answers and repairs of a case that is not diagnosed steer no suggestion."""
    for scenario in ALL:
        tried = tuple(patch.id for patch in scenario.patches)
        cases = Case(seen=True), Case(seen=True, hints=4, tried=tried, answers={"setup": 1})
        first, second = (first_page(ALL, WORDS, Record(cases={scenario.id: c})) for c in cases)
        assert first == second


def test_a_scenario_that_is_started_over_keeps_its_secret_again() -> None:
    scenario = catalogue.find("wrong_collator")
    record = Record().changed(scenario.id, solved=True, cause=scenario.code, sure="certain")
    case = record.restarted(scenario.id, "2026-11-01T10:00:00Z").case(scenario.id)
    page = shown(scenario, solved=case.solved, afresh=case.afresh, first=case.first)
    assert [text for text in telling(scenario) if text in page] == []


@pytest.mark.proof
def test_every_repair_panel_looks_alike() -> None:
    for scenario in ALL:
        page = shown(scenario)
        assert WORDS.say("clinic", "solution") in page
        assert len(scenario.patches) >= 8
