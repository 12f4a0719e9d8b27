"""How fast the pages answer: the second half of `make bench`."""

from __future__ import annotations

import json
import statistics
import time
import urllib.request
from contextlib import suppress
from typing import Any

import nbformat
from nbclient import NotebookClient
from playwright.sync_api import sync_playwright

from debugger import catalogue
from debugger.export import notebook, script_cells
from debugger.frameworks import NAMES
from debugger.outcome import STAGES
from tests.browser.app import (
    CHROMIUM,
    QUIET,
    ROOT,
    card,
    free_port,
    open_page,
    running_app,
    start_app,
)
from tools.waits import late

ROUNDS = 5
CLICKED = ("data", "batch", "forward")
SEEN = """selector => new Promise((done) => {
  const began = performance.now();
  const look = () => {
    if (!document.querySelector('#right .verdict')) return;
    watching.disconnect();
    done((performance.now() - began) / 1000);
  };
  const watching = new MutationObserver(look);
  watching.observe(document.body, {childList: true, subtree: true});
  document.querySelector(selector).click();
})"""

IN_A_HURRY = """
addEventListener('click', (press) => {
  if (press.target.closest('.card')) sessionStorage.began = Date.now();
}, true);
new MutationObserver(() => {
  const all = document.querySelector('#foot .all');
  if (all && !window.pressed) { window.pressed = true; all.click(); }
  if (!window.seconds && document.querySelector('#rail .fail'))
    window.seconds = (Date.now() - sessionStorage.began) / 1000;
}).observe(document, {childList: true, subtree: true});
"""
"""A visitor who presses "run all" as soon as it is there. The browser's own clock: asking it from
outside, again and again, answers up to half a second late."""


def main() -> None:
    starts = [start_seconds() for _ in range(ROUNDS)]
    with running_app() as (address, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        wait_until_warm(address)
        visit(browser, address, "two_labels", "setup")
        clicks = {framework: clicked(browser, address, framework) for framework in NAMES}
        diagnoses = [diagnosis(browser) for _ in range(ROUNDS)]
        browser.close()
    cells = [cells_seconds() for _ in range(ROUNDS)]
    here, there = statistics.median(diagnoses), statistics.median(cells)
    print(f"\nFrom the start of `python app.py` to the first page: {spread(starts)}.")
    for framework, seconds in clicks.items():
        print(
            f"Click to evidence in a browser ({framework}; {', '.join(CLICKED)}; {len(seconds)} "
            f"clicks): median {statistics.median(seconds):.2f} s, "
            f"95th percentile {late(seconds):.2f} s."
        )
    print(
        f"`two_labels` from opening it to its first failing stage: {here:.2f} s in the browser; "
        f"the course's cells in a fresh kernel {there:.1f} s ({there / here:.0f}x)."
    )


def clicked(browser: Any, address: str, framework: str) -> list[float]:
    return sorted(
        visit(browser, address, scenario.id, stage)
        for scenario in catalogue.every()
        if scenario.framework == framework and scenario.first_stage != "setup"
        for stage in CLICKED
    )


def start_seconds() -> float:
    port, began = free_port(), time.monotonic()
    with start_app(CLINIC_PORT=str(port)) as server:
        while True:
            with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
                answer.read()
                break
            time.sleep(0.02)
        seconds = time.monotonic() - began
        server.terminate()
    return seconds


def wait_until_warm(address: str) -> None:
    """Both frameworks are imported: what a host does in its first seconds slows nobody later."""
    while True:
        with urllib.request.urlopen(f"{address}/health") as answer:
            if all(json.load(answer)["engine"]["zygotes"].values()):
                return
        time.sleep(0.1)


def visit(browser: Any, address: str, scenario: str, stage: str) -> float:
    """Seconds from a click to the evidence of a stage that nobody ran before."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = open_page(context, f"{address}/clinic?scenario={scenario}&stage={stage}")
    seconds = page.evaluate(SEEN, "#right .skip")
    page.wait_for_selector("#foot .act.go")
    context.close()
    return seconds


def diagnosis(browser: Any) -> float:
    """Seconds from a scenario's card to its first failing stage, where nobody ran it before."""
    with running_app() as (address, _):
        wait_until_warm(address)
        visit(browser, address, "one_label", "setup")
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = open_page(context, address)
        context.add_init_script(IN_A_HURRY)
        page.evaluate(IN_A_HURRY)
        page.click(card("two_labels"))
        seconds = page.wait_for_function("window.seconds").json_value()
        context.close()
    return seconds


def cells_seconds() -> float:
    """The same with the course's cells: its script, then its looks up to the failing stage."""
    scenario = catalogue.find("two_labels")
    book = notebook(scenario)
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    looks = STAGES.index(scenario.first_stage or "train") + 1
    book["cells"] = code[: 1 + len(script_cells(scenario.script)) + looks]
    client = NotebookClient(
        nbformat.from_dict(book),
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(ROOT)}},
    )
    began = time.monotonic()
    client.execute()
    return time.monotonic() - began


def spread(seconds: list[float]) -> str:
    return f"median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s"
