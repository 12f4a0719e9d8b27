"""The engine of one machine: a queue in front of a warm zygote for each framework."""

import itertools
import logging
import math
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, replace
from errno import EDQUOT, ENOSPC
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

import debugger.frameworks as frameworks
from debugger.frameworks import FRAMEWORKS, NAMES
from debugger.outcome import Event, Finding, Outcome, Weighed
from debugger.run import Run
from debugger.workers import hidden, promises, wall
from debugger.workers.child import WEIGHTS, Request
from debugger.workers.dying import why
from debugger.workers.endings import Cancel, Ended, our_fault, outcome_of
from debugger.workers.engine import DIAGNOSIS, WEIGHING, Asker, Closing
from debugger.workers.lanes import trains
from debugger.workers.limits import Limits, disk_is_full
from debugger.workers.line import Job, Line
from debugger.workers.process import execute
from debugger.workers.promises import Typed
from debugger.workers.residents import Resident, Residents, may_stay
from debugger.workers.zygote import Child, Zygote, ZygoteError, environment

log = logging.getLogger(__name__)
CLOSING_SECONDS = 10.0
TRYING_SECONDS = 20.0


class LocalEngine(Closing):
    """Runs at most `workers` runs at once that may train, and as many that only look.

    Sessions take turns, with one run each that may train; any thread may ask.

    `perform` names `module:function`, called as `function(run, emit, enclosure)` in a process of
    its own.
    Each framework's zygote starts when it is first needed; `preload` names what one imports instead
    of what its framework says. `online` lets the libraries reach the hub and use the host's caches.
    `hers`: who runs this engine runs her own scripts, which see her environment as ever.
    `typed`: code that somebody typed may run, where the sandbox keeps every promise.
    `residents`: so many processes may wait for the next stage of what they have built.
    `gpu_share`: how much of a GPU's memory PyTorch's allocator takes for one run, of 1.
    `look_seconds`: the most for a stage that does not train. `queue`: so many wait in each lane.
    """

    def __init__(
        self,
        workers: int,
        seconds: float,
        memory_mb: int,
        data_dir: Path,
        perform: str = DIAGNOSIS,
        online: bool = False,
        preload: Mapping[str, Iterable[str]] = MappingProxyType({}),
        hers: bool = False,
        typed: bool = True,
        residents: int = 0,
        gpu_share: float = 1.0,
        look_seconds: float = math.inf,
        queue: int = 1000,
    ) -> None:
        self._hers = hers
        if not hers:
            hidden.show_to_nobody()
        data_dir = data_dir.absolute()
        self._workers = workers
        self._limits = {
            f.name: Limits(seconds, int(memory_mb * f.memory), look_seconds=look_seconds)
            for f in FRAMEWORKS
        }
        self._perform = perform
        self._residents = Residents(residents, memory_mb, gpu_share)
        self._folder = _Folder(data_dir / "runs")
        self._zygotes = {
            f.name: Zygote(
                preload.get(f.name, f.preload), environment(data_dir, online, f, hers, gpu_share)
            )
            for f in FRAMEWORKS
        }
        missing = promises.missing() if typed else "switched_off"
        self._typed = {name: Typed(missing) for name in NAMES if missing}
        self._trying = threading.Lock()
        self._line = Line(workers, queue, self._start)
        self._closed = False

    def events(self, run: Run, asker: Asker | None = None) -> Generator[Event]:
        """First `Accepted`, again when the place in the queue changes, or the time that is left.

        Last one `Outcome`. The run is asked for at once, whenever it is listened to. Closing the
        iterator early cancels it.
        """
        return self._line.events(run, asker)

    def cancel(self, ticket: str) -> None:
        """End the run with this ticket; one that has ended, or never was, is no error."""
        self._line.cancel_of(ticket)

    def status(self) -> dict[str, Any]:
        """`zygotes` tells which framework's can fork; `pids` are theirs, for the host alone.

        `walled`: the kernel keeps runs from changing files of others.
        `failures` are the findings about those that died before they could.
        `typed` tells, of each framework that was tried, whether typed code may run.
        """
        pids = {framework: zygote.pid for framework, zygote in self._zygotes.items()}
        return {
            "workers": self._workers,
            **self._line.status(),
            "residents": len(self._residents),
            "walled": wall.can_stand(),
            "zygotes": {framework: pid is not None for framework, pid in pids.items()},
            "failures": self._failures(),
            "typed": {name: asdict(told) for name, told in self._typed.items()},
            "pids": pids,
        }

    def typed(self, framework: str) -> Typed:
        """Whether code that somebody typed may run here. Tries it when asked for the first time."""
        with self._trying:
            if framework not in self._typed:
                self._typed[framework] = found = self._try_promises(framework)
                if found.why:
                    log.warning("typed code is off: %s %s", found.why, ", ".join(found.broken))
            return self._typed[framework]

    def _try_promises(self, framework: str) -> Typed:
        told: list[Event] = []
        cancel, limits = Cancel(), Limits(TRYING_SECONDS, 1000)
        attack = Run("", device="cpu", typed=True)
        request = Request(attack, promises.PERFORM, limits.seconds, 1000, limits.file_bytes)
        try:
            with self._folder.of_a_run() as folder:
                zygote = self._zygotes[framework]
                end = execute(zygote, request, limits, Path(folder), cancel, told.append)
        finally:
            cancel.close()
        if end.outcome != "pass":
            return Typed("not_tried")
        broken = promises.broken(told)
        return Typed("promise_broken" if broken else None, broken)

    def _failures(self) -> dict[str, Finding]:
        found = {}
        for name, zygote in self._zygotes.items():
            if death := zygote.death:
                code, numbers = why(death, frameworks.called(name))
                found[name] = Finding(code, "note", "setup", None, numbers)
        return found

    def warm(self, wanted: Collection[str] = NAMES) -> None:
        """Start the zygotes in the background, so that no first run need wait for its own.

        One after the other, in their order: while one imports it keeps a core busy.
        """
        threading.Thread(target=self._warm, args=(wanted,), name="warm", daemon=True).start()

    def _warm(self, wanted: Collection[str]) -> None:
        for name in NAMES:
            if name in wanted and frameworks.installed(name):
                with suppress(ZygoteError):  # said to the first run that needs it
                    if self._zygotes[name].wait(lambda: self._closed):
                        self.typed(name)

    def drain(self, seconds: float) -> None:
        """Tell everybody that the server stops. What only looks may come to its end until then."""
        self._line.drain(seconds)

    def close(self) -> None:
        """Cancel everything, and leave no process and no folder behind."""
        self._closed = True
        jobs = self._line.close()
        for job in jobs:
            job.cancel.turn_on()
        for job in jobs:
            if job.driver is not None:
                job.driver.join(CLOSING_SECONDS)
        self._residents.close()
        for zygote in self._zygotes.values():
            zygote.close()
        self._folder.close()

    def _start(self, job: Job) -> None:
        job.driver = threading.Thread(target=self._drive, args=(job,), daemon=True)
        job.driver.start()

    def _drive(self, job: Job) -> None:
        outcome = None
        framework = job.run.framework
        zygote, limits = self._zygotes[framework], self._limits[framework]
        try:
            if job.run.typed and (found := self.typed(framework)).why:
                raise Ended(f"typing_{found.why}", broken=", ".join(found.broken))
            outcome = self._answered(job, zygote, limits)
        except Ended as ended:
            outcome = outcome_of(ended, job.run)
        except OSError as error:
            full = error.errno in (ENOSPC, EDQUOT)
            ended = Ended("disk_full") if full else our_fault(repr(error))
            outcome = outcome or outcome_of(ended, job.run)
        finally:
            outcome = outcome or outcome_of(our_fault("the driver failed"), job.run)
            self._line.done(job, outcome)
            job.news.put(outcome)

    def _answered(self, job: Job, zygote: Zygote, limits: Limits) -> Outcome:
        run, put = job.run, job.news.put
        self._folder.hold()
        if disk_is_full(self._folder.path):
            raise Ended("disk_full")
        known, stays = self._residents.take(run), self._residents.wanted and may_stay(run)
        with ExitStack() as leaving:
            if known is None:
                self._residents.make_room(run)
                folder = Path(leaving.enter_context(self._folder.of_a_run()))
            else:
                leaving.callback(known.remove_folder)
                folder = known.folder
            back = trains(run) and not self._hers
            request = Request(
                run, self._perform, limits.seconds, limits.memory_mb, limits.file_bytes, stays, back
            )
            left: list[Child] = []
            kept = left.append if stays else None
            child = known.child if known else None
            outcome = execute(zygote, request, limits, folder, job.cancel, put, child, kept)
            if outcome.outcome in ("fail", "unknown") and disk_is_full(folder):
                outcome = outcome_of(Ended("disk_full"), run)
            if run.against and outcome.finding is None:
                put(self._weigh(job, folder))
            gone = []
            if left:
                remove, answers = leaving.pop_all().close, known.answers + 1 if known else 1
                resident = Resident(run, left[0], folder, remove, answers)
                gone = self._residents.keep(resident, outcome)
            if run.typed or gone:  # there may be so much to remove that it takes a while
                put(outcome)
            for one in gone:
                one.leave()
        return outcome

    def _weigh(self, job: Job, left: Path) -> Weighed:
        """What the training of this job was worth. Another child tries it, that never ran it.

        That one stands in the sandbox, for what it reads comes from a script that nobody knows.
        """
        run = replace(job.run, script=job.run.against, against="", typed=True)
        framework = run.framework
        limits, found = self._limits[framework], []
        try:
            with self._folder.of_a_run() as folder:
                request = Request(
                    run, WEIGHING, limits.seconds, limits.memory_mb, limits.file_bytes
                )
                _take_over(left / WEIGHTS, Path(folder) / WEIGHTS)
                zygote = self._zygotes[framework]
                execute(zygote, request, limits, Path(folder), job.cancel, found.append)
        except (Ended, OSError) as error:
            log.warning("what a training left was not tried: %r", error)
        told = (event for event in found if isinstance(event, Weighed))
        return next(told, Weighed(reason="weights_unreadable"))


class _Folder:
    """This engine's part of the data folder. What killed engines left there is swept away."""

    def __init__(self, runs: Path) -> None:
        runs.mkdir(parents=True, exist_ok=True)
        self._numbers = itertools.count(1)
        self._holding = threading.Lock()
        with open(runs / "lock", "w") as one_at_a_time:
            flock(one_at_a_time, LOCK_EX)
            for folder in runs.iterdir():
                if folder.is_dir() and _abandoned(folder):
                    _remove(folder)
            self.path = Path(tempfile.mkdtemp(dir=runs, prefix=""))
            self._alive = self._locked()

    def _locked(self) -> IO[str]:
        alive = open(self.path / "alive", "w")  # noqa: SIM115
        flock(alive, LOCK_EX)
        return alive

    def hold(self) -> None:
        """Make it again where somebody has cleared it away under a running app."""
        with self._holding:
            if not (self.path / "alive").exists():
                self.path.mkdir(parents=True, exist_ok=True)
                self._alive.close()
                self._alive = self._locked()

    @contextmanager
    def of_a_run(self) -> Iterator[str]:
        folder = tempfile.mkdtemp(prefix=f"{next(self._numbers)}-", dir=self.path)
        try:
            yield folder
        finally:
            _remove(folder)

    def close(self) -> None:
        _remove(self.path)
        self._alive.close()


def _take_over(left: Path, into: Path) -> None:
    """A file that typed code may have put there: an ordinary one, or none at all."""
    into.parent.mkdir()
    if left.is_symlink() or not left.is_file():
        return
    os.rename(left, into)


def _remove(folder: str | Path) -> None:
    """With all that is in it, however deep: Python itself gives up after a thousand folders."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        subprocess.run(["rm", "-rf", "--", folder], check=False)


def _abandoned(folder: Path) -> bool:
    """Whether no living engine holds the folder."""
    try:
        with open(folder / "alive", "w") as alive:
            flock(alive, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    return True
