"""What all commands share: an engine that is gone afterwards, and how an answer is told."""

from __future__ import annotations

import sys
import textwrap
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from debugger.arguments import Usage
from debugger.printing.output import coloured, say, say_json, width
from debugger.run import ALL, WALK, Run
from debugger.settings import Settings
from debugger.words import Words

if TYPE_CHECKING:
    from debugger.catalogue import Scenario
    from debugger.catalogue.recordings import Recording
    from debugger.outcome import Event
    from debugger.report import Report
    from debugger.workers import Engine

    Reports = dict[str, Report]

FAULT, UNJUDGED = 1, 2
"""Exit statuses; see "Exit status" in the README."""


@contextmanager
def opened(settings: Settings, words: Words, own_script: bool = False) -> Iterator[Engine]:
    """An engine that is gone afterwards.

    Somebody's own script finds the hub, the caches and the environment of this machine, as under
    plain Python. What is asked for here runs here, not on a cluster.
    """
    from debugger.workers import started

    settings = replace(settings, cluster="")
    online = True if own_script else None
    with ExitStack() as stack:
        try:
            engine = stack.enter_context(started(settings, online, hers=own_script))
        except OSError as error:
            path, reason = settings.data_dir, error.strerror
            raise Usage(words.say("cli", "data_dir", path=path, reason=reason)) from error
        yield engine


@contextmanager
def reporting(
    settings: Settings,
    words: Words,
    own_script: bool = False,
    show: Callable[[Event], None] = lambda _: None,
) -> Iterator[Callable[[dict[str, Run]], Reports]]:
    """Gives a function that answers runs by their names, and shows how far they are.

    `show` gets their events too.
    """
    from debugger.printing.progress import ProgressLine
    from debugger.workers.answers import answers

    with (
        opened(settings, words, own_script) as engine,
        ProgressLine(sys.stderr, words) as progress,
    ):

        def seen(name: str, event: Event) -> None:
            progress.show(name, event)
            show(event)

        yield lambda runs: answers(engine, runs, seen)


def scenario_run(scenario: Scenario, asked: Namespace, settings: Settings, script: str) -> Run:
    from debugger.catalogue.running import run_of

    run = run_of(
        scenario,
        _stage(asked),
        settings,
        script,
        seed=asked.seed,
        filename=str(scenario.folder / "script.py"),
        arguments=tuple(asked.arguments),
    )
    given = {name: value for name in ("device", "steps") if (value := getattr(asked, name, None))}
    return replace(run, **given)


def _stage(asked: Namespace) -> Any:
    return asked.stage or (ALL if asked.all else WALK)


def tell_report(report: Report, as_json: bool, words: Words) -> int:
    from debugger.printing import to_text

    if as_json:
        say_json(report.to_json(words))
    else:
        say(to_text(report, width(), coloured(sys.stdout), words))
    return exit_status(report)


def tell_recorded(recording: Recording, as_json: bool, words: Words) -> int:
    """A run on hardware that this host does not have, shown as what it is."""
    from debugger.printing import to_text

    report = recording.report
    about = {"date": recording.date, "device": recording.device}
    if as_json:
        say_json({**report.to_json(words), "recorded": about})
    else:
        said = textwrap.fill(words.say("cli", "recorded", **about), width())
        say(f"{said}\n\n{to_text(report, width(), coloured(sys.stdout), words)}")
    return exit_status(report)


def exit_status(report: Report) -> int:
    return {"pass": 0, "look": 0, "fail": FAULT}.get(report.outcome, UNJUDGED)
