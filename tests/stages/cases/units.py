"""Cases of the rules in stages/units.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.within import Alike, Faded, Norm
from debugger.stages import units
from tests.stages.cases.seen import PLAN, STEPPED, Case

CASES = [
    Case(
        units.units_alike,
        replace(STEPPED, alike=(Alike("dense", 32, 0.0),)),
        {"alike": ()},
        says={"layer": "dense", "units": 32, "steps": 2},
    ),
    Case(
        units.batch_norm_too_slow,
        replace(STEPPED, plan=PLAN, norms=(Norm("norm", 0.9999, left=0.99, off=2.0, wide=9.0),)),
        {"norms": (Norm("norm", 0.9999, left=0.99, off=0.1, wide=1.1),)},
        says={"momentum": 0.9999, "left": 0.99, "updates": 100},
    ),
    Case(
        units.gradient_fades,
        replace(STEPPED, faded=Faded("first", "last", 1e-5, 8)),
        {"faded": Faded("first", "last", 0.1, 8)},
        says={"first": "first", "last": "last", "count": 8},
    ),
]
