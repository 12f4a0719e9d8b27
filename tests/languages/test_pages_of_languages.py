"""The pages in a made-up language, as values: what a person reads there is all of it."""

from __future__ import annotations

import pytest

from debugger import settings
from debugger.catalogue import Scenario
from debugger.evidence.markup import sentence
from debugger.outcome import Finding, Found, Outcome, StageEnded, StageStarted
from debugger.run import WALK
from debugger.web.catalogue_page import first_page
from debugger.web.clinic import Clinic
from debugger.web.clinic_page import PARTS
from debugger.web.desk import Desk
from debugger.web.languages import choice, language_of, linked
from debugger.web.pages import head
from debugger.web.regions import PANELS, SIDES
from debugger.web.visit import LOOKED, Record, Visit, read_address
from debugger.words import Words
from debugger.workers.sharing import Shared
from tests.languages.loud import LOUD, read, small
from tests.web.test_desk import Told, followed


def pages(clinic: Clinic, desk: Desk) -> str:
    words = Words(desk.visit.language)
    return "".join(part(clinic.scene(desk), words) for part in PARTS.values())


@pytest.fixture
def clinic(shelf: list[Scenario]) -> Clinic:
    return Clinic(shelf, Shared(None), settings.read({}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [
        ("", None, "en"),
        ("?lang=qaa", None, LOUD),
        ("lang=qaa", "en", LOUD),
        ("lang=en", "qaa", "en"),
        ("lang=nonsense", "xx, qaa-Latn;q=0.5, en;q=0.1", LOUD),
        ("", "en;q=0.3,qaa;q=0.9", LOUD),
        ("", "qaa;q=0, en", "en"),
        ("", "qaa;q=x,,;q=", "en"),
    ],
)
@pytest.mark.usefixtures("loud_words")
def test_the_address_goes_before_the_browser(
    query: str, accepted: str | None, language: str
) -> None:
    assert language_of(query, accepted) == language


def test_with_one_language_no_page_speaks_of_languages() -> None:
    assert choice(Words()) == ""
    assert linked("./", Words()) == "./"
    assert "lang" not in Visit("two_labels").address


def test_a_link_and_an_address_keep_the_language(loud_words: Words, clinic: Clinic) -> None:
    assert linked("./", loud_words) == "./?lang=qaa"
    assert linked("clinic?scenario=x", loud_words) == "clinic?scenario=x&amp;lang=qaa"
    visit = read_address("scenario=two_labels", clinic.known, "qaa")
    assert visit.language == LOUD
    assert read_address(visit.address, clinic.known, "en") == visit


def test_a_page_says_in_which_language_it_is_and_offers_the_others(loud_words: Words) -> None:
    html = first_page([], loud_words, Record())
    assert 'data-said-in="qaa"' in html
    assert '<option value="en" lang="en">English</option>' in html
    assert '<option value="qaa" lang="qaa" selected>Loud</option>' in html


def test_the_pages_own_script_is_given_its_words_in_every_language(loud_words: Words) -> None:
    told = head()
    for words in (Words(), loud_words):
        assert f'lang="{words.language}" data-title="{words.say("page", "title")}"' in told


def test_nothing_on_the_first_page_is_left_in_english(
    shelf: list[Scenario], loud_words: Words
) -> None:
    closed = {scenario.id: "needs_cuda" for scenario in shelf if scenario.needs}
    html = first_page(shelf, loud_words, Record(), closed)  # type: ignore[arg-type]
    courses = " ".join(scenario.course.title for scenario in shelf)
    assert small(read(html), {*small(courses), *small("English Loud")}) == []
    assert all(f"case={scenario.number}&amp;lang=qaa" in html for scenario in shelf)


@pytest.mark.usefixtures("loud_words")
def test_nothing_on_a_clinic_page_is_left_in_english(clinic: Clinic) -> None:
    scenario = clinic.known["wrong_collator"]
    checks = " ".join(one.check for one in scenario.recommended)
    named = small(f"{scenario.course.title} {scenario.origin.title} {checks} English Loud")
    desk = Desk(visit=Visit(scenario.id, language=LOUD, changes=("shorter_max_length",)))
    desk.remember(hints=2, solved=True, answers={"setup": 1})
    for panel in PANELS:
        for side in SIDES:
            desk.go_to(panel=panel, side=side)
            assert small(read(pages(clinic, desk)), named) == [], (panel, side)
    assert "lang=qaa" in clinic.scene(desk).visit.address


def test_what_a_run_tells_is_said_to_each_tab_in_its_own_language(
    shelf: list[Scenario], loud_words: Words
) -> None:
    numbers = {"name": "a", "today": "b"}
    told = (
        StageStarted("setup"),
        Found(Finding("renamed_name", "fault", "setup", 3, numbers)),
        StageEnded("setup", "fail", 0.1),
        Outcome("fail", "cpu", 0.2, {}),
    )
    clinic = Clinic(shelf, Shared(Told(*told), grace=0.1), settings.read({}))
    for words in (loud_words, Words()):
        desk = Desk(visit=Visit("one_label", language=words.language))
        followed(clinic, desk, WALK)
        desk.remember(opened=True, answers={"setup": LOOKED})
        assert sentence(words.say("finding", "renamed_name", **numbers)) in pages(clinic, desk)
