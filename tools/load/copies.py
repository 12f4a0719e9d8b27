"""What a class gets from 1, 2 and 4 copies of the app: `python -m tools.load.copies`.

The copies of compose.copies.yaml as plain processes, behind a real HAProxy with the proxy's own
file, one store for all of them. Students press over HTTP as their pages do, on a few scenarios:
stages that only look, then a repair. It measures, and wants a quiet machine: the students are
played by the same cores.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from debugger.catalogue import every
from debugger.stages import LIGHT
from tests.browser.app import ROOT, free_port, running_app
from tools.load.chaos import children
from tools.load.visitors import Lost, Tab
from tools.waits import late

TOKEN = "of-the-host-0123456789"
CASES = ("two_labels", "wrong_collator", "text_columns", "high_learning_rate", "raw_dataset")
ENGINES = 1, 2, 4
THINKS = 2.0, 10.0
"""Seconds between two presses of one student."""
START_SECONDS = 120.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Copy:
    address: str
    server: subprocess.Popen[str]


@contextmanager
def copies_behind_a_proxy(
    haproxy: str, count: int, folder: Path
) -> Iterator[tuple[str, list[Copy]]]:
    """The proxy's address, and the copies with their own. The first holds the classes."""
    port, given = (
        free_port(),
        {
            "CLINIC_STORE": str(folder / "answers.sqlite"),
            "CLINIC_HOST_TOKEN": TOKEN,
            "FORWARDED_ALLOW_IPS": "*",
            "CLINIC_WORKERS": "1",
        },
    )
    with ExitStack() as running:
        copies = [Copy(*running.enter_context(running_app(**given))) for _ in range(count)]  # pyright: ignore
        first, *others = (copy.address.removeprefix("http://") for copy in copies)
        servers = "\n    ".join(f"server clinic{n} {at}" for n, at in enumerate(others, 1))
        told = (ROOT / "haproxy.cfg").read_text(encoding="utf-8")
        told = re.sub(r"(?<=    )server-template .*", servers, told)
        told = told.replace("class:7860", first).replace(" resolvers docker init-addr none", "")
        file = folder / "haproxy.cfg"
        file.write_text(told.replace("bind :7860", f"bind 127.0.0.1:{port}"), encoding="utf-8")
        subprocess.run([haproxy, "-c", "-q", "-f", file], check=True)
        proxy = running.enter_context(subprocess.Popen([haproxy, "-db", "-f", file]))
        running.callback(proxy.terminate)
        yield f"http://127.0.0.1:{port}", copies


def counted(address: str, name: str) -> float:
    """The sum of a copy's metric."""
    asked = httpx.get(f"{address}/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    lines = asked.raise_for_status().text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


@dataclass
class Told:
    """Seconds that presses took, by what they were; `lost` had no answer."""

    took: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    lost: int = 0
    runs: float = 0.0
    minutes: float = 0.0
    pages_cpu: float = 0.0
    runs_cpu: float = 0.0

    def row(self, engines: int) -> str:
        presses = sum(map(len, self.took.values()))
        cells = [f"{engines}"]
        for what in ("light", "repair"):
            took = self.took[what]
            cells += [f"{statistics.median(took):.1f}", f"{late(took):.1f}"] if took else "--"
        cells += [f"{presses / self.minutes:.0f}", f"{self.runs / self.minutes:.0f}"]
        cells += [f"{1000 * self.pages_cpu / max(1, presses):.0f}"]
        cells += [f"{self.runs_cpu / max(1.0, self.runs):.1f}", f"{self.lost}"]
        return f"| {' | '.join(cells)} |"


HEAD = """\
| engines | light, median s | 95 % | repair, median s | 95 % | presses/min | runs/min \
| ms of a core for the pages of a press | s of a core for a run | no answer |
|---|---|---|---|---|---|---|---|---|---|"""


class Student(threading.Thread):
    """Goes through a scenario up to where it shows its fault, repairs it, and takes another."""

    def __init__(self, address: str, number: int, over: threading.Event, told: Told) -> None:
        super().__init__(daemon=True)
        self._address, self._over, self._told = address, over, told
        self._chance = random.Random(number)

    def run(self) -> None:
        found = [one for one in every() if one.id in CASES]
        while not self._over.wait(self._chance.uniform(*THINKS)):
            scenario = self._chance.choice(found)
            tab = Tab(self._address, scenario.id)
            first = scenario.first_stage or "train"
            light = LIGHT[: LIGHT.index(first) + 1] if first in LIGHT else LIGHT
            presses = [("light", stage, "run", stage) for stage in light]
            if right := [fix.id for fix in scenario.fixes if fix.right]:
                presses.append(("", first, "apply", self._chance.choice(right)))
            presses.append(("repair", first, "run", "walk"))
            for press in presses:
                self._press(tab, *press)
                if self._over.wait(self._chance.uniform(*THINKS)):
                    break
            tab.close()

    def _press(self, tab: Tab, what: str, stage: str, act: str, with_: str) -> None:
        began = time.monotonic()
        try:
            answered = tab.press(stage, act, with_).answered
        except Lost:
            answered = False
        if self._over.is_set():
            return
        if not answered and what:
            self._told.lost += 1
        elif what:
            self._told.took[what].append(time.monotonic() - began)


def load(haproxy: str, engines: int, students: int, seconds: float) -> Told:
    told, over = Told(), threading.Event()
    with (
        tempfile.TemporaryDirectory() as folder,
        copies_behind_a_proxy(haproxy, engines, Path(folder)) as (address, copies),
    ):
        for copy in copies:
            _until_warm(copy)
        classmates = [Student(address, number, over, told) for number in range(students)]
        began, before = time.monotonic(), [_cpu(copy) for copy in copies]
        for student in classmates:
            student.start()
        time.sleep(seconds)
        over.set()
        told.minutes = (time.monotonic() - began) / 60
        told.runs = sum(counted(copy.address, "clinic_runs_ended_total{") for copy in copies)
        for copy, (pages, runs) in zip(copies, before, strict=True):
            now = _cpu(copy)
            told.pages_cpu += now[0] - pages
            told.runs_cpu += now[1] - runs
    for student in classmates:  # whoever still waited has lost the server now
        student.join()
    return told


def _until_warm(copy: Copy) -> None:
    """Importing is no part of what a class waits for."""
    until = time.monotonic() + START_SECONDS
    while not all(_health(copy)["zygotes"].values()) and time.monotonic() < until:
        time.sleep(0.5)


def _health(copy: Copy) -> dict[str, Any]:
    return httpx.get(f"{copy.address}/health").raise_for_status().json()["engine"]


def _cpu(copy: Copy) -> tuple[float, float]:
    """Seconds of a core so far: of its pages, and of its warm processes with all ended runs."""
    pid = copy.server.pid
    return sum(_times(pid)[:2]), sum(sum(_times(child)) for child in children(pid))


def _times(pid: int) -> tuple[float, ...]:
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return tuple(int(ticks) / _TICKS for ticks in told[11:15])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", type=int, nargs="+", default=ENGINES)
    parser.add_argument("--students", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=180)
    asked = parser.parse_args()
    haproxy = shutil.which("haproxy")
    if haproxy is None:
        print("There is no HAProxy on this machine.", file=sys.stderr)
        return 1
    busy = os.getloadavg()[0]
    print(f"{asked.students} students, {asked.seconds:.0f} s each, {os.cpu_count()} cores,")
    print(f"CLINIC_WORKERS=1 for each copy, load {busy:.1f} before it began.\n\n{HEAD}", flush=True)
    for engines in asked.engines:
        print(load(haproxy, engines, asked.students, asked.seconds).row(engines), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
