"""What a server and all its children hold, from outside: memory, descriptors, threads, files."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import linear_regression

from debugger.workers.limits import MEGABYTE, family

SURE = 1.96
"""Standard errors to either side: 95 of 100 such intervals hold the true slope."""


@dataclass(frozen=True)
class Sample:
    """`seconds` since the first one. Memory in MB: PSS counts what processes share once.

    `unread` processes forbid a look into their memory; they are in no other number.
    """

    seconds: float
    memory: float
    app: float
    processes: int
    threads: int
    descriptors: int
    files: int
    file_mb: float
    unread: int


@dataclass(frozen=True)
class Trend:
    """A straight line through samples, per hour. `give` is its uncertainty, two-sided, 95 %."""

    mean: float
    slope: float
    give: float

    @property
    def grows(self) -> bool:
        return self.slope - self.give > 0


def sample(process: int, folder: Path, began: float) -> Sample:
    family = [process, *sorted(below(process))]
    memory = threads = descriptors = unread = 0
    app = 0.0
    for one in family:
        try:
            held = pss(one)
            threads += len(os.listdir(f"/proc/{one}/task"))
            descriptors += len(os.listdir(f"/proc/{one}/fd"))
        except OSError:  # gone meanwhile, or shut
            unread += Path(f"/proc/{one}").exists()
            continue
        memory += held
        app = held if one == process else app
    sizes = list(_sizes(folder))
    return Sample(
        time.monotonic() - began,
        round(memory / MEGABYTE, 1),
        round(app / MEGABYTE, 1),
        len(family),
        threads,
        descriptors,
        len(sizes),
        round(sum(sizes) / MEGABYTE, 2),
        unread,
    )


def pss(process: int) -> int:
    """In bytes."""
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"process {process} tells nothing of its memory")


def children(process: int) -> list[int]:
    return family(process)[1:]


def below(process: int) -> set[int]:
    return {one for child in children(process) for one in (child, *below(child))}


def _sizes(folder: Path) -> Iterator[int]:
    """A run may end, and its folder go, while it is looked at: what is not there is not counted."""
    for place, _, files in os.walk(folder):
        for name in files:
            with suppress(OSError):
                yield os.stat(os.path.join(place, name)).st_size


@dataclass
class Watch:
    """Looks at a process and at a data folder every `step` seconds, until it is told to stop."""

    process: int
    folder: Path
    step: float
    samples: list[Sample] = field(default_factory=list)

    @contextmanager
    def ing(self) -> Iterator[Watch]:
        over, began = threading.Event(), time.monotonic()

        def look() -> None:
            while not over.is_set():
                self.samples.append(sample(self.process, self.folder, began))
                over.wait(self.step)

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            over.set()
            thread.join()


def trend(seconds: Sequence[float], values: Sequence[float]) -> Trend:
    """What follows too closely on the last sample tells little new: they count for fewer then."""
    hours = [one / 3600 for one in seconds]
    mean = sum(values) / len(values)
    slope, start = linear_regression(hours, values)
    left = [value - start - slope * at for at, value in zip(hours, values, strict=True)]
    spread = sum(one * one for one in left)
    if spread == 0:
        return Trend(mean, slope, 0.0)
    alike = max(0.0, sum(a * b for a, b in pairwise(left)) / spread)
    counted = max(3.0, len(left) * (1 - alike) / (1 + alike))
    middle = sum(hours) / len(hours)
    wide = sum((at - middle) ** 2 for at in hours) / len(hours)
    return Trend(mean, slope, SURE * math.sqrt(spread / len(left) / (counted - 2) / wide))
