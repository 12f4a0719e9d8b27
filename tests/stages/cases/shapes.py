"""Cases of the rules in stages/shapes.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.facts import Compiled
from debugger.pipelines.layout import Lone, Swapped
from debugger.stages import shapes
from tests.stages.cases.seen import FINE, KERAS, Case, failed
from tests.stages.test_step import FACTS

UNLIKE = (
    'Input 0 of layer "model" is incompatible with the layer: '
    "expected shape=(None, 5), found shape=(32, 8)"
)

CASES = [
    Case(
        shapes.rows_not_batched,
        replace(FINE, batched=False, failure=failed("ValueError", "incompatible with the layer")),
        {"batched": True},
        facts=replace(FACTS, compiled=Compiled()),
    ),
    Case(
        shapes.fractions_for_classes,
        replace(FINE, labels=(0.0, 0.5)),
        {"labels": (0.0, 1.0)},
        facts=replace(FACTS, compiled=Compiled(loss="sparse_categorical_crossentropy")),
        says={"value": 0.5},
    ),
    Case(
        shapes.rows_of_another_shape,
        replace(FINE, failure=failed("ValueError", UNLIKE)),
        {"failure": None},
        facts=replace(FACTS, compiled=Compiled()),
        says={"wanted": "5", "given": "8"},
    ),
    Case(
        shapes.row_answered_once,
        replace(
            FINE,
            counts="numbers",
            labels_shape=(8, 24),
            logits_shape=(8, 7),
            failure=failed("ValueError", "`labels.shape` must equal `logits.shape`"),
        ),
        {"counts": "vectors"},
        facts=KERAS,
        says={"places": 24, "outputs": 7},
    ),
    Case(
        shapes.vectors_of_another_width,
        replace(
            FINE,
            labels_shape=(8, 3),
            logits_shape=(8, 4),
            failure=failed("ValueError", "Shapes (8, 3) and (8, 4) are incompatible"),
        ),
        {"labels_shape": (8, 4)},
        facts=replace(FACTS, compiled=Compiled()),
        says={"labels": 3, "outputs": 4},
    ),
    Case(
        shapes.answer_for_each_place,
        replace(
            FINE,
            logits_shape=(8, 7, 7, 4),
            labels_shape=(8,),
            counts="numbers",
            failure=failed("ValueError", "shape mismatch"),
        ),
        {"logits_shape": (8, 4)},
        KERAS,
        says={"places": "7 x 7"},
    ),
    Case(
        shapes.axes_only_counted_off,
        replace(FINE, swapped=Swapped((8, 128, 3), (8, 3, 128), 4)),
        {"swapped": None},
        says={"before": "[8, 128, 3]", "after": "[8, 3, 128]"},
    ),
    Case(
        shapes.squeeze_takes_rows,
        replace(FINE, lone=Lone(2017, 32, 4)),
        {"lone": None},
        says={"rows": 2017, "size": 32},
    ),
]
