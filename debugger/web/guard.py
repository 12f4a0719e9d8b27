"""What stands in front of every page: which addresses answer, to whom, how much they take.

gradio serves more than these pages use: uploads, files by their path, proxies, streams. Of what is
not named here nothing answers, whatever a later gradio brings.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from debugger.settings import Settings
from debugger.words import Words

HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), midi=()",
    # gradio's page is an inline script that makes functions of text: of scripts only those two can
    # be left open. Nothing is loaded from, or told to, any other address.
    "content-security-policy": "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'self' https://huggingface.co https://*.huggingface.co"
            " https://*.hf.space",
        )
    ),
}
BESIDES = 1 << 20
"""What a request may hold beside files: presses, what a browser kept, a progress file."""
SECONDS = 60
"""For a whole request to arrive."""
PUBLIC = re.compile(
    r"/|/(clinic|mine|login|class(/lead|/board)?|task(/new)?|certificate(/check)?)/?|/logout|/static/.*|/assets/.*|/svelte/.*|/theme\.css|/favicon\.ico"
    r"|/robots\.txt|/manifest\.json|/pwa_icon.*|/health|/gradio_api/(login_check|startup-events|theme\.css)/?"
)
"""What the page that asks for the login is made of, at the address of each page that it hides.
`/health` says less to who has none."""
OPEN = re.compile(
    r"/(config|take/[^/]+|class/(live|me|qr|summary\.(json|txt)|new|join|vote|answer|flag|stands|leave|offer|paired|do|carry|carried)|task/(made|list)|certificate/(made|checked))/?|/gradio_api/(info|openapi\.json|user|app_id|token|reset"
    r"|cancel|queue/(join|data|status)|heartbeat/[^/]+|(run|api|call|call/v2)/.+)/?"
)
MCP = re.compile(r"/gradio_api/mcp(/.*)?")
HOST, METRICS = re.compile(r"/host"), re.compile(r"/metrics")
"""Where there is a token for them. Who scrapes metrics keeps no login, and brings that token."""
_FILE = "gradio.FileData"


class Guard:
    """Refuses before gradio sees a request, and adds the headers to every answer."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._login, self._mcp = settings.login is not None, settings.mcp
        self._host = bool(settings.host_token)
        self._most = 4 * (settings.upload_mb << 20) // 3 + BESIDES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", ()), *told]}
            await send(message)

        refused = self._refused(scope)
        if refused is None and scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            try:
                async with asyncio.timeout(SECONDS):
                    body = await _read(receive, self._most)
            except TimeoutError:
                body, refused = b"", _said("too_slow", 408, seconds=SECONDS)
            if body is None:
                refused = _said("too_big", 413, megabytes=self._most >> 20)
            elif refused is None and _names_a_file(body):
                refused = _said("no_files", 403)
            receive = _again(body or b"", receive)
        await (refused or self._app)(scope, receive, answer)

    def _refused(self, scope: Scope) -> Response | None:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        public = bool(PUBLIC.fullmatch(path) or (self._host and METRICS.fullmatch(path)))
        known_to = (OPEN, *([MCP] if self._mcp else []), *([HOST] if self._host else []))
        if not (public or any(one.fullmatch(path) for one in known_to)):
            return _said("no_page", 404)
        if self._login and not public and not known(scope):
            return _said("login_first", 401)
        return None


def known(scope: Scope) -> bool:
    """Whether whoever asks has given the login, as gradio keeps it."""
    app: Any = scope.get("app")
    cookies = HTTPConnection(scope).cookies
    names = (f"access-token-{app.cookie_id}", f"access-token-unsecure-{app.cookie_id}")
    return any(name in cookies and cookies[name] in app.tokens for name in names)


def _said(code: str, status: int, **about: Any) -> Response:
    return PlainTextResponse(Words().say("guard", code, **about), status)


async def _read(receive: Receive, most: int) -> bytes | None:
    """The body of a request, or None where it is larger than that."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > most:
            return None
        if not message.get("more_body"):
            return bytes(body)


def _again(body: bytes, receive: Receive) -> Receive:
    """The same request once more, for who comes next."""
    told = False

    async def tell() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return tell


def _names_a_file(body: bytes) -> bool:
    """Whether it holds what gradio takes for a file of its own: a path, or an address to load.

    JSON may come as UTF-16 or UTF-32 as well, which hide the name and are full of NUL.
    """
    if not any(mark in body for mark in (b"FileData", b"\\u", b"\0")):
        return False
    try:
        left = [json.loads(body)]
    except ValueError:
        return False
    except RecursionError:
        return True
    while left:
        held = left.pop()
        if isinstance(held, dict):
            if _FILE in (held.get("_type"), *held.values()):
                return True
            left += held.values()
        elif isinstance(held, list):
            left += held
    return False
