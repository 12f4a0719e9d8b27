"""A cure from each shelf of symptoms, on every screen and in both themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from debugger import catalogue
from debugger.catalogue.scenario import Symptom
from debugger.homework.certificate import taken
from debugger.homework.seal import Seal
from debugger.web.receipts import tokens
from debugger.web.visit import read_record
from debugger.words import Words
from tests.browser.app import KEY, SIZES, Visit, card, serious
from tests.browser.learner import answered, apply, diagnosed, idle, run

pytestmark = [pytest.mark.slow, pytest.mark.proof]

WORDS = Words()
NOWHERE = Path("/nowhere")
SETTLED = 300
"""Milliseconds until colours that fade have arrived."""
DESK, PROJECTOR, PHONE = SIZES
CURES: dict[Symptom, tuple[str, tuple[int, int]]] = {
    "crash": ("wrong_collator", DESK),
    "no_learning": ("high_learning_rate", PROJECTOR),
    "false_number": ("one_label", PHONE),
}


@pytest.mark.parametrize("symptom", CURES)
def test_a_whole_cure_looks_right_on_every_screen(visit: Visit, symptom: Symptom) -> None:
    named, size = CURES[symptom]
    scenario = catalogue.find(named)
    assert scenario.symptom == symptom
    assert scenario.first_stage is not None
    assert scenario.code is not None
    page = visit("/", size)
    page.click(f".{symptom} {card(scenario.id)}")
    page.wait_for_selector(".opening")
    if size == PROJECTOR:
        present(page, True)
    run(page, "#right [data-act=run][data-with=symptom]")
    look(page, size, "symptom")
    run(page, "#foot .all")
    answered(page, scenario.first_stage, 1)
    look(page, size, "evidence")
    page.click("#left [role=tab][data-with=journey]")
    page.wait_for_selector("#left .journey li.fail, #left .journey li.pass")
    look(page, size, "journey")
    diagnosed(page, scenario.code, "fairly")
    page.wait_for_selector(".diagnosis.right")
    look(page, size, "diagnosis")
    apply(page, scenario.id, scenario.twin_fixes[0])
    page.wait_for_selector(".proof")
    idle(page)
    assert proved_by(page) == [(scenario.number, "listed")]
    look(page, size, "proof")
    assert page.complaints == []


def proved_by(page: Any) -> list[tuple[int, str]]:
    """What the browser keeps that this clinic has signed."""
    record, seal = read_record(page.evaluate("localStorage['training-clinic']")), Seal(KEY, NOWHERE)
    return [(one.case, one.how) for one in taken(tokens(record), record.learner, seal)[0]]


def look(page: Any, own: tuple[int, int], where: str) -> None:
    """What is on the page now, on each screen and in both themes; then back to its own."""
    for size in (*(size for size in SIZES if size != own), own):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        present(page, size == PROJECTOR)
        for _ in ("the other theme", "and back"):
            page.click("[data-theme]")
            page.wait_for_timeout(SETTLED)
            signed(page, size, where)


def present(page: Any, wanted: bool) -> None:
    now = page.locator("html.present").count() == 1
    if now != wanted:
        page.click("#bar [data-act=present]")
        page.wait_for_function(
            "on => document.documentElement.classList.contains('present') === on", arg=wanted
        )


def signed(page: Any, size: tuple[int, int], where: str) -> None:
    """Nothing is wider than the screen, no word is cut, and axe has nothing serious to say."""
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0], where
    cut = page.evaluate(
        """[...document.querySelectorAll('#clinic :is(button, h1, h2, h3, p, dt, dd, th)')]
            .filter((one) => one.offsetParent && one.scrollWidth > one.clientWidth + 1
                && getComputedStyle(one).overflowX === 'hidden')
            .map((one) => one.textContent)"""
    )
    assert cut == [], where
    assert serious(page) == [], where
