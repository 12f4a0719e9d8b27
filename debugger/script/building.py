"""Running a learner's script up to its training."""

from __future__ import annotations

import argparse
import signal
import sys
import traceback
import types
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from debugger.failure import Failure, failure_of, first_line, remember_source
from debugger.frameworks import NAMES, of
from debugger.outcome import Evidence, Finding, Stop
from debugger.pipelines.starting import TrainingStarts
from debugger.pipelines.unfollowed import Refused
from debugger.script.enclosure import OPEN, Enclosure, Refusal
from debugger.script.heard import Heard
from debugger.script.keeping import kept_for_looking
from debugger.script.places import Places
from debugger.script.sources import Sources, sources_of

MOST_TRAININGS = 12
EARLIER_STEPS = 8
"""As much of a training that another one follows as shows what it leaves behind."""
COUNTING_SECONDS = 60
"""What a script may take that is run to its end, to count its trainings."""
AGAIN = 10
"""Seconds until it is stopped once more."""
_TO_WORKERS = "__mp_main__"
"""The name that `multiprocess` gives to the main module as soon as it is imported."""
BY_HAND_SECONDS = 45.0
"""What a loop of its own may take in a script that has a Trainer, or fits, after it."""


@dataclass(frozen=True)
class Unseen:
    """Why a later training is not looked at: a finding's code, and its numbers."""

    code: str
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stands:
    """Where a script stopped, and the names that are known there, as a debugger would know them."""

    at: Stop
    line: int | None
    names: dict[str, Any]
    script: _Script
    module: types.ModuleType

    @contextmanager
    def entered(self) -> Iterator[dict[str, Any]]:
        """The names, in the surroundings in which the script found itself."""
        with _as_main(self.script, self.module), self.script.enclosure.kept_alone():
            yield self.names


@dataclass(frozen=True)
class Building:
    """How running the script up to its training went. Nothing `trained`: nothing to look at.

    `refused` is a training that the clinic cannot look into.
    `instead` is what its framework has in place of what cannot be looked at as it is.
    `findings` and `evidence` are what its framework has to say of the setup.
    `rehearsed` are the trainings before it: line, steps that were run, steps planned. `earlier` is
    the one among them that trained this Trainer's model. `stands` is where it stopped. `unseen`: a
    later one was not run, and why. `arguments_refused` is what argparse says of the script's, where
    it ends for them. `forbidden`: the failure is not the script's own, the wall or a missing
    network made it. `heard` is what its lines did, and goes on as long as they are run.
    """

    trained: Any = None
    failure: Failure | None = None
    exited: bool = False
    arguments_refused: str = ""
    trainer_lines: tuple[int | None, ...] = ()
    training_line: int | None = None
    refused: Refused | None = None
    instead: AbstractContextManager[Finding] | None = None
    rehearsed: tuple[tuple[int | None, int, int], ...] = ()
    earlier: Any = None
    unseen: Unseen | None = None
    stands: Stands | None = None
    forbidden: Refusal | None = None
    findings: tuple[Finding, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    framework: str = NAMES[0]
    warnings: tuple[str, ...] = field(default=())
    sources: Sources = field(default=Sources())
    heard: Heard = field(default_factory=Heard)


def build(
    text: str, filename: str, arguments: tuple[str, ...] = (), enclosure: Enclosure = OPEN
) -> Building:
    """Run the script as `python filename arguments` would, up to where its last training starts.

    Where it trains more than once, and is walled, it is first run to its end, apart, with one step
    of each training, to count them. Then the last is known, and a few real steps of those before it
    are run.
    """
    script = _Script(text, filename, arguments, enclosure, sources_of(text, filename))
    if not script.places.trains_again():
        return script.build()
    if not enclosure.walled:
        return replace(script.build(), unseen=Unseen("trains_again_open"))
    match enclosure.apart(lambda: _count(script)):
        case [int(count), None, _]:
            return script.build(max(0, min(count, MOST_TRAININGS) - 1))
        case [int(count), str(code), dict(numbers)]:
            last = script.build(max(0, min(count, MOST_TRAININGS) - 1))
            return replace(last, unseen=Unseen(code, numbers))
        case _:
            return replace(script.build(), unseen=Unseen("trains_again_dies"))


def trains_again(text: str, filename: str) -> bool:
    """Whether building this script will want to count its trainings apart."""
    return Places(text, sources=sources_of(text, filename)).trains_again()


def _count(script: _Script) -> tuple[int, str | None, dict[str, Any]]:
    """How many trainings the script reaches; or why it cannot be told: a code and its numbers."""
    try:
        with _patience(COUNTING_SECONDS):
            counted = script.build(MOST_TRAININGS, 1)
    except _TookLong:
        return 0, "trains_again_long", {"seconds": COUNTING_SECONDS}
    if counted.failure is None or not counted.rehearsed:
        return len(counted.rehearsed) + (counted.training_line is not None), None, {}
    said = {"at": counted.failure.line, "said": first_line(counted.failure.message)}
    walled = counted.forbidden not in (None, "not_reached")
    if len(counted.rehearsed) > 1 and not walled:
        if counted.failure.says("no such file"):  # a training that is cut short leaves none
            return len(counted.rehearsed), None, {}
        return len(counted.rehearsed), "trains_again_stops", said
    return 0, "trains_again_writes" if walled else "trains_again_fails", said


class _TookLong(BaseException):
    """No `except Exception` of the script's catches it."""


@contextmanager
def _patience(seconds: int) -> Iterator[None]:
    def end(*_: object) -> None:
        raise _TookLong

    before = signal.signal(signal.SIGALRM, end)
    # What is raised where something is being thrown away is ignored, and so is raised once more.
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True)
class _Script:
    text: str
    filename: str
    arguments: tuple[str, ...]
    enclosure: Enclosure
    sources: Sources

    @cached_property
    def places(self) -> Places:
        return Places(self.text, sources=self.sources)

    def build(self, rehearsed: int = 0, steps: int = EARLIER_STEPS) -> Building:
        """One run of it. The first `rehearsed` trainings are run for so many steps.

        A library that opens a file by itself, to write what an earlier run has written, meets that
        one: with a copy of its own the script is run again. So is what cannot be looked at as it
        is, on what its framework has in its place.
        """
        built = self._run(rehearsed, steps)
        if built.forbidden == "writes_outside" and self.enclosure.make_own():
            self._forget_modules()
            built = self._run(rehearsed, steps)
        if built.instead is None:
            return built
        self._forget_modules()
        with built.instead as said:
            again = self._run(rehearsed, steps)
        if again.trained is None:
            return built
        return replace(again, findings=(said, *again.findings))

    def _forget_modules(self) -> None:
        for name, module in list(sys.modules.items()):
            if getattr(module, "__file__", None) in self.sources.numbered:
                del sys.modules[name]

    def _run(self, rehearsed: int, steps: int) -> Building:
        framework = of(self.text, self.filename)
        home = framework.load()
        remember_source(self.filename, self.text, self.sources.numbered)
        failure, forbidden, exited, ended, wanting = None, None, False, None, ""
        module, heard = self.module(), Heard()
        with (
            _as_main(self, module),
            self.enclosure.kept_alone(),
            kept_for_looking() if self.enclosure.walled else nullcontext(),
            warnings.catch_warnings(record=True) as caught,
            home.stopped_at_training(
                rehearsed, steps, self.enclosure.onward, self.by_hand
            ) as built,
        ):
            try:
                exec(heard.compiled(self.text, self.filename), vars(module))
            except TrainingStarts as error:
                ended = error
            except SystemExit as error:
                ended = error
                exited = built.trained is None
                failure = failure_of(error) if exited else None
                wanting = _said_of_arguments(error) if exited else ""
            except Exception as error:
                ended = error
                failure = failure_of(error)
                forbidden = failure.forbidden(self.enclosure.walled)
        heard.warned(caught, self.filename)
        for warning in caught:
            said = (warning.message, warning.category, warning.filename, warning.lineno)
            warnings.showwarning(*said)
        findings, evidence = [], []
        if built.trained is not None:
            findings, evidence = home.at_setup(built, self.places)
        instead = home.in_place_of(built, failure, self.places)  # which may say why it refuses
        return Building(
            trained=None if failure or built.refused else built.trained,
            failure=failure,
            exited=exited,
            arguments_refused=wanting,
            trainer_lines=built.trainer_lines,
            training_line=built.training_line,
            refused=built.refused,
            instead=instead,
            forbidden=forbidden,
            rehearsed=tuple((one.line, one.steps, one.planned) for one in built.rehearsed),
            earlier=built.earlier,
            stands=self._stands(module, ended, {self.filename, *self.sources.numbered}),
            findings=tuple(findings),
            evidence=tuple(evidence),
            framework=framework.name,
            sources=self.sources,
            heard=heard,
            warnings=tuple(
                str(warning.message)
                for warning in caught
                if issubclass(warning.category, (FutureWarning, DeprecationWarning))
            ),
        )

    def by_hand(self) -> float:
        """The seconds that a loop of its own may train; asked for once one has begun to."""
        return BY_HAND_SECONDS if Places(self.text).trains() else 0.0

    def module(self) -> types.ModuleType:
        module = types.ModuleType("__main__")
        module.__file__ = self.enclosure.seen_at or self.filename
        vars(module)["__loader__"] = _Source(self.text)
        return module

    def _stands(
        self, module: types.ModuleType, ended: BaseException | None, own: set[str]
    ) -> Stands:
        """With the names of the functions in which it stopped before those of the module.

        `own` are the script's file and those beside it, whose functions count as its own.
        """
        names, line = vars(module), None
        trace = ended.__traceback__ if ended is not None else None
        while trace is not None:
            frame = trace.tb_frame
            if frame.f_code.co_filename in own:
                if frame.f_code.co_filename == self.filename:
                    line = trace.tb_lineno
                if frame.f_locals is not frame.f_globals:
                    names = {**names, **frame.f_locals}
            trace = trace.tb_next
        if isinstance(ended, SyntaxError) and line is None:
            line = ended.lineno
        at: Stop = "end" if ended is None or isinstance(ended, SystemExit) else "crash"
        at = "training" if isinstance(ended, TrainingStarts) else at
        return Stands(at, line, names, self, module)


def _said_of_arguments(error: SystemExit) -> str:
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code is argparse.ArgumentParser.error.__code__:
            return str(frame.f_locals["message"])
    return ""


@dataclass(frozen=True)
class _Source:
    """Where AutoGraph finds the text of a script that stands nowhere on disk."""

    text: str

    def get_source(self, _: str) -> str:
        return self.text


@contextmanager
def _as_main(script: _Script, module: types.ModuleType) -> Iterator[None]:
    before = sys.modules["__main__"], sys.argv, list(sys.path)
    known_to_workers = sys.modules.get(_TO_WORKERS)
    sys.modules["__main__"], sys.argv = module, [script.filename, *script.arguments]
    sys.path.insert(0, str(Path(script.filename).resolve().parent))
    try:
        yield
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:] = before
        if known_to_workers is None:
            sys.modules.pop(_TO_WORKERS, None)
        else:
            sys.modules[_TO_WORKERS] = known_to_workers
