"""A run's own process, from the fork to its end."""

import ctypes
import faulthandler
import importlib
import json
import logging
import os
import random
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from debugger.outcome import Event, Outcome, StageEnded, to_json
from debugger.run import Run
from debugger.script.building import trains_again
from debugger.script.enclosure import Enclosure
from debugger.stages import LIGHT
from debugger.workers import beside, caches, frames, hidden, sandbox, wall
from debugger.workers.apart import ahead, apart
from debugger.workers.lanes import step_back
from debugger.workers.limits import confine, ran_out_of_memory
from debugger.workers.preparing import prepare
from debugger.workers.view import Views
from scenarios import assets

if TYPE_CHECKING:
    from debugger.diagnosis import Again

    Perform = Callable[[Run, Callable[[Event], None], Enclosure], Again | None]

PR_SET_PDEATHSIG = 1
WEIGHTS = Path("tmp", "weights.safetensors")
"""What a training leaves, in the run's folder: in a place where typed code may write."""
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Request:
    """Everything the child needs, left as a file in the run's folder."""

    run: Run
    perform: str
    seconds: float
    memory_mb: int
    file_bytes: int
    stay: bool = False
    """Wait for other stages of this script, once its pipeline is built."""
    back: bool = False
    """Leave the cores to those that only look."""

    def write(self, folder: Path) -> None:
        (folder / "request.json").write_text(json.dumps(asdict(self)), encoding="utf-8")

    @staticmethod
    def read(folder: Path) -> "Request":
        fields = json.loads((folder / "request.json").read_text(encoding="utf-8"))
        run = fields.pop("run")
        run |= {"arguments": tuple(run["arguments"]), "files": tuple(map(tuple, run["files"]))}
        return Request(Run(**run), **fields)


def live(folder: Path, channel: int, zygote: int) -> NoReturn:
    """Perform the request in `folder`, answering on the socket `channel`; never returns."""
    status = 1
    try:
        os.setsid()
        hidden.begin_as_a_run()
        _die_with(zygote)
        _close_all_but(channel)
        status = _answer(folder, channel)
    finally:
        os._exit(status)


def _answer(folder: Path, channel: int) -> int:
    try:
        request = Request.read(folder)
        _redirect_output(folder)
        perform = _load(request.perform)
        confine(request.seconds, request.memory_mb, request.file_bytes)
        if request.back:
            step_back()
        mouth = Mouth(channel)
        mouth.say(frames.STARTED)
        enclosure = _settle(request.run, folder, channel)
        _reseed(request.run.seed)
        again = perform(request.run, mouth.emit, enclosure)
        if not mouth.done:
            mouth.say(frames.BROKEN, b"perform ended without an outcome")
        elif again is not None and request.stay:
            _stay(request.run, again, mouth, channel, folder)
    except SystemExit as leaving:
        sys.stderr.flush()
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the host must hear of it
        told = f"{type(error).__name__}: {error}"
        kind = frames.OUT_OF_MEMORY if ran_out_of_memory(told) else frames.BROKEN
        Mouth(channel).say(kind, traceback.format_exc()[-20_000:].encode(errors="replace"))
        return 1
    return 0


def _stay(run: Run, again: "Again", mouth: "Mouth", channel: int, folder: Path) -> None:
    """Whoever asks once more finds on the console what building said, and nothing else."""
    while (stage := os.read(channel, 100).decode()) in LIGHT:
        os.ftruncate(1, mouth.built_at)
        os.truncate(folder / "clinic.log", 0)
        mouth.say(frames.STARTED)
        again(replace(run, stage=stage), mouth.emit)


class Mouth:
    """The child's end of the channel; any thread may speak.

    `built_at`: how much had been printed when the script was built.
    """

    def __init__(self, channel: int) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self.done = False
        self.built_at = 0

    def emit(self, event: Event) -> None:
        raw = to_json(event)
        with self._lock:
            if isinstance(event, StageEnded) and event.stage == "setup":
                _flush()
                self.built_at = os.fstat(1).st_size
            if isinstance(event, Outcome):
                self.done = True
                _flush()
            self._write(frames.pack(frames.EVENT, raw))

    def say(self, kind: bytes, payload: bytes = b"") -> None:
        _flush()
        with self._lock:
            self._write(frames.pack(kind, payload))

    def _write(self, raw: bytes) -> None:
        view = memoryview(raw)
        while view:
            view = view[os.write(self._channel, view) :]


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # the script may have replaced it
            stream.flush()


def _die_with(zygote: int) -> None:
    _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != zygote:
        os._exit(1)


def _close_all_but(channel: int) -> None:
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        if descriptor > 2 and descriptor != channel:
            with suppress(OSError):  # the listing's own, closed by now
                os.close(descriptor)


def _redirect_output(folder: Path) -> None:
    flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND
    console = os.open(folder / "console.txt", flags, 0o600)
    os.dup2(console, 1)
    os.dup2(console, 2)
    os.close(console)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(  # pyright: ignore[reportAttributeAccessIssue]
            encoding="utf-8", errors="backslashreplace", line_buffering=True
        )
    # What the clinic itself logs is for the host, not for the learner's console.
    ours = logging.getLogger("debugger")
    ours.addHandler(logging.FileHandler(folder / "clinic.log", encoding="utf-8"))
    ours.propagate = False
    # The parent asks with SIGUSR1 where a run is before it ends it; a crash writes the same.
    whereabouts = open(folder / "whereabouts.txt", "w")  # noqa: SIM115
    faulthandler.enable(whereabouts, all_threads=False)
    faulthandler.register(signal.SIGUSR1, whereabouts, all_threads=False)


def _settle(run: Run, folder: Path, channel: int) -> Enclosure:
    """Folders, environment and arguments as the script would find them if it ran by itself.

    From here on nothing but the run's own folder can be changed, where the kernel holds that.
    """
    os.environ |= {"TMPDIR": str(folder / "tmp"), "CLINIC_ASSETS": run.assets}
    tempfile.tempdir = None
    if run.folder is None or assets.__name__ in run.script:
        prepare(run, folder.parents[2])
    views, kept = Views(), caches.kept()
    caches.move(views, folder / "caches")
    if run.folder is None:
        os.environ["HOME"] = str(folder / "home")
        os.environ.pop("XDG_CACHE_HOME", None)
    seen_at, make_own = _enter(run, folder, views)
    sys.argv[:] = [run.filename, *run.arguments]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if run.device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        if torch := sys.modules.get("torch"):
            torch.set_num_threads(1)
    else:  # a Trainer would spread itself over every GPU that it sees
        gpus = os.environ.get("CUDA_VISIBLE_DEVICES", "0")
        os.environ["CUDA_VISIBLE_DEVICES"] = gpus.partition(",")[0]
    weights = folder / WEIGHTS
    elsewhere = apart
    if _starts_nothing_later(run) and trains_again(run.script, run.filename):
        elsewhere = ahead((1, 2, channel), partial(_begin_ahead, os.getpid()))
    if run.typed:
        sandbox.enter(run, folder, kept)
        return Enclosure(True, seen_at, assets.go_offline, elsewhere, weights, make_own)
    return Enclosure(wall.enclose(folder), seen_at, _cut_off, elsewhere, weights, make_own)


def _starts_nothing_later(run: Run) -> bool:
    """The sandbox lets it start no process; and behind the wall one that is started later cannot
    name the threads of CUDA, because no other's entries of /proc but these may be written."""
    return run.typed or (wall.can_stand() and wall.on_a_gpu(run.device))


def _begin_ahead(run: int) -> None:
    """Where this crashes is no news of the run, and without it there is nothing to do."""
    faulthandler.disable()
    _die_with(run)


def _enter(run: Run, folder: Path, views: Views) -> tuple[str, Callable[[], bool]]:
    """Go to the working folder, and tell where the script stands as seen from there, and how what
    it finds there becomes its own."""
    if run.folder is None:
        beside.lay(run.files, folder.parents[2] / beside.FOLDER, folder / "home")
        os.chdir(folder / "home")
        return run.filename, lambda: False
    here, script = Path(run.folder).resolve(), Path(run.filename).resolve()
    seen = views.around(here, folder / "views" / "here")
    os.chdir(seen)
    make_own = partial(views.copy_all, seen)
    if not script.is_file():
        return run.filename, make_own
    if script.is_relative_to(here):
        seen_at = seen / script.relative_to(here)
    else:
        near = views.around(script.parent, folder / "views" / "beside")
        seen_at = near / script.name
    views.copy(seen_at)
    return str(seen_at), make_own


@cache
def _cut_off() -> None:
    """What follows a training that was cut short must reach nobody."""
    assets.go_offline()
    wall.disconnect()


def _reseed(seed: int) -> None:
    """A fork inherits the state of every generator: without this all runs draw the same numbers."""
    random.seed(seed)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(seed % 2**32)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(seed)
    if tensorflow := sys.modules.get("tensorflow"):
        tensorflow.random.set_seed(seed)


def _load(perform: str) -> "Perform":
    module, _, name = perform.partition(":")
    return getattr(importlib.import_module(module), name)
