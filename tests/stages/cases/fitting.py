"""Cases of the rules in stages/fitting.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.batch import Batch
from debugger.stages import fitting
from tests.stages.cases.seen import FINE, Case, failed

WORDS_APART = Batch(
    {},
    first_row={"input_ids": [[2, 7, 3], [2, 9, 3]]},
    failure=failed("RuntimeError", "stack expects each tensor to be equal size"),
)

NO_KEY = failed("KeyError", "'labels'")

ASKS = "\n" * 6 + 'labels = [row.pop("labels") for row in rows]'

UNPACKED = failed("ValueError", "too many values to unpack (expected 2)")

TOO_MANY_VALUES = replace(FINE, failure=UNPACKED, highest_id=9, inputs_shape=(8, 4, 12))

WIDE = failed("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (16x32 and 768x3)")

CASES = [
    Case(
        fitting.key_not_there,
        Batch({}, first_row={"label": 1, "input_ids": [3]}, failure=NO_KEY),
        {"dropped": ("labels",)},
        script=ASKS,
        says={"name": "labels", "known": "label, input_ids"},
    ),
    Case(
        fitting.taken_from_rows,
        Batch({}, first_row={"labels": 1}, failure=NO_KEY),
        {"dropped": ("labels",)},
        script=ASKS,
        says={"name": "labels"},
    ),
    Case(
        fitting.several_texts_a_row,
        TOO_MANY_VALUES,
        {"inputs_shape": (8, 1, 12)},
        says={"texts": 4, "shape": "[8, 4, 12]"},
    ),
    Case(
        fitting.row_in_a_row,
        replace(TOO_MANY_VALUES, inputs_shape=(8, 1, 12)),
        {"failure": None},
        says={"shape": "[8, 1, 12]"},
    ),
    Case(
        fitting.layer_of_other_width,
        replace(FINE, failure=WIDE, broken_in="head"),
        {"failure": UNPACKED},
        says={"where": "head", "made": 768, "given": 32},
    ),
    Case(
        fitting.words_as_texts,
        WORDS_APART,
        {"failure": None},
        script="tokenizer(words)\nencoding.word_ids()\n",
        says={"texts": 2, "length": 3},
    ),
    Case(
        fitting.labels_of_truth,
        replace(FINE, label_type="bool", failure=failed("RuntimeError", "but got Bool")),
        {"label_type": "int64"},
    ),
    Case(
        fitting.scores_alone,
        replace(FINE, bare=True, logits_shape=(8, 3)),
        {"bare": False},
        says={"shape": "[8, 3]"},
    ),
    Case(
        fitting.labels_as_vectors,
        replace(
            FINE,
            label_type="int64",
            labels_shape=(8, 3),
            failure=failed(
                "ValueError", "Expected input batch_size (8) to match target batch_size (24)."
            ),
        ),
        {"labels_shape": (8, 4)},
        says={"width": 3},
    ),
]
