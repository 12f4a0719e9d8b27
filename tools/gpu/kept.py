"""What a part has so far: one file that is whole after every item, and goes on where it stopped."""

from __future__ import annotations

import datetime
import json
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tools.gpu.needs import Machine

Item = dict[str, Any]


class OtherMachineError(ValueError):
    """A sentence: the folder holds what was made elsewhere."""


class Clock:
    """Seconds until a part must have ended; `margin` is for what comes after its last item."""

    def __init__(self, seconds: float, margin: float = 15.0) -> None:
        self._end = time.monotonic() + max(seconds - margin, seconds / 2)

    @property
    def left(self) -> float:
        return self._end - time.monotonic()


class Kept:
    """The items of one part, by their names. Any thread may keep one."""

    def __init__(self, folder: Path, part: str, machine: Machine) -> None:
        self.path = folder / f"{part}.json"
        self.machine = machine
        self.items: dict[str, Item] = {}
        self._lock = threading.Lock()
        if self.path.exists():
            before = json.loads(self.path.read_text(encoding="utf-8"))
            if before["machine"] != asdict(machine):
                raise OtherMachineError(
                    f"{self.path} was made on {before['machine']['device']}, with "
                    f"{before['machine']['versions']}; this is {machine.device}, with "
                    f"{machine.versions}. Name another folder with --out."
                )
            self.items = before["items"]
        folder.mkdir(parents=True, exist_ok=True)

    def keep(self, name: str, item: Item) -> None:
        with self._lock:
            self.items[name] = {"date": datetime.date.today().isoformat(), **item}
            whole = {"machine": asdict(self.machine), "items": self.items}
            beside = self.path.with_suffix(".part")
            beside.write_text(json.dumps(whole, ensure_ascii=False) + "\n", encoding="utf-8")
            os.replace(beside, self.path)


class Work:
    """Items made one after the other, or several at once, as long as there is time for one more.

    An item's maker answers None when it was stopped before its end: then it is made the next time.
    One that had a whole call for itself and was stopped all the same is kept as too long.
    """

    def __init__(self, kept: Kept, clock: Clock, at_once: int = 1, least: float = 1.0) -> None:
        self._kept, self._clock, self._longest = kept, clock, least
        self._threads = ThreadPoolExecutor(at_once)
        self._fresh = True

    def ask(self, name: str, make: Callable[[], Item | None]) -> Future[None]:
        return self._threads.submit(self._one, name, make)

    def finish(self) -> None:
        self._threads.shutdown(wait=True)

    def _one(self, name: str, make: Callable[[], Item | None]) -> None:
        first, self._fresh = self._fresh, False
        if name in self._kept.items or self._clock.left < self._longest:
            self._fresh = first
            return
        began, had = time.monotonic(), self._clock.left
        item = make()
        if item is not None:
            self._kept.keep(name, item)
            self._longest = max(self._longest, time.monotonic() - began)
        elif first:
            self._kept.keep(name, {"too_long": round(had)})
