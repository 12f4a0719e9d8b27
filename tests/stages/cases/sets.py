"""Cases of the rules in stages/sets.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.data import Data
from debugger.stages import sets
from tests.stages.cases.seen import SPLIT, Case, of_rows, of_script

CASES = [
    Case(
        sets.few_rows,
        Data(replace(SPLIT, count=10), SPLIT),
        {"train": SPLIT},
        says={"rows": 10, "eval_rows": 40},
    ),
    Case(
        sets.eval_rows_drawn_anew,
        Data(SPLIT, SPLIT, drawn_anew=("pixels", "pixels")),
        {"drawn_anew": ("pixels", "")},
        says={"name": "pixels"},
    ),
    of_rows(sets.duplicates, {"duplicates": 4}, {"rows": 5}, duplicates=5),
    of_rows(sets.duplicates, {"first_rows": ({"x": [[0.5]]},)}, {"rows": 5}, duplicates=5),
    Case(
        sets.leak,
        Data(SPLIT, SPLIT, shared_rows=2),
        {"shared_rows": 1},
        says={"rows": 2, "looked_at": 40},
    ),
    of_rows(sets.keys_counted, {"counted": None}, {"held": 400}, count=2, counted=("rows", 400)),
    of_script(
        sets.split_drawn_anew,
        "rows = tf.data.Dataset.range(900).shuffle(900)\n"
        "train = rows.take(700)\ntest = rows.skip(700)",
        stream="rows",
        at=2,
    ),
]
