"""Cases of the rules in stages/heads.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.heads import Given, Head
from debugger.stages import heads
from tests.stages.cases.seen import FINE, Case

CROSSED = (
    Head("kind", "numbers", 3, given=Given(1, 0.0, 1.0, whole=True)),
    Head("sure", "each", 1, given=Given(1, 0.0, 2.0, whole=True)),
)

CASES = [
    Case(
        heads.labels_of_other_output,
        replace(FINE, heads=CROSSED),
        {"heads": tuple(replace(one, given=None) for one in CROSSED)},
        says={"name": "sure", "other": "kind"},
    ),
    Case(
        heads.output_without_loss,
        replace(FINE, heads=(replace(CROSSED[0], asks=""), CROSSED[1])),
        {"heads": (replace(CROSSED[0], asks="", given=None), CROSSED[1])},
        says={"name": "kind", "asked": "sure"},
    ),
    Case(
        heads.output_weighs_nothing,
        replace(FINE, heads=(replace(CROSSED[0], weight=0.0), CROSSED[1])),
        {"heads": CROSSED},
        says={"name": "kind"},
    ),
    Case(
        heads.output_without_labels,
        replace(FINE, heads=(replace(CROSSED[0], given=None), CROSSED[1])),
        {"heads": CROSSED},
        says={"name": "kind"},
    ),
    Case(
        heads.no_such_output,
        replace(FINE, unknown_output=("cost", "kind, price")),
        {"unknown_output": None},
        says={"name": "cost"},
    ),
]
