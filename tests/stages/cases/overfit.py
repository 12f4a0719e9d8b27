"""Cases of the rules in stages/overfit.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.training import Memory
from debugger.stages import overfit
from tests.stages.cases.seen import Case
from tests.stages.test_step import FACTS

TOGETHER = Memory(losses=(1.0,) + (0.05,) * 19, rows=8)

CASES = [
    Case(
        overfit.outputs_collapsed,
        Memory((1.1,) * 20, 0.25, 0.25, (1.1, 1.1), (0, 1, 2, 0), 4, 0.1, apart=(1e-2, 1e-5)),
        {"apart": (1e-2, 1e-3)},
        says={"rate": 0.1, "after": 1e-5},
    ),
    Case(
        overfit.memorises_in_time,
        Memory(
            *(tuple(23.5 - n / 10 for n in range(20)), None, None, None, (), 32, 1e-3), planned=800
        ),
        {"planned": 400},
        says={"needed": 235, "planned": 800},
    ),
    Case(
        overfit.memorises_slowly,
        Memory((1.1,) * 20, 0.25, 0.375, (1.1, 1.09), (0, 1, 2, 0), 4, 2e-5),
        {"after": 1.0},
        says={"rate": 2e-5, "rows": 4},
    ),
    Case(
        overfit.opposite_rewarded,
        replace(TOGETHER, labels=(0, 1, 2) * 8, rows=24, before=0.3, after=0.0),
        {"after": 0.1},
        says={"rows": 24, "before": 0.3},
    ),
    Case(
        overfit.won_by_collapse,
        replace(TOGETHER, apart=(0.2, 0.01)),
        {"apart": (0.2, 0.4)},
        facts=replace(FACTS, task="unknown"),
        says={"before": 0.2, "after": 0.01},
    ),
]
