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
from concurrent.futures import ThreadPoolExecutor
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
        (folder / ".ray").mkdir()
        (folder / ".ray" / "auth_token").write_text(TOKEN)
        self.address = f"ray://127.0.0.1:{self.client_port}"

    def start_head(self) -> None:
        self._start(
            "head",
            "--head",
            f"--port={self._port}",
            f"--ray-client-server-port={self.client_port}",
            "--num-cpus=0",
            "--include-dashboard=false",
            f"--temp-dir={self.folder / 'r'}",
        )

    def start_nodes(self, *names: str) -> None:
        with ThreadPoolExecutor(len(names)) as side_by_side:
            list(side_by_side.map(self._start_node, names))

    def _start_node(self, name: str) -> None:
        self._start(
            name, f"--address=127.0.0.1:{self._port}", "--num-cpus=1", f"--node-name={name}"
        )

    def _start(self, name: str, *asked: str) -> None:
        given = {
            **{key: value for key, value in os.environ.items() if not key.startswith("RAY_")},
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": TOKEN,
            "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": str(START_SECONDS),
            "HOME": str(self.folder),
            "PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'workers'}",
            "CLINIC_DATA_DIR": str(self.folder / name),
        }
        ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--disable-usage-stats"]
        until = time.monotonic() + START_SECONDS
        while not self._stands(name):
            told = self._told(name)
            assert time.monotonic() < until, told
            if name not in self._running or self._running[name].poll() is not None:
                # Ray gives a node 30 s to begin, and a busy machine may take longer.
                with (self.folder / f"{name}.log").open("wb") as said:
                    self._running[name] = subprocess.Popen(
                        [*ray, "--block", *asked],
                        env=given,
                        stdout=said,
                        stderr=said,
                        start_new_session=True,
                    )
            time.sleep(0.1)

    def _stands(self, name: str) -> bool:
        return name in self._running and "runtime started" in self._told(name)

    def _told(self, name: str) -> str:
        log = self.folder / f"{name}.log"
        return log.read_text(errors="replace") if log.exists() else ""

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
        ray.start_head()
        yield ray
    finally:
        ray.close()
        shutil.rmtree(folder, ignore_errors=True)
