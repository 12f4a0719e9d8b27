"""Cases of the rules in stages/classes.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.data import Data
from debugger.stages import classes
from tests.stages.cases.seen import SPLIT, Case, of_rows
from tests.stages.test_step import FACTS

CASES = [
    of_rows(
        classes.label_column_misnamed,
        {"label_column": "label"},
        {"name": "verdict", "distinct": 3},
        label_column=None,
        few_valued={"verdict": 3},
    ),
    of_rows(
        classes.string_labels,
        {"labels": (0, 1) * 20},
        {"examples": "no, yes"},
        labels=("yes", "no") * 20,
    ),
    of_rows(classes.labels_shifted, {"labels": (0, 1, 2) * 10}, {"high": 3}, labels=(1, 2, 3) * 10),
    of_rows(
        classes.labels_out_of_range,
        {"labels": (0, 1, 2, -100) * 10},
        {"label": 3, "rows": 10, "share": 0.25, "classes": 3},
        labels=(0, 1, 2, 3) * 10,
    ),
    of_rows(classes.wrong_split, {"labels": (-1, 0) * 20}, {"split": "train"}, labels=(-1,) * 40),
    Case(
        classes.classes_as_amounts,
        Data(replace(SPLIT, labels=(0.0, 1.0, 2.0) * 10), None),
        {"train": replace(SPLIT, labels=(0.0, 0.5, 2.0) * 10)},
        replace(FACTS, num_labels=1),
        says={"classes": 3, "last": 2},
    ),
    Case(
        classes.classes_only_in_eval,
        Data(replace(SPLIT, labels=(0, 1) * 20), SPLIT),
        {"train": SPLIT},
        says={"name": "2 yes", "rows": 10, "share": 0.25},
    ),
    Case(
        classes.eval_of_one_class,
        Data(SPLIT, replace(SPLIT, labels=(2,) * 40)),
        {"eval": SPLIT},
        says={"name": "2 yes", "rows": 40, "share": 0.25},
    ),
]
