"""Cases of the rules in stages/padding.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.batch import Batch
from debugger.pipelines.forward import Reads
from debugger.pipelines.inputs import Padding
from debugger.stages import padding
from tests.stages.cases.inputs import TRAINED_BEFORE
from tests.stages.cases.seen import FINE, NO_PADDING, OF_WORDS, Case, of_batch
from tests.stages.test_step import FACTS

READS = Reads(text=0.0, filling=0.9, rows=8)

PADDED = Padding(filled=6, open=0, real=18, hidden=0, has_mask=True, rows=2, side="right")

CASES = [
    Case(
        padding.padding_mask_turned,
        replace(FINE, hides=383),
        {"hides": 0},
        script="out = encoder(x,\n    src_key_padding_mask=mask.bool())",
        says={"hidden": 383},
    ),
    Case(
        padding.text_not_read,
        replace(FINE, reads=READS),
        {"reads": replace(READS, text=0.8)},
        says={"rows": 8},
    ),
    Case(
        padding.filling_read,
        replace(FINE, reads=replace(READS, text=0.3)),
        {"reads": replace(READS, text=0.3, filling=0.0)},
        says={"rows": 8, "share": 0.75},
    ),
    of_batch(
        padding.mask_missing,
        {"felt": False},
        TRAINED_BEFORE,
        padding=replace(PADDED, has_mask=False, open=6, felt=True),
    ),
    of_batch(
        padding.mask_over_padding,
        {"open": 0},
        TRAINED_BEFORE,
        padding=replace(PADDED, open=6, felt=True),
    ),
    of_batch(
        padding.mask_hides_text, {"hidden": 5}, FACTS, padding=replace(PADDED, hidden=18, open=6)
    ),
    of_batch(
        padding.padded_on_the_right,
        {"side": "left"},
        OF_WORDS,
        padding=replace(PADDED, generates=True),
    ),
    of_batch(
        padding.rows_of_filling,
        {"empty": 3},
        FACTS,
        padding=replace(NO_PADDING, empty=15, of=16),
    ),
    Case(
        padding.filling_read_last,
        Batch({}, filled_behind=("lstm", 0.7)),
        {"filled_behind": ("lstm", 0.2)},
        says={"layer": "lstm", "share": 0.7},
    ),
    Case(
        padding.filling_taken_for_text,
        Batch({}, padding=Padding(9, 0, 50, 0, True, rows=4, taken_for=(1, 0), missed=True)),
        {"padding": Padding(9, 0, 50, 0, True, rows=4)},
        script="BertConfig(pad_token_id=0)",
        says={"fills": 1, "known": 0},
    ),
]
