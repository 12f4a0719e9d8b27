"""A light stage that comes while two classmates' repairs run: it measures.

`python -m tools.load.behind_repairs [--rounds 3]`, about two minutes a round on two quiet cores.
Two students have each pressed a right repair, whose scripts train. Others come meanwhile, one
after the other, and press a light stage that nobody ran before.
"""

from __future__ import annotations

import statistics
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from debugger.catalogue import find
from tests.browser.app import ROOT
from tools.load.drawn import Line, chart
from tools.load.page import Found, arguments, made_by, write
from tools.load.students import BUSY, host, spread
from tools.load.visitors import NOT_YET, Drawn, Lost, Tab

REPAIRS = (
    ("high_learning_rate", "frozen_by_mistake"),
    ("forgotten_zero_grad", "stale_optimizer"),
    ("half_the_model", "shuffled_labels"),
)
LIGHT = {
    "data": ("two_labels", "wrong_collator", "text_columns", "half_named"),
    "batch": ("one_label", "pad_in_map", "padded_alone", "columns_counted"),
    "forward": ("label_order", "trained_twice", "returns_nothing", "raw_dataset"),
}
BEFORE = 38.0
"""Seconds that such a stage took before light stages had a lane of their own."""


class Repairing(threading.Thread):
    def __init__(self, address: str, scenario: str) -> None:
        super().__init__(daemon=True)
        self._scenario = find(scenario)
        self.tab, self.over, self.training = Tab(address, scenario), threading.Event(), False

    def run(self) -> None:
        def news(drawn: Drawn) -> None:
            self.training = self.training or self.tab.states["overfit"] in BUSY

        right = next(fix for fix in self._scenario.fixes if fix.right)
        try:
            self.tab.open()
            self.tab.submit("train", "apply", right.id, news)
        finally:
            self.over.set()
            self.tab.close()


def seconds(address: str, scenario: str, stage: str) -> float:
    """From the press of somebody who has just come until its evidence is there."""
    tab, seen = Tab(address, scenario), list[float]()

    def news(drawn: Drawn) -> None:
        if not seen and tab.states[stage] not in NOT_YET | BUSY:
            seen.append(time.monotonic() - began)

    tab.open()
    began = time.monotonic()
    tab.submit(stage, "run", stage, news)
    tab.close()
    if not seen:
        raise Lost(f"{scenario}, {stage}: {tab.states[stage]}, {tab.status}")
    return seen[0]


def measured(rounds: int) -> tuple[list[float], list[float]]:
    """Behind two repairs, and the same presses where nothing else runs."""
    presses = [(name, stage) for stage, names in LIGHT.items() for name in names]
    behind: list[float] = []
    with TemporaryDirectory() as folder, host(Path(folder)) as (address, _):
        for number, pair in enumerate(REPAIRS[:rounds]):
            repairs = [Repairing(address, name) for name in pair]
            for one in repairs:
                one.start()
            while not all(one.training or one.over.is_set() for one in repairs):
                time.sleep(0.05)
            for name, stage in presses[number::rounds]:
                took = seconds(address, name, stage)
                if not any(one.over.is_set() for one in repairs):
                    behind.append(took)
            for one in repairs:
                one.join()
    with TemporaryDirectory() as folder, host(Path(folder)) as (address, _):
        return behind, [seconds(address, *press) for press in presses]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=len(REPAIRS), choices=(1, 2, 3))
    asked = parser.parse_args()
    made = made_by(parser, asked)
    behind, alone = measured(asked.rounds)
    if not behind:
        raise SystemExit("the repairs were over before anybody else had an answer")
    found = Found(
        title="A light stage behind two repairs",
        says=(
            f"Two classmates' repairs train on both workers; who comes then and presses a light "
            f"stage that nobody ran before reads its evidence after {statistics.median(behind):.1f}"
            f" s at the median. Before light stages had a lane of their own it was {BEFORE:.0f} s."
        ),
        head=("s until the evidence is there", "presses", "median", "95th percentile", "longest"),
        rows=[
            spread("behind two repairs", behind)[:5],
            spread("the same presses, nothing else runs", alone)[:5],
        ],
        charts={
            "seconds": chart(
                [
                    Line(name, [(n + 1, one) for n, one in enumerate(sorted(values))])
                    for name, values in (("behind repairs", behind), ("alone", alone))
                ],
                "press, the quickest first",
                "s",
            )
        },
    )
    write(ROOT / asked.to, "behind_repairs", made, found)


if __name__ == "__main__":
    sys.exit(main())
