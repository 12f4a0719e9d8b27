"""SIGTERM ends a command as Ctrl-C does, with an exit status of its own."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED, TERMINATED = 130, 143


class Terminated(KeyboardInterrupt):
    """Somebody asked for the end with a signal and not with Ctrl-C."""


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM ends a command as Ctrl-C does: runs are taken back, and what is known is told."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def status_of(stopped: KeyboardInterrupt) -> int:
    return TERMINATED if isinstance(stopped, Terminated) else INTERRUPTED
