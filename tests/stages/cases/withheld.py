"""Cases of the rules in stages/withheld.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.plan import Still
from debugger.stages import withheld
from tests.stages.cases.seen import PLAN, STEPPED, Case, of_plan

CASES = [
    Case(
        withheld.table_stays_frozen,
        replace(STEPPED, total=1000, trainable=500, plan=replace(PLAN, still=Still(500, 10, 0))),
        {"plan": PLAN},
        script="table = nn.Embedding.from_pretrained(vectors)",
        says={"share": 0.5},
    ),
    Case(
        withheld.empty_table_frozen,
        replace(STEPPED, total=1000, trainable=500, plan=replace(PLAN, still=Still(500, 10, 6))),
        {"plan": replace(PLAN, still=Still(500, 10, 0))},
        script="table = nn.Embedding.from_pretrained(vectors)",
        says={"columns": 10, "empty": 6},
    ),
    of_plan(
        withheld.weights_at_rate_zero, {"idle": ()}, replace(PLAN, idle=("head.weight",)), count=1
    ),
    of_plan(
        withheld.half_precision_weights, {"half": ""}, replace(PLAN, half="float16", narrow=0.4)
    ),
    of_plan(withheld.dropout_high, {"dropout": 0.49}, replace(PLAN, dropout=0.8), dropout=0.8),
    of_plan(
        withheld.head_dropout_high,
        {"head_dropout": 0.5},
        replace(PLAN, head_dropout=0.99),
        dropout=0.99,
    ),
    of_plan(
        withheld.frozen_before_training,
        {"frozen_new": 0},
        replace(PLAN, frozen_new=1000),
        frozen=1000,
    ),
]
