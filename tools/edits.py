"""How long an edit, and a click on the next stage, take to their first evidence. It prints.

`python -m tools.edits [--scenarios ID ...]`: every scenario unless some are named. An edit is a
listed change given as typed text, so in the sandbox. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from debugger import catalogue
from debugger.catalogue import Scenario
from debugger.frameworks import NAMES
from debugger.outcome import Outcome, Shown, StageEnded, StageName
from debugger.run import Run
from debugger.settings import read
from debugger.workers.local import LocalEngine
from tools.waits import late

STAGES: tuple[StageName, ...] = ("setup", "data", "batch", "forward")
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Answer:
    seconds: float
    computed: float
    """Seconds of computing: what `seconds` would be on a machine that does nothing else."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenarios", nargs="*", help="ids; every scenario without")
    wanted = parser.parse_args().scenarios
    found = [one for one in catalogue.every() if wanted is None or one.id in wanted]
    settings = replace(read({}), workers=1)
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            scenarios = [s for s in found if s.framework == name and s.needs is None]
            if not scenarios:
                continue
            for residents in (0, settings.residents):
                with LocalEngine(
                    1, 600, settings.memory_mb, Path(folder), residents=residents
                ) as engine:
                    list(engine.events(Run(scenarios[0].twin, "setup", device="cpu")))
                    clicks = list(clicked(engine, name, scenarios))
                    print(f"{name}, {residents} residents, clicks: {spread(clicks)}", flush=True)
                    if not residents:
                        for typed in (False, True):
                            told = list(edited(engine, name, scenarios, typed))
                            print(f"{name}, edits, typed {typed}: {spread(told)}")


def clicked(engine: LocalEngine, name: str, scenarios: Iterable[Scenario]) -> Iterator[Answer]:
    """One stage after the other, as somebody does who reads a script that is as it was found."""
    for scenario in scenarios:
        for stage in STAGES[1:]:
            yield asked(engine, name, Run(scenario.script, stage, device="cpu"))


def edited(
    engine: LocalEngine, name: str, scenarios: Iterable[Scenario], typed: bool
) -> Iterator[Answer]:
    """Each scenario's first listed changes, one for each stage."""
    for scenario in scenarios:
        for stage, fix in zip(STAGES, scenario.fixes, strict=False):
            script = scenario.changed((fix.id,))
            yield asked(engine, name, Run(script, stage, device="cpu", typed=typed))


def asked(engine: LocalEngine, name: str, run: Run) -> Answer:
    before, began, first = computing(engine, name), time.perf_counter(), None
    for event in engine.events(run):
        shown = event.evidence.stage if isinstance(event, Shown) else None
        ended = event.stage if isinstance(event, StageEnded) else None
        if isinstance(event, Outcome) and event.finding is not None:
            print(f"{run.stage} ended with {event.finding.code}, which is measured too")
        if first is None and run.stage in (shown, ended):
            first = time.perf_counter() - began, computing(engine, name) - before
    return Answer(*(first or (time.perf_counter() - began, computing(engine, name) - before)))


def computing(engine: LocalEngine, name: str) -> float:
    """Of the warm process and of all that it has forked, dead or alive."""
    warm = engine.status()["pids"][name]
    total = 0.0
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except (OSError, IndexError):
            continue
        if int(entry.name) == warm:
            total += sum(map(int, fields[11:15])) / TICKS
        elif int(fields[1]) == warm:
            total += sum(map(int, fields[11:13])) / TICKS
    return total


def spread(answers: list[Answer]) -> str:
    return (
        ", ".join(
            f"{word} median {statistics.median(values):.2f} s, 95th percentile {late(values):.2f} s"
            for word, values in (
                ("seen", [one.seconds for one in answers]),
                ("computed", [one.computed for one in answers]),
            )
        )
        + f" ({len(answers)})"
    )


if __name__ == "__main__":
    main()
