"""The host's page and the metrics: who gets in, what stands there, what never does."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse

from debugger import settings
from debugger.evidence.markup import sentence
from debugger.outcome import Accepted, Event, Finding, Outcome, StageEnded
from debugger.run import Run
from debugger.web.guard import HEADERS, Guard
from debugger.web.watch import seen
from debugger.web.watch.door import COOKIE, KNOWN_SECONDS, TRIES, Door
from debugger.web.watch.machine import Gpu, children, memory, read_gpu
from debugger.web.watch.page import page, told_of
from debugger.web.watch.routes import routes
from debugger.web.watch.seen import Watched, look
from debugger.words import Words
from debugger.workers.endings import ENDINGS
from debugger.workers.engine import Asker
from debugger.workers.ledger import Ledger
from debugger.workers.sharing import Shared
from debugger.workers.store import Store
from tests.browser.app import running_app

TOKEN = "s3cret-of-the-host-1234"
WORDS = Words()
BEARER = {"authorization": f"Bearer {TOKEN}"}
NUMBERS = {
    "seconds": 300.0,
    "memory_mb": 3000,
    "megabytes": 10,
    "files": 8000,
    "threads": 512,
    "status": 1,
    "signal": "",
    "framework": "pytorch",
    "how": "signal 11",
    "package": "torch",
    "wanted": "==2.13.0",
    "found": "2.8.0",
    "broken": "",
    "waiting": 200,
}


class Standing:
    """An engine that tells what it was told to tell."""

    def __init__(self) -> None:
        self.failures: dict[str, Finding] = {}
        self.outcome = Outcome("pass", "cpu", 1.0)

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        yield Accepted("t")
        yield StageEnded("setup", "pass", 0.25)
        yield self.outcome

    def cancel(self, ticket: str) -> None: ...
    def warm(self, wanted: Any = ()) -> None: ...
    def drain(self, seconds: float) -> None: ...
    def close(self) -> None: ...

    def status(self) -> dict[str, Any]:
        return {
            "workers": 2,
            "queued": 7,
            "running": 1,
            "residents": 0,
            "zygotes": {"pytorch": True, "keras": False},
            "failures": self.failures,
            "typed": {},
            "pids": {"pytorch": os.getpid(), "keras": None},
        }


@pytest.fixture
def engine() -> Standing:
    return Standing()


@pytest.fixture
def watched(engine: Standing, tmp_path: Path) -> Iterator[Watched]:
    store = Store(tmp_path / "answers.sqlite", 10)
    ledger = Ledger(engine)
    yield Watched(engine, ledger, Shared(ledger, store=store), store)
    store.close()


Visit = Callable[..., list[httpx.Response]]


@pytest.fixture
def visit(watched: Watched) -> Visit:
    """Requests one after the other, by one browser, to the host's routes behind the guard."""
    guard = Middleware(Guard, settings.read({"CLINIC_HOST_TOKEN": TOKEN}))
    app = Starlette(routes=routes(watched, TOKEN), middleware=[guard])

    async def asked(*requests: tuple[str, str, dict[str, Any]], address: str = "1.2.3.4") -> Any:
        transport = httpx.ASGITransport(app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="https://clinic") as client:
            return [await client.request(how, path, **more) for how, path, more in requests]

    def go(*requests: tuple[str, str, dict[str, Any]], **more: Any) -> list[httpx.Response]:
        with ThreadPoolExecutor(1) as aside:
            return aside.submit(asyncio.run, asked(*requests, **more)).result()

    return go


def given(token: str) -> tuple[str, str, dict[str, Any]]:
    return ("POST", "/host", {"data": {"token": token}})


LOOK: tuple[str, str, dict[str, Any]] = ("GET", "/host", {})


def test_the_token_opens_the_page_and_stands_in_no_address_and_no_cookie(visit: Visit) -> None:
    before, entered, after, left, again = visit(
        LOOK, given(TOKEN), LOOK, ("POST", "/host", {"data": {"leave": "1"}}), LOOK
    )
    assert (before.status_code, entered.status_code, after.status_code) == (401, 303, 200)
    assert 'id="queue"' not in before.text
    assert 'id="queue"' in after.text
    cookie = entered.headers["set-cookie"].lower()
    assert {"httponly", "samesite=strict", "secure", "path=/host"} <= set(re.split("; *", cookie))
    assert TOKEN not in str(entered.headers) + after.text + str(entered.url)
    assert after.headers["cache-control"] == "no-store"
    assert (left.status_code, again.status_code) == (303, 401)


def test_after_a_few_wrong_tokens_an_address_waits_and_no_other_one_does(visit: Visit) -> None:
    wrong = visit(*[given(f"wrong-{number}") for number in range(TRIES)])
    assert {answer.status_code for answer in wrong} == {401}
    assert WORDS.say("host", "wrong") in wrong[0].text
    refused = visit(given(TOKEN), ("GET", "/metrics", {"headers": BEARER}))
    assert [answer.status_code for answer in refused] == [429, 429]
    assert [answer.status_code for answer in visit(given(TOKEN), address="1.2.3.5")] == [303]


def test_the_right_token_is_never_counted(visit: Visit) -> None:
    scraped = visit(*[("GET", "/metrics", {"headers": BEARER})] * (3 * TRIES))
    assert {answer.status_code for answer in scraped} == {200}


def test_no_other_page_can_send_a_token_for_somebody(visit: Visit) -> None:
    sent = {"data": {"token": TOKEN}, "headers": {"sec-fetch-site": "cross-site"}}
    (answer,) = visit(("POST", "/host", sent))
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": f"Bearer {TOKEN}x"},
        {"authorization": f"Bearer {TOKEN[:-1]}"},
        {"cookie": f"{COOKIE}={TOKEN}"},
    ],
)
def test_metrics_are_given_to_the_token_alone(visit: Visit, headers: dict[str, str]) -> None:
    answer, by_address = visit(
        ("GET", "/metrics", {"headers": headers}), ("GET", f"/metrics?token={TOKEN}", {})
    )
    assert (answer.status_code, by_address.status_code) == (401, 401)
    assert "clinic_" not in answer.text
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


def test_a_cookie_ends_and_nobody_makes_one(visit: Visit) -> None:
    clock = [1_000_000.0]
    door = Door(TOKEN, lambda: clock[0])
    cookie = door.cookie()
    assert door.knows(cookie)
    assert Door(TOKEN, lambda: clock[0]).knows(cookie)  # as after a restart
    assert not Door(TOKEN + "2", lambda: clock[0]).knows(cookie)
    until, _, seal = cookie.partition(".")
    for forged in ("", ".", "x", f"{int(until) + 1}.{seal}", f"{until}.", f"é.{seal}", "\udc80.x"):
        assert not door.knows(forged)
    clock[0] += KNOWN_SECONDS
    assert not door.knows(cookie)


def test_without_a_token_there_is_no_such_page_and_a_short_one_is_refused() -> None:
    app = Guard(PlainTextResponse("reached"), settings.read({}))

    async def ask() -> list[int]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://clinic") as client:
            return [(await client.get(path)).status_code for path in ("/host", "/metrics")]

    with ThreadPoolExecutor(1) as aside:
        assert aside.submit(asyncio.run, ask()).result() == [404, 404]
    for bad in ("short", "with a space in it all", "mit-Umlauten-äöüäöü"):
        with pytest.raises(settings.SettingError, match="CLINIC_HOST_TOKEN") as refused:
            settings.read({"CLINIC_HOST_TOKEN": bad})
        assert bad not in str(refused.value)
    assert TOKEN not in repr(settings.read({"CLINIC_HOST_TOKEN": TOKEN}))


def test_the_page_shows_the_queue_the_answers_and_what_stages_took(watched: Watched) -> None:
    for _ in range(3):
        list(watched.shared.events(Run("x", "setup")))
    html = page(look(watched), WORDS)
    numbers = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html))
    assert numbers[WORDS.say("host", "queued")] == "7"
    assert numbers[WORDS.say("host", "asked")] == "3"
    assert numbers[WORDS.say("host", "without")] == "2"
    assert re.search(r"PyTorch, Setup</th><td>1</td><td>0\.2 s", html)
    assert watched.store is not None
    assert watched.store.held().entries == 1
    assert WORDS.say("host", "no_faults") in html


def test_a_fault_stands_there_with_what_to_do_and_hostile_text_stays_text(
    engine: Standing, watched: Watched
) -> None:
    numbers = {**NUMBERS, "how": "<script>alert(1)</script>"}
    engine.failures = {"keras": Finding("warm_crashed", "note", "setup", None, numbers)}
    engine.outcome = Outcome(
        "stopped", "cpu", 1.0, finding=Finding("out_of_time", "note", "setup", None, NUMBERS)
    )
    for _ in range(2):
        list(watched.ledger.events(Run("x")))
    html = page(look(watched), WORDS)
    assert "<script>alert" not in html
    listed = re.findall(r"<li>.*?</li>", html)
    assert len(listed) == 2
    assert "Keras" in listed[0]
    assert WORDS.say("host", "now") in listed[0]
    assert "300 seconds" in listed[1]
    assert WORDS.say("host", "times", count=2) in listed[1]
    assert all(WORDS.say("host", "what_to_do") in one for one in listed)


FROM_OUTSIDE = {*ENDINGS, "clinic_error_version", "framework_missing"} - {"cancelled"}


@pytest.mark.parametrize("code", sorted(FROM_OUTSIDE))
def test_every_way_in_which_a_run_is_ended_has_words_for_the_host(
    engine: Standing, watched: Watched, code: str
) -> None:
    finding = Finding(code, "note", "setup", None, NUMBERS)
    engine.outcome = Outcome("unknown", "cpu", 1.0, finding=finding)
    list(watched.ledger.events(Run("import tensorflow")))
    what, do = told_of(finding, WORDS.of("keras"))
    html = page(look(watched), WORDS)
    assert sentence(what) in html
    assert sentence(do) in html
    assert "Your script" not in what


def test_a_store_that_cannot_be_written_says_so_and_is_silent_once_it_can(tmp_path: Path) -> None:
    file = tmp_path / "a file"
    file.touch()
    store = Store(file / "answers.sqlite", 10)
    assert store.get(Run("x")) is None
    assert "left out" in store.held().trouble
    file.unlink()
    assert store.get(Run("x")) is None
    assert (store.held().trouble, store.held().misses) == ("", 2)
    store.close()


def test_memory_is_that_of_the_living_and_counts_what_a_warm_process_has_started() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        try:
            assert child.pid in children({os.getpid()})[os.getpid()]
            found = memory({"pytorch": os.getpid(), "keras": None})
        finally:
            child.kill()
    assert set(found.warm) == set(found.runs) == {"pytorch"}
    assert found.warm["pytorch"] > 20
    assert found.runs["pytorch"][0] >= 1
    assert 0 < found.free <= found.of


@pytest.mark.parametrize(
    ("line", "gpu"),
    [
        ("NVIDIA H200, 512, 143771, 3", Gpu("NVIDIA H200", 512, 143771, 3)),
        ("A name, with a comma, 1, 2, [N/A]", Gpu("A name, with a comma", 1, 2, None)),
    ],
)
def test_a_gpu_is_read_as_its_driver_tells_it(line: str, gpu: Gpu) -> None:
    assert read_gpu(line) == gpu


def test_a_gpu_is_shown_where_there_is_one(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen, "gpus", lambda: (Gpu("NVIDIA X", 10, 100, None),))
    html = page(look(watched), WORDS)
    assert 'id="gpu"' in html
    assert WORDS.say("host", "gpu_untold") in html
    monkeypatch.setattr(seen, "gpus", tuple)
    assert 'id="gpu"' not in page(look(watched), WORDS)


def test_metrics_are_what_prometheus_reads_and_tell_of_no_visitor(
    engine: Standing, watched: Watched, visit: Visit
) -> None:
    parser = pytest.importorskip("prometheus_client.parser")
    engine.outcome = Outcome("fail", "cpu", 1.0)
    list(watched.shared.events(Run("x = 's3cret of a learner'", "walk")))
    (answer,) = visit(("GET", "/metrics", {"headers": BEARER}))
    families = {one.name: one for one in parser.text_string_to_metric_families(answer.text)}
    values = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in families.values()
        for sample in family.samples
    }
    assert values["clinic_runs_started_total", "pytorch", "walk"] == 1
    assert values["clinic_runs_ended_total", "fail", "pytorch", "walk"] == 1
    assert values["clinic_stage_seconds_bucket", "0.3", "pytorch", "setup"] == 1
    assert values["clinic_stage_seconds_bucket", "0.1", "pytorch", "setup"] == 0
    assert values["clinic_queue_length",] == 7
    assert values["clinic_answers_total", "made"] == 1
    assert values["clinic_store_reads_total", "miss"] == 1
    assert values["clinic_memory_bytes", "pytorch", "warm"] > 1e6
    labels = {name for one in families.values() for sample in one.samples for name in sample.labels}
    assert labels == {"framework", "stage", "outcome", "le", "how", "of", "result"}
    assert "s3cret" not in answer.text


@pytest.mark.proof
@pytest.mark.slow
def test_in_the_real_app_the_login_covers_the_page_and_no_secret_is_logged() -> None:
    login = {"username": "class", "password": "s3cret"}
    with running_app(CLINIC_HOST_TOKEN=TOKEN, CLINIC_LOGIN="class:s3cret") as (address, server):
        with httpx.Client(base_url=address) as visitor:
            assert visitor.get("/host").status_code == 401
            assert visitor.post("/host", data={"token": TOKEN}).status_code == 401
            assert visitor.get("/metrics").status_code == 401
            assert "clinic_workers" in visitor.get("/metrics", headers=BEARER).text
            visitor.post("/login", data=login)
            assert "<form" in visitor.get("/host").text
            entered = visitor.post("/host", data={"token": TOKEN}, follow_redirects=True)
            assert 'id="queue"' in entered.text
            assert "engine" in visitor.get("/health").json()
            visitor.get("/host?token=" + TOKEN)
        server.send_signal(signal.SIGTERM)
        told = "".join(server.communicate(timeout=30))
    assert "s3cret" not in told
