"""Runs on a GPU that is lent for a moment, as ZeroGPU does: its context is gone after each.

Whoever is lent it starts an engine there, in fresh processes: what was forked from the pages can
fork no more once CUDA is open in it. All other runs go to the engine that is there anyway.
"""

from __future__ import annotations

import logging
import os
import queue
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

from debugger.outcome import Accepted, Event, Finding, Outcome, from_json, to_json
from debugger.run import Run
from debugger.settings import Settings
from debugger.workers import started
from debugger.workers.engine import DIAGNOSIS, Answering, Asker

log = logging.getLogger(__name__)
LEASE_SECONDS = 40
"""What is asked for; half as much again must be left of the 120 that anybody has for a day."""
RUN_SECONDS = 25.0
"""Of these, for the run itself: the rest goes to imports."""
BEAT_SECONDS = 1.0
"""Whoever cancels is heard between two pieces alone."""
ON_THE_CPU = ("setup", "data", "batch")
"""Stages that put nothing on a GPU."""
_WATCH = "pages"
Lend = Callable[[Run], Iterator[bytes]]


class RefusedError(RuntimeError):
    """No GPU was lent: the code of a finding that says why, and its numbers."""

    def __init__(self, code: str, **numbers: Any) -> None:
        super().__init__(code)
        self.code, self.numbers = code, numbers


def hold(run: Run, settings: Settings, pages: int, perform: str = DIAGNOSIS) -> Iterator[bytes]:
    """To be called where the GPU is lent. Each piece is an event, or empty: a sign of life.

    `pages` is the process that asks. What is lent the GPU waits there for more, and has all that
    the pages had open: if it outlived them, so would their warm processes.
    """
    watched = any(thread.name == _WATCH for thread in threading.enumerate())
    if os.getpid() != pages and not watched:
        threading.Thread(target=_leave_with, args=(pages,), name=_WATCH, daemon=True).start()
    told: queue.SimpleQueue[Event] = queue.SimpleQueue()
    limits = {"workers": 1, "time_limit": RUN_SECONDS, "residents": 0, "typed": False}
    with started(replace(settings, **limits), perform=perform) as engine:

        def listen() -> None:
            for event in engine.events(run):
                told.put(event)

        threading.Thread(target=listen, name="lease", daemon=True).start()
        while True:
            try:
                event = told.get(timeout=BEAT_SECONDS)
            except queue.Empty:
                yield b""
                continue
            yield to_json(event)
            if isinstance(event, Outcome):
                return


def _leave_with(pages: int) -> None:
    while os.getppid() == pages:
        time.sleep(BEAT_SECONDS)
    os._exit(0)


class Leased:
    """An engine in front of another: for these scripts it asks `lend` for a GPU."""

    def __init__(self, engine: Answering, lend: Lend, scripts: Collection[str]) -> None:
        self._engine, self._lend, self._scripts = engine, lend, frozenset(scripts)
        self._open: dict[str, threading.Event] = {}

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        if run.device != "cuda":
            return self._engine.events(run, asker)
        if self._is_lent(run):
            return self._leased(run)
        return self._engine.events(replace(run, device="cpu"), asker)

    def cancel(self, ticket: str) -> None:
        cancelled = self._open.get(ticket)
        if cancelled is None:
            self._engine.cancel(ticket)
        else:
            cancelled.set()

    def _is_lent(self, run: Run) -> bool:
        own = run.typed or run.check or run.experiments or run.files or run.folder is not None
        return not own and run.script in self._scripts and run.stage not in ON_THE_CPU

    def _leased(self, run: Run) -> Iterator[Event]:
        """It waits until there is a GPU. Then the run's own events, or what ended it instead."""
        ticket, cancelled = secrets.token_hex(8), threading.Event()
        self._open[ticket] = cancelled
        yield Accepted(ticket, 1)
        try:
            yield from self._pieces(run, ticket, cancelled)
        except RefusedError as refused:
            yield _ended(run, refused.code, **refused.numbers)
        finally:
            del self._open[ticket]

    def _pieces(self, run: Run, ticket: str, cancelled: threading.Event) -> Iterator[Event]:
        begun = False
        with closing(self._lend(run)) as pieces:  # pyright: ignore[reportArgumentType]
            for piece in pieces:
                if cancelled.is_set():
                    yield _ended(run, "cancelled")
                    return
                if not begun:
                    begun = True
                    yield Accepted(ticket, 0)
                event = from_json(piece) if piece else None
                if event is None or isinstance(event, Accepted):
                    continue
                yield event
                if isinstance(event, Outcome):
                    return
        raise RefusedError("gpu_taken")


def _ended(run: Run, code: str, **numbers: Any) -> Outcome:
    finding = Finding(code, "note", "setup", None, numbers)
    ending = "stopped" if code == "cancelled" else "unknown"
    return Outcome(ending, run.device, 0.0, finding=finding, framework=run.framework)
