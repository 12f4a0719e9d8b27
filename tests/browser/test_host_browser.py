"""The host's page in a real browser: looked at, drawn anew without flicker, told when it is old."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from debugger.words import Words
from tests.browser.app import LOOKS, PATIENCE, running_app, serious

pytestmark = pytest.mark.slow
TOKEN = "0123456789abcdef"
WORDS = Words()


@pytest.fixture(scope="module")
def served() -> Iterator[Any]:
    with running_app(CLINIC_HOST_TOKEN=TOKEN) as (address, server):
        yield address, server


def enter(browser: Any, address: str, size: tuple[int, int], scheme: str) -> Any:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(f"{address}/host")
    assert serious(page) == []
    page.get_by_label(WORDS.say("host", "token")).fill(TOKEN)
    page.get_by_role("button", name=WORDS.say("host", "enter")).click()
    page.wait_for_selector("#queue")
    return page


@pytest.mark.parametrize(("size", "scheme"), LOOKS)
def test_the_page_fits_every_screen_in_both_themes(
    browser: Any, served: Any, size: tuple[int, int], scheme: str
) -> None:
    page = enter(browser, served[0], size, scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.body.classList.contains('dark')") == (scheme == "dark")
    assert serious(page) == []
    assert page.complaints == []
    page.context.close()


@pytest.mark.proof
def test_the_page_is_drawn_anew_by_itself_and_says_when_nobody_answers(
    browser: Any, served: Any
) -> None:
    page = enter(browser, served[0], (1280, 800), "light")
    assert page.url == f"{served[0]}/host"
    # What did not change is the very same piece of the page afterwards: nothing flickers.
    page.evaluate("window.kept = document.querySelector('#faults').firstElementChild")
    page.evaluate("window.scrollTo(0, 40)")
    before = page.inner_text("#fresh")
    page.wait_for_function("was => document.querySelector('#fresh').innerText !== was", arg=before)
    assert page.evaluate("window.kept.isConnected")

    served[1].send_signal(signal.SIGSTOP)
    try:
        page.wait_for_selector("#fresh.old")
    finally:
        served[1].send_signal(signal.SIGCONT)
    page.wait_for_selector("#fresh:not(.old)")

    page.context.clear_cookies()
    page.wait_for_selector("form.token")
    assert page.complaints == []
    page.context.close()
