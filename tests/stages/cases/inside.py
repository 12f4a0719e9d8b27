"""Cases of the rules in stages/inside.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.batch import Batch
from debugger.pipelines.within import Levelled, Looked, Unadapted
from debugger.stages import inside
from tests.stages.cases.seen import Case

WORDS = Looked("embedding", 200, 0.0, 1.0, distinct=2, width=200, fractions=False, scattered=True)

CASES = [
    Case(
        inside.layer_never_adapted,
        Batch({}, unadapted=Unadapted("normalization", 0.0, 500.0)),
        {"unadapted": None},
        says={"layer": "normalization", "high": 500.0},
    ),
    Case(
        inside.layer_scales_as_one,
        Batch({}, levelled=Levelled("normalization", 6, 5, 0.05, 0.4)),
        {"levelled": None},
        says={"columns": 6, "drowned": 5},
    ),
    Case(
        inside.bag_into_embedding,
        Batch({}, looked=(WORDS,)),
        {"looked": (replace(WORDS, scattered=False),)},
        says={"knows": 200, "width": 200},
    ),
    Case(
        inside.fractions_into_embedding,
        Batch({}, looked=(replace(WORDS, high=0.9, distinct=90, fractions=True),)),
        {"looked": (WORDS,)},
        says={"layer": "embedding", "high": 0.9},
    ),
]
