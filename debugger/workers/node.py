"""What stands on each node of a cluster: one machine's engine, in a process of Ray's.

No learner's code runs in this process, and none is loaded into it: runs are children of the warm
processes, as on one machine. Whoever asks keeps the line; here nobody waits.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from debugger.outcome import Accepted, Event, to_json
from debugger.run import Run
from debugger.settings import data_folder
from debugger.workers.beside import FOLDER, Kept
from debugger.workers.engine import DIAGNOSIS
from debugger.workers.identity import identity
from debugger.workers.limits import free_memory_mb, of_memory_mb
from debugger.workers.local import LocalEngine

BEAT_SECONDS = 2.0
"""With nothing to tell a node says that it lives."""
ASKED = ["CLINIC_ASSETS", "CLINIC_CHECKPOINT", "CLINIC_DATASET", "CLINIC_METRIC", "CLINIC_DEVICE"]
"""Settings that a run reads by itself. They are the app's own, on whatever node it runs."""


@dataclass(frozen=True)
class Orders:
    """How the app wants runs to be held. How many at once, and where its files lie, a node knows.

    `environment` holds what is set of ASKED. `files_bytes` is what uploads may take here.
    """

    seconds: float
    look_seconds: float
    memory_mb: int
    online: bool
    typed: bool
    residents: int
    gpu_share: float
    files_bytes: int
    environment: Mapping[str, str]
    perform: str = DIAGNOSIS
    preload: Mapping[str, Collection[str]] = field(default_factory=dict)


class Node:
    """Made by Ray on a node; its methods are called from afar, several at once."""

    def __init__(self, workers: int, orders: Mapping[str, Any]) -> None:
        asked = Orders(**orders)
        for name in ASKED:
            os.environ.pop(name, None)
        os.environ.update(asked.environment)
        data_dir = data_folder(os.environ)
        self._kept = Kept(data_dir, asked.files_bytes)
        self._engine = LocalEngine(
            workers,
            asked.seconds,
            asked.memory_mb,
            data_dir,
            asked.perform,
            online=asked.online,
            preload=asked.preload,
            typed=asked.typed,
            residents=asked.residents,
            gpu_share=asked.gpu_share,
            look_seconds=asked.look_seconds,
        )
        self._tickets: dict[str, str] = {}
        self._told: list[tuple[str, bytes]] = []
        self._news = threading.Condition()

    def about(self) -> str:
        """What decides an answer here beside the run itself."""
        return identity()

    def warm(self, wanted: Collection[str]) -> None:
        self._engine.warm(wanted)

    def begin(self, ticket: str, run: Run, files: Collection[bytes]) -> None:
        for content in files:
            self._kept.keep(content)
        events = self._engine.events(run)
        for accepted in events:
            if isinstance(accepted, Accepted):
                self._tickets[ticket] = accepted.ticket
                break
        threading.Thread(target=self._hear, args=(ticket, events), daemon=True).start()

    def _hear(self, ticket: str, events: Iterator[Event]) -> None:
        for event in events:
            if not isinstance(event, Accepted):
                with self._news:
                    self._told.append((ticket, to_json(event)))
                    self._news.notify_all()
        del self._tickets[ticket]

    def cancel(self, ticket: str) -> None:
        self._engine.cancel(self._tickets.get(ticket, ""))

    def told(self) -> tuple[dict[str, Any], list[tuple[str, bytes]]]:
        """How it stands here, and what runs have told since this was asked last."""
        with self._news:
            self._news.wait_for(lambda: self._told, BEAT_SECONDS)
            told, self._told = self._told, []
        memory = {"free_mb": free_memory_mb(), "of_mb": of_memory_mb()}
        return self._engine.status() | memory, told

    def close(self) -> None:
        self._engine.close()


def files_of(run: Run, data_dir: Path) -> list[bytes]:
    """What a run wants beside its script, as far as it is kept: a node may not have it."""
    kept = (data_dir.absolute() / FOLDER / digest for _, digest in run.files)
    return [file.read_bytes() for file in kept if file.is_file()]
