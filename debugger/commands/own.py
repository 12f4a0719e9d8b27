"""The commands about somebody's own script: diagnose, ask and issue."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from debugger.arguments import MOST_STEPS, Usage
from debugger.commands.running import (
    FAULT,
    UNJUDGED,
    exit_status,
    opened,
    reporting,
    scenario_run,
    tell_report,
)
from debugger.commands.stopping import status_of
from debugger.given import Given
from debugger.given import read as read_script
from debugger.printing.output import say, say_json, say_line
from debugger.report import Gathering
from debugger.run import ALL, ON, Run
from debugger.settings import Settings
from debugger.words import Words

if TYPE_CHECKING:
    from debugger.catalogue import Scenario
    from debugger.outcome import Event
    from debugger.report import Report


def diagnose(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.printing.stream import Stream

    given = read_script(Path(asked.script), words)
    run = replace(
        _own_run(given, asked, settings),
        stage=asked.stage or (ALL if asked.all else ON),
        steps=asked.steps or MOST_STEPS,
        seconds=asked.seconds,
        experiments=not asked.no_experiments,
    )
    if left_out := given.left_out(words):
        print(left_out, file=sys.stderr)
    told = words.of(run.framework)
    stream = Stream(say_line, told, lambda stage: given.stage_in_cells(stage, told))
    so_far, began = Gathering(), time.monotonic()

    def show(event: Event) -> None:
        so_far.add(event)
        if asked.jsonl:
            stream.show(event)

    try:
        with reporting(settings, words, own_script=True, show=show) as ask:
            report = ask({"script": run})["script"]
    except KeyboardInterrupt as stopped:
        known = so_far.so_far(run.device, time.monotonic() - began, run.framework)
        if known is None:
            raise
        print("\n" + words.say("cli", "interrupted_after"), file=sys.stderr)
        if asked.jsonl:
            stream.end(known)
        else:
            tell_report(given.in_cells(known, words), asked.json, words)
        return status_of(stopped)
    if asked.jsonl:
        return exit_status(report)
    ended = tell_report(given.in_cells(report, words), asked.json, words)
    if not asked.json and (more := _more(report, settings, words)):
        say(f"{more}\n")
    return ended


def _more(report: Report, settings: Settings, words: Words) -> str | None:
    """The setting that gives a run what it lacked, and how it is typed."""
    codes = {f.code for f in report.findings if f.numbers.get("device", "cpu") == "cpu"}
    if "out_of_memory" in codes:
        most = next(
            f.numbers.get("memory_mb") for f in report.findings if f.code == "out_of_memory"
        )
        about = {
            "memory_mb": most or settings.memory_mb,
            "name": "CLINIC_MEMORY_MB",
            "more": 2 * settings.memory_mb,
        }
        return words.say("cli", "more_memory", **about)
    if "out_of_time" in codes:
        seconds = settings.time_limit
        about = {"seconds": seconds, "name": "CLINIC_TIME_LIMIT", "more": round(2 * seconds)}
        return words.say("cli", "more_time", **about)
    return None


def _own_run(given: Given, asked: Namespace, settings: Settings) -> Run:
    """Somebody's own script, as it would run where she stands."""
    return Run(
        given.text,
        seed=asked.seed,
        device=asked.device or settings.device,  # type: ignore[arg-type]
        assets=settings.assets,  # type: ignore[arg-type]
        filename=str(given.path.absolute()),
        folder=os.getcwd(),
        arguments=tuple(asked.arguments),
    )


def ask(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.answer import answer_of
    from debugger.printing.answer import to_json, to_text
    from debugger.printing.progress import ProgressLine

    if not asked.check.strip():
        raise Usage(words.say("cli", "nothing_asked"))
    scenario, run = _script_or_scenario(asked, settings, words)
    run = replace(run, check=asked.check)
    with (
        opened(settings, words, own_script=scenario is None) as engine,
        ProgressLine(sys.stderr, words) as progress,
    ):
        events = []
        for event in engine.events(run):
            progress.show("script", event)
            events.append(event)
    answer, told = answer_of(events), words.of(run.framework)
    if asked.json:
        say_json(to_json(asked.check, answer, told))
    else:
        text, about = to_text(answer, told)
        say(text)
        print(about, file=sys.stderr)
    return {"pass": 0, "fail": FAULT if answer.finding is None else UNJUDGED}.get(
        answer.outcome, UNJUDGED
    )


def issue(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.asking.command import NoDraft, made, unreadable
    from debugger.printing.progress import ProgressLine

    scenario, run = _script_or_scenario(asked, settings, words)
    if unread := unreadable(run.script):
        line, reason = unread
        about = {"path": asked.script, "line": line, "reason": reason}
        raise Usage(words.say("cli", "script_not_python", **about))
    try:
        with (
            opened(settings, words, own_script=scenario is None) as engine,
            ProgressLine(sys.stderr, words) as progress,
        ):
            complaint = "" if scenario is None else scenario.words.complaint
            draft = made(run, engine, asked.seconds, words, progress.say, complaint)
    except NoDraft as nothing:
        print(nothing, file=sys.stderr)
        return UNJUDGED
    if asked.json:
        say_json(draft.to_json())
    else:
        say(draft.text)
    return 0


def _script_or_scenario(
    asked: Namespace, settings: Settings, words: Words
) -> tuple[Scenario | None, Run]:
    """The run of a scenario's script, or of somebody's own."""
    scenario = _scenario_called(asked.script, words)
    if scenario is None:
        return None, _own_run(read_script(Path(asked.script), words), asked, settings)
    asked.stage, asked.all = None, False
    return scenario, scenario_run(scenario, asked, settings, scenario.script)


def _scenario_called(name: str, words: Words) -> Scenario | None:
    """The scenario of that id, unless there is a file or a folder of that name."""
    from debugger.catalogue import NotThere, find, translated

    if Path(name).exists() or not name.isidentifier():
        return None
    try:
        return translated(find(name), words.language)
    except NotThere:
        return None
