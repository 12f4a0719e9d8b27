"""Stopping when told (SIGTERM, Ctrl-C): whoever waits hears of it first, and no process is left."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

import gradio as gr

from debugger.workers import Engine

LOOKING_SECONDS = 3.0
"""What only looks may take so long to its end."""
HEARING_SECONDS = 0.7
"""Until the pages have drawn what they were told."""
MOST_SECONDS = 9.0
"""Who stops a server waits for ten seconds, and kills it then."""
_ENDING = (signal.SIGTERM, signal.SIGINT)


class Told:
    """The first signal is heard. The same one again ends the process where it stands.

    Python hears of a signal between two of its own lines, and one that comes just before it waits
    would be heard when the wait is over: what is waited for is written by the signal itself.
    """

    def __init__(self) -> None:
        self._hears, rings = os.pipe()
        os.set_blocking(rings, False)
        signal.set_wakeup_fd(rings, warn_on_full_buffer=False)
        for number in _ENDING:
            signal.signal(number, self._hear)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)

    def wait(self) -> None:
        while os.read(self._hears, 1)[0] not in _ENDING:
            pass


def stop(blocks: gr.Blocks, engine: Engine, streams: Callable[[], None]) -> None:
    """Whatever hangs, the process is gone after MOST_SECONDS; its children go with it.

    `streams` ends those that would go on for ever, for which the server would wait.
    """
    late = threading.Timer(MOST_SECONDS, os._exit, (1,))
    late.daemon = True
    late.start()
    engine.drain(LOOKING_SECONDS)
    time.sleep(HEARING_SECONDS)
    streams()
    blocks.close(verbose=False)
