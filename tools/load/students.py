"""A class at work: every student through eight stages and two repairs, evenly over the minutes.

    python -m tools.load.students                                             200 on one scenario
    python -m tools.load.students --name ten_scenarios --students 100 --scenarios 10
    python -m tools.load.students --name ten_baked --students 100 --scenarios 10
    python -m tools.load.students --name thirty --students 30 --minutes 5

A student looks at a stage, answers its question or presses run, reads, and goes on, each at a pace
of her own. Then she takes a wrong repair and a right one, drawn by lot.
"""

from __future__ import annotations

import os
import random
import re
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from debugger.catalogue import Scenario, find
from debugger.frameworks import NAMES
from debugger.outcome import STAGES, StageName
from debugger.stages import LIGHT
from debugger.words import Words
from tests.browser.app import ROOT, running_app
from tools.load.drawn import Line, chart
from tools.load.page import Found, arguments, made_by, write
from tools.load.sampled import Watch, sample
from tools.load.visitors import NOT_YET, Drawn, Lost, Tab
from tools.waits import late

CASES = (
    *("two_labels", "high_learning_rate", "forgotten_zero_grad", "wrong_collator"),
    *("frozen_by_mistake", "label_order", "stale_optimizer", "half_the_model", "one_label"),
    "text_columns",
)
TITLES = {
    "class": "A class on one scenario",
    "ten_scenarios": "A class on ten scenarios",
    "ten_baked": "A class on ten scenarios that were baked",
    "thirty": "Thirty students on one scenario",
}
STEP = 2.0
SETTLES = 10.0
BUSY = {Words().say("clinic", "running"), Words().say("waiting", "state")}
UNKNOWN = Words().say("outcome", "unknown")
_VERDICT = re.compile(r'class="verdict (?:pass|fail|stopped|unknown)')
NO_TENSORFLOW = 'import sys\nsys.modules.update(dict.fromkeys(("tensorflow", "tf_keras")))\n'


@dataclass
class Told:
    """Seconds of each press by what it was, and what had no answer."""

    waited: dict[str, list[float]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, what: str, seconds: float) -> None:
        with self.lock:
            self.waited.setdefault(what, []).append(seconds)

    def fail(self, what: str) -> None:
        with self.lock:
            self.failed.append(what)


class Student(threading.Thread):
    def __init__(
        self, address: str, scenario: Scenario, seconds: float, seed: int, told: Told
    ) -> None:
        super().__init__(daemon=True)
        self._tab, self._scenario, self._told = Tab(address, scenario.id), scenario, told
        self._seconds, self._chance = seconds, random.Random(seed)

    def run(self) -> None:
        began = time.monotonic()
        steps = list(self._steps())
        times = sorted(self._chance.uniform(0, self._seconds) for _ in steps)
        for at, step in zip(times, steps, strict=True):
            time.sleep(max(0.0, began + at - time.monotonic()))
            try:
                step()
            except Lost as error:
                self._told.fail(f"{self._scenario.id}: {error}")
        self._tab.close()

    def _steps(self) -> Iterator[Callable[[], None]]:
        for stage in STAGES:
            yield partial(self._stage, stage)
        for right in (False, True):
            fixes = [fix.id for fix in self._scenario.fixes if fix.right is right]
            yield partial(self._repair, self._chance.choice(fixes))

    def _stage(self, stage: StageName) -> None:
        tab = self._tab
        if not tab.drawn:
            tab.open()
        tab.click(stage, "stage", stage)
        began, seen = time.monotonic(), list[float]()

        def news(drawn: Drawn) -> None:
            if not seen and tab.states[stage] not in NOT_YET | BUSY:
                seen.append(time.monotonic() - began)

        if 'data-act="answer"' in tab.drawn["right"]:
            tab.submit(stage, "answer", "-1", news)
        if tab.states[stage] in NOT_YET:
            tab.submit(stage, "run", stage, news)
        if tab.states[stage] in NOT_YET | BUSY | {UNKNOWN}:
            self._told.fail(f"{self._scenario.id}, {stage}: {tab.states[stage]}, {tab.status}")
            return
        light = "light" if stage in LIGHT else "heavy"
        self._told.note(light, seen[0] if seen else time.monotonic() - began)

    def _repair(self, fix: str) -> None:
        tab = self._tab
        tab.click("train", "original", "")
        tab.click("train", "panel", "fix")
        tab.click("train", "choose", fix)
        began, seen = time.monotonic(), list[float]()

        def news(drawn: Drawn) -> None:
            if not seen and _VERDICT.search(drawn["right"]):
                seen.append(time.monotonic() - began)

        tab.submit("train", "apply", fix, news)
        whole = time.monotonic() - began
        states = {*tab.states.values()}
        if not seen or states & (BUSY | {UNKNOWN}):
            self._told.fail(f"{self._scenario.id}, {fix}: {states}, {tab.status}")
            return
        self._told.note("verdict", seen[0])
        self._told.note("repair", whole)


@contextmanager
def host(
    data: Path, frameworks: Sequence[str] = tuple(NAMES), **environment: str
) -> Iterator[tuple[str, int]]:
    """The app with two workers, once these are warm: its address and its process."""
    told = {"CLINIC_WORKERS": "2", "CLINIC_DATA_DIR": str(data)} | environment
    with running_app(0, ROOT, **told) as (at, server):
        while not all(_warm(at)[name] for name in frameworks):
            time.sleep(0.2)
        time.sleep(SETTLES)
        yield at, server.pid


def _warm(address: str) -> dict[str, bool]:
    return httpx.get(f"{address}/health").json()["engine"]["zygotes"]


def idle_without_keras() -> float:
    """MB of all processes where TensorFlow is not installed, as far as the app can tell."""
    with TemporaryDirectory() as hides, TemporaryDirectory() as data:
        (Path(hides) / "sitecustomize.py").write_text(NO_TENSORFLOW)
        hidden = f"{hides}:{ROOT}"
        with host(Path(data), ["pytorch"], PYTHONPATH=hidden) as (_, process):
            return sample(process, Path(data), 0).memory


def bake(names: Sequence[str], data: Path) -> str:
    """`make bake` before the class comes, and what that took."""
    began = time.monotonic()
    environment = {**os.environ, "CLINIC_WORKERS": "2", "CLINIC_DATA_DIR": str(data)}
    command = [sys.executable, "-m", "tools.bake", *names]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    size = sum(file.stat().st_size for file in data.glob("answers.sqlite*")) / 2**20
    return f"baked before in {(time.monotonic() - began) / 60:.1f} minutes ({size:.1f} MB)"


def measured(
    data: Path, students: int, minutes: float, scenarios: int, seed: int
) -> tuple[Told, Watch, float]:
    """Also MB of all processes before anybody came."""
    told = Told()
    with host(data) as (address, process):
        watch = Watch(process, data, STEP)
        idle = sample(process, data, 0).memory
        cases = [find(CASES[number % scenarios]) for number in range(students)]
        threads = [
            Student(address, case, 60 * minutes, seed * 1000 + number, told)
            for number, case in enumerate(cases)
        ]
        with watch.ing():
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    return told, watch, idle


def spread(what: str, values: Sequence[float], goal: str = "") -> list[str]:
    if not values:
        return [what, "0", "", "", "", goal]
    numbers = (statistics.median(values), late(values), max(values))
    return [what, f"{len(values):,}", *(f"{one:.2f}" for one in numbers), goal]


def found(name: str, told: Told, watch: Watch, idle: float, alone: float, says: str) -> Found:
    waited = {what: told.waited.get(what, []) for what in ("light", "heavy", "verdict", "repair")}
    memory = max(one.memory for one in watch.samples)
    end = watch.samples[-1].memory
    rows = [
        spread("a light stage, s until its evidence is there", waited["light"], "95th at most 2"),
        spread("`overfit` and `train`, s", waited["heavy"]),
        spread("a repair, s until its verdict is there", waited["verdict"], "95th at most 30"),
        spread("a repair to its end, with the training to compare, s", waited["repair"]),
    ]
    held = f"Memory of all processes (PSS): idle {idle / 1000:.2f} GB with Keras"
    if alone:
        held += f", {alone / 1000:.2f} GB with PyTorch alone (goal: at most 1.20)"
    held += f"; at most {memory / 1000:.2f} GB under load, {end / 1000:.2f} GB at its end."
    failed = f"{len(told.failed)} failed runs (goal: none)."
    for what, count in Counter(told.failed).most_common(3):
        failed += f" {count}: {what}."
    return Found(
        title=TITLES.get(name, name),
        says=f"{says} {failed} {held}",
        head=("what", "presses", "median", "95th percentile", "longest", "goal"),
        rows=rows,
        charts={
            "seconds": chart(
                [
                    Line(what, _shares(values))
                    for what, values in waited.items()
                    if values and what != "heavy"
                ],
                "% of the presses waited at most so long",
                "s",
            ),
            "memory": chart(
                [
                    Line("all processes", [(o.seconds / 60, o.memory) for o in watch.samples]),
                    Line("the app's own", [(o.seconds / 60, o.app) for o in watch.samples]),
                ],
                "minutes",
                "MB",
            ),
        },
    )


def _shares(values: Sequence[float]) -> list[tuple[float, float]]:
    ordered = sorted(values)
    return [(100 * (n + 1) / len(ordered), one) for n, one in enumerate(ordered)]


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--name", default="class", choices=[*TITLES])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--scenarios", type=int, default=1, choices=range(1, len(CASES) + 1))
    parser.add_argument("--seed", type=int, default=14)
    asked = parser.parse_args()
    made = made_by(parser, asked)
    alone = idle_without_keras() if asked.name == "class" else 0.0
    names = CASES[: asked.scenarios]
    with TemporaryDirectory() as folder:
        data = Path(folder)
        baked = bake(names, data) if asked.name == "ten_baked" else "nothing baked before"
        given = asked.students, asked.minutes, asked.scenarios, asked.seed
        told, watch, idle = measured(data, *given)
    says = (
        f"{asked.students} students on {', '.join(f'`{one}`' for one in names)},"
        f" each through eight stages and two repairs within {asked.minutes:g} minutes, {baked}; "
        f"over after {watch.samples[-1].seconds / 60:.1f} minutes."
    )
    for one in told.failed[:20]:
        print(one, file=sys.stderr)
    write(ROOT / asked.to, asked.name, made, found(asked.name, told, watch, idle, alone, says))
    return 1 if told.failed else 0


if __name__ == "__main__":
    sys.exit(main())
