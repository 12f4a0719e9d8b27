"""The clinic as it stands at one moment, for the host's page and for the metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from debugger.outcome import Finding
from debugger.web.host import why_no_typing
from debugger.web.watch.machine import Gpu, Memory, gpus, memory
from debugger.workers.engine import Engine
from debugger.workers.ledger import Ledger, Told
from debugger.workers.sharing import Shared
from debugger.workers.store import Held, Store


@dataclass(frozen=True)
class Watched:
    """What there is to look at."""

    engine: Engine
    ledger: Ledger
    shared: Shared
    store: Store | None


@dataclass(frozen=True)
class Seen:
    """`status` is the engine's; `boarded` tells how those who asked were answered."""

    at: datetime
    status: Mapping[str, Any]
    told: Told
    boarded: Mapping[str, int]
    store: Held | None
    memory: Memory
    gpus: tuple[Gpu, ...]

    @property
    def now(self) -> list[tuple[str, Finding]]:
        """What is not as it should be at this moment, of which framework."""
        found = list(self.status["failures"].items())
        for framework in self.status["typed"]:
            why = why_no_typing(self.status, framework)
            if why is not None and why.code != "typing_switched_off":
                found.append((framework, why))
        return found


def look(watched: Watched) -> Seen:
    status = watched.engine.status()
    return Seen(
        datetime.now(UTC),
        status,
        watched.ledger.told(),
        dict(watched.shared.boarded),
        watched.store.held() if watched.store else None,
        memory(status["pids"]),
        gpus(),
    )
