"""Assignments and certificates by address. Nothing is kept here: links and receipts are signed."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from debugger.catalogue import Scenario
from debugger.homework import task as tasks
from debugger.homework.certificate import (
    MOST_SIZE,
    Checked,
    check,
    in_text,
    issue,
    taken,
    together,
)
from debugger.homework.seal import NoKey, Refused, Seal
from debugger.homework.table import as_csv
from debugger.homework.task import Task
from debugger.room.naming import cleaned
from debugger.web.clinic import Clinic
from debugger.web.homework import frames, screens
from debugger.web.languages import words_for
from debugger.web.receipts import tokens, unproved
from debugger.web.visit import Record, read_record
from debugger.words import Words

log = logging.getLogger(__name__)
MOST_BODY = 4_000_000
MOST_FILES, MOST_FILE_NAME = 500, 80
Act = Callable[[Mapping[str, Any], Words], dict[str, Any]]
STATUS = {"no_key": 503, "too_large": 413}


class Doors:
    def __init__(self, clinic: Clinic, seal: Seal, now: Callable[[], float] = time.time) -> None:
        self._clinic, self._seal, self._now = clinic, seal, now
        self._numbers = {scenario.number: scenario.id for scenario in clinic.known.values()}

    def routes(self) -> list[Route]:
        pages: dict[str, frames.Page] = {
            "/task": "task",
            "/task/new": "task_new",
            "/certificate": "certificate",
            "/certificate/check": "certificate_check",
        }
        posts: dict[str, Act] = {
            "/task/made": self._made,
            "/task/list": self._list,
            "/certificate/made": self._certified,
            "/certificate/checked": self._checked,
        }
        return [
            *(Route(path, partial(self._page, name)) for path, name in pages.items()),
            *(Route(path, _guarded(act), methods=["POST"]) for path, act in posts.items()),
        ]

    async def _page(self, name: frames.Page, request: Request) -> Response:
        words = words_for(request)
        return HTMLResponse(frames.page(name, words, self._clinic.shown_here(words.language)))

    def _made(self, told: Mapping[str, Any], words: Words) -> dict[str, Any]:
        task = tasks.made(told, self._numbers.keys(), int(self._now()))
        return {"token": tasks.linked(task, self._seal)}

    def _list(self, told: Mapping[str, Any], words: Words) -> dict[str, Any]:
        task = self._task(told)
        if task is None:
            raise Refused("no_task")
        record, token = self._record(told), tasks.linked(task, self._seal)
        receipts, _ = taken(tokens(record), record.learner, self._seal)
        doubtful = {
            number
            for number, name in self._numbers.items()
            if unproved(record.case(name)) or record.case(name).receipts
        }
        states = screens.states(task, receipts, doubtful)
        about = words, int(self._now())
        return {"html": screens.task(task, states, token, self._find(words), about)}

    def _certified(self, told: Mapping[str, Any], words: Words) -> dict[str, Any]:
        record, find = self._record(told), self._find(words)
        receipts, refused = taken(tokens(record), record.learner, self._seal)

        def title(case: int) -> str:
            scenario = find(case)
            return scenario.words.title if scenario else ""

        about = record.learner, str(told.get("name", ""))
        task = self._task(told)
        held = issue(receipts, about, task, int(self._now()), title, self._seal)
        made = check("", held, self._seal).certificate
        if made is None:
            raise Refused("unreadable")
        token = tasks.linked(task, self._seal) if task else ""
        shown = screens.certificate(made, held["seal"], refused, token, words)
        file = json.dumps(held, indent=1, ensure_ascii=False) if made.work else ""
        return {"html": shown, "file": file}

    def _checked(self, told: Mapping[str, Any], words: Words) -> dict[str, Any]:
        task, given = self._task(told), told.get("files")
        found: list[Checked] = []
        for one in given if isinstance(given, list) else []:
            found += self._read(one, task)
            if len(found) > MOST_FILES:
                raise Refused("too_many_files", most=MOST_FILES)
        if not found:
            raise Refused("no_files")
        files = together(found)
        shown = screens.checked(files, task and len(task.cases), words)
        return {"html": shown, "csv": as_csv(files)}

    def _read(self, one: object, task: Task | None) -> list[Checked]:
        told = one if isinstance(one, dict) else {}
        text, name = str(told.get("text", "")), cleaned(str(told.get("name", "")), MOST_FILE_NAME)
        held = in_text(text) if len(text) <= MOST_SIZE else [None]
        numbered = [name] if len(held) == 1 else [f"{name} {n}" for n in range(1, len(held) + 1)]
        return [
            check(called, told, self._seal, task)
            for called, told in zip(numbered, held, strict=True)
        ]

    def _task(self, told: Mapping[str, Any]) -> Task | None:
        link = str(told.get("of") or "")
        return tasks.read(link, self._seal) if link.strip() else None

    def _record(self, told: Mapping[str, Any]) -> Record:
        return read_record(str(told.get("kept", "")))

    def _find(self, words: Words) -> Callable[[int], Scenario | None]:
        shelf = self._clinic.shelf(words.language)
        return lambda number: shelf.get(self._numbers.get(number, ""))


def _guarded(act: Act) -> Callable[[Request], Awaitable[Response]]:
    """What cannot be done is said in a sentence, in the language of who asked."""

    async def answer(request: Request) -> Response:
        words = words_for(request)
        try:
            told = _told(await request.body())
            return JSONResponse(await run_in_threadpool(act, told, words))
        except Refused as refused:
            code, numbers = refused.code, refused.numbers
        except NoKey as error:
            log.warning("nothing can be signed: %s", error)
            code, numbers = "no_key", {}
        said = words.say("homework", code, **numbers)
        return JSONResponse({"said": said, "code": code}, STATUS.get(code, 409))

    return answer


def _told(body: bytes) -> Mapping[str, Any]:
    if len(body) > MOST_BODY:
        raise Refused("too_large")
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused("unreadable") from None
    if not isinstance(told, dict):
        raise Refused("unreadable")
    return told
