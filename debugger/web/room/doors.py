"""What browsers ask of a class by address: join, vote, lead, and one stream of what is shown.

Whoever asks says who it is in a header of ours, never in a cookie: no other site can send it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import segno
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from debugger.catalogue.scenario import number_of
from debugger.catalogue.skills import PATH
from debugger.room.lead import PHASES, Refused, called, handed, measured_on, measuring, timed
from debugger.room.naming import as_shown, hashed
from debugger.room.room import FLAGS, Room, Seen
from debugger.room.store import Held
from debugger.room.summary import summary
from debugger.web.bounds import address_of
from debugger.web.languages import words_for
from debugger.web.room import screens, shell
from debugger.web.room.broadcast import Broadcast
from debugger.web.room.hall import Hall
from debugger.web.room.report import readable
from debugger.words import Words

MOST_BODY = 8_000
MOST_STREAMS = 3_000
MOST_HINTS = 4
HEADER = "x-class"
STATUS = {
    "not_in_room": 401,
    "only_lead": 403,
    "room_over": 410,
    "too_many_codes": 429,
    "too_many_new": 429,
    "too_fast": 429,
    "too_many_streams": 429,
    "cannot_keep": 503,
    "no_rooms_here": 503,
}
AUDIENCES: Mapping[str, tuple[screens.Screen, bool]] = {
    "class": (screens.student, False),
    "board": (screens.board, True),
    "strip": (screens.strip, True),
    "lead": (screens.desk, True),
}
"""What is drawn, and whether each vote changes it. All but the first are the instructor's."""
Door = Callable[[Request, Words], Awaitable[Response]]


class Doors:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._casts: dict[tuple[str, str, str], Broadcast] = {}
        self._streams = 0
        self._closed = False

    def close(self) -> None:
        """End every stream, so that the server can stop: pages come back to the next one."""
        self._closed = True
        for cast in tuple(self._casts.values()):
            cast.close()

    def routes(self) -> list[Route]:
        pages: dict[str, shell.Page] = {
            "/class": "class",
            "/class/lead": "lead",
            "/class/board": "board",
        }
        posts = {
            "new": self._new,
            "join": self._join,
            "vote": self._vote,
            "answer": self._answer,
            "flag": self._flag,
            "stands": self._stands,
            "leave": self._leave,
            "offer": self._offer,
            "paired": self._paired,
            "do": self._do,
            "carry": self._carry,
            "carried": self._carried,
        }
        gets = {
            "live": self._live,
            "me": self._me,
            "qr": self._qr,
            "summary.json": self._summary,
            "summary.txt": self._summary,
        }
        return [
            *(Route(path, partial(self._page, name)) for path, name in pages.items()),
            *(Route(f"/class/{n}", _guarded(door), methods=["POST"]) for n, door in posts.items()),
            *(Route(f"/class/{n}", _guarded(door), methods=["GET"]) for n, door in gets.items()),
        ]

    async def _page(self, name: shell.Page, request: Request) -> Response:
        words = words_for(request)
        return HTMLResponse(shell.page(name, words, self._hall.offered(words.language)))

    # -- who asks --

    def _room(self, request: Request) -> tuple[Room, str]:
        code, _, token = request.headers.get(HEADER, "").partition(".")
        room = self._hall.rooms.find(code)
        if room is None:
            raise Refused("room_over" if code else "not_in_room")
        return room, token

    def _leader(self, request: Request) -> Room:
        room, token = self._room(request)
        if not room.leads(token):
            raise Refused("only_lead")
        return room

    def _student(self, request: Request) -> tuple[Room, int]:
        room, token = self._room(request)
        number = room.who(token)
        if number is None:
            raise Refused("not_in_room")
        if request.method == "POST" and not self._hall.presses.may_run(hashed(token)):
            raise Refused("too_fast")
        return room, number

    # -- anybody --

    async def _new(self, request: Request, words: Words) -> Response:
        if not self._hall.new_rooms.may_run(address_of(request)):
            raise Refused("too_many_new")
        room, token = await run_in_threadpool(self._hall.rooms.make)
        return JSONResponse({"code": room.code, "token": token, "shown": as_shown(room.code)})

    async def _join(self, request: Request, words: Words) -> Response:
        told, limit = await _told(request), self._hall.wrong_codes
        if not limit.has_room(address_of(request)):
            raise Refused("too_many_codes")
        room = self._hall.rooms.find(str(told.get("code", "")))
        if room is None:
            limit.may_run(address_of(request))
            raise Refused("no_such_room")
        number, token = await run_in_threadpool(room.join, str(told.get("name", "")))
        name = room.seen().students[number].name
        return JSONResponse({"code": room.code, "token": token, "name": name})

    async def _carried(self, request: Request, words: Words) -> Response:
        told = await _told(request)
        room = self._hall.rooms.find(str(told.get("code", "")))
        if room is None:
            raise Refused("room_over")
        token = await run_in_threadpool(room.carried, str(told.get("carry", "")))
        return JSONResponse({"code": room.code, "token": token, "shown": as_shown(room.code)})

    # -- a student --

    async def _me(self, request: Request, words: Words) -> Response:
        room, number = self._student(request)
        me = room.seen().students[number]
        votes = {
            f"{number_of(place.case)}/{place.stage or ''}": shown
            for place in tuple(room.votes)
            if (shown := room.voted(number, place)) is not None
        }
        told = {"name": me.name, "called": me.called, "pair": me.partner is not None}
        return JSONResponse({**told, "flag": me.flag, "votes": votes})

    async def _vote(self, request: Request, words: Words) -> Response:
        room, number = self._student(request)
        told = await _told(request)
        place, shown = self._hall.place(told.get("case"), told.get("stage")), told.get("choice")
        if type(shown) is not int:
            raise Refused("no_such_choice")
        await run_in_threadpool(room.vote, number, place, shown)
        return JSONResponse({"choice": shown})

    async def _answer(self, request: Request, words: Words) -> Response:
        room, number = self._student(request)
        told = await _told(request)
        case, shown = self._hall.place(told.get("case"), None).case, told.get("choice")
        if type(shown) is not int:
            raise Refused("no_such_choice")
        await run_in_threadpool(room.answer, number, case, shown)
        return JSONResponse({"choice": shown})

    async def _flag(self, request: Request, words: Words) -> Response:
        room, number = self._student(request)
        told = await _told(request)
        if told.get("flag") not in FLAGS:
            raise Refused("unreadable")
        flag = FLAGS[FLAGS.index(told["flag"])]
        await run_in_threadpool(room.flag, number, flag)
        return JSONResponse({"flag": flag})

    async def _stands(self, request: Request, words: Words) -> Response:
        room, number = self._student(request)
        told = await _told(request)
        place = self._hall.place(told.get("case"), told.get("stage"))
        tried = self._hall.tried(place, told.get("tried"))
        hints = told.get("hints")
        had = hints if type(hints) is int and 0 <= hints <= MOST_HINTS else 0
        await run_in_threadpool(room.stands, number, place, tried, had)
        return JSONResponse({})

    async def _leave(self, request: Request, words: Words) -> Response:
        room, number = self._student(request)
        await run_in_threadpool(room.leave, number, self._room(request)[1])
        return JSONResponse({})

    async def _offer(self, request: Request, words: Words) -> Response:
        """A code for a neighbour, and the same to scan."""
        room, number = self._student(request)
        at = (await _told(request)).get("at")
        pair = await run_in_threadpool(room.offer, number)
        way_in = f"class?room={room.code}&pair={pair}"
        return JSONResponse({"pair": as_shown(pair), "qr": _drawn_qr(at, way_in)})

    async def _paired(self, request: Request, words: Words) -> Response:
        room, _ = self._student(request)
        told = await _told(request)
        await run_in_threadpool(room.pair, self._room(request)[1], str(told.get("pair", "")))
        return JSONResponse({})

    # -- the instructor --

    async def _do(self, request: Request, words: Words) -> Response:
        room = self._leader(request)
        told = await _told(request)
        await run_in_threadpool(self._done, room, told)
        return JSONResponse({})

    def _done(self, room: Room, told: Mapping[str, Any]) -> None:
        with_ = told.get("with")
        match told.get("act"):
            case "phase" if with_ in PHASES:
                room.show(with_)
            case "go":
                room.go(self._hall.place(told.get("case"), told.get("stage")))
            case "together" if with_ in ("0", "1"):
                room.act(lambda lead: replace(lead, together=with_ == "1"))
            case "lock" if with_ in ("0", "1"):
                room.act(lambda lead: replace(lead, locked=with_ == "1"))
            case "measure" if with_ == "on":
                room.act(measured_on)
            case "measure" if with_ in PATH:
                skill = PATH[PATH.index(with_)]
                room.act(lambda lead: measuring(lead, skill, self._hall.pairs(skill)))
            case "call":
                room.act(called)
            case "timer" if isinstance(with_, str) and with_.isdecimal() and len(with_) < 6:
                room.act(lambda lead: timed(lead, int(with_), room.now()))
            case "hand":
                changes = self._hall.changes(room.lead.place, with_)
                room.act(lambda lead: handed(lead, changes))
            case "end":
                room.end()
            case _:
                raise Refused("unreadable")

    async def _carry(self, request: Request, words: Words) -> Response:
        room = self._leader(request)
        carry = await run_in_threadpool(room.carry)
        return JSONResponse({"code": room.code, "carry": carry})

    async def _qr(self, request: Request, words: Words) -> Response:
        """The way in, for phones. Only the browser knows by which address this server is seen."""
        room, at = self._leader(request), request.query_params.get("at", "")
        drawn = _drawn_qr(at, f"class?room={room.code}")
        return Response(drawn, media_type="image/svg+xml")

    async def _summary(self, request: Request, words: Words) -> Response:
        room, names = self._leader(request), request.query_params.get("names") == "1"
        told = await run_in_threadpool(
            summary,
            room,
            lambda place: self._hall.asked(place, words),
            lambda case, repair: self._hall.wrong(case, repair, words),
            names,
        )
        if request.url.path.endswith(".json"):
            return JSONResponse(told)
        return PlainTextResponse(readable(told, words))

    # -- what is shown --

    async def _live(self, request: Request, words: Words) -> Response:
        audience = request.query_params.get("as", "class")
        if audience not in AUDIENCES:
            raise Refused("unreadable")
        room = self._student(request)[0] if audience == "class" else self._leader(request)
        if self._closed or self._streams >= MOST_STREAMS:
            raise Refused("too_many_streams")
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        drawings = self._follow(room, audience, words)
        return StreamingResponse(drawings, media_type="text/event-stream", headers=headers)

    async def _follow(self, room: Room, audience: str, words: Words) -> AsyncGenerator[bytes]:
        """The one broadcast of this room, audience and language, while somebody follows it."""
        if self._closed:
            return
        key = room.code, audience, words.language
        if key not in self._casts:
            screen, each_vote = AUDIENCES[audience]
            draw = partial(_drawn, room, screen, self._hall, words)
            self._casts[key] = Broadcast(room, draw, each_vote)
        cast = self._casts[key]
        self._streams += 1
        try:
            async with aclosing(cast.follow()) as following:
                async for drawn in following:
                    yield drawn
        finally:
            self._streams -= 1
            if cast.idle:
                self._casts.pop(key, None)


def _drawn(room: Room, screen: screens.Screen, hall: Hall, words: Words) -> bytes:
    if room.over:
        told: dict[str, Any] = {"over": words.say("class", "room_over")}
    else:
        seen = room.seen()
        told = {"html": screen(seen, hall, words), "lead": _lead(seen)}
    return f"data: {json.dumps(told)}\n\n".encode()


def _drawn_qr(at: object, way_in: str) -> str:
    """As SVG, for phones; `at` is where the browser sees this server."""
    try:
        parts = urlsplit(at) if isinstance(at, str) and len(at) <= 300 else None
    except ValueError:
        parts = None
    if parts is None or parts.scheme not in ("http", "https") or not parts.netloc:
        raise Refused("unreadable")
    drawn = BytesIO()
    code = segno.make_qr(f"{at}{way_in}", error="m")
    code.save(drawn, kind="svg", scale=4, border=3, light="#fff")
    return drawn.getvalue().decode()


def _lead(seen: Seen) -> dict[str, Any]:
    """What a page's script goes by. Which choice is which is in it once the answer is out."""
    lead = seen.lead
    return {
        "case": str(number_of(lead.place.case)) if lead.place.case else "",
        "stage": lead.place.stage or "",
        "phase": lead.phase if lead.place.stage else "",
        "asks": lead.asks,
        "together": lead.together,
        "locked": lead.locked,
        "called": lead.called,
        "handed": lead.handed,
        "changes": lead.changes,
        "until": lead.until,
        "now": round(seen.now, 1) if lead.until else 0,
        "order": seen.order if lead.told else (),
    }


def _guarded(door: Door) -> Callable[[Request], Awaitable[Response]]:
    """What cannot be done is said in a sentence, in the language of who asked."""

    async def answer(request: Request) -> Response:
        words = words_for(request)
        try:
            return await door(request, words)
        except Refused as refused:
            code, numbers = refused.code, refused.numbers
        except Held:
            code, numbers = "cannot_keep", {}
        said = words.say("class", code, **numbers)
        return JSONResponse({"said": said, "code": code}, STATUS.get(code, 409))

    return answer


async def _told(request: Request) -> Mapping[str, Any]:
    """What was sent, or what is said where it is nothing that a page sends."""
    body = await request.body()
    if len(body) > MOST_BODY:
        raise Refused("unreadable")
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused("unreadable") from None
    if not isinstance(told, dict):
        raise Refused("unreadable")
    return told
