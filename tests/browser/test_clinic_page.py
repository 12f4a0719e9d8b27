"""Whole cures in a real browser: what a learner does, from the complaint to the proof."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from debugger import catalogue
from debugger.catalogue.scenario import number_of
from debugger.outcome import STAGES
from debugger.words import Words
from tests.browser.app import LONG, LOOKS, Visit, card, free_port, open_page, running_app, serious
from tests.browser.learner import answered, apply, diagnosed, idle, run, state

pytestmark = pytest.mark.slow

WORDS = Words()


@pytest.mark.proof
def test_a_whole_cure_from_the_complaint_to_the_lesson(visit: Visit) -> None:
    scenario = catalogue.find("wrong_collator")
    page = visit("/")
    page.click(card("wrong_collator"))
    page.wait_for_selector(".opening")
    assert scenario.words.complaint[:40] in page.inner_text(".opening")

    run(page, "#right [data-act=run][data-with=symptom]")
    assert "expected sequence of length" in page.inner_text(".trace .exc")
    assert all(state(page, stage) == WORDS.say("outcome", "not run") for stage in STAGES)

    page.click("#right [data-act=stage][data-with=setup]")
    answered(page, "setup", 0)
    assert scenario.words.questions["setup"].because[0] in page.inner_text(".answer.right")

    run(page, "#foot .all")
    assert state(page, "data") == WORDS.say("outcome", "pass")
    assert state(page, "batch") == WORDS.say("outcome", "fail")
    assert "stage=batch" in page.url
    assert page.locator("#right :is(.verdict, .evidence)").count() == 0
    answered(page, "batch", 1)
    because = scenario.words.questions["batch"].because
    assert because[1] in page.inner_text(".answer.wrong")
    assert because[0] in page.inner_text(".answer.answered")
    assert page.locator(".code .row.fault").count() == 0

    diagnosed(page, "label_outside_head", "certain")
    assert WORDS.say("clinic", "what_else") in page.inner_text(".diagnosis")
    assert page.locator(".diagnosis .evidence").count() == 1
    assert page.locator("#left [data-act=cause][data-with=label_outside_head]").count() == 0
    assert page.locator(".code .row.fault").count() == 0
    diagnosed(page, "ragged_batch", "fairly")
    page.wait_for_selector(".diagnosis.right")
    page.click("#left [role=tab][data-with=script]")
    page.wait_for_selector(".code .row.fault")

    apply(page, "wrong_collator", "shorter_max_length")
    assert state(page, "batch") == WORDS.say("outcome", "fail")
    page.click("#right [role=tab][data-with=fix]")
    says = scenario.words.fixes["shorter_max_length"].says
    page.locator("#right .applied", has_text=says).wait_for()

    page.click("#right [data-act=back]")
    page.wait_for_selector("#right [data-act=back]", state="detached")
    apply(page, "wrong_collator", scenario.twin_fixes[0])
    page.wait_for_selector(".proof")
    assert scenario.words.lesson in page.inner_text(".proof")
    assert page.inner_text(".proof .broken dd") == WORDS.say("clinic", "it_stopped")
    idle(page)
    page.wait_for_function("document.querySelector('.proof').innerText.includes('60 steps')")
    assert page.inner_text(".proof .here dd") == page.inner_text(".proof .twin dd")
    assert float(page.inner_text(".proof .here dd").rstrip("%")) > 50
    assert "DataCollatorWithPadding" in page.inner_text(".proof .diff")
    assert all(state(page, stage) == WORDS.say("outcome", "pass") for stage in STAGES)
    address = page.get_attribute(".proof a[download$='.py']", "href")
    with urllib.request.urlopen(f"{page.url.split('/clinic')[0]}/{address}") as taken:
        assert taken.read().decode() == scenario.twin

    page.wait_for_timeout(500)  # gradio tells the console of an answer that a reload cuts off
    page.reload()
    page.wait_for_selector("#foot button")
    assert all(state(page, stage) == WORDS.say("outcome", "pass") for stage in STAGES)
    page.wait_for_timeout(500)
    page.click(".home")
    page.wait_for_selector(f"{card('wrong_collator')} .solved")
    assert page.complaints == []


@pytest.mark.proof
def test_a_training_that_stalls_beside_its_twin_live(visit: Visit) -> None:
    page = visit("/clinic?scenario=high_learning_rate&stage=train")
    page.click("#right .skip")
    page.wait_for_selector("body:has(#right svg .line.here):has(#foot .stop)", timeout=LONG)
    # On a full machine the twin runs after the learner's own run.
    page.wait_for_selector("#right svg .line.twin", timeout=LONG)
    idle(page)
    assert state(page, "train") == WORDS.say("outcome", "fail")
    assert page.locator("#right svg .parted").count() >= 1
    numbers = page.locator("details.numbers").first
    numbers.locator("summary").click()
    assert numbers.locator("tbody tr").count() >= 100
    run(page, "#foot .all")
    assert state(page, "step") == WORDS.say("outcome", "fail")


@pytest.mark.proof
def test_stop_ends_a_run_and_says_so(visit: Visit) -> None:
    page = visit("/clinic?scenario=wrong_columns&stage=train")
    page.click("#foot .act")
    page.wait_for_selector("#foot .stop")
    page.click("#foot .stop")
    idle(page)
    assert WORDS.say("clinic", "stopped_by_you") in page.inner_text("#foot")
    assert state(page, "train") == WORDS.say("outcome", "not run")


@pytest.mark.proof
def test_a_reload_in_the_middle_picks_the_run_up_again(visit: Visit) -> None:
    page = visit("/clinic?scenario=one_label&stage=overfit")
    page.click("#foot .act")
    page.wait_for_selector("#foot .stop")
    page.wait_for_function("document.querySelector('#foot').innerText.includes(' of 20')")
    page.reload()
    page.wait_for_selector("#foot .stop")
    idle(page)
    assert state(page, "overfit") != WORDS.say("outcome", "not run")


@pytest.mark.proof
def test_two_students_never_see_each_others_state(visit: Visit) -> None:
    first = visit("/clinic?scenario=two_labels&stage=data")
    second = visit("/clinic?scenario=two_labels&stage=data")
    first.click("#foot .hint")
    first.wait_for_selector(".hinted")
    run(first, "#foot .act")
    assert state(first, "data") == WORDS.say("outcome", "pass")
    second.reload()
    second.wait_for_selector("#foot button")
    assert state(second, "data") == WORDS.say("outcome", "not run")
    assert second.locator(".hinted").count() == 0


@pytest.mark.proof
def test_faults_one_behind_the_other_uncover_each_other(visit: Visit) -> None:
    scenario = catalogue.find("course_script")
    page = visit("/clinic?scenario=course_script")
    run(page, "#foot .all")
    for fix in map(scenario.fix, scenario.twin_fixes):
        failing = page.locator("#rail .fail").first.get_attribute("data-with")
        apply(page, "course_script", fix.id)
        if fix.ends_at is not None:
            assert state(page, fix.ends_at) == WORDS.say("outcome", "fail")
            assert STAGES.index(fix.ends_at) >= STAGES.index(failing)
            assert page.locator(".proof").count() == 0
    page.wait_for_selector(".proof")
    assert page.locator("#right .applied").count() == len(scenario.twin_fixes)


@pytest.mark.proof
def test_a_run_that_is_killed_says_so_and_the_next_one_is_healthy(
    visit: Visit, app: tuple[str, subprocess.Popen[str]]
) -> None:
    page = visit("/clinic?scenario=imbalanced&stage=overfit")
    page.click("#right .skip")
    page.wait_for_function("document.querySelector('#foot').innerText.includes(' of 20')")
    for process in children(app[1].pid, deep=2):
        os.kill(process, signal.SIGKILL)
    idle(page)
    assert state(page, "overfit") == WORDS.say("outcome", "stopped")
    assert WORDS.say("finding", "killed") in page.inner_text(".verdict")
    assert state(page, "setup") == WORDS.say("outcome", "pass")
    run(page, "#foot .act")
    assert state(page, "overfit") in (WORDS.say("outcome", "pass"), WORDS.say("outcome", "look"))


def children(process: int, deep: int) -> list[int]:
    """The processes that a process started, `deep` generations down."""
    if not deep:
        return [process]
    found = [
        int(child)
        for task in Path(f"/proc/{process}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
    return [last for child in found for last in children(child, deep - 1)]


@pytest.mark.proof
def test_a_closed_tab_ends_its_run_after_a_while(visit: Visit, address: str) -> None:
    page = visit("/clinic?scenario=stubborn_but_fine&stage=train")
    page.click("#right .skip")
    page.wait_for_selector("#right svg .line.here")
    assert running(address) == 1
    page.close()
    until = time.monotonic() + 30
    while running(address) and time.monotonic() < until:
        time.sleep(0.5)
    assert running(address) == 0
    again = visit("/clinic?scenario=stubborn_but_fine&stage=train")
    assert state(again, "train") == WORDS.say("outcome", "not run")


def running(address: str) -> int:
    with urllib.request.urlopen(f"{address}/health") as answer:
        return json.load(answer)["engine"]["running"]


@pytest.mark.proof
def test_a_server_that_goes_and_comes_back_is_told_and_nothing_is_lost(browser: Any) -> None:
    port = free_port()
    with running_app(port) as (address, server):
        page = open_page(browser.new_context(), f"{address}/clinic?scenario=two_labels&stage=data")
        page.click("#foot .hint")
        page.wait_for_selector(".hinted")
        server.kill()
        server.wait()
        page.click("#rail [data-with=batch]")
        lost = page.wait_for_selector("#lost")
        assert lost.inner_text() == WORDS.say("clinic", "died")
    with running_app(port):
        page.wait_for_selector("#lost", state="detached")  # gradio reloads by itself
        page.wait_for_selector(".hinted")
        assert "stage=data" in page.url
        page.context.close()


@pytest.mark.proof
def test_a_first_drawing_that_never_arrives_is_asked_for_again(visit: Visit) -> None:
    page = visit(f"/clinic?case={number_of('two_labels')}")
    lost: list[str] = []

    def lose(route: Any) -> None:
        if not lost:
            lost.append(route.request.url)
            route.fulfill(json={"data": [{"__type__": "update"}] * 7})
        else:
            route.continue_()

    page.route("**/gradio_api/run/**", lose)
    page.reload()
    page.wait_for_selector("#foot .act.go")
    assert lost


SLOWED = """
const send = window.fetch;
window.fetch = async (...told) => {
  const pressed = String(told[0]).includes('/gradio_api/run/');
  if (pressed) await new Promise((go) => setTimeout(go, window.late || 0));
  return send(...told);
};
"""


@pytest.mark.proof
def test_on_a_slow_line_each_press_is_acted_on_once(visit: Visit, address: str) -> None:
    context = visit("/").context
    context.add_init_script(SLOWED)
    page = open_page(context, f"{address}/clinic?scenario=two_labels&stage=data")
    page.evaluate("window.late = 9000")
    page.click("#foot .hint")
    page.click("#foot .next")
    page.wait_for_selector("#rail [data-with=batch][aria-current=step]")
    assert WORDS.say("clinic", "hint_of", number=1, of=4) in page.inner_text(".hinted")


@pytest.mark.proof
def test_a_press_whose_answer_never_arrives_is_told_again(visit: Visit) -> None:
    page = visit("/clinic?scenario=two_labels&stage=data")
    lost: list[str] = []

    def lose(route: Any) -> None:
        if not lost:
            lost.append(route.request.url)
            route.fetch()
            route.fulfill(json={"data": [{"__type__": "update"}] * 7})
        else:
            route.continue_()

    page.route("**/gradio_api/run/**", lose)
    page.click("#foot .hint")
    page.wait_for_selector(".hinted")
    assert lost
    assert WORDS.say("clinic", "hint_of", number=1, of=4) in page.inner_text(".hinted")


@pytest.mark.proof
def test_a_button_drawn_anew_under_the_finger_is_pressed_all_the_same(visit: Visit) -> None:
    page = visit("/clinic?scenario=two_labels&stage=data")
    page.hover("#rail [data-with=batch]")
    page.mouse.down()
    page.evaluate(
        "(rail => { rail.outerHTML = rail.outerHTML; })(document.querySelector('#rail ol'))"
    )
    page.mouse.up()
    page.wait_for_selector("#rail [data-with=batch][aria-current=step]")


@pytest.mark.proof
def test_the_demonstration_cures_by_itself_and_counts_for_nothing(visit: Visit) -> None:
    page = visit("/")
    page.click(".doors .go")
    for caption in ("demo_fails", "demo_looks", "demo_found", "demo_repairs"):
        page.locator(".caption", has_text=WORDS.say("clinic", caption)).wait_for()
    page.locator(".caption", has_text=WORDS.say("clinic", "demo_ends")).wait_for(timeout=LONG)
    page.wait_for_selector(".proof")
    page.click(".caption .go")
    page.wait_for_selector(".opening")
    page.click(".home")
    page.wait_for_selector(card("two_labels"))
    assert page.locator(".solved").count() == 0


@pytest.mark.proof
def test_the_demonstration_can_be_stopped(visit: Visit) -> None:
    page = visit("/clinic?scenario=two_labels&demo=1")
    page.locator(".caption", has_text=WORDS.say("clinic", "demo_looks")).wait_for()
    page.click("#foot .stop")
    page.locator(".caption", has_text=WORDS.say("clinic", "demo_stopped")).wait_for()
    idle(page)


@pytest.mark.proof
def test_two_tabs_of_one_browser_stay_apart(visit: Visit, address: str) -> None:
    one = visit("/clinic?scenario=two_labels&stage=data")
    other = open_page(one.context, f"{address}/clinic?scenario=two_labels&stage=batch")
    one.click("#rail [data-with=step]")
    one.wait_for_selector("#rail [data-with=step][aria-current=step]")
    assert other.get_attribute("#rail [data-with=batch]", "aria-current") == "step"


@pytest.mark.proof
def test_two_tabs_of_one_browser_keep_what_each_of_them_did(visit: Visit, address: str) -> None:
    one = visit("/clinic?scenario=two_labels")
    other = open_page(one.context, f"{address}/clinic?scenario=one_label")
    for page in (one, other, one):
        hinted = page.locator(".hinted")
        before = hinted.inner_text() if hinted.count() else ""
        page.click("#foot .hint")
        page.wait_for_function(
            "was => (document.querySelector('.hinted') || {innerText: was}).innerText !== was",
            arg=before,
        )
    for page, number in ((one, 2), (other, 1)):
        page.reload()
        page.wait_for_selector(".hinted")
        said = WORDS.say("clinic", "hint_of", number=number, of=4)
        assert said in page.inner_text(".hinted")


def test_the_keyboard_alone_reaches_a_repair(visit: Visit) -> None:
    page = visit("/clinic?scenario=two_labels")
    page.keyboard.press("4")
    page.wait_for_selector("#rail [data-with=forward][aria-current=step]")
    page.keyboard.press("r")
    page.wait_for_selector("#rail .fail")
    idle(page)
    page.focus("#right .skip")
    page.keyboard.press("Enter")
    page.wait_for_selector(".verdict.fail")
    page.keyboard.press("s")
    page.wait_for_selector(".verdict .found")
    page.keyboard.press("f")
    page.wait_for_selector("#right .options")
    focus = "document.activeElement.dataset"
    page.focus("#right .options button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#right .diff")
    assert page.evaluate(f"{focus}.act") == "choose"
    page.keyboard.press("h")
    page.keyboard.press("p")
    page.wait_for_selector(".hinted")
    page.wait_for_selector("html.present")
    page.wait_for_url("**present=1**")


@pytest.mark.proof
def test_the_solution_is_shown_and_never_counts(visit: Visit) -> None:
    page = visit("/clinic?scenario=two_labels")
    page.click("#right [role=tab][data-with=fix]")
    run(page, "#right [data-act=solution]")
    page.wait_for_selector(".proof")
    assert WORDS.say("clinic", "solution_says") in page.inner_text(".proof")
    page.click(".home")
    page.wait_for_selector(card("two_labels"))
    assert page.locator(f"{card('two_labels')} .solved").count() == 0


def test_a_frame_of_the_learners_own_leads_to_its_line(visit: Visit) -> None:
    page = visit("/clinic?scenario=old_arguments&stage=setup")
    answered(page, "setup", -1)
    link = page.locator(".trace .own button").first
    number = re.search(r":(\d+)", link.inner_text())
    assert number is not None
    link.click()
    page.wait_for_selector(f"#line-{number[1]}.flash")


@pytest.mark.proof
@pytest.mark.parametrize("scenario_id", ["", "no_such_thing"])
def test_a_link_that_leads_nowhere_says_so_and_shows_the_way_back(
    visit: Visit, scenario_id: str
) -> None:
    page = visit(f"/clinic?scenario={scenario_id}")
    assert (scenario_id or WORDS.say("clinic", "no_name")) in page.inner_text(".opening")
    page.click(".opening .go")
    page.wait_for_selector("#catalogue .card")


@pytest.mark.proof
def test_a_link_carries_scenario_stage_changes_and_present_mode(visit: Visit) -> None:
    page = visit("/clinic?scenario=two_labels&stage=batch&fixes=three_labels&present=1")
    page.wait_for_selector("html.present")
    assert page.get_attribute("#rail [data-with=batch]", "aria-current") == "step"
    assert "num_labels=3" in page.inner_text("#left .code")


@pytest.mark.parametrize(("size", "scheme"), LOOKS, ids=str)
def test_nothing_overflows_and_axe_finds_no_serious_fault(
    visit: Visit, address: str, size: tuple[int, int], scheme: str
) -> None:
    page = visit("/clinic?scenario=two_labels", size, scheme)
    for path in ("opening", "evidence", "fix", "console"):
        if path == "evidence":
            page.click("#rail [data-with=forward]")
            answered(page, "forward", -1)
        elif path != "opening":
            page.click(f"#right [role=tab][data-with={path}]")
            page.wait_for_selector(f"#right [role=tab][data-with={path}][aria-selected=true]")
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert serious(page) == [], path
    assert page.complaints == []
    assert [url for url in page.asked if not url.startswith(address)] == []
    page.goto(address)
    page.wait_for_selector("#catalogue .card")
    assert serious(page) == []


@pytest.mark.proof
def test_a_message_that_is_longer_than_a_phone_is_scrolled_by_keys(visit: Visit) -> None:
    page = visit("/clinic?scenario=gpu_assert", (390, 844))
    page.click("#rail [data-with=forward]")
    answered(page, "forward", -1)
    page.wait_for_selector("#right .trace .exc")
    assert serious(page) == []
