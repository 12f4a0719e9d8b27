"""The queue in front of an engine: who waits, who runs, and what those who wait are told."""

from __future__ import annotations

import math
import queue
import secrets
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

import debugger.frameworks as frameworks
from debugger.outcome import Accepted, Event, Finding, Outcome, Restarted
from debugger.run import Run
from debugger.workers.endings import Cancel, Ended, outcome_of
from debugger.workers.engine import Asker
from debugger.workers.estimates import Span, Turn, Usual, waits
from debugger.workers.lanes import Had, lanes, trains, whose

TELL_SECONDS = 5.0
"""How often those who wait are told anew when their turn comes."""
DYING_SECONDS = 1.0
"""Until a run that was told to end has said so."""


@dataclass(eq=False)
class Job:
    """`lost`: so many machines have gone while it ran there."""

    run: Run
    asker: Asker
    ticket: str = field(default_factory=lambda: secrets.token_hex(8))
    since: float = field(default_factory=time.monotonic)
    began: float | None = None
    told: Accepted | None = None
    news: queue.SimpleQueue[Event] = field(default_factory=queue.SimpleQueue)
    cancel: Cancel = field(default_factory=Cancel)
    driver: threading.Thread | None = None
    lost: int = 0

    @property
    def spent(self) -> float:
        return 0.0 if self.began is None else time.monotonic() - self.began

    def stand_at(self, place: int, wait: Span | None = None) -> None:
        told = Accepted(self.ticket, place, wait and _in_round_numbers(wait))
        if told != self.told:
            self.told = told
            self.news.put(told)

    def end(self, outcome: Outcome) -> None:
        """Without having run: it has its place first, as every run has."""
        if self.told is None:
            self.stand_at(0)
        self.news.put(outcome)
        self.cancel.close()


class Line:
    """In each lane at most `workers` run at once, and `most` wait; one more is turned away.

    What nobody has asked for gives way to who has just come.
    `start` begins a run and calls `done` after it. It is called with the lock held, and must return
    at once.
    """

    def __init__(self, workers: int, most: int, start: Callable[[Job], None]) -> None:
        self._workers, self._most, self._start = workers, most, start
        self._lock = threading.Lock()
        self._moved = threading.Condition(self._lock)
        self._waiting: list[Job] = []
        self._running: list[Job] = []
        self._had, self._usual = Had(), Usual()
        self._teller: threading.Timer | None = None
        self._started = self._finished = 0
        self._closed = self._away = ""

    def events(self, run: Run, asker: Asker | None) -> Generator[Event]:
        """What the run tells; it is asked for at once, whenever it is listened to."""
        job = Job(run, asker or Asker())
        if frameworks.installed(run.framework):
            self.join(job)
        else:
            finding = Finding("framework_missing", "note", "setup")
            job.end(Outcome("unknown", run.device, 0.0, finding=finding, framework=run.framework))
        return self._told(job)

    def _told(self, job: Job) -> Generator[Event]:
        try:
            while True:
                event = job.news.get()
                yield event
                if isinstance(event, Outcome):
                    return
        finally:
            self.cancel(job)

    def join(self, job: Job) -> None:
        with self._lock:
            if code := self._closed or self._away:
                job.end(outcome_of(Ended(code), job.run))
                return
            self._waiting.append(job)
            self._move_up()
            lane = self._waiting_with(job.run)
            if len(lane) > self._most:
                last = next((one for one in lane if one.asker.ahead), job)
                self._waiting.remove(last)
                last.end(outcome_of(Ended("queue_full", waiting=self._most), last.run))

    def _waiting_with(self, run: Run) -> list[Job]:
        return [job for job in self._waiting if trains(job.run) is trains(run)]

    def done(self, job: Job, outcome: Outcome) -> None:
        """A run that was started has come to its end: its place is free."""
        with self._lock:
            self._running.remove(job)
            self._finished += 1
            self._had.add(job.asker.session, job.spent)
            if outcome.finding is None:
                self._usual.add(job.run, job.spent)
            job.cancel.close()
            self._moved.notify_all()
            self._move_up()

    def again(self, job: Job) -> None:
        """What ran it is gone. It begins anew as soon as there is a place: it has waited enough."""
        with self._lock:
            self._running.remove(job)
            job.began, job.lost = None, job.lost + 1
            job.news.put(Restarted())
            self._moved.notify_all()
            if code := self._closed or self._away:
                job.end(outcome_of(Ended(code), job.run))
                return
            self._waiting.append(job)
            self._move_up()

    def resize(self, workers: Callable[[], int]) -> None:
        """There are as many places as `workers` tells, asked while nothing begins or ends."""
        with self._lock:
            self._workers = workers()
            self._away = "" if self._workers else self._away
            self._move_up()

    def send_away(self, code: str) -> None:
        """There is no place, and will be none for a while: end what waits, and who comes next."""
        with self._lock:
            self._away = "" if self._workers else code
            if self._away:
                self._end_waiting(code)

    def cancel(self, job: Job) -> None:
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
                job.end(outcome_of(Ended("cancelled"), job.run))
                self._move_up()
            elif job in self._running:
                job.cancel.turn_on()

    def cancel_of(self, ticket: str) -> None:
        """End the run with this ticket; one that has ended, or never was, is no error."""
        with self._lock:
            found = [job for job in (*self._waiting, *self._running) if job.ticket == ticket]
        for job in found:
            self.cancel(job)

    def close(self, code: str = "cancelled") -> list[Job]:
        """Let nobody in any more, and end all that waits with this code. Those that still run."""
        with self._lock:
            self._closed = self._closed or code
            self._end_waiting(code)
            return list(self._running)

    def _end_waiting(self, code: str) -> None:
        for job in self._waiting:
            job.end(outcome_of(Ended(code), job.run))
        self._waiting.clear()

    def drain(self, seconds: float) -> None:
        """Tell everybody that the server stops. What only looks may come to its end until then."""
        for job in self.close("server_stops"):
            if trains(job.run):
                job.cancel.turn_on("server_stops")
        for job in self.wait(seconds):
            job.cancel.turn_on("server_stops")
        self.wait(DYING_SECONDS)

    def wait(self, seconds: float) -> list[Job]:
        """Until nothing runs any more, or time is up: those that still do."""
        until = time.monotonic() + seconds
        with self._moved:
            while self._running and (left := until - time.monotonic()) > 0:
                self._moved.wait(left)
            return list(self._running)

    def status(self) -> dict[str, int | bool]:
        """`full` is how many wait in a lane that takes no more, 0 while both do."""
        with self._lock:
            long = sum(trains(job.run) for job in self._waiting)
            longest = max(long, len(self._waiting) - long)
            return {
                "stopping": bool(self._closed),
                "queued": len(self._waiting),
                "full": longest if longest >= self._most else 0,
                "running": len(self._running),
                "started": self._started,
                "finished": self._finished,
            }

    def _move_up(self) -> None:
        """Start who may start, and tell the others where they stand; with the lock held."""
        for starting, waiting in lanes(self._waiting, self._running, self._workers, self._has_had):
            for job in starting:
                self._waiting.remove(job)
                job.stand_at(0)
                job.began = time.monotonic()
                self._running.append(job)
                self._started += 1
                self._start(job)
            self._tell(waiting)
        if self._waiting and self._teller is None:
            self._teller = threading.Timer(TELL_SECONDS, self._tell_again)
            self._teller.daemon = True
            self._teller.start()

    def _tell(self, waiting: Sequence[Job]) -> None:
        """Those who wait in a lane, in its order, where they stand."""
        if not waiting:
            return
        long = trains(waiting[0].run)
        running = [
            Turn(whose(job), self._usual.of(job.run), job.spent)
            for job in self._running
            if trains(job.run) is long
        ]
        turns = [Turn(whose(job), self._usual.of(job.run)) for job in waiting]
        found = [None] * len(turns)
        if self._workers:
            found = waits(running, turns, self._workers, alone=long)
        for place, (job, wait) in enumerate(zip(waiting, found, strict=True), 1):
            job.stand_at(place, wait)

    def _tell_again(self) -> None:
        with self._lock:
            self._teller = None
            self._move_up()

    def _has_had(self, session: str) -> float:
        """Seconds of runs, of those too that go on."""
        going_on = (job.spent for job in self._running if session and job.asker.session == session)
        return self._had.of(session) + sum(going_on)


def _in_round_numbers(wait: Span) -> tuple[int, int]:
    """As exactly as anybody can mean it, so that it is not told anew at each second."""
    least, most = wait
    step = 5 if most <= 60 else 60
    return int(least // step) * step, max(step, math.ceil(most / step) * step)
