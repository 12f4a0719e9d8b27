"""Cases of the rules in stages/inputs.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.batch import Batch
from debugger.pipelines.inputs import Signal
from debugger.pipelines.jumbled import Jumbled
from debugger.pipelines.within import Scaled
from debugger.stages import inputs
from tests.stages.cases.seen import FINE, KERAS, Case, failed, of_batch
from tests.stages.test_step import FACTS

PICTURES = Signal("pixel_values", -1.0, 1.0, 0.5, 8, False, 0.01, labels=3)

COARSE = Signal("input_values", -1.0, 1.0, 0.3, 8, False, 0.9, levels=3)

TRAINED_BEFORE = replace(FACTS, pretrained=True)

CASES = [
    Case(
        inputs.rows_mingled,
        replace(FINE, mingled=0.8),
        {"mingled": 0.0},
        says={"moved": 0.8},
    ),
    Case(
        inputs.axes_jumbled,
        Batch({}, signal=replace(PICTURES, jumbled=Jumbled(0.9, 0.05, (3, 8, 8), (8, 8, 3)))),
        {"signal": PICTURES},
        script="picture = torch.tensor(read(name)).reshape(3, 8, SIZE)",
        says={"shape": "(3, 8, 8)"},
    ),
    Case(
        inputs.scaled_twice,
        Batch({}, scaled=Scaled("inputs", 0.0, 1.0, 0.0, 0.0039)),
        {"scaled": Scaled("inputs", 0.0, 255.0, 0.0, 1.0)},
        says={"high": 1.0, "inner_high": 0.0039},
    ),
    Case(
        inputs.input_not_read,
        replace(FINE, unread="size"),
        {"unread": ""},
        KERAS,
        says={"name": "size"},
    ),
    Case(
        inputs.column_dropped,
        Batch({}, dropped=("text", "idx"), failure=failed("KeyError", "'text'")),
        {"failure": failed("KeyError", "'bbox'")},
        says={"name": "text", "columns": "text, idx"},
    ),
    of_batch(
        inputs.identical_inputs, {"labels": 1}, FACTS, signal=replace(PICTURES, identical=True)
    ),
    of_batch(
        inputs.inputs_not_scaled, {"high": 3.0}, TRAINED_BEFORE, signal=replace(PICTURES, high=255)
    ),
    Case(
        inputs.processed_otherwise,
        Batch({}, signal=PICTURES, eval_signal=replace(PICTURES, high=255.0, deviation=60.0)),
        {"eval_signal": replace(PICTURES, high=2.0, deviation=1.0)},
        says={"eval_high": 255.0},
    ),
    of_batch(
        inputs.inputs_nearly_constant, {"high": 1.0}, FACTS, signal=replace(PICTURES, high=-0.99)
    ),
    of_batch(
        inputs.inputs_saturated, {"at_ends": 0.9}, FACTS, signal=replace(PICTURES, at_ends=0.97)
    ),
    of_batch(
        inputs.inputs_not_normalised,
        {"low": -1.0},
        TRAINED_BEFORE,
        signal=replace(PICTURES, low=0.0, normalises=True),
    ),
    of_batch(
        inputs.one_input_for_each_label,
        {"distinct": 16},
        FACTS,
        signal=Signal("pixel_values", 0, 1, 0.5, 16, False, 0, 3, kind="pixel_values", distinct=3),
    ),
    Case(
        inputs.sounds_coarse,
        Batch({}, signal=COARSE),
        {"signal": replace(COARSE, levels=200)},
        says={"levels": 3},
    ),
]
