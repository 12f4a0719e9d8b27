"""Cases of the rules in stages/by_hand.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.by_hand import ByHand, ReadOnce, Unsteady
from debugger.stages import by_hand
from tests.stages.cases.seen import KERAS, MEASURED, STEPPED, Case
from tests.stages.test_step import FACTS

LOOP = ByHand(20, 25, training=True, differs="dropout", backwards=3, zeroed=0)

CASES = [
    Case(
        by_hand.zeroed_before_step,
        replace(STEPPED, by_hand=replace(LOOP, zeroed=2)),
        {"by_hand": LOOP},
        says={"zeroed": 2, "backwards": 3},
    ),
    Case(
        by_hand.learns_in_eval_mode,
        replace(STEPPED, by_hand=replace(LOOP, training=False)),
        {"by_hand": LOOP},
        says={"layer": "dropout"},
    ),
    Case(
        by_hand.learns_in_eval_mode,
        replace(STEPPED, by_hand=replace(LOOP, training=False, asked_at=12)),
        {"by_hand": LOOP},
        facts=KERAS,
        says={"layer": "dropout"},
    ),
    Case(
        by_hand.penalty_left_out,
        replace(STEPPED, by_hand=replace(LOOP, unpenalised="dense", lost_at=14)),
        {"by_hand": LOOP},
        says={"layer": "dense"},
    ),
    Case(
        by_hand.number_read_once,
        replace(STEPPED, by_hand=replace(LOOP, read_once=ReadOnce("warm", 0.0, 14))),
        {"by_hand": LOOP},
        says={"name": "warm", "value": 0.0},
    ),
    Case(
        by_hand.loop_broken_off,
        replace(STEPPED, by_hand=replace(LOOP, broken_off=22, batches=50)),
        {"by_hand": replace(LOOP, broken_off=22, batches=1)},
        says={"batches": 50},
    ),
    Case(
        by_hand.optimizer_made_anew,
        replace(STEPPED, by_hand=replace(LOOP, made_anew=22, optimizer="Adam")),
        {"by_hand": LOOP},
        says={"name": "Adam"},
    ),
    Case(
        by_hand.metric_never_reset,
        replace(STEPPED, by_hand=replace(LOOP, unreset=("exact", 30))),
        {"by_hand": LOOP},
        says={"name": "exact"},
    ),
    Case(
        by_hand.stays_in_eval_mode,
        replace(STEPPED, by_hand=replace(LOOP, stuck_at=30)),
        {"by_hand": LOOP},
        says={"layer": "dropout"},
    ),
    Case(
        by_hand.judged_in_train_mode,
        replace(MEASURED, unsteady=Unsteady("dropout", 64, 12)),
        {"unsteady": Unsteady("dropout", 64, 0)},
        replace(FACTS, by_hand=True),
        says={"changed": 12, "rows": 64},
    ),
]
