"""Cases of the rules in stages/rates.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.step import Block
from debugger.stages import rates
from tests.stages.cases.seen import PLAN, STEPPED, Case

CASES = [
    Case(
        rates.rate_for_adam,
        replace(
            STEPPED,
            optimizer="SGD",
            learning_rates=(5e-5, 5e-5),
            blocks=(
                *(Block(f"{n}", 10, 10, 0.5, 1e-6) for n in range(3)),
                Block("h", 1, 1, 1, 0.1),
            ),
            plan=PLAN,
        ),
        {"optimizer": "AdamW"},
        script='TrainingArguments(optim="sgd")',
        says={"optimizer": "SGD", "rate": 5e-5},
    ),
]
