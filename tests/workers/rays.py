"""A real Ray cluster on this machine for the tests: a head that only keeps the books, and nodes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from debugger.web.watch.machine import children
from tests.browser.app import ROOT, free_port

TOKEN = "0123456789abcdef0123456789abcdef"
START_SECONDS = 90


class LocalRay:
    """Each `ray start --block` is a process whose children are a node's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._port = free_port()
        self.client_port = free_port()
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._start(
            "head",
            "--head",
            f"--port={self._port}",
            f"--ray-client-server-port={self.client_port}",
            "--num-cpus=0",
            "--include-dashboard=false",
            f"--temp-dir={folder / 'r'}",
        )
        self.address = f"ray://127.0.0.1:{self.client_port}"

    def start_node(self, name: str, cpus: int = 1, **environment: str) -> None:
        self._start(
            name,
            f"--address=127.0.0.1:{self._port}",
            f"--num-cpus={cpus}",
            f"--node-name={name}",
            **environment,
        )

    def _start(self, name: str, *asked: str, **environment: str) -> None:
        given = {
            **{key: value for key, value in os.environ.items() if not key.startswith("RAY_")},
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": TOKEN,
            "HOME": str(self.folder),
            "PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'workers'}",
            "CLINIC_DATA_DIR": str(self.folder / name),
            **environment,
        }
        said = (self.folder / f"{name}.log").open("wb")
        ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--disable-usage-stats"]
        self._running[name] = subprocess.Popen(
            [*ray, "--block", *asked], env=given, stdout=said, stderr=said, start_new_session=True
        )
        until = time.monotonic() + START_SECONDS
        while b"runtime started" not in (self.folder / f"{name}.log").read_bytes():
            told = (self.folder / f"{name}.log").read_text(errors="replace")
            assert self._running[name].poll() is None, told
            assert time.monotonic() < until, told
            time.sleep(0.1)

    def kill(self, name: str) -> None:
        """As a machine that loses its power, with all that Ray had on it."""
        top = self._running.pop(name)
        for pid in _all_under(top.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        top.wait(30)

    def under(self, name: str) -> set[int]:
        return _all_under(self._running[name].pid)

    def close(self) -> None:
        for name in list(self._running):
            self.kill(name)


def _all_under(pid: int) -> set[int]:
    found, fresh = {pid}, {pid}
    while fresh := {one for held in children(fresh).values() for one in held} - found:
        found |= fresh
    return found


@contextmanager
def local_ray() -> Iterator[LocalRay]:
    folder = Path(tempfile.mkdtemp(prefix="ray-"))  # its sockets' names have to be short
    ray = LocalRay(folder)
    try:
        yield ray
    finally:
        ray.close()
        shutil.rmtree(folder, ignore_errors=True)
