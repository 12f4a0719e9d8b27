"""How far the tests are, and about how long they will still take: a line now and then."""

from __future__ import annotations

import os
import time

import pytest

from debugger.catalogue.proof import seconds_of

EVERY = 20.0
QUICK, SLOW = 0.3, 6.0
"""Seconds of a test on one core, about."""
CORES = os.cpu_count() or 1


def pytest_collection_finish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and session.items and not session.config.option.collectonly:
        session.config.pluginmanager.register(Progress(session.items, reporter))


class Progress:
    def __init__(self, items: list[pytest.Item], reporter: pytest.TerminalReporter) -> None:
        known: set[str] = set()
        self._seconds = {item.nodeid: seconds(item, known) / CORES for item in items}
        self._left, self._done = sum(self._seconds.values()), 0.0
        self._count, self._of = 0, len(items)
        self._reporter = reporter
        self._started = self._told = time.monotonic()
        self._say(f"{self._of:,} tests, {self._time_left()} on {CORES} cores")

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._count += 1
        self._done += self._seconds[nodeid]
        self._left -= self._seconds[nodeid]
        if time.monotonic() - self._told > EVERY and self._count < self._of:
            self._told = time.monotonic()
            self._say(f"{self._count:,} of {self._of:,}, {self._time_left()} left")

    def _time_left(self) -> str:
        """As slow as this machine was so far; what was guessed counts as a minute of it."""
        elapsed = time.monotonic() - self._started
        slower = (60 + elapsed) / (60 + self._done)
        return f"about {max(1, round(self._left * slower / 60))} min"

    def _say(self, sentence: str) -> None:
        self._reporter.ensure_newline()
        self._reporter.write_line(sentence)


def seconds(item: pytest.Item, known: set[str]) -> float:
    """What a test takes of one core, roughly; proofs keep the others busy. A twin runs once."""
    spec = getattr(item, "callspec", None)
    promise = spec.params.get("promise") if spec is not None else None
    if promise is None:
        return SLOW if any(map(item.get_closest_marker, ("slow", "proof"))) else QUICK
    if promise.kind == "twin" and promise.scenario.twin in known:
        return QUICK
    known.add(promise.scenario.twin)
    return seconds_of(promise)
