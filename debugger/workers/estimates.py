"""How long a run in the queue will wait: from what runs like those ahead of it took lately."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from debugger.run import Run

REMEMBERED = 20
TAIL = 0.2
"""Of what is remembered, at either end: one run that met a cold machine says little of the next."""
Span = tuple[float, float]
UNKNOWN: Span = (0.0, math.inf)


class Usual:
    """What the last runs of each stage and framework took, in seconds."""

    def __init__(self) -> None:
        self._took: dict[Hashable, deque[float]] = {}

    def add(self, run: Run, seconds: float) -> None:
        self._took.setdefault(_kind(run), deque(maxlen=REMEMBERED)).append(seconds)

    def of(self, run: Run) -> Span:
        """From short to long; UNKNOWN where none has ended yet."""
        took = sorted(self._took.get(_kind(run), ()))
        if not took:
            return UNKNOWN
        tail = int(len(took) * TAIL)
        return took[tail], took[-1 - tail]


def _kind(run: Run) -> Hashable:
    return "check" if run.check else run.stage, run.framework


@dataclass(frozen=True)
class Turn:
    """One run of a lane: `whose` it is, what it usually takes, and for how long it has run."""

    whose: Hashable
    usual: Span
    spent: float = 0.0

    @property
    def left(self) -> Span:
        """Of one that has run for longer than any before it nobody knows."""
        least, most = self.usual
        if self.spent > most:
            return UNKNOWN
        return max(0.0, least - self.spent), most - self.spent


def waits(
    running: Sequence[Turn], waiting: Sequence[Turn], workers: int, alone: bool
) -> list[Span | None]:
    """For each that waits, in how many seconds it starts: at least, and at most.

    None where nobody can tell. `alone`: each of them runs one at a time.
    """
    found = zip(*(_starts(running, waiting, workers, alone, end) for end in (0, 1)), strict=True)
    return [(least, most) if math.isfinite(most) else None for least, most in found]


def _starts(
    running: Sequence[Turn], waiting: Sequence[Turn], workers: int, alone: bool, end: int
) -> list[float]:
    """When each starts, if all take as little (`end` 0) or as much (1) as they usually do."""
    free = [turn.left[end] for turn in running] + [0.0] * max(0, workers - len(running))
    heapify(free)
    busy = {turn.whose: turn.left[end] for turn in running} if alone else {}
    starts = []
    for turn in waiting:
        at = max(heappop(free), busy.get(turn.whose, 0.0))
        starts.append(at)
        heappush(free, at + turn.usual[end])
        if alone:
            busy[turn.whose] = at + turn.usual[end]
    return starts
