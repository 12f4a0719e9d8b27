"""One run in one forked child, seen from the server: watch it, pass on what it says, end it."""

import logging
import os
import selectors
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from debugger.outcome import (
    Accepted,
    Event,
    Found,
    Outcome,
    Restarted,
    StageEnded,
    StageName,
    StageStarted,
    Standing,
    Weighed,
    from_json,
)
from debugger.stages import LIGHT
from debugger.workers import frames, telling
from debugger.workers.child import Request
from debugger.workers.endings import (
    Cancel,
    Ended,
    line_to_blame,
    never_started,
    our_fault,
    outcome_of,
)
from debugger.workers.engine import DIAGNOSIS, WEIGHING
from debugger.workers.leavings import answer_in, console_of, line_in, size_of, tail
from debugger.workers.limits import (
    MEGABYTE,
    Limits,
    family,
    held_in,
    memory_of,
    ran_out_of_memory,
    threads_of,
    written_by,
)
from debugger.workers.order import Order, OutOfOrder
from debugger.workers.zygote import Child, Zygote, ZygoteError

log = logging.getLogger(__name__)

HANG_UP_SECONDS, LEAVING_SECONDS = 2.0, 5.0
COUNT_EVERY = 0.3
DOUBTFUL = ("device_side_assert", "stage_unreadable")
"""Whoever said one of these answers nothing more: what it has built may be lost."""
MANY_TOKENS = 2**18
"""In one batch. No ordinary machine has the memory for more."""


def execute(
    zygote: Zygote,
    request: Request,
    limits: Limits,
    folder: Path,
    cancel: Cancel,
    put: Callable[[Event], None],
    resident: Child | None = None,
    stays: Callable[[Child], None] | None = None,
) -> Outcome:
    """Run the request in a child of the zygote; every event but the returned last one is put.

    A `resident` has built this script before, in this folder. `stays` takes over a child that can
    answer more; every other one is ended.
    """
    began = time.monotonic()
    watch = Watch(limits, folder, request)
    try:
        child = resident or _begin(zygote, request, folder, cancel)
        if resident is not None:
            resident.ask(request.run.stage)
        can_stay = False
        try:
            outcome = watch.until_the_end(child, cancel, put)
            can_stay = stays is not None and watch.built
        except Ended:
            watch.ask_where(child)
            raise
        finally:
            if stays is not None and can_stay:
                stays(child)
            else:
                child.end(dead=watch.dead)
    except (Ended, ZygoteError) as error:
        ended = error if isinstance(error, Ended) else never_started(error.death, request.run)
        outcome = outcome_of(
            ended,
            request.run,
            stage=watch.stage,
            seconds=time.monotonic() - (watch.started or began),
            line=line_in(folder / "whereabouts.txt", request.run.filename)
            or line_to_blame(ended, request.run.script),
        )
    if said := tail(folder / "clinic.log")[0]:
        log.warning("the clinic said in a run:\n%s", telling.logged(said))
    if watch.standing is not None:
        put(answer_in(folder / "console.txt", watch.standing.printed))
    elif console := console_of(folder / "console.txt", watch.stage):
        put(console)
    return outcome


def _begin(zygote: Zygote, request: Request, folder: Path, cancel: Cancel) -> Child:
    for name in ("home", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    request.write(folder)
    child = zygote.fork(folder, lambda: cancel.on)
    if child is None:
        raise Ended(cancel.why)
    return child


class Watch:
    """What is known about one child: its clock, its stage, and how much it has said.

    `built`: it has a pipeline, and no training has gone over that.
    """

    def __init__(self, limits: Limits, folder: Path, request: Request) -> None:
        self.stage: StageName = "setup"
        self.started: float | None = None
        self.dead = False
        self.built = False
        self._looks_since: float | None = None
        self.standing: Standing | None = None
        self._stands = 0.0
        self._limits = limits
        self._folder, self._typed, self._counted = folder, request.run.typed, 0.0
        self._framework = request.run.framework
        self._weighs = request.perform == WEIGHING
        told = request.run.typed and not request.run.check and request.perform == DIAGNOSIS
        self._order = Order(request.run) if told else None
        self._console = folder / "console.txt"
        self._whereabouts = folder / "whereabouts.txt"
        self._frames = frames.Frames(limits.event_bytes)
        self._forked = time.monotonic()
        self._looked = 0.0
        self._bytes = 0
        self._events = 0

    def until_the_end(self, child: Child, cancel: Cancel, put: Callable[[Event], None]) -> Outcome:
        """The outcome that the child itself gave; Ended when it ends in any other way."""
        self._forked = time.monotonic()
        with selectors.DefaultSelector() as selector:
            for source in (child.channel, child.line, cancel.fileobj):
                selector.register(source, selectors.EVENT_READ)
            while True:
                ready = {key.fileobj for key, _ in selector.select(self._limits.look_every)}
                for event in self._heard(child):
                    if isinstance(event, Outcome):
                        self._says_no_more(child)
                        self._hears_its_console()
                        return event
                    put(event)
                if cancel.on:
                    raise Ended(cancel.why)
                if child.line in ready:
                    raise self._death(child)
                self._look_at(child)

    def _says_no_more(self, child: Child) -> None:
        """Of a typed run: after its outcome it ends at once, well, and without another word."""
        if self._order is None:
            return
        if self._frames.held:
            raise self._forged("it spoke after its outcome")
        child.line.settimeout(LEAVING_SECONDS)
        try:
            news = child.death()
        except TimeoutError:
            raise self._forged("it lived on after its outcome") from None
        self.dead = True
        if any(news.values()):
            raise self._forged(f"it ended with {news} after its outcome")
        with suppress(OSError):
            if child.channel.recv(1):
                raise self._forged("it spoke after its outcome")

    def _forged(self, why: str) -> Ended:
        log.warning("a run was ended: %s", why)
        return Ended("forged_events")

    def ask_where(self, child: Child) -> None:
        """Have a child that is about to be stopped write down the line it is at."""
        if self.started is None or self.dead:
            return
        with suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGUSR1)
        for _ in range(40):
            time.sleep(0.01)
            if size_of(self._whereabouts):
                return

    def _heard(self, child: Child) -> Iterator[Event]:
        """What can be read now, but never so much that nobody looks at the clock."""
        for _ in range(16):
            try:
                raw = child.channel.recv(1 << 16)
            except BlockingIOError:
                return
            except ConnectionError:
                raw = b""
            if not raw:
                raise self._death(child)
            self._bytes += len(raw)
            for kind, payload in self._cut(raw):
                self._counts()
                if kind == frames.EVENT:
                    yield self._event(payload)
                elif kind == frames.STARTED:
                    self.started = self.started or time.monotonic()
                elif kind == frames.OUT_OF_MEMORY:
                    raise Ended("out_of_memory", memory_mb=self._limits.memory_mb)
                else:
                    raise our_fault(payload.decode(errors="replace"))

    def _cut(self, raw: bytes) -> Iterator[tuple[bytes, bytes]]:
        try:
            yield from self._frames.feed(raw)
        except frames.Forged as error:
            raise self._forged(str(error)) from None

    def _counts(self) -> None:
        self._events += 1
        if self._events > self._limits.events or self._bytes > self._limits.stream_bytes:
            raise Ended("too_many_events", events=self._events)

    def _event(self, payload: bytes) -> Event:
        try:
            event = from_json(payload)
        except ValidationError:
            event = None
        ours = Accepted | Restarted if self._weighs else Accepted | Restarted | Weighed
        if event is None or isinstance(event, ours) or self._speaks_for_others(event):
            raise self._forged(f"it sent {payload[:200]!r}")
        if self._order is not None:
            try:
                self._order.follow(event)
            except OutOfOrder as error:
                raise self._forged(str(error)) from None
        if isinstance(event, StageStarted):
            self.stage = event.stage
            self._looks_since = time.monotonic() if event.stage in LIGHT else None
            self.built &= event.stage in LIGHT
        elif isinstance(event, StageEnded) and event.stage == "setup":
            self.built = event.outcome in ("pass", "look")
        elif isinstance(event, Found) and event.finding.code in DOUBTFUL:
            self.built = False
        if isinstance(event, Standing):
            if self.standing is not None:
                raise self._forged("it stood twice")
            self.standing, self._stands = event, time.monotonic()
        return self._with_the_limit(event)

    def _speaks_for_others(self, event: Event) -> bool:
        """What ended a run from outside, and whose words tell of it, is not for the run to say."""
        if not isinstance(event, Outcome):
            return False
        return event.framework not in ("", self._framework) or event.finding is not None

    def _with_the_limit(self, event: Event) -> Event:
        """Only this side knows how much memory the run may use; a GPU has its own.

        A limit of the clinic's proves nothing about a script, unless its batch is a giant.
        """
        if not isinstance(event, Found) or event.finding.code != "out_of_memory":
            return event
        finding = event.finding
        if finding.numbers.get("device", "cpu") != "cpu":
            return event
        numbers = {**finding.numbers, "memory_mb": self._limits.memory_mb}
        ours = finding.numbers.get("tokens", 0) < MANY_TOKENS
        severity = "note" if ours else finding.severity
        return Found(replace(finding, severity=severity, numbers=numbers))

    def _look_at(self, child: Child) -> None:
        now = time.monotonic()
        if self.started is None:
            if now - self._forked > self._limits.start_seconds:
                raise our_fault("a child said nothing after the fork")
        elif now - self.started > self._limits.seconds:
            raise Ended("out_of_time", seconds=self._limits.seconds)
        if self._looks_since is not None and now - self._looks_since > self._limits.look_seconds:
            raise Ended("stage_out_of_time", seconds=self._limits.look_seconds)
        if self.standing is not None and now - self._stands > self._limits.check_seconds:
            raise Ended("check_out_of_time", seconds=self._limits.check_seconds)
        if now - self._looked < self._limits.look_every:
            return
        self._looked = now
        if max(map(memory_of, family(child.pid))) > self._limits.memory_mb * MEGABYTE:
            raise Ended("out_of_memory", memory_mb=self._limits.memory_mb)
        self._hears_its_console()
        if self._typed:
            self._look_closer(child.pid, now)

    def _hears_its_console(self) -> None:
        if size_of(self._console) > self._limits.output_bytes:
            raise Ended("too_much_output", megabytes=self._limits.output_bytes // MEGABYTE)

    def _look_closer(self, pid: int, now: float) -> None:
        """What an ordinary script never comes near to."""
        limits = self._limits
        all_of_it = family(pid)
        if sum(map(threads_of, all_of_it)) > limits.threads:
            raise Ended("too_many_threads", threads=limits.threads)
        if sum(map(written_by, all_of_it)) > limits.written_bytes:
            raise self._too_much_on_disk()
        if now - self._counted > COUNT_EVERY:
            files, size = held_in(self._folder, limits.kept_files)
            if files > limits.kept_files or size > limits.kept_bytes:
                raise self._too_much_on_disk()
            self._counted = time.monotonic()

    def _too_much_on_disk(self) -> Ended:
        limits = self._limits
        kept = {"megabytes": limits.kept_bytes // MEGABYTE, "files": limits.kept_files}
        return Ended("too_much_on_disk", **kept)

    def _death(self, child: Child) -> Ended:
        """Why a child ended that had not given its outcome."""
        child.line.settimeout(HANG_UP_SECONDS)
        try:
            news = child.death()
        except TimeoutError:
            return self._forged("it closed its channel and lived on")
        self.dead = True
        number, status = news.get("signal", signal.SIGKILL), news.get("status", 0)
        if number == signal.SIGXCPU:
            return Ended("out_of_time", seconds=self._limits.seconds)
        if size_of(self._console) > self._limits.output_bytes:
            return Ended("too_much_output", megabytes=self._limits.output_bytes // MEGABYTE)
        if number and ran_out_of_memory(tail(self._console)[0]):
            return Ended("out_of_memory", memory_mb=self._limits.memory_mb)
        name = _signal_name(number)
        code = "killed" if number == signal.SIGKILL else "process_died"
        return Ended(code, signal=name, status=128 + number if number else status)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name if number else ""
    except ValueError:
        return f"signal {number}"
