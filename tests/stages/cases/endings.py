"""Cases of the rules in stages/endings.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.stages import endings
from tests.stages.cases.seen import FINE, SOUND, Case, of_loss

SEVERAL = replace(SOUND, form="many", shares=True)

CASES = [
    Case(
        endings.relu_at_the_end,
        replace(FINE, flattened=0.95),
        {"flattened": None},
        says={"dead": 0.95},
    ),
    Case(
        endings.vectors_without_class,
        replace(FINE, counts="vectors", asked=replace(SEVERAL, cardinality=(0, 1, 1, 1))),
        {"asked": replace(SEVERAL, cardinality=(1, 1, 1, 1))},
        says={"rows": 1, "of": 4},
    ),
    Case(
        endings.each_for_one_class,
        replace(FINE, counts="each", asked=replace(SEVERAL, cardinality=(1,) * 8)),
        {"asked": replace(SEVERAL, cardinality=(1,) * 7 + (2,))},
        says={"outputs": SEVERAL.outputs},
    ),
    of_loss(
        endings.output_always_same,
        {"reach": (0.0, 1.0)},
        replace(SOUND, reach=(1.0, 1.0)),
        value=1.0,
    ),
    of_loss(
        endings.shares_for_several,
        {"shares": False},
        replace(SOUND, form="many", shares=True, cardinality=(1, 2)),
        most=2,
        highest=0.5,
    ),
    Case(
        endings.one_class_for_several,
        replace(
            FINE, counts="vectors", asked=replace(SOUND, form="many", cardinality=(1, 2, 0, 1))
        ),
        {"counts": "each"},
        says={"share": 0.5, "most": 2},
    ),
    of_loss(endings.relu_before_loss, {"dead": None}, replace(SOUND, dead=0.9), dead=0.9),
]
