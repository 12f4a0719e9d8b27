"""Shortens the script of a scenario for an issue about it, beside the walk of the stages."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator
from dataclasses import replace

from debugger.asking.draft import Shorter
from debugger.asking.shorten import MOST_RUNS, SECONDS, Shortening
from debugger.asking.symptom import Symptom, crashed, only_runs, runs_wrong
from debugger.report import Report
from debugger.run import Run
from debugger.web.desk import Desk
from debugger.web.flights import report_of
from debugger.workers.sharing import Shared

LOOK_SECONDS = 0.02


async def shorten(desk: Desk, engine: Shared, whole: Run, walk: Run) -> AsyncGenerator[None]:
    """Leaves `shorter` on the desk, and `training`, where the script does not crash.

    What the whole script shows is seen first. Stopped, it keeps what it has.
    """
    desk.aside, desk.shorter, desk.training = True, None, None
    try:
        async for _ in _shorten(desk, engine, whole, walk):
            yield
    finally:
        desk.flights, desk.aside, desk.search = [], False, None


async def _shorten(desk: Desk, engine: Shared, whole: Run, walk: Run) -> AsyncGenerator[None]:
    async for _ in _run(desk, engine, whole):
        yield
    seen = _answer(desk)
    if seen is None:
        return
    desk.symptom = seen
    desk.remember(seen=True)
    symptom = crashed(seen, whole.script)
    if symptom is None:
        async for _ in _run(desk, engine, walk):
            yield
        walked = _answer(desk)
        if walked is None or "unknown" in (seen.outcome, walked.outcome):
            desk.note = "" if desk.stopping else "no_issue"
            return
        about = whole.script, whole.steps
        symptom = crashed(walked, whole.script) or runs_wrong(walked, *about)
        symptom = symptom or only_runs(seen, *about)
        seen = walked if symptom.exception else seen
    sought = symptom
    if symptom.exception and symptom.stage == "train":
        async for _ in _run(desk, engine, symptom.runs(whole)[0]):
            yield
        quick = _answer(desk)
        if quick is None:
            return
        sought = symptom.as_quickly(quick, whole)
    search = desk.search = Shortening(whole.script, sought.possible)
    reports = {whole.script: seen}
    async for _ in _searched(desk, engine, whole, sought, reports):
        yield
    script, report = search.script, reports[search.script]
    if script == whole.script:
        desk.training = seen
    elif not symptom.exception or sought is not symptom:
        async for _ in _run(desk, engine, replace(whole, script=script)):
            yield
        desk.training = _answer(desk)
        if symptom.exception:
            script, report = whole.script, seen
            if desk.training is not None and symptom.shown_by(desk.training, whole):
                script, report = search.script, desk.training
    lines = len(whole.script.splitlines())
    desk.shorter = Shorter(script, report, lines, search.runs, search.early)


async def _searched(
    desk: Desk, engine: Shared, whole: Run, sought: Symptom, reports: dict[str, Report]
) -> AsyncGenerator[None]:
    """Fills `reports` with those of the scripts that show what is sought."""
    search = desk.search
    assert search is not None
    until = time.monotonic() + SECONDS
    while search.candidate and search.runs < MOST_RUNS and time.monotonic() < until:
        candidate, shows = search.candidate, True
        for run in sought.runs(replace(whole, script=candidate)):
            async for _ in _run(desk, engine, run, until):
                yield
            report = _answer(desk)
            shows = report is not None and sought.shown_by(report, run)
            if not shows or report is None:
                break
            reports.setdefault(candidate, report)
        if desk.stopping:
            return
        search.answer(shows)


async def _run(
    desk: Desk, engine: Shared, run: Run, until: float = math.inf
) -> AsyncGenerator[None]:
    """To its end, unless it is stopped or time is up before."""
    flight = engine.board(run, asker=desk.asker)
    desk.flights = [flight]
    try:
        yield
        while not (flight.ended or desk.stopping or time.monotonic() > until):
            await asyncio.sleep(LOOK_SECONDS)
    finally:
        engine.leave(flight, at_once=not flight.ended)


def _answer(desk: Desk) -> Report | None:
    """Of the run that was the last one; None if it came to no end."""
    flight = desk.flights[0]
    return report_of(flight) if flight.ended and not desk.stopping else None
