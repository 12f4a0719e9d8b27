"""Known answers are given again, and a run that is going on is joined instead of started twice."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from debugger.outcome import (
    STAGES,
    Accepted,
    Ending,
    Event,
    Found,
    Outcome,
    Point,
    Progress,
    Restarted,
    Shown,
    StageEnded,
    StageName,
    StageStarted,
    Weighed,
    worst,
)
from debugger.run import ALL, ON, WALK, Run
from debugger.workers.engine import Answering, Asker
from debugger.workers.store import Store

KEPT = 1000
KEPT_CHECKS = 300
"""A shelf of their own: who asks much drives out no stage that others look at."""
GRACE_SECONDS = 15.0


@dataclass(eq=False)
class Flight:
    """One run, going on or ended. `events` only grows; `shared` when its answer was known.

    `recorded` names the device of a recording: such a run was never made here. `place` is where
    it was made, when that was before this app started or in another copy of it. It counts for its
    `asker`, whoever joined it later. Once it is `left` it is being stopped, and nobody joins it.
    """

    run: Run
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    events: list[Event] = field(default_factory=list)
    shared: bool = False
    recorded: str = ""
    place: str = ""
    asker: Asker = field(default_factory=Asker)
    listeners: int = 0
    left: bool = False
    news: threading.Condition = field(default_factory=threading.Condition)

    @property
    def ended(self) -> bool:
        return bool(self.events) and isinstance(self.events[-1], Outcome)

    @property
    def ticket(self) -> str | None:
        return next((e.ticket for e in self.events if isinstance(e, Accepted)), None)


class Shared:
    """An engine in front of another. What a learner left is stopped when nobody comes back to it.

    Answers are kept in memory, the oldest go first, and in the `store`, if there is one. A run that
    was ended from outside (time, memory, a crash) is never an answer for somebody else.
    """

    def __init__(
        self,
        engine: Answering,
        kept: int = KEPT,
        grace: float = GRACE_SECONDS,
        store: Store | None = None,
    ) -> None:
        self._engine, self._kept, self._grace, self._store = engine, kept, grace, store
        self._lock = threading.Lock()
        self._flying: dict[Run, Flight] = {}
        self._known: OrderedDict[Run, Flight] = OrderedDict()
        self._checked: OrderedDict[Run, Flight] = OrderedDict()
        self._recorded: dict[Run, Flight] = {}
        self.boarded: Counter[str] = Counter()
        """How those who came were answered: `recorded`, `known`, `joined`, `made`."""

    def hold(self, run: Run, events: Sequence[Event], made: datetime, device: str) -> None:
        """Answer this run, and the stages that it holds, with a recording from now on."""
        for part, told in _answers(_key(run), list(events)):
            self._recorded[part] = Flight(part, made, told, recorded=device)

    def recorded(self, run: Run) -> bool:
        return _key(run) in self._recorded

    def known(self, run: Run) -> Flight | None:
        """The ended flight that answers this run, if there is one."""
        key = _key(run)
        return self._recorded.get(key) or self._recalled(key)

    def flying(self, run: Run) -> bool:
        with self._lock:
            return _key(run) in self._flying

    def board(self, run: Run, again: bool = False, asker: Asker | None = None) -> Flight:
        """Join this run: known, going on, or started now. `again` starts it whatever is known."""
        asker = asker or Asker()
        key = _key(run)
        if key in self._recorded:
            with self._lock:
                self.boarded["recorded"] += 1
            return replace(self._recorded[key])
        known = None if again else self._recalled(key)
        with self._lock:
            flight = self._flying.get(key)
            if flight is None and known is not None:
                self.boarded["known"] += 1
                return replace(known, shared=True)
            self.boarded["made" if flight is None else "joined"] += 1
            if flight is None:
                flight = self._flying[key] = Flight(run, asker=asker)
                # Here, not in the thread: of two runs the one that is asked for first goes first.
                events = self._engine.events(run, asker)
                # Whose press it was stands in the context: a GPU may be lent on her quota.
                fly = copy_context().run
                threading.Thread(
                    target=fly, args=(self._fly, key, flight, events), daemon=True
                ).start()
            elif flight.asker.ahead and not asker.ahead:
                flight.asker.session, flight.asker.ahead = asker.session, False
            flight.listeners += 1
            return flight

    def leave(self, flight: Flight, at_once: bool = False) -> None:
        """Get off. With nobody on board a run is stopped, after a while in which one may return."""
        with self._lock:
            flight.listeners -= 1
        if at_once:
            self._stop_if_empty(flight)
        elif not flight.ended:
            timer = threading.Timer(self._grace, self._stop_if_empty, (flight,))
            timer.daemon = True
            timer.start()

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        """Replay, then live; the last one is the Outcome."""
        flight, seen = self.board(run, asker=asker), 0
        try:
            while not (flight.ended and seen == len(flight.events)):
                with flight.news:
                    while len(flight.events) == seen:
                        flight.news.wait()
                    fresh = flight.events[seen:]
                yield from fresh
                seen += len(fresh)
        finally:
            self.leave(flight, at_once=True)

    def cancel(self, ticket: str) -> None:
        self._engine.cancel(ticket)

    def _fly(self, key: Run, flight: Flight, events: Iterator[Event]) -> None:
        answers: list[tuple[Run, list[Event]]] = []
        for event in events:
            if isinstance(event, Outcome):
                answers = self._land(key, flight, event)
            with flight.news:
                flight.events.append(event)
                flight.news.notify_all()
            if flight.left and isinstance(event, Accepted):
                self._engine.cancel(event.ticket)
        if self._store is not None:
            self._store.put(answers, flight.started)

    def _land(self, key: Run, flight: Flight, outcome: Outcome) -> list[tuple[Run, list[Event]]]:
        """What it answers from now on."""
        with self._lock:
            if self._flying.get(key) is flight:
                del self._flying[key]
            if outcome.finding is not None or outcome.outcome == "stopped":
                return []
            answers = list(_answers(key, [*_that_count(flight.events), outcome]))
            for run, events in answers:
                self._keep(Flight(run, flight.started, events))
            return answers

    def _keep(self, flight: Flight) -> None:
        shelf, most = self._shelf(flight.run)
        shelf[flight.run] = flight
        shelf.move_to_end(flight.run)
        while len(shelf) > most:
            shelf.popitem(last=False)

    def _shelf(self, run: Run) -> tuple[OrderedDict[Run, Flight], int]:
        """Where its answer stands, and how many stand there at most."""
        return (self._checked, KEPT_CHECKS) if run.check else (self._known, self._kept)

    def _recalled(self, key: Run) -> Flight | None:
        """From memory, else from the store."""
        with self._lock:
            shelf, _ = self._shelf(key)
            if key in shelf:
                shelf.move_to_end(key)
                return shelf[key]
        answer = self._store.get(key) if self._store else None
        if answer is None:
            return None
        flight = Flight(key, answer.made, answer.events, place=answer.place)
        with self._lock:
            self._keep(flight)
        return flight

    def _stop_if_empty(self, flight: Flight) -> None:
        with self._lock:
            if flight.listeners > 0 or flight.ended:
                return
            flight.left = True
            if self._flying.get(key := _key(flight.run)) is flight:
                del self._flying[key]
        if flight.ticket is not None:  # else as soon as it has one
            self._engine.cancel(flight.ticket)


def _key(run: Run) -> Run:
    """How long `train` may take, and what becomes of its weights, matters to no other stage."""
    return run if run.stage in (WALK, ON, ALL, "train") else replace(run, steps=0, against="")


def _answers(run: Run, events: list[Event]) -> Iterator[tuple[Run, list[Event]]]:
    """What a run answers: single stages too, for each leaves the pipeline untouched."""
    yield run, events
    if run.against:  # who asks for less has the same answer
        run, events = replace(run, against=""), [e for e in events if not isinstance(e, Weighed)]
        yield run, events
    outcome = events[-1]
    if not isinstance(outcome, Outcome):
        return
    ended = {e.stage: e for e in events if isinstance(e, StageEnded) and e.outcome != "not run"}
    for name in STAGES:
        if name not in ended or "setup" not in ended or name == run.stage:
            continue
        wanted: set[StageName] = {"setup", name}
        endings: list[Ending] = [ended[stage].outcome for stage in wanted]
        seconds = sum(ended[stage].seconds for stage in wanted)
        part = [e for e in events[:-1] if _stage_of(e) in wanted or isinstance(e, Accepted)]
        end = replace(outcome, outcome=worst(endings), seconds=seconds)
        yield _key(replace(run, stage=name)), [*part, end]


def _that_count(events: list[Event]) -> list[Event]:
    """Of a run that was begun anew, what was told since; its place comes first, as ever."""
    begun = [at for at, event in enumerate(events) if isinstance(event, Restarted)]
    return [*events[:1], *events[begun[-1] + 1 :]] if begun else events


def _stage_of(event: Event) -> StageName | None:
    match event:
        case StageStarted() | StageEnded() | Progress() | Point():
            return event.stage
        case Shown():
            return event.evidence.stage
        case Found():
            return event.finding.stage
        case _:
            return None
