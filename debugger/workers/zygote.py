"""The server's hold on the zygote: starts it, notices its death, asks it for children."""

import json
import logging
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from debugger.frameworks import Framework
from debugger.workers import wall
from debugger.workers.dying import Death
from debugger.workers.forking import kill
from debugger.workers.hidden import harmless

log = logging.getLogger(__name__)
START_SECONDS = 300.0
ALLOCATOR = "PYTORCH_CUDA_ALLOC_CONF"
KILL_SECONDS = 5.0
_START = (
    "import sys; control, preload, sys.path = int(sys.argv[1]), sys.argv[2], sys.argv[3:]; "
    "from debugger.workers.forking import main; main(control, preload)"
)


class ZygoteError(RuntimeError):
    """The zygote could not be started, or went away: `death` tells how."""

    def __init__(self, death: Death) -> None:
        super().__init__(death.how)
        self.death = death


def environment(
    data_dir: Path,
    online: bool,
    framework: Framework,
    whole: bool = False,
    gpu_share: float = 1.0,
) -> dict[str, str]:
    """The zygote's environment: what must be set before Python and the libraries start.

    Offline, all that the libraries keep lies under `data_dir`; online, in the host's caches. What
    the host has set for other things is left out, but for those who run their own: `whole`.
    """
    fixed = dict(os.environ) if whole else harmless(os.environ, online)
    # USE_TORCH=0 breaks evaluate, USE_TF=0 hides the TF classes of transformers.
    for name in ("USE_TORCH", "USE_TF", "PYTHONDONTWRITEBYTECODE"):
        fixed.pop(name, None)
    fixed.update(
        framework.environment,
        CLINIC_DATA_DIR=str(data_dir),
        TF_USE_LEGACY_KERAS="1",
        TOKENIZERS_PARALLELISM="false",
        PYTORCH_NVML_BASED_CUDA_CHECK="1",
        OMP_NUM_THREADS="1",
        MKL_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
        PYTHONHASHSEED="0",
        # Freed memory stays with the process: a training step asks for the same again, and getting
        # it from the kernel each time takes a tenth of the computing. 32 MiB is glibc's most.
        MALLOC_MMAP_THRESHOLD_=str(2**25),
        MALLOC_TRIM_THRESHOLD_=str(2**40),
        MALLOC_TOP_PAD_=str(2**26),
        # Larger pieces, such as the gradient of an embedding, come in pages of 2 MiB, not of 4 KiB:
        # a run of Keras spends up to a third of its time on the small ones.
        GLIBC_TUNABLES="glibc.malloc.hugetlb=1",
    )
    if gpu_share < 1 and wall.gpus():
        told = [fixed.get(ALLOCATOR), f"per_process_memory_fraction:{gpu_share}"]
        fixed[ALLOCATOR] = ",".join(filter(None, told))
    if not online:
        fixed.update(
            HF_HUB_OFFLINE="1",
            HF_HOME=str(data_dir / "huggingface"),
            HF_DATASETS_CACHE=str(data_dir / "datasets"),
        )
    return fixed


@dataclass(frozen=True)
class Child:
    """One forked process. `line` turns readable when it dies; whoever holds it must call `end`."""

    pid: int
    channel: socket.socket
    line: socket.socket

    def death(self) -> dict[str, int]:
        """`signal` (0 for none) and `status`; empty when the zygote itself is gone."""
        return _receive(self.line)

    def ask(self, stage: str) -> None:
        """For another stage, where it waits for one. If it is gone, its line tells so."""
        with suppress(OSError):
            self.channel.sendall(stage.encode())

    def is_quiet(self) -> bool:
        """It lives, and has said nothing since its last answer."""
        told = select.poll()
        for end in (self.channel, self.line):
            told.register(end, select.POLLIN)
        return not told.poll(0)

    def end(self, dead: bool) -> None:
        """Kill it and its group. Until `line` closes the zygote keeps its pid from being reused."""
        kill(self.pid)
        if not dead:
            self.line.settimeout(KILL_SECONDS)
            with suppress(TimeoutError):
                _receive(self.line)
        self.channel.close()
        self.line.close()


class Zygote:
    def __init__(self, preload: Iterable[str], environment: dict[str, str]) -> None:
        self._preload = ",".join(preload)
        self._environment = environment
        self._changed = threading.Condition()
        self._keeper: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._ready = False
        self._closed = False
        self._death: Death | None = None

    @property
    def death(self) -> Death | None:
        """How the last one died that could not fork; None once another is on its way."""
        return self._death

    @property
    def pid(self) -> int | None:
        """While it can fork."""
        with self._changed:
            return self._process.pid if self._ready and self._process else None

    def warm(self) -> None:
        """Start it in the background, unless it is there or on its way."""
        with self._changed:
            if self._keeper is None and not self._closed:
                self._death = None
                self._keeper = threading.Thread(target=self._keep, name="zygote", daemon=True)
                self._keeper.start()

    def wait(self, give_up: Callable[[], bool]) -> socket.socket | None:
        """The socket to ask on, once it can fork; None once `give_up` says so.

        Starts the zygote when needed. Raises ZygoteError when there is none.
        """
        self.warm()
        with self._changed:
            while not self._ready:
                if self._death:
                    raise ZygoteError(self._death)
                if self._closed or give_up():
                    return None
                self._changed.wait(0.1)
            return self._control

    def fork(self, folder: Path, give_up: Callable[[], bool]) -> Child | None:
        """A child that performs the request in `folder`, or None once `give_up` says so.

        Starts the zygote when needed and waits for it. Raises ZygoteError when there is none.
        """
        for _ in range(3):
            control = self.wait(give_up)
            if control is None:
                return None
            if (child := _ask(control, folder)) is not None:
                return child
            self._forget(control)
        raise ZygoteError(Death("it died three times before it could fork"))

    def close(self) -> None:
        with self._changed:
            self._closed = True
            keeper, process = self._keeper, self._process
            if self._control is not None:
                with suppress(OSError):
                    self._control.shutdown(socket.SHUT_RDWR)
            self._changed.notify_all()
        if process is not None and not self._ready:
            process.kill()  # still importing: it reads nothing yet
        if keeper is not None:
            keeper.join(10)

    def _forget(self, control: socket.socket) -> None:
        with self._changed:
            if self._control is control:
                self._ready = False

    def _keep(self) -> None:
        """One zygote after another, until closed or until one cannot even import."""
        while True:
            try:
                death = self._live_once()
            except OSError as error:
                death = Death(f"OSError: {error.strerror}")
                log.error("the zygote could not be started: %s", error)
            with self._changed:
                self._ready, self._control, self._process = False, None, None
                if death or self._closed:
                    self._death = death
                    self._keeper = None
                    self._changed.notify_all()
                    return
            log.warning("the zygote died and is warmed again")

    def _live_once(self) -> Death | None:
        """How it died before it could fork; None when it was ready until then."""
        with tempfile.TemporaryFile() as printed:
            process, control = self._start(printed)
            trace, late = None, False
            with control:
                try:
                    trace = self._until_it_dies(control)
                except TimeoutError:
                    late = True
                process.kill()
                status = process.wait()
            if trace is None and not late:
                return None
            death = Death(seconds=START_SECONDS) if late else Death.of(trace or "", status)
            if not self._closed:
                printed.seek(0)
                tail = (trace or "") + printed.read()[-4000:].decode(errors="replace")
                log.error("the zygote of %s died: %s\n%s", self._preload, death.how, tail.strip())
            return death

    def _start(self, printed: IO[bytes]) -> tuple[subprocess.Popen[bytes], socket.socket]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        path = [os.path.abspath(entry or ".") for entry in sys.path]
        with theirs, self._changed:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START, str(theirs.fileno()), self._preload, *path],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                env=self._environment,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
            self._control = ours
            if self._closed:
                self._process.kill()
            return self._process, ours

    def _until_it_dies(self, control: socket.socket) -> str | None:
        """The traceback, if it sent one, where it never was ready; else None, once it is dead."""
        control.settimeout(START_SECONDS)
        news = _receive(control)
        if "seconds" not in news:
            return str(news.get("error", ""))
        control.settimeout(None)
        with self._changed:
            self._ready = True
            self._changed.notify_all()
        _receive(control)
        return None


def _ask(control: socket.socket, folder: Path) -> Child | None:
    """None when the zygote is gone."""
    channel, their_channel = socket.socketpair()
    line, their_line = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with their_channel, their_line:
        descriptors = [their_channel.fileno(), their_line.fileno()]
        with suppress(OSError):
            socket.send_fds(control, [str(folder).encode()], descriptors)
    news = _receive(line)
    if "pid" in news:
        channel.setblocking(False)
        return Child(news["pid"], channel, line)
    channel.close()
    line.close()
    return None


def _receive(end: socket.socket) -> dict[str, Any]:
    """The next message of the zygote, or nothing when it is gone."""
    try:
        raw = end.recv(1 << 16)
    except TimeoutError:
        raise
    except OSError:
        return {}
    return json.loads(raw) if raw else {}
