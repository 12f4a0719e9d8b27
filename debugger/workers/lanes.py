"""Who may start: what only looks has a lane of its own, and what trains steps back for it."""

import os
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar

from debugger.run import Run
from debugger.stages import LIGHT
from debugger.workers.engine import Asker

NICENESS = 10
"""Beside a run that only looks, one that trains gets a tenth of a core that both want."""
LATELY = 600.0


class Asked(Protocol):
    """`since` is when it was asked for, on a clock that never jumps."""

    @property
    def run(self) -> Run: ...
    @property
    def asker(self) -> Asker: ...
    @property
    def since(self) -> float: ...


Job = TypeVar("Job", bound=Asked)


def trains(run: Run) -> bool:
    """Whether it may take long: a walk ends in a training, unless something fails before."""
    return run.stage not in LIGHT and not run.check


def whose(job: Asked) -> Hashable:
    """Of those who are never met again each run is somebody else's."""
    return job.asker.session or job


def lanes(
    waiting: Iterable[Job],
    running: Iterable[Job],
    workers: int,
    had: Callable[[str], float] = lambda session: 0.0,
) -> list[tuple[Sequence[Job], Sequence[Job]]]:
    """Of each lane, those who may start now, and those who still wait, in the order of their turns.

    `had` tells how many seconds of runs a session has had lately.
    """
    waits, runs = list(waiting), list(running)
    found = []
    for long in (False, True):
        here = [job for job in runs if trains(job.run) is long]
        lane = _in_turn([job for job in waits if trains(job.run) is long], here, had)
        busy = {whose(job) for job in here} if long else set[Hashable]()
        starting, free = [], workers - len(here)
        for job in lane:
            if len(starting) < free and whose(job) not in busy:
                starting.append(job)
                if long:
                    busy.add(whose(job))
        found.append((starting, [job for job in lane if job not in starting]))
    return found


def _in_turn(
    waiting: Iterable[Job], running: Iterable[Job], had: Callable[[str], float]
) -> list[Job]:
    """Each session's first before anybody's second, and what nobody has asked for last.

    Among equals goes first who has had least; a second of waiting makes up for one that was had.
    """
    turns = Counter(map(whose, running))
    found: list[tuple[tuple[bool, int, float], Job]] = []
    for job in sorted(waiting, key=lambda job: (job.asker.ahead, job.since)):
        key = (job.asker.ahead, turns[whose(job)], had(job.asker.session) + job.since)
        turns[whose(job)] += 1
        found.append((key, job))
    return [job for _, job in sorted(found, key=lambda one: one[0])]


class Had:
    """How many seconds of runs each session has had lately."""

    def __init__(self, lately: float = LATELY, now: Callable[[], float] = time.monotonic) -> None:
        self._lately, self._now = lately, now
        self._ended: deque[tuple[float, str, float]] = deque()
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def add(self, session: str, seconds: float) -> None:
        self._forget()
        if session:
            self._ended.append((self._now(), session, seconds))
            self._seconds[session] += seconds

    def of(self, session: str) -> float:
        self._forget()
        return self._seconds.get(session, 0.0)

    def _forget(self) -> None:
        while self._ended and self._ended[0][0] <= self._now() - self._lately:
            _, session, seconds = self._ended.popleft()
            self._seconds[session] -= seconds
            if self._seconds[session] < 1e-6:
                del self._seconds[session]


def step_back() -> None:
    """In a run's own process, before the wall stands."""
    os.nice(NICENESS)
    # Where Linux weighs sessions against each other, niceness counts within one alone.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICENESS))
