"""A learner asks checks in a real browser, by keyboard alone, and finds the answers again."""

from __future__ import annotations

from typing import Any

import pytest

from debugger import catalogue
from debugger.words import Words
from tests.browser.app import LONG, SIZES, Visit, serious
from tests.browser.learner import idle

pytestmark = [pytest.mark.slow, pytest.mark.proof]

WORDS = Words()
SCENARIO = catalogue.find("wrong_collator")
PLACE = f"/clinic?case={SCENARIO.number}&stage=batch"
IN_FIELD = "document.activeElement.matches('[data-check]')"
HOSTILE = "'<img src=x onerror=alert(1)>{{1}}'"


def asked(page: Any, check: str) -> str:
    """The answer to a check, once it stands first."""
    page.wait_for_function(
        "check => { const first = document.querySelector('.answers li');"
        " return first && first.dataset.asked === check; }",
        arg=check,
        timeout=LONG,
    )
    idle(page)
    return page.inner_text(".answers li:first-child .terminal >> nth=0")


def test_checks_by_keyboard_alone(visit: Visit) -> None:
    page = visit(PLACE)
    page.wait_for_selector("#left .code")
    page.keyboard.press("c")
    page.wait_for_function(IN_FIELD)
    page.keyboard.type("len(trainer.train_dataset)")
    page.keyboard.press("Enter")
    assert asked(page, "len(trainer.train_dataset)") == "2304"
    assert "2304" in page.inner_text("#said")
    assert page.evaluate(IN_FIELD)
    page.keyboard.type("kept = 1")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("kept + 1")
    page.keyboard.press("Enter")
    assert asked(page, "kept = 1\nkept + 1") == "2"
    page.keyboard.type("kep")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.input_value("[data-check]") == "len(trainer.train_dataset)"
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert page.input_value("[data-check]") == "kep"
    page.keyboard.press("t")
    page.keyboard.press("Enter")
    assert "name 'kept' is not defined" in asked(page, "kept")
    page.keyboard.type(HOSTILE)
    page.keyboard.press("Enter")
    assert asked(page, HOSTILE) == HOSTILE
    assert page.query_selector("#right img") is None
    assert page.complaints == []
    page.reload()
    page.wait_for_selector("#left .code")
    page.keyboard.press("c")
    page.wait_for_function(IN_FIELD)
    assert page.locator(".answers li").count() == 4
    page.keyboard.press("ArrowUp")
    assert page.input_value("[data-check]") == HOSTILE


@pytest.mark.parametrize("size", SIZES)
def test_a_hints_check_with_one_press_on_every_screen(visit: Visit, size: tuple[int, int]) -> None:
    page = visit(PLACE + ("&present=1" if size[0] > 1900 else ""), size)
    page.wait_for_selector("#left .code")
    page.click("#foot .hint")
    chip = page.locator("#right .hinted .chip")
    chip.wait_for()
    check = SCENARIO.recommended[0].check
    assert chip.inner_text() == check
    chip.click()
    assert "Traceback" in asked(page, check) or "UserWarning" in asked(page, check)
    assert "ValueError" in page.inner_text(".answers li:first-child")
    for _ in ("the other theme", "and back"):
        page.click("[data-theme]")
        page.wait_for_timeout(300)
        assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    box = page.locator("[data-check]").bounding_box()
    assert box["width"] > 200
    assert box["height"] >= (44 if size[0] < 640 else 34)
    assert page.complaints == []


def test_what_is_being_typed_stays_while_the_page_is_drawn_anew(visit: Visit) -> None:
    page = visit(PLACE)
    page.wait_for_selector("#left .code")
    page.keyboard.press("c")
    page.wait_for_function(IN_FIELD)
    page.keyboard.type("trainer.mod")
    page.evaluate("document.querySelector('[data-check]').dataset.old = '1'")
    page.evaluate("document.querySelector('#foot .hint').click()")
    page.wait_for_selector("#right .hinted")
    page.click("#right [role=tab][data-with=console]")
    page.wait_for_selector("[data-check]:not([data-old])")
    assert page.input_value("[data-check]") == "trainer.mod"
    assert page.complaints == []
