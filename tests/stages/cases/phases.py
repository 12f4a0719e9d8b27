"""Cases of the rules in stages/phases.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.phases import Phases, Unseen
from debugger.stages import phases
from tests.stages.cases.seen import STEPPED, Case, failed

CASES = [
    Case(
        phases.not_compiled_again,
        replace(STEPPED, phases=Phases(unseen=Unseen(3, 4, 0))),
        {"phases": Phases()},
        says={"thawed": 4},
    ),
    Case(
        phases.optimizer_knows_others,
        replace(
            STEPPED,
            phases=Phases(compiled_at=9),
            failure=failed("KeyError", "The optimizer cannot recognize variable a/b:0. This"),
        ),
        {"failure": None},
        says={"name": "a/b:0"},
    ),
    Case(
        phases.rate_ignored,
        replace(STEPPED, phases=Phases(ignored=(0.1, 4))),
        {"phases": Phases(ignored=(5e-5, 4))},
        says={"asked": 0.1, "rate": 5e-5},
    ),
    Case(
        phases.kept_through_folds,
        STEPPED,
        {"failure": failed("ValueError", "no rows")},
        script="model = make()\nfor train, test in folds.split(x):\n    model.fit(x[train])\n"
        "    model.evaluate(x[test])\n",
        says={"at": 2},
        names={"model": "model"},
    ),
]
