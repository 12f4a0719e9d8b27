"""Who may start: what only looks has a lane of its own, and what trains steps back for it."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar

from debugger.run import Run
from debugger.stages import LIGHT

NICENESS = 10
"""Beside a run that only looks, one that trains gets a tenth of a core that both want."""


class Asked(Protocol):
    @property
    def run(self) -> Run: ...


Job = TypeVar("Job", bound=Asked)


def trains(run: Run) -> bool:
    """Whether it may take long: a walk ends in a training, unless something fails before."""
    return run.stage not in LIGHT and not run.check


def lanes(
    waiting: Iterable[Job], running: Iterable[Job], workers: int
) -> list[tuple[Sequence[Job], Sequence[Job]]]:
    """Of each lane, those who may start now, and those who still wait; first come, first served."""
    waits, runs = list(waiting), list(running)
    found = []
    for long in (False, True):
        lane = [job for job in waits if trains(job.run) is long]
        free = max(0, workers - sum(trains(job.run) is long for job in runs))
        found.append((lane[:free], lane[free:]))
    return found


def step_back() -> None:
    """In a run's own process, before the wall stands."""
    os.nice(NICENESS)
    # Where Linux weighs sessions against each other, niceness counts within one alone.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICENESS))
