"""The first page, served by the real app and read in a real browser."""

import json
import signal
import socket
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from debugger import catalogue
from debugger.catalogue.scenario import number_of
from debugger.catalogue.skills import skill_of
from debugger.web.catalogue_page import first_page
from debugger.web.visit import Record
from debugger.words import Words
from tests.browser.app import LOOKS, Visit, card, free_port, running_app, serious, start_app

WORDS = Words()
TWO_LABELS = card("two_labels")


def test_health_answers_as_json(address: str) -> None:
    with urllib.request.urlopen(f"{address}/health") as answer:
        assert answer.headers["content-type"] == "application/json"
        health = json.load(answer)
    assert health["status"] == "ok"
    assert health["scenarios"] == len(catalogue.every())
    assert health["engine"]["running"] >= 0


def test_three_named_endpoints_can_be_called_and_nothing_else(address: str) -> None:
    with urllib.request.urlopen(f"{address}/gradio_api/info") as answer:
        told = json.load(answer)
    assert set(told["named_endpoints"]) == {"/list", "/run", "/judge"}
    assert all(endpoint["description"] for endpoint in told["named_endpoints"].values())
    assert told["unnamed_endpoints"] == {}


@pytest.mark.proof
def test_an_endpoint_answers_as_the_command_line_does_and_refuses_with_a_sentence(
    address: str,
) -> None:
    client = Client(address, verbose=False)
    assert [entry["id"] for entry in client.predict(api_name="/list")] == [
        scenario.id for scenario in catalogue.every()
    ]
    answer = client.predict("two_labels", [], "forward", api_name="/run")
    assert answer["first_failing_stage"] == "forward"
    with pytest.raises(AppError, match="no_such_thing"):
        client.predict("no_such_thing", [], api_name="/judge")
    with pytest.raises(AppError, match="no_such_fix"):
        client.predict("two_labels", ["no_such_fix"], api_name="/judge")


@pytest.mark.proof
def test_language_models_are_offered_the_same_three_and_only_where_the_host_says_so(
    address: str,
) -> None:
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"{address}/gradio_api/mcp/schema")
    with (
        running_app(CLINIC_MCP="on") as (other, _),
        urllib.request.urlopen(f"{other}/gradio_api/mcp/schema") as answer,
    ):
        tools = json.load(answer)
    assert {tool["name"] for tool in tools} == {"list_", "run", "judge"}
    assert all(tool["description"] for tool in tools)


@pytest.mark.proof
def test_a_login_stands_before_the_pages_and_the_endpoints(browser: Any) -> None:
    with running_app(CLINIC_LOGIN="class:secret") as (address, _):
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{address}/gradio_api/info")
        with urllib.request.urlopen(f"{address}/health") as answer:
            assert json.load(answer)["status"] == "ok"
        page = browser.new_context().new_page()
        page.goto(f"{address}/clinic?scenario=two_labels")
        page.get_by_label("username").fill("class")
        page.get_by_label("password").fill("secret")
        page.get_by_role("button", name="Login").click()
        page.wait_for_selector("#catalogue .card, #foot button")
        page.context.close()


@pytest.mark.proof
def test_every_scenario_stands_under_its_symptom(visit: Visit) -> None:
    page = visit()
    for scenario in catalogue.every():
        shelf = page.locator("section", has=page.locator(f"#{scenario.symptom}"))
        said = shelf.locator(card(scenario.id)).inner_text()
        assert scenario.words.title in said
        assert f"{scenario.minutes} min" in said


@pytest.mark.parametrize(("size", "scheme"), LOOKS, ids=str)
def test_the_page_fits_complains_about_nothing_and_asks_nobody_else(
    visit: Visit, address: str, size: tuple[int, int], scheme: str
) -> None:
    page = visit("/", size, scheme)
    page.wait_for_timeout(500)
    assert page.complaints == []
    assert [url for url in page.asked if not url.startswith(address)] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.wait_for_function("title => document.title === title", arg=WORDS.say("page", "title"))


@pytest.mark.proof
def test_a_level_filters_the_cards(visit: Visit) -> None:
    page = visit()
    page.click("[data-filter='1']")
    shown = set(page.eval_on_selector_all(".card:visible", "all => all.map(c => c.dataset.level)"))
    assert shown == {"1"}
    page.click("[data-filter='']")
    assert page.locator(".card:visible").count() == len(catalogue.every())


@pytest.mark.proof
def test_a_framework_filters_the_cards(visit: Visit) -> None:
    if {scenario.framework for scenario in catalogue.every()} != {"pytorch", "keras"}:
        pytest.skip("the catalogue holds one framework")
    page = visit()
    page.click("[data-filter=keras]")
    every = "all => all.map(c => c.dataset.framework)"
    assert set(page.eval_on_selector_all(".card:visible", every)) == {"keras"}
    page.click("[data-filter='1']")
    assert set(page.eval_on_selector_all(".card:visible", every)) == {"pytorch", "keras"}


@pytest.mark.proof
def test_progress_is_saved_as_a_file_loaded_again_and_forgotten_after_a_question(
    visit: Visit, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps({"learner": "0a0b0c0d", "cases": {"two_labels": {"solved": True}}}))
    page = visit()
    kept = {"learner": "0b0b0b0b", "cases": {"imbalanced": {"solved": True}}}
    page.evaluate("kept => localStorage.setItem('training-clinic', kept)", json.dumps(kept))
    with page.expect_file_chooser() as chosen:
        page.click("[data-act=import]")
    chosen.value.set_files(str(mine))
    page.wait_for_selector(f"{TWO_LABELS} .solved")
    assert WORDS.say("page", "imported", solved=2, new=1) in page.inner_text(".progress")
    page.reload()
    page.wait_for_selector(f"{TWO_LABELS} .solved")
    with page.expect_download() as saved:
        page.click("[data-act=export]")
    kept = json.loads(Path(saved.value.path()).read_text())
    assert all(kept["cases"][name]["solved"] for name in ("two_labels", "imbalanced"))
    assert kept["learner"] == "0b0b0b0b"
    page.click("[data-act=forget]")
    assert page.locator(f"{TWO_LABELS} .solved").count() == 1
    page.wait_for_selector(".ask")
    page.click("[data-act=forget]")
    page.wait_for_selector(f"{TWO_LABELS} .solved", state="detached")


@pytest.mark.proof
def test_a_file_that_is_something_else_changes_nothing_and_says_so(
    visit: Visit, tmp_path: Path
) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"cases": 7}')
    page = visit()
    with page.expect_file_chooser() as chosen:
        page.click("[data-act=import]")
    chosen.value.set_files(str(other))
    page.locator(".progress [role=status]", has_text="nothing was changed").wait_for()


@pytest.mark.proof
@pytest.mark.parametrize(("size", "scheme"), LOOKS, ids=str)
def test_who_comes_back_is_told_where_to_go_on_and_what_is_mastered(
    visit: Visit, size: tuple[int, int], scheme: str
) -> None:
    page = visit("/", size, scheme)
    assert page.locator(".path li").count() == 6
    begun = {"at": "2026-11-12T10:00:00Z", "stage": "batch", "answers": {"setup": 0}}
    solved = {"solved": True, "solved_at": "2026-01-02T10:00:00Z", "cause": "label_outside_head"}
    cases = {"two_labels": {**solved, "sure": "certain"}, "imbalanced": begun}
    kept = json.dumps({"learner": "0a0b0c0d", "cases": cases})
    page.evaluate("kept => localStorage.setItem('training-clinic', kept)", kept)
    page.reload()
    page.wait_for_selector(".go-on .resume")
    assert page.locator(".path").count() == 0
    for kind in ("again", "familiar", "suggested"):
        assert page.locator(f".go-on .{kind} b").inner_text().strip()
    told = page.inner_text(".progress")
    alike = sum(skill_of(scenario) == "head" for scenario in catalogue.every())
    assert WORDS.say("path", "mastery_alone", solved=1, of=alike, alone=1) in told
    assert WORDS.say("path", "judged", sure="Certain", right=1, of=1) in told
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    least = 44 if size[0] < 640 else 24
    for target in page.locator(".go-on :is(a, button)").all():
        assert target.bounding_box()["height"] >= least
    if size[0] >= 1280:
        first = page.locator(".card").first.bounding_box()
        assert first["y"] + first["height"] < size[1]
    assert serious(page) == []
    page.click(".go-on .resume a")
    page.wait_for_selector("#rail [data-with=batch][aria-current=step]")
    assert page.complaints == []


@pytest.mark.proof
def test_a_solved_case_is_started_again_after_a_question_and_stays_solved(visit: Visit) -> None:
    page = visit()
    case = {"solved": True, "solved_at": "2026-01-02T10:00:00Z", "answers": {"setup": 0}}
    kept = json.dumps({"learner": "0a0b0c0d", "cases": {"two_labels": case}})
    page.evaluate("kept => localStorage.setItem('training-clinic', kept)", kept)
    page.reload()
    page.click("[data-act=again]")
    page.wait_for_selector(".ask")
    assert page.url.endswith("/")
    page.click("[data-act=again]")
    page.wait_for_selector("#right .opening")
    after = json.loads(page.evaluate("localStorage.getItem('training-clinic')"))
    left = after["cases"]["two_labels"]
    assert (left["solved"], left["afresh"], left["answers"]) == (True, True, {})
    page.click("#bar .home")
    page.wait_for_selector(f"{TWO_LABELS} .solved")
    assert (
        page.get_attribute(".go-on .resume a", "href") == f"clinic?case={number_of('two_labels')}"
    )


@pytest.mark.proof
def test_a_wrong_setting_stops_the_start_with_its_name_and_status_64() -> None:
    with start_app(CLINIC_ASSETS="cloud") as server:
        out, err = server.communicate(timeout=60)
    assert (server.returncode, out) == (64, "")
    assert "CLINIC_ASSETS" in err
    assert err.count("\n") == 1


@pytest.mark.proof
def test_a_port_in_use_stops_the_start_with_a_sentence_and_status_1() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with start_app(CLINIC_PORT=str(port)) as server:
            out, err = server.communicate(timeout=60)
    assert (server.returncode, out) == (1, "")
    assert str(port) in err
    assert "CLINIC_PORT" in err
    assert err.count("\n") == 1


@pytest.mark.proof
def test_a_host_stops_the_app_with_ctrl_c_and_sees_no_trace(tmp_path: Path) -> None:
    port = free_port()
    with start_app(CLINIC_PORT=str(port), CLINIC_DATA_DIR=str(tmp_path)) as server:
        assert server.stdout is not None
        server.stdout.readline()
        server.send_signal(signal.SIGINT)
        _, err = server.communicate(timeout=60)
    assert "Traceback" not in err
    assert server.returncode == 0


def test_what_a_scenario_says_is_shown_and_never_run() -> None:
    scenario = catalogue.every()[0]
    hostile = replace(scenario.words, complaint="<img src=x onerror=alert(1)> {{1+1}} ${value}")
    html = first_page([replace(scenario, words=hostile)], WORDS, Record())
    assert "<img" not in html
    assert "&lt;img" in html
    assert "{{" not in html
    assert "${" not in html
