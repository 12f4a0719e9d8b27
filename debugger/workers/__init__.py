"""Runs scripts away from whoever asked: one run, one process, forked warm and thrown away after."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

from debugger.settings import Settings
from debugger.workers.engine import DIAGNOSIS, Answering, Engine

__all__ = ["Answering", "Engine", "started"]


@contextmanager
def started(
    settings: Settings,
    online: bool | None = None,
    perform: str = DIAGNOSIS,
    hers: bool = False,
) -> Iterator[Engine]:
    """The engine that the settings ask for; closed afterwards. OSError: its folder cannot be made.

    `online` lets runs reach the hub and use this machine's caches; without a word, as assets do.
    `hers`: the runs are of the one who asks, and see her environment.
    `perform` names the function that does a run's work.
    """
    from debugger.workers.local import LocalEngine

    fetches = hers or settings.assets == "hub"  # what a script is built from, as slow as that is
    with LocalEngine(
        settings.workers,
        settings.time_limit,
        settings.memory_mb,
        settings.data_dir,
        perform,
        online=settings.assets == "hub" if online is None else online,
        hers=hers,
        typed=settings.typed,
        residents=settings.residents,
        queue=settings.queue,
        look_seconds=math.inf if fetches else settings.stage_limit,
    ) as engine:
        yield engine
