"""Asks an engine for runs side by side, and takes them back when the one who asked goes away."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from debugger.outcome import Accepted, Event
from debugger.report import Report, gather
from debugger.run import Run
from debugger.workers.engine import Answering


def answers(
    engine: Answering, runs: dict[str, Run], show: Callable[[str, Event], None]
) -> dict[str, Report]:
    """The report of each run, by its name; `show` gets every event as it comes.

    Two runs of the same text are one run. KeyboardInterrupt cancels what is still running.
    """
    asked = _Asked(engine, show)
    names = {run: name for name, run in reversed(runs.items())}
    with ThreadPoolExecutor(len(names)) as threads:
        futures = {run: threads.submit(asked.report, name, run) for run, name in names.items()}
        try:
            return {name: futures[run].result() for name, run in runs.items()}
        except KeyboardInterrupt:
            asked.cancel()
            raise


class _Asked:
    def __init__(self, engine: Answering, show: Callable[[str, Event], None]) -> None:
        self._engine, self._show = engine, show
        self._tickets: list[str] = []
        self._gone = False
        self._lock = threading.Lock()

    def report(self, name: str, run: Run) -> Report:
        return gather(self._seen(name, run))

    def _seen(self, name: str, run: Run) -> Iterator[Event]:
        for event in self._engine.events(run):
            if isinstance(event, Accepted):
                self._remember(event.ticket)
            if not self._gone:
                self._show(name, event)
            yield event

    def _remember(self, ticket: str) -> None:
        with self._lock:
            self._tickets.append(ticket)
            if self._gone:
                self._engine.cancel(ticket)

    def cancel(self) -> None:
        with self._lock:
            self._gone = True
            for ticket in set(self._tickets):
                self._engine.cancel(ticket)
