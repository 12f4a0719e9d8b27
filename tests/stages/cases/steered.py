"""Cases of the rules in stages/steered.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.within import Steered, Thawed
from debugger.stages import steered
from tests.stages.cases.seen import PLAN, STEPPED, Case

FALLING = Steered(
    *("Scheduler", 8e-4, 1e-3, 1e-3, (8e-4, 1e-4, 1e-5, 1e-7), "", (8e-4, 4e-4, 2e-4, 1e-4))
)
CASES = [
    Case(
        steered.rate_taken_by_callback,
        replace(
            STEPPED,
            plan=replace(PLAN, rates=None, steered=Steered("Scheduler", 2e-7, 2e-3, 1e-5)),
        ),
        {"plan": replace(PLAN, rates=None, steered=Steered("Scheduler", 2e-5, 2e-3, 1e-3))},
        says={"highest": 2e-7, "asked": 2e-3, "updates": 100},
    ),
    Case(
        steered.rate_driven_up,
        replace(
            STEPPED,
            optimizer="Adam",
            plan=replace(PLAN, steered=Steered("Scheduler", 9.0, 1e-3, 9.0, (1e-3, 9.0))),
        ),
        {"plan": replace(PLAN, steered=Steered("Scheduler", 2e-3, 1e-3, 1.0, (1e-3, 2e-3)))},
        says={"last": 9.0},
    ),
    Case(
        steered.rate_driven_down,
        replace(STEPPED, plan=replace(PLAN, steered=FALLING)),
        {"plan": replace(PLAN, steered=replace(FALLING, rates=FALLING.afresh))},
        says={"last": 1e-7, "meant": 1e-4, "epochs": 4},
    ),
    Case(
        steered.schedule_gives_no_float,
        replace(STEPPED, plan=replace(PLAN, no_float=("scheduler", 4))),
        {"plan": PLAN},
        says={"epoch": 5},
    ),
    Case(
        steered.thawed_without_optimizer,
        replace(STEPPED, plan=replace(PLAN, thawed=Thawed("Thaw", 2, 1200, "body.0.weight"))),
        {"plan": PLAN},
        says={"epoch": 2, "weights": 1200, "first": "body.0.weight"},
    ),
    Case(
        steered.plateau_has_no_room,
        replace(STEPPED, plan=replace(PLAN, no_room=(1e-3, 1e-3))),
        {"plan": PLAN},
        script="ReduceLROnPlateau(\n    min_lr=1e-3)",
        says={"rate": 1e-3, "least": 1e-3},
    ),
]
