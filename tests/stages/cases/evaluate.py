"""Cases of the rules in stages/evaluate.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.stages import evaluate
from tests.stages.cases.seen import MEASURED, STOPS, WORDY, Case

CASES = [
    Case(
        evaluate.callback_stops_on_bad,
        replace(MEASURED, stops_on_bad=("Once", "on_evaluate"), loss=1.1),
        {"stops_on_bad": None},
        script=STOPS,
        says={"name": "Once", "event": "on_evaluate"},
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
]
