"""Cases of the rules in stages/weights.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.drawn import Drawn, Redrawn, Unfitting
from debugger.stages import weights
from tests.stages.cases.seen import FINE, Case
from tests.stages.test_step import FACTS

DRAWN = Drawn(10, wide=9, widest="layer.0.weight", spread=2.0, usual=0.125)

REDRAWN = Redrawn(tensors=40, moved=38, share=0.99, by_lot=True)

CASES = [
    Case(
        weights.weights_all_alike,
        replace(FINE, drawn=Drawn(10, alike=10, same="layer.0.weight")),
        {"drawn": Drawn(10, alike=1, same="classifier.weight")},
        says={"alike": 10, "matrices": 10, "first": "layer.0.weight"},
    ),
    Case(
        weights.weights_drawn_wide,
        replace(FINE, drawn=DRAWN),
        {"drawn": replace(DRAWN, wide=2)},
        says={"times": 16.0, "first": "layer.0.weight"},
    ),
    Case(
        weights.checkpoint_overwritten,
        replace(FINE, redrawn=REDRAWN),
        {"redrawn": replace(REDRAWN, by_lot=False)},
        says={"moved": 38, "tensors": 40},
    ),
    Case(
        weights.checkpoint_does_not_fit,
        replace(FINE, unfitting=Unfitting("layer.0.weight", 38, 40, (96, 96))),
        {"unfitting": Unfitting("classifier.weight", 2, 40, (5, 96))},
        says={"tensors": 38, "known": 40, "wanted": "[96, 96]"},
    ),
    Case(
        weights.sure_before_training,
        replace(FINE, drawn=Drawn(3), loss=29.0, logits_low=-32.0, logits_high=31.0),
        {"logits_low": -1.0, "logits_high": 1.0},
        facts=replace(FACTS, pretrained=False),
        says={"low": -32.0, "high": 31.0, "loss": 29.0},
    ),
]
