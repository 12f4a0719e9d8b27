"""Running a learner's script up to its training."""

from __future__ import annotations

import signal
import sys
import types
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from debugger.failure import Failure, failure_of, remember_source
from debugger.frameworks import NAMES, of
from debugger.outcome import Evidence, Finding, Stop
from debugger.pipelines.starting import TrainingStarts
from debugger.script.alone import alone
from debugger.script.enclosure import OPEN, Enclosure, Refusal, reaches_nobody, refusal
from debugger.script.places import Places
from debugger.script.sources import Sources, sources_of

MOST_TRAININGS = 12
EARLIER_STEPS = 8
"""As much of a training that another one follows as shows what it leaves behind."""
COUNTING_SECONDS = 60
"""What a script may take that is run to its end, to count its trainings."""


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
        with _as_main(self.script, self.module), self.script.kept_alone():
            yield self.names


@dataclass(frozen=True)
class Building:
    """How running the script up to its training went. Nothing `trained`: nothing to look at.

    `refused` is a training that the clinic cannot look into: the code of a finding, and its line.
    `findings` and `evidence` are what its framework has to say of the setup.
    `rehearsed` are the trainings before it: line, steps that were run, steps planned. `earlier` is
    the one among them that trained this Trainer's model. `stands` is where it stopped. `unseen`: a
    later one was not run, and why. `forbidden`: the failure is not the script's own, the wall or a
    missing network made it.
    """

    trained: Any = None
    failure: Failure | None = None
    exited: bool = False
    trainer_lines: tuple[int | None, ...] = ()
    training_line: int | None = None
    refused: tuple[str, int | None] | None = None
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


def build(
    text: str, filename: str, arguments: tuple[str, ...] = (), enclosure: Enclosure = OPEN
) -> Building:
    """Run the script as `python filename arguments` would, up to where its last training starts.

    Where it trains more than once, and is walled, it is first run to its end, apart, with one step
    of each training, to count them. Then the last is known, and a few real steps of those before it
    are run.
    """
    script = _Script(text, filename, arguments, enclosure)
    if not Places(text).trains_again():
        return script.build()
    if not enclosure.walled:
        return replace(script.build(), unseen=Unseen("trains_again_open"))
    count, code, numbers = enclosure.apart(lambda: _count(script)) or (0, "trains_again_dies", {})
    if code is not None:
        return replace(script.build(), unseen=Unseen(code, numbers))
    return script.build(max(0, count - 1))


def _count(script: _Script) -> tuple[int, str | None, dict[str, Any]]:
    """How many trainings the script reaches; or why it cannot be told: a code and its numbers."""
    try:
        with _patience(COUNTING_SECONDS):
            counted = script.build(MOST_TRAININGS, 1)
    except _TookLong:
        return 0, "trains_again_long", {"seconds": COUNTING_SECONDS}
    if counted.failure is None or not counted.rehearsed:
        return len(counted.rehearsed) + (counted.training_line is not None), None, {}
    said = {"at": counted.failure.line, "said": counted.failure.message[:300]}
    walled = counted.forbidden not in (None, "not_reached")
    return 0, "trains_again_writes" if walled else "trains_again_fails", said


class _TookLong(BaseException):
    """No `except Exception` of the script's catches it."""


@contextmanager
def _patience(seconds: int) -> Iterator[None]:
    def end(*_: object) -> None:
        raise _TookLong

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True)
class _Script:
    text: str
    filename: str
    arguments: tuple[str, ...]
    enclosure: Enclosure

    def build(self, rehearsed: int = 0, steps: int = EARLIER_STEPS) -> Building:
        """One run of it. The first `rehearsed` trainings are run for so many steps."""
        framework = of(self.text)
        home = framework.load()
        sources = sources_of(self.text, self.filename)
        remember_source(self.filename, self.text, sources.numbered)
        failure, forbidden, exited, ended = None, None, False, None
        module = self.module()
        with (
            _as_main(self, module),
            self.kept_alone(),
            warnings.catch_warnings(record=True) as caught,
            home.stopped_at_training(rehearsed, steps, self.enclosure.cut_off) as built,
        ):
            try:
                exec(compile(self.text, self.filename, "exec"), vars(module))
            except TrainingStarts as error:
                ended = error
            except SystemExit as error:
                ended = error
                exited = built.trained is None
                failure = failure_of(error) if exited else None
            except Exception as error:
                ended = error
                failure = failure_of(error)
                forbidden = refusal(error) if self.enclosure.walled else None
                if forbidden is None and reaches_nobody(error):
                    forbidden = "not_reached"
        for warning in caught:
            said = (warning.message, warning.category, warning.filename, warning.lineno)
            warnings.showwarning(*said)
        findings, evidence = [], []
        if built.trained is not None:
            findings, evidence = home.at_setup(built, Places(self.text, sources=sources))
        return Building(
            trained=None if failure or built.refused else built.trained,
            failure=failure,
            exited=exited,
            trainer_lines=built.trainer_lines,
            training_line=built.training_line,
            refused=built.refused,
            forbidden=forbidden,
            rehearsed=tuple((one.line, one.steps, one.planned) for one in built.rehearsed),
            earlier=built.earlier,
            stands=self._stands(module, ended),
            findings=tuple(findings),
            evidence=tuple(evidence),
            framework=framework.name,
            sources=sources,
            warnings=tuple(
                str(warning.message)
                for warning in caught
                if issubclass(warning.category, (FutureWarning, DeprecationWarning))
            ),
        )

    def module(self) -> types.ModuleType:
        module = types.ModuleType("__main__")
        module.__file__ = self.enclosure.seen_at or self.filename
        vars(module)["__loader__"] = _Source(self.text)
        return module

    def kept_alone(self) -> AbstractContextManager[None]:
        return alone() if self.enclosure.walled else nullcontext()

    def _stands(self, module: types.ModuleType, ended: BaseException | None) -> Stands:
        """With the names of the functions in which it stopped before those of the module."""
        names, line = vars(module), None
        trace = ended.__traceback__ if ended is not None else None
        while trace is not None:
            frame = trace.tb_frame
            if frame.f_code.co_filename == self.filename:
                line = trace.tb_lineno
                if frame.f_locals is not vars(module):
                    names = {**names, **frame.f_locals}
            trace = trace.tb_next
        if isinstance(ended, SyntaxError) and line is None:
            line = ended.lineno
        at: Stop = "end" if ended is None or isinstance(ended, SystemExit) else "crash"
        at = "training" if isinstance(ended, TrainingStarts) else at
        return Stands(at, line, names, self, module)


@dataclass(frozen=True)
class _Source:
    """Where AutoGraph finds the text of a script that stands nowhere on disk."""

    text: str

    def get_source(self, _: str) -> str:
        return self.text


@contextmanager
def _as_main(script: _Script, module: types.ModuleType) -> Iterator[None]:
    before = sys.modules["__main__"], sys.argv, list(sys.path)
    sys.modules["__main__"], sys.argv = module, [script.filename, *script.arguments]
    sys.path.insert(0, str(Path(script.filename).resolve().parent))
    try:
        yield
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:] = before
