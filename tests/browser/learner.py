"""What a learner does on a clinic page."""

from __future__ import annotations

from typing import Any

from debugger import catalogue
from tests.browser.app import LONG


def idle(page: Any) -> None:
    """Nothing runs any more."""
    page.wait_for_selector("#foot .act.go", timeout=LONG)


def run(page: Any, selector: str) -> None:
    """Press, and wait until the server has heard it and nothing runs any more."""
    heard = "Number(document.querySelector('[data-heard]').dataset.heard)"
    before = page.evaluate(heard)
    page.click(selector)
    page.wait_for_function(f"{heard} > {before}")
    idle(page)
    page.wait_for_timeout(300)


def answered(page: Any, stage: str, choice: int) -> None:
    """Answer the stage's question, or look without (-1), and see what it shows."""
    page.wait_for_selector(f"#rail [data-with={stage}][aria-current=step]")
    run(page, f"#right [data-act=answer][data-with='{choice}']")
    page.wait_for_selector("#right .question.done")


def diagnosed(page: Any, cause: str, sure: str) -> None:
    page.click("#left [role=tab][data-with=diagnosis]")
    page.click(f"#left [data-act=cause][data-with={cause}]")
    page.click(f"#left [data-act=sure][data-with={sure}]")
    page.wait_for_selector(f"#left [data-act=cause][data-with={cause}]", state="detached")


def state(page: Any, stage: str) -> str:
    return page.inner_text(f"#rail [data-with={stage}] .state")


def apply(page: Any, scenario_id: str, change: str) -> None:
    said = catalogue.find(scenario_id).words
    label = (said.fixes.get(change) or said.cheats[change]).label
    page.click("#right [role=tab][data-with=fix]")
    page.click(f"#right [data-act=choose][data-with={change}]")
    page.wait_for_selector("#right .diff")
    assert label in page.inner_text(f"#right [data-with={change}][aria-pressed=true]")
    run(page, "#right [data-act=apply]")
