"""What stands in front of the pages, asked as somebody would who means no good."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from debugger import catalogue, settings
from debugger.web import guard
from debugger.web.bounds import MINUTE, Bounds
from debugger.web.guard import HEADERS, Guard
from tests.browser.app import ROOT, running_app

T = TypeVar("T")
LOGIN = "class:s3cret-of-the-login"
TAKE = f"/take/{catalogue.find('two_labels').number}"
HIDDEN = ("/gradio_api/app_id", "/config", "/gradio_api/info", f"{TAKE}.py", f"{TAKE}.ipynb")
NOT_SERVED = (
    "/gradio_api/file=/etc/passwd",
    f"/gradio_api/file={ROOT}/app.py",
    f"/gradio_api/file={ROOT}/debugger/../app.py",
    "/gradio_api/file=http://127.0.0.1/",
    f"/gradio_api/file/{ROOT}/app.py",
    f"/file={ROOT}/app.py",
    f"//gradio_api/file={ROOT}/app.py",
    "/gradio_api/proxy=http://127.0.0.1/",
    "/gradio_api/stream/a/1/2/playlist-file",
    "/gradio_api/custom_component/1/client/component/x.js",
    "/gradio_api/upload_progress?upload_id=x",
    "/gradio_api/deep_link",
    "/gradio_api/vibe-code",
    "/gradio_api/dev/reload",
    "/monitoring",
    "/gradio_api/mcp/",
)
NOT_TAKEN = ("upload", "upload?upload_id=x", "process_recording", "component_server", "vibe-edit")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_app() as (address, _):
        yield address


async def _echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(str(len(body)))(scope, receive, send)


def finished(work: Coroutine[Any, Any, T]) -> T:
    """In a thread: the browser of other tests leaves a loop running in this one."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, work).result()


def posted(content: Any) -> httpx.Response:
    """To a guard alone, behind which stands what counts bytes."""

    async def post() -> httpx.Response:
        app = Guard(_echo, settings.read({"CLINIC_UPLOAD_MB": "1"}))
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://test"
        ) as client:
            return await client.post("/gradio_api/queue/join", content=content)

    return finished(post())


async def _pieces() -> AsyncIterator[bytes]:
    for _ in range(100):
        yield b"x" * 65_536


@pytest.mark.parametrize("path", ["/", "/mine", "/clinic", "/health", "/nothing", "/assets/x.js"])
def test_every_answer_carries_the_headers(address: str, path: str) -> None:
    answer = httpx.get(address + path, follow_redirects=True)
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


def test_no_other_address_is_loaded_from_or_told_and_only_spaces_embed_the_pages() -> None:
    policy = dict(
        part.strip().split(" ", 1) for part in HEADERS["content-security-policy"].split(";")
    )
    outside = {name: told for name, told in policy.items() if "http" in told}
    assert set(outside) == {"frame-ancestors"}
    assert "https://huggingface.co" in outside["frame-ancestors"]
    assert policy["default-src"] == policy["connect-src"] == "'self'"


@pytest.mark.parametrize("path", NOT_SERVED)
def test_nothing_of_this_machine_is_served_by_its_path(address: str, path: str) -> None:
    answer = httpx.get(address + path)
    assert answer.status_code == 404
    assert "import" not in answer.text
    assert "root:" not in answer.text


@pytest.mark.parametrize("path", NOT_TAKEN)
def test_gradios_own_doors_for_files_are_shut(address: str, path: str) -> None:
    files = {"files": ("x.html", b"<script>alert(1)</script>", "text/html")}
    assert httpx.post(f"{address}/gradio_api/{path}", files=files).status_code == 404


@pytest.mark.parametrize(
    "place", ["/etc/passwd", f"{ROOT}/app.py", "http://127.0.0.1:9/x", "https://example.com/x"]
)
@pytest.mark.parametrize("hide", [lambda raw: raw, lambda raw: raw.replace("FileD", "File\\u0044")])
def test_a_file_that_a_client_made_up_is_refused(address: str, place: str, hide: Any) -> None:
    made_up = {"path": place, "meta": {"_type": "gradio.FileData"}, "url": place}
    raw = hide(json.dumps({"data": [made_up], "fn_index": 0, "session_hash": "x"}))
    for door in ("run/predict", "queue/join", "api/list", "call/list", "run/list"):
        answer = httpx.post(
            f"{address}/gradio_api/{door}",
            content=raw,
            headers={"content-type": "application/json"},
        )
        assert answer.status_code == 403, (door, answer.text)


def test_a_body_is_taken_up_to_its_limit() -> None:
    whole = 4 * (1 << 20) // 3 + guard.BESIDES
    assert posted(b"x" * whole).text == str(whole)
    assert posted(b"x" * (whole + 1)).status_code == 413
    assert posted(_pieces()).status_code == 413  # of a length that nobody has told


def test_a_body_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "SECONDS", 0.1)
    told: list[Any] = []

    async def never() -> Any:
        await asyncio.sleep(30)

    async def send(message: Any) -> None:
        told.append(message)

    scope = {"type": "http", "method": "POST", "path": "/gradio_api/queue/join", "headers": []}
    finished(Guard(_echo, settings.read({}))(scope, never, send))
    assert told[0]["status"] == 408


def test_what_is_no_request_for_a_page_does_not_get_in() -> None:
    reached: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(scope["type"])

    async def nothing(*_: Any) -> Any: ...

    for kind in ("websocket", "lifespan"):
        finished(Guard(app, settings.read({}))({"type": kind, "path": "/"}, nothing, nothing))
    assert reached == ["lifespan"]


@pytest.mark.proof
def test_the_login_covers_files_downloads_and_the_api_and_no_secret_is_logged() -> None:
    with running_app(CLINIC_LOGIN=LOGIN, HF_TOKEN="hf_s3cretToken") as (address, server):
        user, _, password = LOGIN.partition(":")
        for path in HIDDEN:
            assert httpx.get(address + path).status_code == 401, path
        for door in ("queue/join", "run/predict", "call/list", "cancel", "reset"):
            answer = httpx.post(f"{address}/gradio_api/{door}", json={"data": []})
            assert answer.status_code == 401, door
        assert httpx.get(f"{address}/gradio_api/heartbeat/x").status_code == 401
        assert httpx.get(f"{address}/health").json() == {"status": "ok"}
        forged = {"cookie": "access-token-x=1; access-token-unsecure-x=1"}
        assert httpx.get(f"{address}/take/1.py", headers=forged).status_code == 401

        with httpx.Client(base_url=address) as visitor:
            visitor.post("/login", data={"username": user, "password": f"wrong-{password}"})
            assert visitor.get(f"{TAKE}.py").status_code == 401
            visitor.post("/login", data={"username": user, "password": password})
            assert [visitor.get(path).status_code for path in HIDDEN] == [200] * len(HIDDEN)
            assert "engine" in visitor.get("/health").json()
            visitor.get("/clinic?case=1&token=hf_s3cretInQuery")
            visitor.get("/gradio_api/file=/s3cret?sign=s3cret")
            visitor.post("/gradio_api/run/predict", json={"data": ["s3cret"], "fn_index": 99})
        server.send_signal(signal.SIGTERM)
        told = "".join(server.communicate(timeout=30))
    assert "s3cret" not in told


def test_one_session_starts_so_many_runs_a_minute_and_another_its_own() -> None:
    clock = [0.0]
    bounds = Bounds(3, 2, lambda: clock[0])
    assert [bounds.may_run("a") for _ in range(4)] == [True, True, True, False]
    assert bounds.may_run("b")
    clock[0] = MINUTE - 0.1
    assert not bounds.may_run("a")
    clock[0] = MINUTE
    assert bounds.may_run("a")


def test_of_sessions_without_end_the_quiet_ones_are_forgotten() -> None:
    bounds = Bounds(1, 100, lambda: 0.0)
    assert all(bounds.may_run(str(number)) for number in range(10_000))
    assert len(bounds._starts) == 100
