"""Cases of the rules in stages/data.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.face import Data
from debugger.pipelines.sounds import Sounds
from debugger.stages import data
from tests.stages.cases.seen import SPLIT, Case, failed, of_rows
from tests.stages.test_step import FACTS

CASES = [
    Case(
        data.few_rows,
        Data(replace(SPLIT, count=10), SPLIT),
        {"train": SPLIT},
        says={"rows": 10, "eval_rows": 40},
    ),
    Case(
        data.eval_rows_drawn_anew,
        Data(SPLIT, SPLIT, drawn_anew=("pixels", "pixels")),
        {"drawn_anew": ("pixels", "")},
        says={"name": "pixels"},
    ),
    Case(data.dataset_dict, Data(None, None, is_dataset_dict=True), {"is_dataset_dict": False}),
    of_rows(
        data.label_column_misnamed,
        {"label_column": "label"},
        {"name": "verdict", "distinct": 3},
        label_column=None,
        few_valued={"verdict": 3},
    ),
    of_rows(
        data.string_labels,
        {"labels": (0, 1) * 20},
        {"examples": "no, yes"},
        labels=("yes", "no") * 20,
    ),
    of_rows(data.labels_shifted, {"labels": (0, 1, 2) * 10}, {"high": 3}, labels=(1, 2, 3) * 10),
    of_rows(
        data.labels_out_of_range,
        {"labels": (0, 1, 2, -100) * 10},
        {"label": 3, "rows": 10, "share": 0.25, "classes": 3},
        labels=(0, 1, 2, 3) * 10,
    ),
    of_rows(data.wrong_split, {"labels": (-1, 0) * 20}, {"split": "train"}, labels=(-1,) * 40),
    Case(
        data.classes_as_amounts,
        Data(replace(SPLIT, labels=(0.0, 1.0, 2.0) * 10), None),
        {"train": replace(SPLIT, labels=(0.0, 0.5, 2.0) * 10)},
        replace(FACTS, num_labels=1),
        says={"classes": 3, "last": 2},
    ),
    of_rows(data.duplicates, {"duplicates": 4}, {"rows": 5}, duplicates=5),
    of_rows(data.duplicates, {"first_rows": ({"x": [[0.5]]},)}, {"rows": 5}, duplicates=5),
    Case(
        data.classes_only_in_eval,
        Data(replace(SPLIT, labels=(0, 1) * 20), SPLIT),
        {"train": SPLIT},
        says={"name": "2 yes", "rows": 10, "share": 0.25},
    ),
    Case(
        data.eval_of_one_class,
        Data(SPLIT, replace(SPLIT, labels=(2,) * 40)),
        {"eval": SPLIT},
        says={"name": "2 yes", "rows": 40, "share": 0.25},
    ),
    Case(
        data.leak,
        Data(SPLIT, SPLIT, shared_rows=2),
        {"shared_rows": 1},
        says={"rows": 2, "looked_at": 40},
    ),
    of_rows(
        data.text_cut,
        {"lengths": (5, 6, 7, 8) * 10},
        {"length": 8, "rows": 20},
        lengths=(5, 6, 8, 8) * 10,
    ),
    of_rows(
        data.filled_far,
        {"widths": (40,) * 40},
        {"width": 128, "longest": 8, "rows": 40, "times": 16},
        lengths=(5, 6, 7, 8) * 10,
        widths=(128,) * 40,
    ),
    Case(
        data.place_noted_too_early,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="right = options.index(word)\nrng.shuffle(options)\nrows.append((options, right))",
        says={"name": "options", "place": "right"},
    ),
    of_rows(data.keys_counted, {"counted": None}, {"held": 400}, count=2, counted=("rows", 400)),
    of_rows(
        data.rates_differ,
        {"sounds": Sounds((4000, 8000), raw=0.1)},
        {"low": 4000, "high": 8000},
        sounds=Sounds((4000, 8000), raw=1.0),
    ),
]
