"""From an instructor's assignment to her table of certificates, in a real browser."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from debugger import catalogue
from debugger.homework.receipt import Receipt, signed
from debugger.homework.seal import Seal
from debugger.web.progress_file import export_record
from debugger.web.visit import Case, Record
from debugger.words import Words
from tests.browser.app import KEY, LOOKS, PATIENCE, serious

WORDS = Words()
CASES = [catalogue.find(name) for name in ("two_labels", "wrong_collator", "one_label")]
HOSTILE = "<img src onerror=hit=1>"
ADA = "0123abcd"


def kept() -> str:
    """What a browser keeps that has solved two of the three, one of them without a receipt."""
    receipt = Receipt(ADA, CASES[0].number, "typed", int(time.time()), attempts=2)
    token = signed(receipt, Seal(KEY, Path("/nowhere")))
    cases = {CASES[0].id: Case(solved=True, receipts=(token,)), CASES[1].id: Case(solved=True)}
    return export_record(Record(learner=ADA, cases=cases))


@pytest.mark.parametrize(("size", "scheme"), LOOKS)
def test_an_assignment_comes_back_as_a_certificate(
    browser: Any, address: str, tmp_path: Path, size: tuple[int, int], scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, accept_downloads=True
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text))

    page.goto(f"{address}/task/new")
    page.fill("[name=title]", HOSTILE)
    page.fill("[name=until]", "2028-01-01T18:00")
    for case in CASES:
        page.check(f'[name=case][value="{case.number}"]')
    signed_off(page)
    page.click("[data-task] button.go")
    page.wait_for_selector("[data-made]:not([hidden])")
    link = page.inner_text("[data-link]")

    page.evaluate("text => localStorage.setItem('training-clinic', text)", kept())
    page.goto(link)
    page.wait_for_selector(".work")
    states = [page.locator(f".work li.{state}").count() for state in ("in_time", "unproved")]
    assert (states, page.locator(".work li").count()) == ([1, 1], 3)
    signed_off(page)
    page.click("a.go")
    page.wait_for_selector("article")
    page.fill("[name=name]", HOSTILE)
    with page.expect_download() as saved:
        page.click("[name=save]")
    signed_off(page)
    ada, eve = tmp_path / "ada.json", tmp_path / "eve.json"
    saved.value.save_as(ada)
    told = json.loads(ada.read_text(encoding="utf-8"))
    assert [one["how"] for one in told["work"]] == ["typed"]
    eve.write_text(json.dumps(told | {"name": "Eve"}), encoding="utf-8")

    page.goto(f"{address}/certificate/check")
    page.fill("[name=of]", link)
    page.set_input_files("[name=files]", [ada, eve])
    page.fill("[name=text]", "no certificate")
    page.click("[data-check] button.go")
    page.wait_for_selector("tr.genuine")
    assert page.locator("tr.refused").count() == 2
    signed_off(page)
    with page.expect_download() as table:
        page.click("[data-csv]")
    assert len(Path(table.value.path()).read_text(encoding="utf-8").splitlines()) == 4

    page.goto(link[:-3])
    page.wait_for_selector("[data-said]:not(:empty)")
    assert page.inner_text("[data-said]") == WORDS.say("homework", "changed")
    assert page.evaluate("window.hit") is None
    assert [one for one in complaints if "409" not in one] == []
    context.close()


def signed_off(page: Any) -> None:
    assert serious(page) == []
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
