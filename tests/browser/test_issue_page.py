"""A draft of an issue in a real browser: pressed for, waited for, copied."""

from __future__ import annotations

import pytest

from debugger import catalogue
from debugger.words import Words
from tests.browser.app import LONG, Visit

pytestmark = [pytest.mark.slow, pytest.mark.proof]

WORDS = Words()


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=str)
def test_a_draft_is_written_and_copied(visit: Visit, size: tuple[int, int]) -> None:
    scenario = catalogue.find("two_labels")
    page = visit(f"/clinic?case={scenario.number}&stage=data", size)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#right [role=tab][data-with=issue]")
    page.click("#right [data-act=run][data-with=issue]")
    page.wait_for_selector("#draft", timeout=LONG)
    text = page.inner_text("#draft")
    assert "IndexError: Target 2 is out of bounds." in text
    assert "Traceback (most recent call last):" in text
    assert all(f"- {name}: " in text for name in ("python", "transformers", "torch", "device"))
    assert WORDS.say("issue", "ask_expected") in page.locator("#draft mark").all_inner_texts()
    assert "preprocess_function" in text
    short = text.split("```python\n")[1].partition("```")[0]  # how short, a busy machine decides
    assert short.count("\n") < scenario.script.count("\n")

    page.click("#right [data-copy]")
    page.locator("#right [data-copy]", has_text=WORDS.say("clinic", "copied")).wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.splitlines() == page.text_content("#draft").splitlines()
    states = page.locator("#rail .state").all_inner_texts()
    assert set(states) == {WORDS.say("outcome", "not run")}
    assert page.complaints == []
