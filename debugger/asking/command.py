"""python -m debugger issue: a draft for a script of one's own."""

from __future__ import annotations

import ast
import logging
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Timer
from typing import Any

from debugger.asking.draft import About, Shorter, draft, numbers
from debugger.asking.shorten import shortened
from debugger.asking.symptom import Symptom, crashed, runs_wrong, whole_run
from debugger.outcome import Accepted, Event
from debugger.report import Report, gather
from debugger.run import WALK, Run
from debugger.script.imports import imported
from debugger.words import Words
from debugger.workers.engine import Answering

MOST_TRIES = 200


class NoDraft(Exception):
    """A sentence: why there is nothing to post, and what to do."""


@dataclass(frozen=True)
class Made:
    text: str
    shorter: Shorter
    symptom: Symptom

    def to_json(self) -> dict[str, Any]:
        """The object of `issue --json`."""
        return {
            "draft": self.text,
            "script": self.shorter.script,
            "stage": self.symptom.stage,
            "lines": {"before": self.shorter.lines, "after": self.shorter.left},
            "tries": self.shorter.tries,
            "stopped_early": self.shorter.early,
            "device": self.shorter.report.device,
            "versions": self.shorter.report.versions,
        }


def unreadable(script: str) -> tuple[int, str] | None:
    """Where Python cannot read it, and what it says; only its author can put that right."""
    try:
        ast.parse(script)
    except SyntaxError as error:
        return error.lineno or 1, error.msg
    return None


def made(
    run: Run,
    engine: Answering,
    seconds: float,
    words: Words,
    tell: Callable[[str], None],
    complaint: str = "",
) -> Made:
    """The draft, or NoDraft. `seconds` is for shortening: what the script shows is seen before."""
    whole = whole_run(run)
    symptom, seen = _seen(whole, engine, words, tell)
    sought = symptom
    if symptom.exception and symptom.stage == "train":
        (quick,) = symptom.runs(whole)
        sought = symptom.as_quickly(_answer(engine, quick), whole)
    until = time.monotonic() + seconds
    reports = {run.script: seen}
    tries = 0

    def still_shows(script: str) -> bool:
        nonlocal tries
        tries += 1
        tell(words.say("cli", "shortening", tries=tries, most=MOST_TRIES))
        for one in sought.runs(replace(whole, script=script)):
            report = _answer(engine, one, until - time.monotonic())
            if not sought.shown_by(report, one):
                return False
            reports.setdefault(script, report)
        return True

    with _unlogged():
        search = shortened(run.script, still_shows, seconds, MOST_TRIES, sought.possible)
    script, report = search.script, reports[search.script]
    if sought is not symptom and script != run.script:
        report = _answer(engine, replace(whole, script=script))
        if not symptom.shown_by(report, whole):
            script, report = run.script, seen
    lines = len(run.script.splitlines())
    shorter = Shorter(script, report, lines, search.runs, search.early)
    words, told = words.of(report.framework), ()
    if not symptom.exception:
        tell(words.say("cli", "seen"))
        training = _answer(engine, replace(whole, script=script))
        faults = (f for f in report.stage(symptom.stage).findings if f.severity == "fault")
        told = (*map(words.finding, faults), *numbers(training, words))
    lacks = tuple(_beside(run, script))
    name = Path(run.filename).name
    about = About(name, platform.platform(), run.arguments, told, complaint, lacks=lacks)
    return Made(draft(shorter, about, words), shorter, symptom)


def _seen(
    whole: Run, engine: Answering, words: Words, tell: Callable[[str], None]
) -> tuple[Symptom, Report]:
    """What the whole script shows; where it crashes nothing is looked up."""
    tell(words.say("cli", "seen"))
    report = _answer(engine, whole)
    if symptom := crashed(report, whole.script):
        return symptom, report
    if report.first_failing_stage != "setup" and report.stage("train").outcome != "not run":
        report = _answer(engine, replace(whole, stage=WALK))
        if symptom := crashed(report, whole.script) or runs_wrong(
            report, whole.script, whole.steps
        ):
            return symptom, report
        if report.outcome in ("pass", "look"):
            raise NoDraft(words.say("cli", "nothing_to_report"))
    said = (words.of(report.framework).finding(finding) for finding in report.findings)
    raise NoDraft(" ".join((words.say("cli", "no_draft"), *said)))


def _answer(engine: Answering, run: Run, seconds: float | None = None) -> Report:
    """Ended after so many seconds, if it takes longer."""
    timers: list[Timer] = []

    def events() -> Iterator[Event]:
        for event in engine.events(run):
            if isinstance(event, Accepted) and seconds is not None and not timers:
                timers.append(Timer(max(0.0, seconds), engine.cancel, (event.ticket,)))
                timers[0].start()
            yield event

    try:
        return gather(events())
    finally:
        for timer in timers:
            timer.cancel()


@contextmanager
def _unlogged() -> Iterator[None]:
    """What the clinic cannot look at in a script that nobody wrote concerns nobody."""
    log, nobody = logging.getLogger("debugger"), logging.NullHandler()
    log.addHandler(nobody)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(nobody)
        log.propagate = True


def _beside(run: Run, script: str) -> Iterator[str]:
    """Modules that the script finds in a folder of its author's."""
    folders = {Path(run.filename).resolve().parent, Path(run.folder or ".").resolve()}
    for name in sorted({name.partition(".")[0] for name in imported(script)} - {""}):
        if any((at / f"{name}.py").is_file() or (at / name).is_dir() for at in folders):
            yield name
