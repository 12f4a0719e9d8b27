"""Runs that an earlier call made with the very same code: `make proof` after `make test`.

A run follows from its script, from what stands in `debugger/` and in the assets, and from what is
installed. Where one letter or one version differs, everything is run anew.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from threading import get_ident

from debugger.outcome import Event, Outcome, from_json, to_json
from debugger.run import Run
from debugger.workers import Answering
from debugger.workers.engine import Asker

ROOT = Path(__file__).parent.parent
CODE = ("debugger", "scenarios/assets")


class Remembered:
    """Answers as the engine does. Only whole answers are kept, and none that an accident ended."""

    def __init__(self, engine: Answering, folder: Path) -> None:
        self._engine, self._folder = engine, folder / _all_that_matters()
        for other in folder.iterdir():
            if other != self._folder:
                shutil.rmtree(other, ignore_errors=True)
        self._folder.mkdir(exist_ok=True)

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        kept = self._folder / hashlib.sha256(repr(run).encode()).hexdigest()
        if kept.exists():
            yield from map(from_json, kept.read_bytes().splitlines())
            return
        told: list[Event] = []
        for event in self._engine.events(run, asker):
            told.append(event)
            if isinstance(event, Outcome) and event.outcome in ("pass", "look", "fail"):
                half = kept.with_suffix(f".{get_ident()}")
                half.write_bytes(b"\n".join(map(to_json, told)))
                half.rename(kept)
            yield event

    def cancel(self, ticket: str) -> None:
        self._engine.cancel(ticket)


def _all_that_matters() -> str:
    digest = hashlib.sha256(f"{sys.version} {platform.platform()}".encode())
    for one in sorted(f"{found.name}=={found.version}" for found in distributions()):
        digest.update(one.encode())
    for file in sorted(file for room in CODE for file in (ROOT / room).rglob("*")):
        if file.is_file() and file.suffix != ".pyc":
            digest.update(str(file.relative_to(ROOT)).encode() + file.read_bytes())
    return digest.hexdigest()[:32]
