"""Everything goes wrong at once, at random, while visitors work: `python -m tools.load.chaos`.

Runs and warm processes are killed, the disk fills, the store is spoiled and taken away, the data
folder is cleared, the server is restarted. In the end each press must have had an answer or a
sentence, the app must answer, and no process may be left.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from debugger.catalogue import every
from debugger.stages import LIGHT
from tests.browser.app import free_port, start_app
from tools.load.sampled import below, children
from tools.load.visitors import Lost, Pressed, Tab

DISK_MB = 300
CASES = ("two_labels", "wrong_collator", "text_columns", "half_named", "raw_dataset")
"""Found before anything trains, so that a minute holds many presses."""
TRAINS = "high_learning_rate"
BREATH = 1.0, 5.0
"""Seconds between two faults."""
THINKS = 1.0
AGAIN = 30
"""So often somebody presses who was told why there is no answer, before she gives up."""
STOPS_WITHIN = 10.0
LEAVES_WITHIN = 30.0


@dataclass
class Told:
    """What the visitors and the faults came to. `silent` holds presses that nothing answered."""

    presses: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    sentences: Counter[str] = field(default_factory=Counter)
    silent: list[str] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    orphans: list[int] = field(default_factory=list)
    answers: bool = False

    @property
    def well(self) -> bool:
        return self.answers and not (self.silent or self.late or self.orphans)


class Host:
    """The real app on one port, with a data folder on a disk of its own where that can be had."""

    def __init__(self, folder: Path, told: Told) -> None:
        self.data, self.port, self._told = folder, free_port(), told
        self.address = f"http://127.0.0.1:{self.port}"
        self.seen: set[int] = set()
        self._server: subprocess.Popen[str] | None = None
        self.lock = threading.Lock()

    def start(self) -> None:
        self._server = start_app(
            CLINIC_PORT=str(self.port),
            CLINIC_DATA_DIR=str(self.data),
            CLINIC_WORKERS="2",
            CLINIC_QUEUE="20",
        )
        assert self._server.stdout is not None
        assert f":{self.port}" in self._server.stdout.readline()
        # What it logs is read to nowhere: a full pipe would stop it.
        threading.Thread(target=_read_out, args=(self._server,), daemon=True).start()

    def processes(self) -> set[int]:
        """All below the server: warm ones, and their runs."""
        assert self._server is not None
        found = below(self._server.pid)
        self.seen |= found
        return found

    def warm(self) -> set[int]:
        assert self._server is not None
        return set(children(self._server.pid)) & self.processes()

    def stop(self, number: int) -> None:
        assert self._server is not None
        self.processes()
        began = time.monotonic()
        self._server.send_signal(number)
        self._server.wait()
        if (took := time.monotonic() - began) > STOPS_WITHIN:
            self._told.late.append(took)


def _read_out(server: subprocess.Popen[str]) -> None:
    for stream in (server.stderr, server.stdout):
        assert stream is not None
        for _ in stream:
            pass


@contextmanager
def disk_of(folder: Path) -> Iterator[bool]:
    """A small disk there; False where only root could make one."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
    small = shutil.which("mount") is not None
    small = small and not subprocess.run(mount, check=False, capture_output=True).returncode
    try:
        yield small
    finally:
        if small:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


class Faults:
    """Each is a method; what it breaks for a while it repairs itself."""

    def __init__(self, host: Host, chance: random.Random, small: bool) -> None:
        self._host, self._chance = host, chance
        self.all: list[Callable[[], None]] = [
            self.a_run_is_killed,
            self.a_run_is_killed,
            self.a_warm_process_is_killed,
            self.the_store_is_spoiled,
            self.the_store_is_taken_away,
            self.the_data_folder_is_cleared,
            self.the_server_is_stopped,
            self.the_server_is_killed,
        ]
        if small:
            self.all.append(self.the_disk_is_full)

    def a_run_is_killed(self) -> None:
        self._kill(self._host.processes() - self._host.warm())

    def a_warm_process_is_killed(self) -> None:
        self._kill(self._host.warm())

    def _kill(self, processes: set[int]) -> None:
        if processes:
            with suppress(ProcessLookupError):
                os.kill(self._chance.choice(sorted(processes)), signal.SIGKILL)

    def the_store_is_spoiled(self) -> None:
        store = self._host.data / "answers.sqlite"
        with suppress(OSError), open(store, "r+b") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(self._chance.randrange(max(1, size)))
            file.write(self._chance.randbytes(64))

    def the_store_is_taken_away(self) -> None:
        store = self._host.data / "answers.sqlite"
        for end in ("", "-wal", "-shm"):
            Path(f"{store}{end}").unlink(missing_ok=True)
        with suppress(OSError):
            store.mkdir()
            time.sleep(self._chance.uniform(*BREATH))
            store.rmdir()

    def the_data_folder_is_cleared(self) -> None:
        shutil.rmtree(self._host.data / "runs", ignore_errors=True)

    def the_disk_is_full(self) -> None:
        ballast = self._host.data / "ballast"
        with suppress(OSError), open(ballast, "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 20))
        time.sleep(self._chance.uniform(*BREATH))
        ballast.unlink()

    def the_server_is_stopped(self) -> None:
        self._restart(signal.SIGTERM)

    def the_server_is_killed(self) -> None:
        self._restart(signal.SIGKILL)

    def _restart(self, number: int) -> None:
        self._host.stop(number)
        time.sleep(self._chance.uniform(*BREATH))
        self._host.start()


class Visitor(threading.Thread):
    """Runs stages and tries repairs until it is told to go home, and finishes its last press."""

    def __init__(self, host: Host, scenario: str, over: threading.Event, told: Told) -> None:
        super().__init__(daemon=True)
        self._scenario = next(one for one in every() if one.id == scenario)
        self._tab, self._over, self._told = Tab(host.address, scenario), over, told
        self._lock = host.lock

    def run(self) -> None:
        while not self._over.is_set():
            for stage, act, with_ in self._presses():
                if self._over.is_set():
                    break
                self._press(stage, act, with_)
        # Nothing breaks any more: now it must be an answer.
        for _ in range(AGAIN):
            if (last := self._press("setup", "run", "setup")) and last.answered:
                break
            time.sleep(THINKS)
        else:
            self._silent(f"{self._scenario.id}: never answered again")
        self._tab.close()

    def _presses(self) -> Iterator[tuple[str, str, str]]:
        first = self._scenario.first_stage or "train"
        for stage in (*LIGHT, "train"):
            yield stage, "run", stage
            if stage == first:
                break
        for fix in self._scenario.fixes:
            if not fix.right:
                yield first, "apply", fix.id
        yield first, "run", "walk"

    def _press(self, stage: str, act: str, with_: str) -> Pressed | None:
        """Once more after the server was away, as a person would."""
        press = f"{self._scenario.id}: {act} {with_}"
        for _ in range(AGAIN):
            try:
                pressed = self._tab.press(stage, act, with_)
            except Lost:
                with self._lock:
                    self._told.presses["the server was away"] += 1
                self._tab.come_back()
                continue
            self._count(press, pressed)
            time.sleep(THINKS)
            return pressed
        self._silent(f"{press}: the server was always away")
        return None

    def _silent(self, what: str) -> None:
        with self._lock:
            self._told.silent.append(what)

    def _count(self, press: str, pressed: Pressed) -> None:
        if not pressed.told:
            self._silent(press)
            return
        with self._lock:
            if pressed.answered:
                self._told.presses["answered"] += 1
            else:
                self._told.presses["told why not"] += 1
                self._told.sentences[pressed.status] += 1


def chaos(seconds: float, visitors: int, seed: int) -> Told:
    """So long, and what came of it. The same seed gives the same faults, at other moments."""
    told, over, chance = Told(), threading.Event(), random.Random(seed)
    with ExitStack() as leaving:
        folder = Path(leaving.enter_context(tempfile.TemporaryDirectory()))
        small = leaving.enter_context(disk_of(folder))
        host = Host(folder, told)
        host.start()
        names = [TRAINS, *CASES * visitors][:visitors]
        threads = [Visitor(host, name, over, told) for name in names]
        for thread in threads:
            thread.start()
        try:
            _break(Faults(host, chance, small), seconds, chance, told)
            over.set()
            for thread in threads:
                thread.join()
            told.answers = _answers(host)
        finally:
            host.stop(signal.SIGTERM)
        told.orphans = _left(host.seen)
    return told


def _break(faults: Faults, seconds: float, chance: random.Random, told: Told) -> None:
    """Every fault once, in some order, then again."""
    until, left = time.monotonic() + seconds, []
    while time.monotonic() < until:
        left = left or chance.sample(faults.all, len(faults.all))
        fault = left.pop()
        fault()
        told.faults[fault.__name__] += 1
        time.sleep(chance.uniform(*BREATH))


def _answers(host: Host) -> bool:
    """Whether a new visitor is answered, and the queue comes to rest after those who left."""
    tab = Tab(host.address, CASES[0])
    answered = tab.press("setup", "run", "setup").answered
    tab.close()
    until = time.monotonic() + LEAVES_WITHIN
    while time.monotonic() < until:
        engine = httpx.get(f"{host.address}/health").json()["engine"]
        if not (engine["running"] or engine["queued"]):
            return answered
        time.sleep(0.5)
    return False


def _left(processes: set[int]) -> list[int]:
    """Those that still live. The kernel may have given a number to somebody else's process."""
    until = time.monotonic() + LEAVES_WITHIN
    while (alive := [one for one in processes if _is_ours(one)]) and time.monotonic() < until:
        time.sleep(0.2)
    return alive


def _is_ours(process: int) -> bool:
    with suppress(OSError):
        return b"debugger.workers" in Path(f"/proc/{process}/cmdline").read_bytes()
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--visitors", type=int, default=6)
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    told = chaos(60 * asked.minutes, asked.visitors, asked.seed)
    for title, counted in (
        ("presses", told.presses),
        ("faults", told.faults),
        ("sentences", told.sentences),
    ):
        print(f"\n{title}")
        for what, count in counted.most_common():
            print(f"{count:6} {what.replace('_', ' ')}")
    print(f"\nnothing said: {told.silent or 'never'}")
    print(f"stopped too late: {told.late or 'never'}; processes left: {told.orphans or 'none'}")
    print("the app answers" if told.answers else "the app does not answer")
    return 0 if told.well else 1


if __name__ == "__main__":
    sys.exit(main())
