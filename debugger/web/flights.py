"""What is known of runs, going on or ended: reports, the twin beside them, how far they are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from debugger.diagnosis import compare
from debugger.evidence.figures import TWIN
from debugger.outcome import (
    Accepted,
    Event,
    Evidence,
    Finding,
    Outcome,
    Progress,
    Restarted,
    StageEnded,
    StageName,
    StageStarted,
)
from debugger.report import Report, StageReport, gather
from debugger.web.scene import Busy
from debugger.workers.sharing import Flight

TURNED_AWAY = ("queue_full", "server_stops", "disk_full", "cluster_gone")
"""Endings that say nothing of a script: the same press, later, has an answer."""
TICK_SECONDS, LOOK_SECONDS = 0.05, 0.01


def report_of(flight: Flight) -> Report:
    return _finished(flight) if flight.ended else gather(_closed(flight.events))


@lru_cache(maxsize=512)
def _finished(flight: Flight) -> Report:
    return gather(flight.events)


@lru_cache(maxsize=128)
def compared(flight: Flight, twin: Flight) -> Report:
    return _one_chart(compare(report_of(flight), report_of(twin)))


def turned_away(flight: Flight) -> Finding | None:
    """Why the clinic did not do what was asked for, where it did not."""
    end = flight.events[-1] if flight.ended else None
    finding = end.finding if isinstance(end, Outcome) else None
    return finding if finding is not None and finding.code in TURNED_AWAY else None


def went_through(report: Report) -> bool:
    """Whether no stage was left out."""
    return all(stage.outcome != "not run" for stage in report.stages)


def _closed(events: list[Event]) -> list[Event]:
    """The events so far as if the run ended here."""
    return [*events, Outcome("unknown", "cpu", 0.0)]


def _one_chart(report: Report) -> Report:
    """The training's own chart and the one beside the twin in one, with the reference lines."""
    train = report.stage("train")
    charts = {e.code: e for e in train.evidence if e.kind == "chart"}
    if not {"learning", "beside_twin"} <= charts.keys():
        return report
    marks = charts["learning"].data["marks"]
    beside = replace(charts["beside_twin"], data={**charts["beside_twin"].data, "marks": marks})
    rest = [e for e in train.evidence if e.code not in ("learning", "beside_twin")]
    changed = replace(train, evidence=(beside, *rest))
    return replace(report, stages=tuple(changed if s is train else s for s in report.stages))


def going_on(live: Report, twin: Report | None) -> dict[StageName, StageReport]:
    """The stages of a run that have something to show already."""
    reports: dict[StageName, StageReport] = {
        stage.stage: stage
        for stage in live.stages
        if stage.outcome != "not run" or stage.curves or stage.evidence
    }
    if twin is not None and "train" in reports and not _has_chart(reports["train"].evidence):
        beside = {f"{TWIN}{name}": points for name, points in twin.stage("train").curves.items()}
        curves = {**reports["train"].curves, **beside}
        reports["train"] = replace(reports["train"], curves=curves)
    return reports


def _has_chart(evidence: tuple[Evidence, ...]) -> bool:
    return any(one.kind == "chart" for one in evidence)


def busy_with(flights: list[Flight]) -> Busy | None:
    """What to say while something runs: of the first flight that has not ended."""
    flight = next((flight for flight in flights if not flight.ended), None)
    if flight is None:
        return None
    stage: StageName = "setup"
    place = done = of = 0
    wait, ended, again = None, False, False
    for event in list(flight.events):
        match event:
            case Accepted():
                place, wait = event.place, event.wait
            case Restarted():
                stage, done, of, ended, again = "setup", 0, 0, False, True
            case StageStarted() | StageEnded():
                stage, done, of = event.stage, 0, 0
                ended = isinstance(event, StageEnded)
            case Progress():
                stage, done, of = event.stage, event.done, event.of
            case _:
                continue
    return Busy(stage, place, done, of, len(flights) > 1, ended, wait, again)


async def watched(flights: Sequence[Flight], over: Callable[[], bool]) -> AsyncGenerator[None]:
    """Wakes whenever there is news of them, until it is `over`."""
    seen = -1
    while True:
        total = sum(len(flight.events) for flight in flights)
        if total != seen:
            seen = total
            yield
        if over():
            return
        until = time.monotonic() + TICK_SECONDS
        while time.monotonic() < until and not over():
            await asyncio.sleep(LOOK_SECONDS)
