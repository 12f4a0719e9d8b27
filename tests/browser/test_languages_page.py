"""The real app in a house with a made-up language, in a real browser."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from debugger import catalogue
from debugger.words import Words
from tests.browser.app import LONG, card, open_page, running_app
from tests.languages.loud import LOUD, house, read, shouted, small

pytestmark = pytest.mark.slow
WORDS = Words()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_app(root=house(tmp_path_factory.mktemp("house"))) as (address, _):
        yield address


def loud(table: str, code: str) -> str:
    return WORDS.say(table, code).upper()


def asked(address: str, accepted: str) -> str:
    request = urllib.request.Request(address, headers={"Accept-Language": accepted})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


@pytest.mark.proof
def test_a_visit_speaks_the_browsers_language_until_another_is_chosen(
    browser: Any, address: str
) -> None:
    scenario = catalogue.find("two_labels")
    page = open_page(browser.new_context(locale=LOUD), address)
    page.wait_for_function("document.documentElement.lang === 'qaa'")
    courses = " ".join(one.course.title for one in catalogue.every())
    names = {*small(courses), *small("English Loud")}
    assert small(read(page.inner_html("#catalogue")), names) == []
    assert page.title() == loud("page", "title")

    page.select_option("[data-language]", "en")
    page.wait_for_function("document.documentElement.lang === 'en'")
    page.wait_for_selector(card("two_labels"))
    assert scenario.words.title in page.inner_text(card("two_labels"))
    page.select_option("[data-language]", LOUD)
    page.wait_for_function("document.documentElement.lang === 'qaa'")
    page.click("[data-act=forget]")
    page.click("[data-act=forget]")
    page.get_by_text(loud("page", "forgotten")).wait_for()

    page.click(card("two_labels"))
    page.wait_for_selector(".opening")
    page.wait_for_selector("#foot .act.go")
    assert scenario.words.complaint.upper() in page.inner_text(".opening")
    page.click("#right [data-act=run][data-with=symptom]")
    page.wait_for_selector("#right .trace", timeout=LONG)
    page.wait_for_selector("#foot .act.go", timeout=LONG)
    page.click("#rail [data-with=forward]")
    page.click("#right .skip")
    page.wait_for_selector("#right .verdict", timeout=LONG)
    page.wait_for_selector("#foot .act.go", timeout=LONG)
    assert "lang=qaa" in page.url
    for part in ("bar", "rail", "left", "foot"):
        assert small(read(page.inner_html(f"#{part}")), {*small("English Loud"), "cpu"}) == [], part
    assert loud("clinic", "covered") in page.inner_text("#right .verdict")
    page.reload()
    page.wait_for_selector("#right .verdict", timeout=LONG)
    assert page.evaluate("document.documentElement.lang") == LOUD
    page.click(".home")
    page.wait_for_selector(card("two_labels"))
    assert "lang=qaa" in page.url


@pytest.mark.proof
def test_a_link_that_leads_nowhere_says_so_in_the_language_of_the_visit(
    browser: Any, address: str
) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{address}/clinic?scenario=nope&lang=qaa")
    page.wait_for_selector(".opening")
    assert small(page.inner_text(".opening"), ["nope"]) == []
    assert asked(f"{address}/take/nope.py", LOUD) == loud("clinic", "no_file")
    assert asked(f"{address}/take/nope.ipynb?lang=qaa", "en") == loud("clinic", "no_file")


def test_a_notebook_is_taken_away_in_the_language_of_the_visit(address: str) -> None:
    lesson = catalogue.find("two_labels").words.lesson
    for language, said in (("en", lesson), (LOUD, shouted(lesson))):
        taken = asked(f"{address}/take/two_labels.ipynb?lang={language}", "en")
        assert said[:60] in taken
