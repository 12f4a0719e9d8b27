"""Processes that have built a script's pipeline, and wait inside their wall for its next stage.

Building is what a stage of Keras costs, and on a GPU any stage: neither a traced graph nor what is
open on a device survives a fork. So the process itself is kept, in its own folder. Only for scripts
that somebody has read; one that was typed has each of its runs in a process of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from debugger.frameworks import called
from debugger.outcome import Outcome
from debugger.pipelines.cards import cards
from debugger.run import WALK, Run
from debugger.stages import LIGHT
from debugger.workers import wall
from debugger.workers.lanes import trains
from debugger.workers.limits import free_memory_mb
from debugger.workers.zygote import Child

IDLE_SECONDS = 300.0
MOST_ANSWERS = 20
"""Of one process, whose limit of computing time was made for one run."""


def may_stay(run: Run) -> bool:
    """Whether the process of this run may answer others after it."""
    return (
        run.stage in (*LIGHT, WALK)
        and not run.check
        and not run.typed
        and run.folder is None
        and any(device in called(run.framework).waits for device in _devices(run))
    )


def _devices(run: Run) -> tuple[str, ...]:
    """Those on which it may find itself, by their kinds."""
    if run.device != "auto":
        return (run.device,)
    return ("cpu", "cuda") if wall.gpus() else ("cpu",)


@dataclass(frozen=True, eq=False)
class Resident:
    run: Run
    child: Child
    folder: Path
    remove_folder: Callable[[], None]
    answers: int = 1
    since: float = field(default_factory=time.monotonic)

    def leave(self) -> None:
        self.child.end(dead=False)
        self.remove_folder()


class Residents:
    """At most so many, the latest. Each is lent to one run at a time, and thrown away in doubt."""

    def __init__(
        self, most: int, memory_mb: int, gpu_share: float, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self._most, self._memory_mb, self._idle_seconds = most, memory_mb, idle_seconds
        self._gpu_share = gpu_share
        self._lock = threading.Lock()
        self._waiting: list[Resident] = []
        self._timer: threading.Timer | None = None
        self._closed = False

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def wanted(self) -> bool:
        return self._most > 0

    def take(self, run: Run) -> Resident | None:
        """One that has built this very script. It is the caller's from now on."""
        if run.stage not in LIGHT or not may_stay(run):
            return None
        with self._lock:
            known = [one for one in self._waiting if _built(one.run) == _built(run)]
            for one in known:
                self._waiting.remove(one)
        quiet = [one for one in known if one.child.is_quiet()]
        for one in known:
            if one not in quiet[:1]:
                one.leave()
        return quiet[0] if quiet else None

    def keep(self, resident: Resident, end: Outcome) -> list[Resident]:
        """Let it wait, if that is well. Those who leave in its place, or itself: end them."""
        kind = end.device.partition(":")[0]
        well = kind in called(resident.run.framework).waits and end.outcome != "stopped"
        well &= free_memory_mb() >= self._memory_mb
        with self._lock:
            stays = well and not self._closed and resident.answers < MOST_ANSWERS
            if stays:
                self._waiting.append(resident)
                self._look_again()
            gone = self._waiting[: -self._most] if stays else [resident]
            self._waiting = self._waiting[-self._most :]
        return gone

    def make_room(self, run: Run) -> None:
        """Memory is for runs that go on: the oldest leave as long as one of those lacks some."""
        while self._lacks_memory(run) and (oldest := self._oldest()):
            oldest.leave()

    def _lacks_memory(self, run: Run) -> bool:
        if free_memory_mb() < self._memory_mb:
            return True
        if not (self._waiting and trains(run) and wall.on_a_gpu(run.device)):
            return False
        first = next(iter(cards()), None)
        return first is not None and first.total - first.used < self._gpu_share * first.total

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
        while oldest := self._oldest():
            oldest.leave()

    def _oldest(self) -> Resident | None:
        with self._lock:
            return self._waiting.pop(0) if self._waiting else None

    def _look_again(self) -> None:
        """When the first of them has waited long enough; with the lock held."""
        if self._timer is None:
            due = self._waiting[0].since + self._idle_seconds - time.monotonic()
            self._timer = threading.Timer(max(0.0, due), self._sweep)
            self._timer.daemon = True
            self._timer.start()

    def _sweep(self) -> None:
        latest = time.monotonic() - self._idle_seconds
        with self._lock:
            self._timer = None
            gone = [one for one in self._waiting if one.since <= latest]
            self._waiting = [one for one in self._waiting if one.since > latest]
            if self._waiting and not self._closed:
                self._look_again()
        for one in gone:
            one.leave()


def _built(run: Run) -> Run:
    """All that decides what is built: nothing of what is looked at afterwards."""
    return replace(run, stage=WALK, steps=0, seconds=None)
