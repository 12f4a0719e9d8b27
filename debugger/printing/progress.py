"""One line on a terminal that says what is going on; nothing at all anywhere else."""

import os
import threading
from typing import TextIO

from debugger.outcome import Accepted, Event, Progress, StageStarted
from debugger.printing.sentences import waiting
from debugger.words import Words


class ProgressLine:
    """Shows the events of runs by their names. It leaves the terminal as it found it."""

    def __init__(self, stream: TextIO, words: Words) -> None:
        self._stream, self._words = stream, words
        self._shown = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._now: dict[str, str] = {}
        self._width = 0
        self._lock = threading.Lock()

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._write("")

    def show(self, name: str, event: Event) -> None:
        sentence = self._sentence(self._words.say("cli", f"who_{name}"), event)
        if sentence is not None:
            with self._lock:
                self._now[name] = sentence
                self._write(" · ".join(filter(None, self._now.values())))

    def say(self, sentence: str) -> None:
        with self._lock:
            self._write(sentence)

    def _sentence(self, who: str, event: Event) -> str | None:
        match event:
            case Accepted(place=place, wait=wait) if place > 0:
                return waiting(place, wait, self._words)
            case StageStarted(stage=stage):
                return self._words.say("cli", "starting", who=who, stage=stage)
            case Progress(stage=stage, done=done, of=of):
                return self._words.say("cli", "doing", who=who, stage=stage, done=done, of=of)
        return "" if event.event == "outcome" else None

    def _write(self, line: str) -> None:
        if self._shown:
            self._stream.write("\r" + line.ljust(self._width) + "\r" * (not line))
            self._stream.flush()
            self._width = len(line)
