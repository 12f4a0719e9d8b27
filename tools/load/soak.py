"""An hour of gentle visitors, and whether the server grows: `python -m tools.load.soak`.

A visitor opens a page, runs stages, some of them again, tries a wrong repair, asks the console a
question of her own, and leaves. Of sessions few are kept, so that as many go as come from the
first minutes on.
"""

from __future__ import annotations

import argparse
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from debugger.catalogue import Scenario, find
from debugger.outcome import STAGES
from tests.browser.app import ROOT, running_app
from tools.load.drawn import Line, chart
from tools.load.page import Found, arguments, made_by, write
from tools.load.sampled import Sample, Trend, Watch, trend
from tools.load.visitors import Lost, Tab

CASES = ("two_labels", "wrong_collator", "text_columns", "half_named", "raw_dataset")
SESSIONS = 30
THINKS = 0.5, 4.0
STEP = 10.0
SETTLED = 0.3
"""The part of the time that is left out: caches fill, libraries are imported."""
WATCHED = {
    "memory": "memory of all processes, MB",
    "app": "memory of the app's own process, MB",
    "processes": "processes",
    "threads": "threads",
    "descriptors": "open descriptors",
    "files": "files in the data folder",
    "file_mb": "their size, MB",
}


class Visitor(threading.Thread):
    """One after the other, each with a session of its own."""

    def __init__(self, address: str, seed: int, over: threading.Event, did: Counter[str]) -> None:
        super().__init__(daemon=True)
        self._address, self._over, self._did = address, over, did
        self._chance = random.Random(seed)

    def run(self) -> None:
        while not self._over.is_set():
            scenario = find(self._chance.choice(CASES))
            tab = Tab(self._address, scenario.id)
            try:
                tab.open()
                self._did["visits"] += 1
                self._visit(tab, scenario)
            except Lost as error:
                self._did[f"lost: {str(error)[:80]}"] += 1
            finally:
                tab.close()

    def _visit(self, tab: Tab, scenario: Scenario) -> None:
        assert scenario.first_stage is not None
        seen = STAGES[: STAGES.index(scenario.first_stage) + 1]
        for stage in seen:
            tab.click(stage, "stage", stage)
            self._starts(tab, stage, "answer", "-1")
        self._starts(tab, seen[-1], "run", self._chance.choice(seen))
        tab.click(seen[-1], "panel", "fix")
        wrong = self._chance.choice([fix for fix in scenario.fixes if not fix.right])
        self._starts(tab, seen[-1], "apply", wrong.id)
        self._starts(tab, seen[-1], "check", f"print({self._chance.random()})")

    def _starts(self, tab: Tab, stage: str, act: str, with_: str) -> None:
        if not self._over.wait(self._chance.uniform(*THINKS)):
            tab.submit(stage, act, with_)
            self._did[act] += 1


def soak(minutes: float, visitors: int, seed: int) -> tuple[list[Sample], Counter[str]]:
    over, did = threading.Event(), Counter[str]()
    with (
        TemporaryDirectory() as folder,
        running_app(CLINIC_WORKERS="2", CLINIC_SESSIONS=str(SESSIONS), CLINIC_DATA_DIR=folder) as (
            address,
            server,
        ),
    ):
        threads = [Visitor(address, seed + number, over, did) for number in range(visitors)]
        watch = Watch(server.pid, Path(folder), STEP)
        with watch.ing():
            for thread in threads:
                thread.start()
            time.sleep(60 * minutes)
            over.set()
            for thread in threads:
                thread.join()
    return watch.samples, did


def trends(samples: Sequence[Sample]) -> dict[str, Trend]:
    kept = [one for one in samples if one.seconds > SETTLED * samples[-1].seconds]
    seconds = [one.seconds for one in kept]
    return {name: trend(seconds, [asdict(one)[name] for one in kept]) for name in WATCHED}


def told(samples: Sequence[Sample], did: Counter[str]) -> Found:
    minutes = samples[-1].seconds / 60
    found = trends(samples)
    rows = [
        (what, f"{(of := found[name]).mean:.1f}", f"{of.slope:+.2f}", f"± {of.give:.2f}")
        for name, what in WATCHED.items()
    ]
    lost = sum(count for what, count in did.items() if what.startswith("lost"))
    pressed = sum(count for what, count in did.items() if what in ("answer", "run", "apply"))
    said = (
        f"{minutes:.0f} minutes, {did['visits']} visits of {', '.join(CASES)}: {pressed} presses, "
        f"{did['check']} questions to the console, {lost} lost. Left out of the lines are the "
        f"first {SETTLED * minutes:.0f} minutes. At most {SESSIONS} sessions are kept "
        f"(`CLINIC_SESSIONS`; 2,000 if nobody says so)."
    )
    lines = [
        Line("all processes", [(one.seconds / 60, one.memory) for one in samples]),
        Line("the app's own", [(one.seconds / 60, one.app) for one in samples]),
    ]
    return Found(
        title="A soak",
        says=said,
        head=("what", "mean", "growth an hour", "95 %"),
        rows=rows,
        charts={
            "memory": chart(lines, "minutes", "MB"),
            "counts": chart(
                [
                    Line(what, [(one.seconds / 60, asdict(one)[what]) for one in samples])
                    for what in ("descriptors", "threads", "processes", "files")
                ],
                "minutes",
                "number",
            ),
        },
    )


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--visitors", type=int, default=3)
    parser.add_argument("--seed", type=int, default=14)
    asked: argparse.Namespace = parser.parse_args()
    made = made_by(parser, asked)
    write(ROOT / asked.to, "soak", made, told(*soak(asked.minutes, asked.visitors, asked.seed)))


if __name__ == "__main__":
    main()
