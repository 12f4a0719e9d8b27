"""How many runs there were, what they took and how they ended: for the host, and of nobody."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from debugger.outcome import STAGES, Accepted, Ending, Event, Finding, Outcome, StageEnded
from debugger.run import WAYS, Run
from debugger.workers.engine import Answering, Asker

BOUNDS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
"""Seconds."""
LATEST, MOST_FAULTS = 200, 20
CHECK, OTHER = "check", "other"
NO_FAULT = ("cancelled",)


class Kind(NamedTuple):
    """All that is kept of a run: nothing of its script, nothing of who asked for it."""

    framework: str
    stage: str


@dataclass
class Times:
    """`within` counts those of at most so many seconds, for each of BOUNDS and for no bound."""

    count: int = 0
    total: float = 0.0
    within: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    latest: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))

    def add(self, seconds: float) -> None:
        self.count += 1
        self.total += seconds
        self.latest.append(seconds)
        for place, bound in enumerate((*BOUNDS, float("inf"))):
            self.within[place] += seconds <= bound

    def reached_by(self, share: float) -> float:
        """What that share of the latest took at most."""
        return reached_by(self.latest, share)


def reached_by(seconds: Collection[float], share: float) -> float:
    """The least of them that this share of them does not exceed."""
    return sorted(seconds)[max(0, math.ceil(share * len(seconds)) - 1)]


@dataclass(frozen=True)
class Fault:
    """The same thing again and again is one fault; `at` is when it was last met."""

    kind: Kind
    finding: Finding
    at: datetime
    times: int = 1


@dataclass
class Told:
    started: Counter[Kind] = field(default_factory=Counter)
    ended: Counter[tuple[Kind, Ending]] = field(default_factory=Counter)
    waited: dict[Kind, Times] = field(default_factory=dict)
    took: dict[Kind, Times] = field(default_factory=dict)
    stages: dict[Kind, Times] = field(default_factory=dict)
    faults: dict[tuple[Kind, str], Fault] = field(default_factory=dict)
    """The latest stand last."""


class Ledger:
    """An engine in front of another, whose answers it passes on and counts."""

    def __init__(self, engine: Answering, now: Callable[[], float] = time.monotonic) -> None:
        self._engine, self._now = engine, now
        self._lock = threading.Lock()
        self._told = Told()

    def cancel(self, ticket: str) -> None:
        self._engine.cancel(ticket)

    def told(self) -> Told:
        """As it stands now."""
        with self._lock:
            return deepcopy(self._told)

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        return self._counted(kind_of(run), self._now(), self._engine.events(run, asker))

    def _counted(self, kind: Kind, asked: float, events: Iterator[Event]) -> Iterator[Event]:
        began = None
        for event in events:
            if isinstance(event, Accepted) and event.place == 0 and began is None:
                began = self._now()
                self._begin(kind, began - asked)
            elif isinstance(event, StageEnded) and event.outcome != "not run":
                with self._lock:
                    stage = Kind(kind.framework, event.stage)
                    self._told.stages.setdefault(stage, Times()).add(event.seconds)
            elif isinstance(event, Outcome):
                self._end(kind, event, None if began is None else self._now() - began)
            yield event

    def _begin(self, kind: Kind, waited: float) -> None:
        with self._lock:
            self._told.started[kind] += 1
            self._told.waited.setdefault(kind, Times()).add(waited)

    def _end(self, kind: Kind, outcome: Outcome, seconds: float | None) -> None:
        with self._lock:
            self._told.ended[kind, outcome.outcome] += 1
            if seconds is not None:
                self._told.took.setdefault(kind, Times()).add(seconds)
            if outcome.finding is not None and outcome.finding.code not in NO_FAULT:
                self._remember(kind, outcome.finding)

    def _remember(self, kind: Kind, finding: Finding) -> None:
        faults, which = self._told.faults, (kind, finding.code)
        before = faults.pop(which, None)
        times = before.times + 1 if before else 1
        faults[which] = Fault(kind, finding, datetime.now(UTC), times)
        while len(faults) > MOST_FAULTS:
            del faults[next(iter(faults))]


def kind_of(run: Run) -> Kind:
    """Of few kinds, whatever is asked for."""
    stage = run.stage if run.stage in (*STAGES, *WAYS) else OTHER
    return Kind(run.framework, CHECK if run.check else stage)
