"""Cases of the rules in stages/turning.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.turning import Turned
from debugger.stages import turning
from tests.stages.cases.seen import TRAINED, Case

CASES = [
    Case(
        turning.turning_mixes_classes,
        replace(
            TRAINED,
            guesses={(0, 0): 30, (1, 1): 18, (1, 2): 14, (2, 1): 16, (2, 2): 16},
            unturned={(0, 0): 30, (1, 1): 32, (2, 2): 32},
        ),
        {"unturned": {(0, 0): 30, (1, 1): 28, (1, 2): 4, (2, 2): 32}},
        script="model.add(layers.RandomRotation(0.5))",
        says={"one": "maybe", "other": "yes"},
    ),
    *(
        Case(
            rule,
            replace(TRAINED, turned=turned),
            {"turned": replace(turned, anew=0.6)},
            script="a = made()\nb = made().T\nm.fit(a, y, validation_data=(b, z))",
            says={"as_it_is": 0.5, "anew": 0.95},
        )
        for rule, turned in (
            (turning.eval_axes_swapped, Turned("axes", 128, 0.5, 0.95)),
            (turning.eval_upside_down, Turned("upside down", 128, 0.5, 0.95)),
            (turning.eval_colours_reversed, Turned("colours", 128, 0.5, 0.95)),
        )
    ),
]
