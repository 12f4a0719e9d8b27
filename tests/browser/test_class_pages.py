"""A class in real browsers: an instructor, a wall, a phone, and a laptop that follows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from debugger import catalogue
from debugger.catalogue.scenario import number_of
from debugger.web.room.screens import KEYS
from debugger.words import Words
from tests.browser.app import LOOKS, PATIENCE, free_port, serious, start_app

WORDS = Words()
CASE = catalogue.find("two_labels")
HOSTILE = "<img src onerror=hit=1>"
Opens = Callable[..., Any]


def say(code: str, **numbers: Any) -> str:
    return WORDS.say("class", code, **numbers)


@pytest.fixture
def opens(browser: Any, address: str) -> Iterator[Opens]:
    """Opens a page in a browser of its own, or as a second tab `beside` another page."""
    contexts: list[Any] = []

    def go(
        path: str = "/class",
        size: tuple[int, int] = (1280, 800),
        scheme: str = "light",
        beside: Any = None,
        at: str = address,
    ) -> Any:
        if beside is None:
            context = browser.new_context(
                viewport={"width": size[0], "height": size[1]},
                color_scheme=scheme,
                accept_downloads=True,
            )
            contexts.append(context)
        else:
            context = beside.context
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda line: page.complaints.append(line.text))
        page.goto(f"{at}{path}")
        return page

    yield go
    for context in contexts:
        context.close()


def started(opens: Opens, **more: Any) -> tuple[Any, str]:
    """An instructor in her class, and its code."""
    lead = opens("/class/lead", **more)
    lead.click("[data-new]")
    lead.wait_for_selector("[data-code]:not(:empty)")
    return lead, lead.inner_text("[data-code]")


def joined(opens: Opens, code: str, name: str = "", **more: Any) -> Any:
    phone = opens("/class", size=(390, 844), **more)
    phone.fill("[name=code]", code.lower())
    phone.fill("[name=name]", name)
    phone.click("[data-join] button")
    phone.wait_for_selector("[data-live] .flags")
    return phone


def asks(lead: Any, stage: str = "data") -> None:
    lead.select_option("[name=case]", str(CASE.number))
    lead.select_option("[name=stage]", stage)
    lead.click("[data-place] button")
    lead.wait_for_selector(".question.predict")


def shows(page: Any, phase: str) -> None:
    page.keyboard.press(KEYS[phase])
    page.wait_for_selector(f".question.{phase}")


def stage_of(page: Any) -> str:
    return page.evaluate("new URLSearchParams(location.search).get('stage') || ''")


def in_clinic(page: Any, stage: str) -> None:
    page.wait_for_function(
        "stage => new URLSearchParams(location.search).get('stage') === stage", arg=stage
    )
    page.wait_for_selector("#foot button:not([disabled])")


def working(opens: Opens, code: str, stage: str) -> Any:
    """A student on a laptop, in the clinic, where the class is."""
    laptop = joined(opens, code)
    laptop.set_viewport_size({"width": 1280, "height": 800})
    laptop.click("[data-clinic]")
    in_clinic(laptop, stage)
    return laptop


def test_a_question_goes_through_its_four_states_on_a_wall_and_a_phone(opens: Opens) -> None:
    lead, code = started(opens)
    phone = joined(opens, code, HOSTILE)
    asks(lead)
    phone.click("[data-vote='1']")
    phone.wait_for_selector("[data-vote='1'][aria-pressed=true]")
    phone.click("[data-vote='0']")
    lead.get_by_text(say("answered", count=1, of=1)).wait_for()
    wall = opens("/class/board", beside=lead)
    wall.wait_for_selector(".question.predict")
    assert wall.locator(".count").count() == 0
    shows(wall, "votes")
    lead.wait_for_selector(".question.votes .count")
    assert wall.locator(".bars .count").all_inner_texts()[0] == say("counted", count=1, share=100)
    for page in (lead, phone, wall):
        assert page.locator(".right, .wrong, .because").count() == 0
        assert not any(why in page.content() for why in CASE.words.questions["data"].because)
    shows(lead, "reveal")
    phone.wait_for_selector(".bars .right")
    assert (
        phone.locator(".bars .right .text")
        .inner_text()
        .startswith(CASE.words.questions["data"].choices[0])
    )
    assert phone.locator(".bars li.mine").get_attribute("data-shown") == "0"
    shows(lead, "discuss")
    wall.wait_for_selector(".question.discuss .because")
    assert HOSTILE in lead.inner_text("tbody")
    for page in (lead, phone, wall):
        assert page.evaluate("window.hit") is None
        assert page.complaints == []
    assert HOSTILE not in wall.inner_text("main")


@pytest.mark.proof
@pytest.mark.slow
def test_who_follows_is_taken_along_may_go_her_own_way_and_is_called_back(opens: Opens) -> None:
    lead, code = started(opens)
    asks(lead)
    laptop = working(opens, code, "data")
    wall = opens(f"/clinic?case={CASE.number}&stage=data&present=1", beside=lead)
    in_clinic(wall, "data")
    assert code in wall.inner_text("#class-strip")
    wall.click("#rail [data-with=batch]")
    in_clinic(laptop, "batch")
    laptop.click("[data-own]")
    laptop.get_by_text(say("follow"), exact=True).wait_for()
    wall.click("#rail [data-with=forward]")
    laptop.locator("#class-strip h2", has_text=CASE.words.questions["forward"].ask).wait_for()
    assert stage_of(laptop) == "batch"
    wall.click("#class-strip [data-do=call]")
    in_clinic(laptop, "forward")
    laptop.click("#rail [data-with=setup]")
    in_clinic(laptop, "setup")
    laptop.get_by_text(say("follow"), exact=True).click()
    in_clinic(laptop, "forward")
    assert laptop.complaints == wall.complaints == []


@pytest.mark.proof
@pytest.mark.slow
def test_a_lock_keeps_later_stages_for_later(opens: Opens) -> None:
    lead, code = started(opens)
    asks(lead, "batch")
    laptop = working(opens, code, "batch")
    lead.click("[data-do=lock]")
    lead.wait_for_selector("[data-do=lock][aria-pressed=true]")
    laptop.wait_for_timeout(500)
    laptop.click("#rail [data-with=forward]")
    laptop.get_by_text(say("is_locked")).wait_for()
    laptop.keyboard.press("8")
    laptop.keyboard.press("a")
    assert stage_of(laptop) == "batch"
    laptop.click("#rail [data-with=setup]")
    in_clinic(laptop, "setup")


@pytest.mark.proof
@pytest.mark.slow
def test_the_reveal_opens_the_evidence_and_runs_the_stage_on_each_screen(opens: Opens) -> None:
    lead, code = started(opens)
    asks(lead)
    laptop = joined(opens, code)
    laptop.set_viewport_size({"width": 1280, "height": 800})
    laptop.click("[data-vote='0']")
    laptop.click("[data-clinic]")
    in_clinic(laptop, "data")
    laptop.wait_for_selector("#class-strip [data-vote='0'][aria-pressed=true]")
    wall = opens(f"/clinic?case={CASE.number}&stage=data&present=1", beside=lead)
    in_clinic(wall, "data")
    wall.wait_for_selector("#class-strip .question.predict")
    for page in (laptop, wall):
        assert page.locator("#right .question:visible").count() == 0
        assert page.locator("#right .verdict").count() == 0
    shows(wall, "reveal")
    for page in (laptop, wall):
        page.wait_for_selector("#right .verdict")
        page.wait_for_selector("#right .question.done")
    shown = laptop.locator("#right .question.done").inner_text()
    first = lead.locator(".bars li[data-shown='0'] .text").inner_text().split("\n")[0]
    assert first.rstrip("✓✗ .") in shown


@pytest.mark.proof
@pytest.mark.slow
def test_what_was_rehearsed_stays_covered_until_the_reveal(opens: Opens) -> None:
    wall = opens(f"/clinic?case={CASE.number}&stage=data&present=1")
    wall.click("#right [data-act=answer][data-with='0']")
    wall.wait_for_selector("#right .verdict")
    lead = opens("/class/lead", beside=wall)
    lead.click("[data-new]")
    lead.wait_for_selector("[data-code]:not(:empty)")
    asks(lead)
    wall.reload()
    wall.wait_for_selector("#class-strip .question.predict")
    wall.wait_for_selector("#right .question.done", state="attached")
    wall.wait_for_function("document.documentElement.classList.contains('class-asks')")
    for hidden in ("#right .verdict", "#right .question", "#right table", "#rail .pass .state"):
        assert wall.locator(f"{hidden}:visible").count() == 0, hidden
    shows(wall, "reveal")
    wall.wait_for_selector("#right .verdict:visible")
    wall.wait_for_selector("#right .question.done .answer:visible")


@pytest.mark.proof
@pytest.mark.slow
def test_a_change_is_handed_to_all(opens: Opens) -> None:
    lead, code = started(opens)
    asks(lead)
    laptop = working(opens, code, "data")
    number = number_of(CASE.twin_fixes[0])
    at = f"/clinic?case={CASE.number}&stage=data&changes={number}"
    wall = opens(at, beside=lead)
    wall.click("#class-strip [data-do=hand]")
    laptop.wait_for_function("number => location.search.includes(`changes=${number}`)", arg=number)


@pytest.mark.proof
@pytest.mark.slow
def test_a_reload_and_a_restart_lose_nothing(opens: Opens, tmp_path: Path) -> None:
    port, data = str(free_port()), str(tmp_path)
    at = f"http://127.0.0.1:{port}"
    with start_app(CLINIC_PORT=port, CLINIC_DATA_DIR=data) as first:
        assert first.stdout is not None
        first.stdout.readline()
        lead, code = started(opens, at=at)
        phone = joined(opens, code, "Anna", at=at)
        asks(lead)
        phone.click("[data-vote='2']")
        lead.get_by_text(say("answered", count=1, of=1)).wait_for()
        shows(lead, "votes")
        lead.reload()
        lead.wait_for_selector(".question.votes")
        phone.reload()
        phone.wait_for_selector("[data-vote='2'][aria-pressed=true]")
        first.kill()
    phone.get_by_text(say("lost")).wait_for()
    with start_app(CLINIC_PORT=port, CLINIC_DATA_DIR=data) as second:
        assert second.stdout is not None
        second.stdout.readline()
        lead.wait_for_function("!document.querySelector('[data-said]').textContent")
        phone.wait_for_function("!document.querySelector('[data-said]').textContent")
        lead.keyboard.press(KEYS["reveal"])
        phone.wait_for_selector(".bars .right")
        assert phone.locator(".bars li.mine").get_attribute("data-shown") == "2"
        assert "Anna" in lead.inner_text("tbody")
        second.kill()


@pytest.mark.proof
@pytest.mark.slow
def test_a_summary_is_saved_and_the_class_is_ended_after_a_question(
    opens: Opens, tmp_path: Path
) -> None:
    lead, code = started(opens)
    phone = joined(opens, code, "Anna")
    asks(lead)
    with lead.expect_download() as saved:
        lead.click("[data-summary=json]")
    told = json.loads(Path(saved.value.path()).read_text())
    assert told["students"] == 1
    assert "names" not in told
    lead.check("[data-names]")
    with lead.expect_download() as saved:
        lead.click("[data-summary=txt]")
    assert "Anna" in Path(saved.value.path()).read_text()
    lead.click("[data-do=end]")
    assert phone.locator("[data-live] .flags").is_visible()
    lead.click("[data-do=end]")
    phone.get_by_text(say("room_over")).wait_for()
    lead.wait_for_selector("[data-new]:visible")


@pytest.mark.proof
def test_her_side_is_carried_to_another_device_by_a_link_that_works_once(
    opens: Opens, address: str
) -> None:
    lead, code = started(opens)
    lead.click("[data-carry]")
    link = lead.inner_text("[data-carried]:not(:empty)")
    other = opens(link.removeprefix(address))
    other.wait_for_selector("[data-code]:not(:empty)")
    assert other.inner_text("[data-code]") == code
    assert "carry" not in other.url
    third = opens(link.removeprefix(address))
    third.get_by_text(say("carried_already")).wait_for()


@pytest.mark.proof
def test_two_tabs_of_one_student_show_one_vote(opens: Opens) -> None:
    lead, code = started(opens)
    first = joined(opens, code)
    asks(lead)
    second = opens("/class", beside=first)
    second.wait_for_selector("[data-vote]")
    first.click("[data-vote='1']")
    second.wait_for_selector("[data-vote='1'][aria-pressed=true]")
    second.click("[data-vote='2']")
    second.click("[data-flag=ready]")
    first.wait_for_selector("[data-vote='2'][aria-pressed=true]")
    first.wait_for_selector("[data-flag=ready][aria-pressed=true]")
    lead.get_by_text(say("answered", count=1, of=1)).wait_for()


@pytest.mark.proof
def test_what_is_learned_is_asked_before_and_after_and_told_at_the_end(opens: Opens) -> None:
    lead, code = started(opens)
    phone = joined(opens, code)
    lead.click("summary:has-text('" + say("measure") + "')")
    phone.click("[data-flag=ready]")
    lead.wait_for_selector("tr.ready")  # her page was drawn anew, and what was open still is
    lead.click("[data-do=measure][data-with=batch]")
    for part in ("close_before", "close_after"):
        phone.wait_for_selector(".measure article")
        phone.click("[data-answer='1']")
        phone.wait_for_selector("[data-answer='1'][aria-pressed=true]")
        lead.get_by_text(say("set_answers", count=1, of=1)).wait_for()
        assert serious(phone) == serious(lead) == []
        assert phone.locator(".share").count() == lead.locator(".share").count() == 0
        lead.get_by_role("button", name=say(part)).click()
        if part == "close_before":
            lead.get_by_role("button", name=say("ask_after")).click()
    for page in (lead, phone):
        page.wait_for_selector(".measure .share")
        assert page.locator(".share").count() == 2
    assert [*phone.complaints, *lead.complaints] == []


def test_two_answer_as_one_on_two_phones(opens: Opens) -> None:
    lead, code = started(opens)
    asks(lead)
    ada, bob = joined(opens, code, "Ada"), joined(opens, code, HOSTILE)
    ada.click(".two summary")
    ada.click("[data-offer]")
    shown = ada.inner_text("[data-pair]:not(:empty)")
    assert serious(ada) == []
    bob.goto(f"{bob.url.split('?')[0]}?room={code.replace(' ', '')}&pair={shown.replace(' ', '')}")
    for phone in (bob, ada):
        phone.wait_for_selector("[data-together]:not([hidden])")
        assert phone.locator(".two").is_hidden()
    bob.click("[data-vote='1']")
    ada.wait_for_selector("[data-vote='1'][aria-pressed=true]")
    ada.click("[data-vote='2']")
    bob.wait_for_selector("[data-vote='2'][aria-pressed=true]")
    lead.get_by_text(say("answered", count=1, of=1)).wait_for()
    assert lead.get_by_text(f"Ada & {HOSTILE} ({say('pair')})").count() == 1
    assert ada.evaluate("window.hit") is None
    for _ in range(2):
        bob.click("[data-leave]")
    ada.wait_for_selector(".two:not([hidden])")
    assert ada.locator("[data-vote='2'][aria-pressed=true]").count() == 1
    assert [*ada.complaints, *lead.complaints] == []


@pytest.mark.proof
def test_who_leaves_is_asked_once_and_is_gone(opens: Opens) -> None:
    lead, code = started(opens)
    phone = joined(opens, code, "Anna")
    assert f"{say('my_class', room=code)} · Anna" in phone.inner_text(".who")
    lead.locator("tbody", has_text="Anna").wait_for()
    phone.click("[data-leave]")
    phone.get_by_text(say("leave_sure")).wait_for()
    phone.click("[data-leave]")
    phone.get_by_text(say("left")).wait_for()
    lead.get_by_text(say("nobody_yet")).wait_for()
    phone.reload()
    phone.wait_for_selector("[data-join]:visible")


def test_a_wrong_code_is_said_and_what_was_typed_stays(opens: Opens) -> None:
    page = opens("/class?room=4444CCCC")
    assert page.input_value("[name=code]") == "4444CCCC"
    page.fill("[name=name]", "Anna")
    page.click("[data-join] button")
    page.get_by_text(say("no_such_room")).wait_for()
    assert page.input_value("[name=name]") == "Anna"


@pytest.mark.slow
@pytest.mark.parametrize(("size", "scheme"), LOOKS, ids=str)
def test_every_page_of_a_class_fits_and_is_for_everybody(
    opens: Opens, size: tuple[int, int], scheme: str
) -> None:
    lead, code = started(opens, size=size, scheme=scheme)
    asks(lead)
    phone = opens("/class", size, scheme)
    assert serious(phone) == []
    phone.fill("[name=code]", code)
    phone.click("[data-join] button")
    phone.click("[data-vote='0']")
    phone.wait_for_selector("[data-vote='0'][aria-pressed=true]")
    wall = opens("/class/board", beside=lead)
    clinic = opens(f"/clinic?case={CASE.number}&stage=data&present=1", beside=lead)
    clinic.wait_for_selector("#class-strip .question")
    clinic.wait_for_selector("#foot button:not([disabled])")
    for phase in ("predict", "votes", "reveal", "discuss"):
        if phase != "predict":
            shows(lead, phase)
        clinic.wait_for_selector(f".question.{phase}")
        wall.wait_for_selector(f".question.{phase}")
        phone.wait_for_selector(".vote" if phase in ("predict", "votes") else ".bars")
        for page in (lead, phone, wall, clinic):
            assert serious(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        text = clinic.locator("#class-strip .text").first
        assert text.evaluate("one => parseFloat(getComputedStyle(one).fontSize)") >= 15
