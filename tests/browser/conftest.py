"""The real app in a process of its own, and a real browser to use it with."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Error as PlaywrightError

from tests.browser.app import KEY, Visit, open_page, running_app


@pytest.fixture(scope="module")
def app() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """One for each file: proofs come in another order with each commit, and what was answered for
    an earlier file would be shown at once where a later one waits for a run."""
    with running_app(CLINIC_KEY=KEY) as app:
        yield app


@pytest.fixture(scope="module")
def address(app: tuple[str, subprocess.Popen[str]]) -> str:
    return app[0]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A test that waits in vain says what its pages show, which nobody sees on another machine."""
    report = (yield).get_result()  # pyright: ignore[reportGeneralTypeIssues]
    if report.when == "call" and report.failed:
        for page in getattr(item, "funcargs", {}).get("pages", ()):
            with suppress(PlaywrightError):
                report.sections.append((page.url, page.inner_text("body", timeout=5_000)))


@pytest.fixture
def pages() -> list[Any]:
    return []


@pytest.fixture
def visit(browser: Any, address: str, pages: list[Any]) -> Iterator[Visit]:
    """Opens a page in a browser of its own."""
    contexts: list[Any] = []

    def go(path: str = "/", size: tuple[int, int] = (1280, 800), scheme: str = "light") -> Any:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme
        )
        contexts.append(context)
        pages.append(open_page(context, f"{address}{path}"))
        return pages[-1]

    yield go
    for context in contexts:
        context.close()
