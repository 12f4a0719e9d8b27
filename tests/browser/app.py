"""Starting the real app and opening its pages, for the tests that use a browser."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from debugger.catalogue.scenario import number_of

ROOT = Path(__file__).parent.parent.parent
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
KEY = "k" * 32
"""What the app of these tests signs with: a test may sign what a browser is to keep."""
FIRST_LOOK = ((1280, 800), "light")
PATIENCE, LONG = 180_000, 600_000
"""Milliseconds for the page to show something, and for a run on a busy machine to get somewhere."""
PATIENT = {"CLINIC_TIME_LIMIT": "1200", "CLINIC_STAGE_LIMIT": "1200"}
"""A page is tried beside two other lanes, and a run is not stopped because that is slow."""
Visit = Callable[..., Any]
SIZES = ((1280, 800), (1920, 1080), (390, 844))
LOOKS = [
    pytest.param(size, scheme, marks=() if (size, scheme) == FIRST_LOOK else pytest.mark.proof)
    for size in SIZES
    for scheme in ("light", "dark")
]
"""Each screen in both themes, for `size` and `scheme`. A newcomer waits for the first one only."""


def start_app(root: Path = ROOT, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "app.py"],
        cwd=root,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def running_app(
    port: int = 0, root: Path = ROOT, **environment: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The app in a data folder of its own, once it is ready: its address, and its process."""
    port = port or free_port()
    with (
        tempfile.TemporaryDirectory() as data,
        start_app(
            root,
            **PATIENT,
            **{"CLINIC_PORT": str(port), "CLINIC_DATA_DIR": data, **environment},
        ) as server,
    ):
        try:
            assert server.stdout is not None
            assert f":{port}" in server.stdout.readline()
            yield f"http://127.0.0.1:{port}", server
        finally:
            server.send_signal(signal.SIGTERM)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def card(scenario_id: str) -> str:
    """Where the first page has that scenario."""
    return f"#case-{number_of(scenario_id)}"


def open_page(context: Any, url: str) -> Any:
    """A page once it stands; `page.complaints` and `page.asked` fill by themselves."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.asked, page.complaints = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("console", lambda line: page.complaints.append(f"{line.type}: {line.text}"))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on(
        "response",
        lambda answer: answer.status >= 400 and page.complaints.append(answer.url),
    )
    page.goto(url)
    page.wait_for_selector("#catalogue .card, #foot button, .opening")
    return page


def serious(page: Any) -> list[str]:
    """What axe finds on a page that nobody should sign."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:160]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]
