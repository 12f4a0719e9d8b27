"""The zygote's own process: imports once, forks a child for every request, outlives none of them.

A request is a folder and two sockets: the child's channel, and a line on which the zygote tells
the child's pid and how it died. When the other end of that line closes, the child's group is
killed. The dead child stays a zombie until then, so that its pid cannot become another process's.
"""

import gc
import importlib
import json
import os
import selectors
import signal
import socket
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from debugger.workers import child, hidden, sandbox

MOST_THREADS = 2  # the main one and an allocator's background one
POLITE = 5


def main(control_fd: int, preload: str) -> None:
    """Import what `preload` names (separated by commas), say how that went, then serve."""
    control = socket.socket(fileno=control_fd)
    hidden.show_to_nobody()  # a run that could write into this memory would be in all that follow
    os.nice(POLITE)  # the pages go first; and importing TensorFlow goes no faster than the runs do
    try:
        began = time.monotonic()
        sandbox.warm()
        later = _import(preload.split(","))
        ready = {"seconds": time.monotonic() - began}
    except BaseException:  # noqa: BLE001 - whatever it is, the host must hear of it
        later, ready = iter(()), {"error": traceback.format_exc()[-20_000:]}
    control.send(json.dumps(ready).encode())
    if "error" not in ready:
        _Nursery(control, later).serve()


def _import(modules: list[str]) -> Iterator[None]:
    """`LATER` is what a module leaves to be done, piece by piece, while nobody asks for a run."""
    imported = [importlib.import_module(module) for module in filter(None, modules)]
    _settle()
    return chain.from_iterable(one.LATER() for one in imported if hasattr(one, "LATER"))


def _settle() -> None:
    threads = len(os.listdir("/proc/self/task"))
    if threads > MOST_THREADS or threading.active_count() > 1:
        raise RuntimeError(f"{threads} threads after preloading: forked children would hang")
    gc.collect()
    gc.freeze()


class _Nursery:
    def __init__(self, control: socket.socket, later: Iterator[None]) -> None:
        self._control = control
        self._later: Iterator[None] | None = later
        self._lines: dict[socket.socket, int] = {}
        self._dying: set[int] = set()
        self._bell, waker = socket.socketpair()
        self._bell.setblocking(False)
        waker.setblocking(False)
        self._waker = waker
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)

    def serve(self) -> None:
        """Until the server is gone; then every child's group goes too."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(self._bell, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select(None if self._later is None else 0) or self._go_on():
                    if key.fileobj is self._bell:
                        self._tell_deaths()
                    elif key.fileobj is not self._control:
                        selector.unregister(key.fileobj)
                        self._let_go(key.fileobj)  # pyright: ignore[reportArgumentType]
                    elif (line := self._fork()) is not None:
                        selector.register(line, selectors.EVENT_READ)
                    else:
                        for line in list(self._lines):
                            self._let_go(line)
                        return

    def _go_on(self) -> tuple[()]:
        """A piece of what was left for later. Without it runs are slower, and no more than that."""
        try:
            if self._later is not None and next(self._later, self) is self:
                self._later = None
                _settle()
        except Exception:  # noqa: BLE001
            self._later = None
            traceback.print_exc()
        return ()

    def _fork(self) -> socket.socket | None:
        request, descriptors, _, _ = socket.recv_fds(self._control, 1 << 16, 2)
        if not request:
            return None
        channel, line_fd = descriptors
        zygote = os.getpid()
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            child.live(Path(request.decode()), channel, zygote)
        os.close(channel)
        line = socket.socket(fileno=line_fd)
        self._lines[line] = pid
        _tell(line, pid=pid)
        return line

    def _tell_deaths(self) -> None:
        with suppress(BlockingIOError):
            while self._bell.recv(4096):
                pass
        for line, pid in self._lines.items():
            died = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if died is not None:
                by_signal = died.si_code != os.CLD_EXITED
                _tell(line, signal=died.si_status if by_signal else 0, status=died.si_status)
        self._reap()

    def _let_go(self, line: socket.socket) -> None:
        pid = self._lines.pop(line)
        line.close()
        kill(pid)
        self._dying.add(pid)
        self._reap()

    def _reap(self) -> None:
        self._dying -= {pid for pid in self._dying if os.waitpid(pid, os.WNOHANG)[0]}


def kill(pid: int) -> None:
    """The process first: its group exists only after its `setsid`."""
    for end in (os.kill, os.killpg):
        with suppress(ProcessLookupError):
            end(pid, signal.SIGKILL)


def _tell(line: socket.socket, **news: int) -> None:
    with suppress(OSError):  # the server let go meanwhile; the loop will see that next
        line.send(json.dumps(news).encode(), socket.MSG_DONTWAIT)
