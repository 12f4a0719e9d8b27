"""The real app in a process of its own, and a real browser to use it with."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.app import KEY, Visit, open_page, running_app


@pytest.fixture(scope="package")
def app() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    with running_app(CLINIC_KEY=KEY) as app:
        yield app


@pytest.fixture(scope="package")
def address(app: tuple[str, subprocess.Popen[str]]) -> str:
    return app[0]


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Visit]:
    """Opens a page in a browser of its own."""
    contexts: list[Any] = []

    def go(path: str = "/", size: tuple[int, int] = (1280, 800), scheme: str = "light") -> Any:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme
        )
        contexts.append(context)
        return open_page(context, f"{address}{path}")

    yield go
    for context in contexts:
        context.close()
