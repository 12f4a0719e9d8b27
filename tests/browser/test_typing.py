"""A learner types the repair in a real browser, by keyboard alone, and the clinic proves it."""

from __future__ import annotations

import pytest

from debugger import catalogue
from debugger.words import Words
from tests.browser.app import LONG, SIZES, Visit, serious
from tests.browser.learner import idle

pytestmark = [pytest.mark.slow, pytest.mark.proof]

WORDS = Words()
BROKEN = "\nprint(trainr)"
CARET = "document.activeElement.closest('#editor') !== null"


def test_a_cure_that_is_typed(visit: Visit) -> None:
    scenario = catalogue.find("wrong_collator")
    page = visit(f"/clinic?case={scenario.number}&stage=batch")
    page.wait_for_selector("#left .code")
    page.click("#left [role=tab][data-with=edit]")
    page.wait_for_selector("#editor .cm-content")
    page.click("#editor .cm-content")
    page.keyboard.press("Control+End")
    page.keyboard.type(BROKEN)
    page.wait_for_selector(".marks li:has-text('`trainr`') [data-edit-line]")
    page.wait_for_selector("#editor .cm-gutterElement.odd")
    for _ in BROKEN:
        page.keyboard.press("Backspace")
    page.wait_for_selector(".marks", state="detached")
    page.keyboard.press("Control+Home")
    line = scenario.script.splitlines().index("    compute_metrics=compute_metrics,")
    for _ in range(line):
        page.keyboard.press("ArrowDown")
    page.keyboard.type("    processing_class=tokenizer,\n")
    page.wait_for_function(
        "said => document.querySelector('.editing').innerText.includes(said)",
        arg=WORDS.say("clinic", "lines_changed", count=1),
        timeout=LONG,
    )
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert not page.evaluate(CARET)
    page.focus(".editing [data-act=run]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#right .proof", timeout=LONG)
    idle(page)
    assert page.inner_text("#right .proof").count(WORDS.say("clinic", "cured")) == 1
    assert "processing_class=tokenizer" in page.inner_text("#right .proof .diff")
    assert page.complaints == []
    page.reload()  # it may cut off the longer training, which the console then tells
    page.wait_for_selector("#left .code")
    assert "processing_class=tokenizer" in page.inner_text("#left .code")


@pytest.mark.parametrize("size", SIZES)
def test_the_editor_on_every_screen(visit: Visit, size: tuple[int, int]) -> None:
    page = visit(f"/clinic?case={catalogue.find('wrong_collator').number}&stage=batch", size)
    page.wait_for_selector("#left .code")
    page.click("#left [role=tab][data-with=edit]")
    page.wait_for_selector("#editor .cm-content")
    for _ in ("the other theme", "and back"):
        page.click("[data-theme]")
        page.wait_for_timeout(300)
        assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        ink, ground = page.evaluate(
            "() => ['.cm-line', '#editor'].map(s => getComputedStyle(document.querySelector(s)))"
            ".map((style, n) => n ? style.backgroundColor : style.color)"
        )
        assert ink != ground
    assert page.complaints == []
