"""Cases of the rules in stages/order.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.stages import order
from tests.stages.cases.seen import ORDER, of_order

CASES = [
    of_order(order.batches_of_one_label, {"single": 0.2}, replace(ORDER, single=0.9), share=0.9),
    of_order(order.same_rows_again, {"distinct": 64}, replace(ORDER, distinct=8), drawn=128),
    of_order(
        order.weights_of_few_rows,
        {"weighed": None},
        replace(ORDER, distinct=4, weighed=4),
        weights=4,
        rows=400,
    ),
]
