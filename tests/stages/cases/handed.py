"""Cases of the rules in stages/handed.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.stages import handed
from tests.stages.cases.seen import MEASURED, Case, failed

NO_PIXELS = failed("KeyError", "'pixel_values'")

CASES = [
    Case(
        handed.eval_rows_lack_input,
        replace(MEASURED, failure=NO_PIXELS, lacks=("pixel_values",)),
        {"lacks": ()},
        says={"name": "pixel_values"},
    ),
    Case(handed.labels_never_reach_metric, replace(MEASURED, called=False), {"called": True}),
    Case(
        handed.logits_into_metric,
        replace(
            MEASURED,
            given={"predictions": (8, 3), "label_ids": (8,)},
            failure=failed("ValueError", "a mix of multiclass and multilabel-indicator targets"),
        ),
        {"failure": failed("ValueError", "a mix of multiclass and unknown targets")},
        says={"shape": "[8, 3]", "rows": 8},
    ),
    Case(
        handed.argmax_over_places,
        replace(
            MEASURED,
            given={"predictions": (8, 3), "label_ids": (8, 40)},
            failure=failed("IndexError", "boolean index did not match"),
        ),
        {"given": {"predictions": (8, 40), "label_ids": (8, 40)}},
        script="t = Trainer(preprocess_logits_for_metrics=keep)",
        says={"given": 3, "wanted": 40},
    ),
    Case(
        handed.argmax_along_places,
        replace(MEASURED, given={"predictions": (8, 40, 3), "label_ids": (8, 40)}),
        {"given": {"predictions": (8, 3), "label_ids": (8,)}},
        script="def measure(given):\n    said = np.argmax(given.predictions, axis=1)\n"
        "t = Trainer(compute_metrics=measure)",
        says={"axis": 1, "left": "[8, 3]", "labels": "[8, 40]"},
    ),
    Case(
        handed.label_name_untold,
        replace(MEASURED, has_metric=True, called=False, untold="target"),
        {"untold": ""},
        says={"name": "target", "known": "labels"},
    ),
    Case(
        handed.trainer_cannot_generate,
        replace(MEASURED, asks_in_vain=True, given={"predictions": (8, 5, 52)}),
        {"asks_in_vain": False},
        says={"shape": "[8, 5, 52]"},
    ),
    Case(
        handed.wrong_axis,
        replace(
            MEASURED,
            given={"predictions": (8, 4)},
            failure=failed("ValueError", "could not be broadcast together with shapes (4,) (8,)"),
        ),
        {"failure": failed("ValueError", "could not be broadcast together with shapes (5,) (8,)")},
        says={"given": 4, "wanted": 8},
    ),
    Case(
        handed.answers_in_a_tuple,
        replace(MEASURED, parts=2, failure=failed("AttributeError", "'tuple' object has no")),
        {"parts": 1},
        says={"parts": 2},
    ),
    Case(
        handed.logits_lose_a_row,
        replace(MEASURED, loses="one tensor"),
        {"loses": ""},
        says={"what": "one tensor"},
    ),
    Case(
        handed.label_names_in_other_order,
        replace(
            MEASURED,
            label_names=("words", "whole"),
            other_order=("whole", "words"),
            failure=failed("ValueError", "operands could not be broadcast together"),
        ),
        {"other_order": ()},
        script='TrainingArguments(label_names=["words", "whole"])',
        says={"given": "words, whole", "wanted": "whole, words"},
    ),
    Case(
        handed.picked_already,
        replace(
            MEASURED,
            given={"predictions": (8, 5), "label_ids": (8, 5)},
            failure=failed("IndexError", "too many indices for array"),
        ),
        {"given": {"predictions": (8, 5, 90), "label_ids": (8, 5)}},
        script="""
def measure(p):
    return {"right": (p.predictions.argmax(-1) == p.label_ids).mean()}
Trainer(compute_metrics=measure)
""",
        says={"shape": "[8, 5]"},
    ),
]
