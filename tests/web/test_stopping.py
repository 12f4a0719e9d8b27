"""A server that is told to stop tells whoever waits, is gone in time, and leaves no process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE
from typing import Any

import httpx
import pytest

from debugger.web.room.doors import HEADER
from debugger.words import Words
from tests.browser.app import running_app

pytestmark = pytest.mark.slow
ENDED = "the server let go of it"
SAID = Words().say("finding", "server_stops")
MOST_SECONDS = 10
"""What `docker stop` waits before it kills."""


def asked(address: str, stage: str) -> str:
    """A program's run of a stage, and what it was told in the end."""
    with httpx.Client(base_url=address, timeout=60) as client:
        given = {"data": ["high_learning_rate", [], stage, "en"]}
        event = client.post("/gradio_api/call/run", json=given).json()["event_id"]
        return client.get(f"/gradio_api/call/run/{event}").text


def followed(address: str, seen: list[str]) -> None:
    """What the board of a new class shows, and how its stream ended."""
    with httpx.Client(base_url=address, timeout=60) as client:
        told = client.post("/class/new", json={}).json()
        headers, query = {HEADER: f"{told['code']}.{told['token']}"}, {"as": "board"}
        with client.stream("GET", "/class/live", params=query, headers=headers) as answer:
            for line in answer.iter_lines():
                seen.append(line)
    seen.append(ENDED)


def family(process: int) -> set[int]:
    """Every process below this one."""
    found: set[int] = set()
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found |= {child, *family(child)}
    return found


def until(true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def engine_of(address: str) -> Any:
    return httpx.get(f"{address}/health").json()["engine"]


@pytest.mark.proof
def test_who_waits_is_told_and_nothing_is_left() -> None:
    with running_app(CLINIC_WORKERS="2") as (address, server):
        until(lambda: engine_of(address)["zygotes"]["pytorch"])
        told: dict[str, str] = {}
        threads = [
            threading.Thread(target=lambda s=s: told.update({s: asked(address, s)}), daemon=True)
            for s in ("train", "walk")
        ]
        for thread in threads:
            thread.start()
            until(lambda: engine_of(address)["running"])
        until(lambda: engine_of(address)["queued"])
        streamed: list[str] = []
        class_ = threading.Thread(target=followed, args=(address, streamed), daemon=True)
        class_.start()
        until(lambda: streamed)
        below = family(server.pid)
        assert len(below) > 1
        server.send_signal(signal.SIGTERM)
        server.wait(MOST_SECONDS)
        for thread in (*threads, class_):
            thread.join(20)
    assert streamed[-1] == ENDED
    assert server.returncode == 0
    assert [json.dumps(SAID)[1:-1] in told[stage] for stage in ("train", "walk")] == [True, True]
    until(lambda: not any(os.path.exists(f"/proc/{process}") for process in below))


WAITS = """
import sys, time
from debugger.web.stopping import Told
told = Told()
print("waits", flush=True)
told.wait()
print("heard", flush=True)
time.sleep(60)
"""


@pytest.mark.some(1)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_same_signal_again_ends_it_where_it_stands(number: int) -> None:
    with subprocess.Popen([sys.executable, "-c", WAITS], stdout=PIPE, text=True) as process:
        assert process.stdout is not None
        for said in ("waits", "heard"):
            assert process.stdout.readline() == f"{said}\n"
            process.send_signal(number)
        assert process.wait(20) == -number


RUNG = """
import signal, threading, time
from debugger.web.stopping import Told
told = Told()
def ring():
    time.sleep(0.5)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
    time.sleep(60)
threading.Thread(target=ring, daemon=True).start()
told.wait()
print("heard")
"""


def test_a_signal_that_does_not_wake_who_waits_is_heard() -> None:
    """It comes to another thread, or just before the wait begins."""
    done = subprocess.run(
        [sys.executable, "-c", RUNG], stdout=PIPE, text=True, timeout=30, check=False
    )

    assert (done.stdout, done.returncode) == ("heard\n", 0)
