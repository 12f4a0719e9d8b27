"""The first page, served by the real app and read in a real browser."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scenarios
from debugger.words import Words

ROOT = Path(__file__).parent.parent.parent
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


def app(**environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    port = free_port()
    with app(CLINIC_PORT=str(port)) as server:
        assert server.stdout is not None
        assert f":{port}" in server.stdout.readline()
        yield f"http://127.0.0.1:{port}"
        server.send_signal(signal.SIGTERM)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield started
        started.close()


def visit(browser: Any, address: str, width: int, height: int, scheme: str = "light") -> Any:
    """The page once it stands; `page.seen` holds what it asked for and what it complained about."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.seen = {"requests": [], "complaints": []}
    page.on("request", lambda request: page.seen["requests"].append(request.url))
    page.on("console", lambda line: page.seen["complaints"].append(f"{line.type}: {line.text}"))
    page.on("pageerror", lambda error: page.seen["complaints"].append(str(error)))
    page.on(
        "response",
        lambda answer: answer.status >= 400 and page.seen["complaints"].append(answer.url),
    )
    page.goto(address)
    page.wait_for_selector("#catalogue li")
    page.wait_for_load_state("networkidle")
    return page


def test_health_answers_as_json(address: str) -> None:
    with urllib.request.urlopen(f"{address}/health") as answer:
        assert answer.headers["content-type"] == "application/json"
        health = json.load(answer)
    assert health == {"status": "ok", "scenarios": len(scenarios.all()), "assets": "bundled"}


def test_nothing_of_the_page_can_be_called_from_outside(address: str) -> None:
    with urllib.request.urlopen(f"{address}/gradio_api/info") as answer:
        assert json.load(answer)["named_endpoints"] == {}


def test_every_scenario_stands_on_the_page_with_the_line_that_runs_it(
    browser: Any, address: str
) -> None:
    text = visit(browser, address, 1280, 800).inner_text("#catalogue")
    for scenario in scenarios.all():
        assert scenario.words.title in text
        assert scenario.words.complaint in text
        assert f"{scenario.minutes} min" in text
        assert f"python -m debugger run {scenario.id}" in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_page_fits_complains_about_nothing_and_asks_nobody_else(
    browser: Any, address: str, width: int, height: int, scheme: str
) -> None:
    page = visit(browser, address, width, height, scheme)
    assert page.seen["complaints"] == []
    assert [url for url in page.seen["requests"] if not url.startswith(address)] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.title() == Words().say("page", "title")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser: Any, address: str, scheme: str) -> None:
    page = visit(browser, address, 1280, 800, scheme)
    for selector in ("h1", ".lead", ".hint", "h3", ".card p", ".card a", "code", ".stages li"):
        assert contrast(page, f"#catalogue {selector}") >= 4.5, selector


def contrast(page: Any, selector: str) -> float:
    """The WCAG contrast of an element's text with the nearest ground that is painted."""
    colours = page.eval_on_selector(
        selector,
        """element => {
            const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
            let ground = element, painted = [0, 0, 0, 0];
            while (ground && (painted[3] ?? 1) === 0) {
                painted = numbers(getComputedStyle(ground).backgroundColor);
                ground = ground.parentElement;
            }
            return [numbers(getComputedStyle(element).color), painted];
        }""",
    )
    bright, dim = sorted((luminance(colour[:3]) for colour in colours), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: list[float]) -> float:
    parts = [part / 255 for part in colour]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_the_page_is_read_in_order_and_has_one_main_part(browser: Any, address: str) -> None:
    page = visit(browser, address, 1280, 800)
    levels = page.eval_on_selector_all("h1,h2,h3", "all => all.map(one => one.tagName)")
    assert levels == ["H1", "H2", *["H3"] * len(scenarios.all()), "H2"]
    assert page.locator("main").count() == 1
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("#catalogue .level").first.get_attribute("aria-label")


def test_a_wrong_setting_stops_the_start_with_its_name_and_status_64() -> None:
    with app(CLINIC_ASSETS="cloud") as server:
        out, err = server.communicate(timeout=60)
    assert (server.returncode, out) == (64, "")
    assert "CLINIC_ASSETS" in err
    assert err.count("\n") == 1


def test_a_port_in_use_stops_the_start_with_a_sentence_and_status_1() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        started = time.monotonic()
        with app(CLINIC_PORT=str(port)) as server:
            out, err = server.communicate(timeout=60)
    assert (server.returncode, out) == (1, "")
    assert str(port) in err
    assert "CLINIC_PORT" in err
    assert err.count("\n") == 1
    assert time.monotonic() - started < 30


def test_a_host_stops_the_app_with_ctrl_c_and_sees_no_trace() -> None:
    port = free_port()
    with app(CLINIC_PORT=str(port)) as server:
        assert server.stdout is not None
        server.stdout.readline()
        server.send_signal(signal.SIGINT)
        _, err = server.communicate(timeout=60)
    assert "Traceback" not in err
    assert server.returncode == 0


def test_what_a_scenario_says_is_shown_and_never_run() -> None:
    from dataclasses import replace

    from debugger.web.catalogue import catalogue

    scenario = scenarios.all()[0]
    hostile = replace(scenario.words, complaint="<img src=x onerror=alert(1)> {{1+1}} ${value}")
    html = catalogue([replace(scenario, words=hostile)], Words())
    assert "<img" not in html
    assert "&lt;img" in html
