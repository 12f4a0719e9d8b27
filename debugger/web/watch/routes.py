"""/host and /metrics. Neither is there unless the host has set a token."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from debugger.web.bounds import address_of
from debugger.web.languages import linked, words_for
from debugger.web.watch.door import COOKIE, KNOWN_SECONDS, Door
from debugger.web.watch.metrics import exposed
from debugger.web.watch.page import asking, page
from debugger.web.watch.seen import Watched, look
from debugger.words import Words

UNSEEN = {"cache-control": "no-store"}


def routes(watched: Watched, token: str) -> list[Any]:
    door = Door(token)

    def host(request: Request) -> Response:
        words = words_for(request)
        if not door.knows(request.cookies.get(COOKIE, "")):
            return HTMLResponse(asking(words), 401, UNSEEN)
        return HTMLResponse(page(look(watched), words), headers=UNSEEN)

    async def enter(request: Request) -> Response:
        words, address = words_for(request), address_of(request)
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return HTMLResponse(asking(words, "elsewhere"), 403, UNSEEN)
        given = parse_qs((await request.body()).decode(errors="replace"))
        back = RedirectResponse(linked(request.url.path, words), 303, UNSEEN)
        if "leave" in given:
            back.delete_cookie(COOKIE, path=request.url.path, httponly=True, samesite="strict")
            return back
        if not door.may_try(address):
            return HTMLResponse(asking(words, "too_many"), 429, UNSEEN)
        if not door.opens(given.get("token", [""])[-1].strip(), address):
            return HTMLResponse(asking(words, "wrong"), 401, UNSEEN)
        back.set_cookie(
            COOKIE,
            door.cookie(),
            max_age=KNOWN_SECONDS,
            path=request.url.path,
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return back

    async def metrics(request: Request) -> Response:
        address = address_of(request)
        if not door.may_try(address):
            return PlainTextResponse(Words().say("host", "too_many"), 429, UNSEEN)
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not door.opens(given.strip(), address):
            asks = {"www-authenticate": "Bearer", **UNSEEN}
            return PlainTextResponse(Words().say("host", "no_metrics"), 401, asks)
        seen = await run_in_threadpool(look, watched)
        told, kind = exposed(seen, request.headers.get("accept", ""))
        return Response(told, headers=UNSEEN, media_type=kind)

    return [
        Route("/host", host),
        Route("/host", enter, methods=["POST"]),
        Route("/metrics", metrics),
    ]
