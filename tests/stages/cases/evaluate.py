"""Cases of the rules in stages/evaluate.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.stages import evaluate
from tests.stages.cases.seen import MEASURED, STOPS, WORDY, Case, failed

NO_PIXELS = failed("KeyError", "'pixel_values'")

CASES = [
    Case(
        evaluate.callback_stops_on_bad,
        replace(MEASURED, stops_on_bad=("Once", "on_evaluate"), loss=1.1),
        {"stops_on_bad": None},
        script=STOPS,
        says={"name": "Once", "event": "on_evaluate"},
    ),
    Case(
        evaluate.eval_rows_lack_input,
        replace(MEASURED, failure=NO_PIXELS, lacks=("pixel_values",)),
        {"lacks": ()},
        says={"name": "pixel_values"},
    ),
    Case(
        evaluate.few_kinds_of_rows,
        replace(MEASURED, shared_rows=24, looked_at=24, repeated=0.9),
        {"repeated": 0.2},
        says={"share": 1.0, "rows": 24, "repeated": 0.9},
    ),
    Case(evaluate.no_eval_set, replace(MEASURED, eval_rows=None, evaluations=0), {"eval_rows": 1}),
    Case(evaluate.no_metric, replace(MEASURED, has_metric=False), {"has_metric": True}),
    Case(
        evaluate.best_never_chosen,
        replace(MEASURED, best_metric="loss", evaluations=0, steps=450),
        {"evaluations": 2},
        script="Trainer(args=TrainingArguments(\n    eval_steps=500))\ntrainer.train()\n"
        "trainer.predict(test)",
        says={"steps": 450},
    ),
    Case(
        evaluate.evaluation_drops_rows,
        replace(MEASURED, eval_rows=480, unfilled=224),
        {"unfilled": 16},
        script="TrainingArguments(\n    dataloader_drop_last=True)",
        says={"dropped": 224, "rows": 480},
    ),
    Case(
        evaluate.set_never_used,
        replace(MEASURED, has_metric=False, evaluations=0, strategy="no"),
        {"evaluations": 3},
        facts=WORDY,
        script="trainer.train()",
        says={"rows": 24, "strategy": "no"},
    ),
    Case(evaluate.labels_never_reach_metric, replace(MEASURED, called=False), {"called": True}),
    Case(
        evaluate.logits_into_metric,
        replace(
            MEASURED,
            given={"predictions": (8, 3), "label_ids": (8,)},
            failure=failed("ValueError", "a mix of multiclass and multilabel-indicator targets"),
        ),
        {"failure": failed("ValueError", "a mix of multiclass and unknown targets")},
        says={"shape": "[8, 3]", "rows": 8},
    ),
    Case(
        evaluate.argmax_over_places,
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
        evaluate.argmax_along_places,
        replace(MEASURED, given={"predictions": (8, 40, 3), "label_ids": (8, 40)}),
        {"given": {"predictions": (8, 3), "label_ids": (8,)}},
        script="def measure(given):\n    said = np.argmax(given.predictions, axis=1)\n"
        "t = Trainer(compute_metrics=measure)",
        says={"axis": 1, "left": "[8, 3]", "labels": "[8, 40]"},
    ),
    Case(
        evaluate.metric_name_unknown,
        replace(MEASURED, best_metric="f1"),
        {"best_metric": "accuracy"},
        says={"name": "f1"},
    ),
    Case(
        evaluate.model_label_order,
        MEASURED,
        {"model_names": ("No", "Maybe", "Yes")},
        says={"moved": 2, "classes": 3},
    ),
    Case(
        evaluate.metric_flatters_constant,
        replace(MEASURED, constant={"accuracy": 1.0}),
        {"constant": {"accuracy": 0.99}},
    ),
    Case(
        evaluate.metric_wrong_on_perfect,
        replace(MEASURED, perfect={"accuracy": 0.5}),
        {"perfect": {"accuracy": 1.0}},
    ),
    Case(
        evaluate.label_name_untold,
        replace(MEASURED, has_metric=True, called=False, untold="target"),
        {"untold": ""},
        says={"name": "target", "known": "labels"},
    ),
    Case(
        evaluate.trainer_cannot_generate,
        replace(MEASURED, asks_in_vain=True, given={"predictions": (8, 5, 52)}),
        {"asks_in_vain": False},
        says={"shape": "[8, 5, 52]"},
    ),
    Case(
        evaluate.wrong_axis,
        replace(
            MEASURED,
            given={"predictions": (8, 4)},
            failure=failed("ValueError", "could not be broadcast together with shapes (4,) (8,)"),
        ),
        {"failure": failed("ValueError", "could not be broadcast together with shapes (5,) (8,)")},
        says={"given": 4, "wanted": 8},
    ),
]
