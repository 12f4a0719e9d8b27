"""Cases of the rules in stages/metric.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from debugger.pipelines.face import Compiled
from debugger.pipelines.trials import Trials
from debugger.stages import metric
from tests.stages.cases.seen import MEASURED, Case, failed
from tests.stages.test_step import FACTS

TRIED = Trials("classes", {"accuracy": 1.0}, {"accuracy": 0.4}, {"accuracy": 0.3})

TRIED_TOKENS = Trials("tokens", {"f1": 1.0}, {"f1": 0.8}, {"f1": 0.6}, common=0)

OF_TWO = {"macro": {"precision": 0.6, "recall": 0.4, "f1": 0.5}}

OF_ROWS = replace(
    TRIED,
    drawn={"f1": 0.6},
    constant={"f1": 0.7},
    averages={"micro": {"f1": 0.6}, "macro": {"f1": 0.3}, "weighted": {"f1": 0.5}},
)

WITH_SIGN = Trials(
    *("amounts", {"mae": 0.0}, {"mae": 0.0}, {"mae": 0.0}),
    nudged={"mae": 0.0005},
    spread=5.0,
    errors={"mae": 1.2, "mse": 2.0, "rmse": 1.4},
)

IN_DEVIATIONS = Trials(
    *("amounts", {"mae": 0.0}, {"mae": 0.8}, {"mae": 1.1}),
    nudged={"mae": 0.0005},
    spread=5.0,
)


def of_metric(rule: Callable[..., Any], silent: dict[str, Any], made: Trials, **says: Any) -> Case:
    """A case about what a metric answers."""
    seen = replace(MEASURED, trials=made)
    return Case(rule, seen, {"trials": replace(made, **silent)}, says=says)


DECODED = ((False, 7), (True, 9))

NEVER_RIGHT = Trials("texts", {"exact": 0.0}, {"exact": 0.0}, {"exact": 0.0})

SAID_YES = {"micro_f1": 0.5}

ALL_YES = Trials("many", SAID_YES, SAID_YES, SAID_YES)

CASES = [
    Case(
        metric.answers_drawn_out,
        replace(MEASURED, least=5, wanted=(3, 5, 4, 7)),
        {"least": 3},
        script="model.generation_config.min_length = 5",
        says={"least": 5, "share": 0.5},
    ),
    Case(
        metric.answers_cut,
        replace(MEASURED, written=4, wanted=(3, 5, 6, 7)),
        {"written": 12},
        says={"written": 4, "share": 0.75},
    ),
    Case(
        metric.decoded_unlike,
        replace(MEASURED, decoded=DECODED, trials=NEVER_RIGHT),
        {"decoded": ((True, 7), (True, 9))},
    ),
    of_metric(
        metric.labels_share_one_whole,
        {"lifted": {"f1": 0.1}},
        Trials(
            "many",
            {"f1": 0.8},
            {"f1": 0.2},
            {"f1": 0.3},
            lifted={"f1": 0.8},
            several=9,
            single={"f1": 0.7},
        ),
        name="f1",
        value=0.8,
    ),
    of_metric(
        metric.metric_leaves_class_out,
        {"left_out": ()},
        replace(TRIED, left_out=(0,)),
        name="accuracy",
        value=1.0,
    ),
    Case(
        metric.scaled_back_twice,
        replace(MEASURED, trials=replace(IN_DEVIATIONS, nudged={"mae": 0.001}), scale=(9.0, 2.0)),
        {"scale": (0.0, 1.0)},
        says={"name": "mae", "times": 2.0, "deviation": 2.0},
    ),
    Case(
        metric.rate_cut_while_better,
        replace(MEASURED, best_metric="loss", greater_is_better=True, best_by="ReduceLROnPlateau"),
        {"best_by": "EarlyStopping"},
        script='ReduceLROnPlateau(monitor="val_loss", mode="max")',
        says={"name": "loss", "mode": "min"},
    ),
    of_metric(
        metric.metric_blind,
        {"drawn": {"accuracy": 0.3}},
        replace(TRIED, constant=TRIED.perfect, drawn=TRIED.perfect),
        name="accuracy",
    ),
    of_metric(
        metric.metric_error_on_perfect,
        {"perfect": {"eval_mae": 0.0}},
        Trials("amounts", {"eval_mae": 80.0}, {"eval_mae": 81.0}, {"eval_mae": 82.0}),
        name="eval_mae",
        value=80.0,
        drawn=82.0,
    ),
    of_metric(
        metric.metric_counts_ignored,
        {"perfect": {"accuracy": 1.0}},
        replace(TRIED, ignored=0.25, perfect={"accuracy": 0.75}),
        share=0.25,
        value=0.75,
    ),
    of_metric(
        metric.metric_prefers_chance,
        {"drawn": {"accuracy": 0.0}},
        replace(TRIED, perfect={"accuracy": 0.0}),
        drawn=0.3,
    ),
    of_metric(
        metric.metric_counts_one_label,
        {"perfect": {"accuracy": 1.0}, "single": {"accuracy": 1.0}},
        replace(TRIED, kind="many", perfect={"accuracy": 0.7}, single={"accuracy": 0.7}, several=5),
        rows=5,
    ),
    of_metric(
        metric.metric_mixes_rows,
        {"drawn": {"r2": -0.9}},
        replace(
            TRIED,
            kind="amounts",
            perfect={"r2": -1.0},
            drawn={"r2": -1.0},
            constant={"r2": 0.0},
            shapes=((32, 1), (32,)),
        ),
        value=-1.0,
        given="[32, 1]",
    ),
    of_metric(metric.threshold_on_logits, {"cut": 0.0}, replace(TRIED, kind="many", cut=0.5)),
    Case(
        metric.error_in_scaled_units,
        replace(MEASURED, trials=IN_DEVIATIONS, scale=(0.0, 1.0)),
        {"trials": replace(IN_DEVIATIONS, nudged={"mae": 0.03})},
        script="scale = StandardScaler()\ny = scale.fit_transform(y)",
        says={"name": "mae", "scaled": 2, "deviation": 1.0},
    ),
    Case(
        metric.metric_takes_first_places,
        replace(MEASURED, trials=replace(TRIED_TOKENS, perfect={"f1": 0.2}, packed={"f1": 1.0})),
        {"trials": replace(TRIED_TOKENS, packed={"f1": 0.2})},
        says={"name": "f1", "value": 0.2, "packed": 1.0},
    ),
    Case(
        metric.f1_of_rows,
        replace(MEASURED, trials=OF_ROWS),
        {"trials": replace(OF_ROWS, drawn={"f1": 0.3})},
        says={"name": "f1", "constant": 0.7},
    ),
    Case(
        metric.f1_of_rows,
        replace(MEASURED, trials=replace(OF_ROWS, kind="tokens")),
        {"trials": replace(OF_ROWS, kind="many")},
        says={"name": "f1", "constant": 0.7},
    ),
    of_metric(
        metric.score_named_otherwise,
        {"drawn": {"precision": 0.6}},
        replace(TRIED, drawn={"precision": 0.4}, averages=OF_TWO),
        name="precision",
        other="recall",
    ),
    Case(
        metric.error_with_sign,
        replace(MEASURED, trials=WITH_SIGN),
        {"trials": replace(WITH_SIGN, drawn={"mae": 0.9})},
        says={"name": "mae", "value": 0.0},
    ),
    of_metric(
        metric.metric_ignores_order,
        {"backwards": {"exact": 0.0}},
        replace(TRIED, perfect={"exact": 1.0}, drawn={"exact": 0.0}, backwards={"exact": 1.0}),
        name="exact",
        value=1.0,
    ),
    of_metric(
        metric.auc_of_choices,
        {"unsure": {"auc": 0.7}},
        replace(TRIED, sure={"auc": 0.5}, unsure={"auc": 0.5}),
        name="auc",
        value=0.5,
    ),
    Case(
        metric.outside_counted,
        replace(MEASURED, trials=replace(TRIED_TOKENS, constant={"f1": 0.8})),
        {"trials": replace(TRIED_TOKENS, constant={"f1": 0.13})},  # one of six, as of a macro mean
        facts=replace(FACTS, label_names=("O", "B-PER")),
        says={"name": "f1", "value": 0.8, "outside": "O"},
    ),
    Case(
        metric.strays_uncounted,
        replace(MEASURED, trials=replace(TRIED_TOKENS, strayed=TRIED_TOKENS.perfect)),
        {"trials": replace(TRIED_TOKENS, strayed={"f1": 0.4})},
        facts=replace(FACTS, label_names=("O", "B-PER")),
        says={"name": "f1", "value": 1.0, "common": "O"},
    ),
    of_metric(
        metric.amounts_held_equal,
        {"nudged": {"accuracy": 1.0}},
        replace(TRIED, nudged={"accuracy": 0.0}),
        nudged=0.0,
    ),
    of_metric(
        metric.accuracy_of_amounts,
        {"kind": "classes"},
        replace(TRIED, kind="amounts", perfect={"accuracy": 0.0}),
        name="accuracy",
    ),
    Case(
        metric.accuracy_of_cells,
        replace(MEASURED, known_metrics=("loss", "binary_accuracy")),
        {"known_metrics": ("loss", "categorical_accuracy")},
        facts=replace(FACTS, num_labels=5, compiled=Compiled(loss="categorical_crossentropy")),
        script="m.compile(loss=l, metrics=['binary_accuracy'])",
        says={"classes": 5, "wrong": 0.6, "none": 0.8},
    ),
    of_metric(
        metric.metric_not_shifted,
        {"in_place": {"accuracy": 0.1}, "perfect": {"accuracy": 1.0}},
        replace(TRIED, perfect={"accuracy": 0.1}, in_place={"accuracy": 1.0}),
        in_place=1.0,
    ),
    of_metric(
        metric.average_named_otherwise,
        {"drawn": {"f1_macro": 0.2}},
        replace(
            TRIED,
            drawn={"f1_macro": 0.3},
            averages={"macro": {"f1": 0.2}, "micro": {"f1": 0.3}},
        ),
        average="micro",
    ),
    Case(
        metric.best_is_worst,
        replace(MEASURED, best_metric="eval_loss", greater_is_better=True),
        {"greater_is_better": False},
        says={"name": "loss", "kept": "highest", "better": "lower"},
    ),
    Case(
        metric.gain_out_of_reach,
        replace(MEASURED, best_metric="accuracy", real={"accuracy": 0.4}, least_gain=0.9),
        {"least_gain": 0.01},
        script="EarlyStoppingCallback(early_stopping_threshold=0.9)",
        says={"gain": 0.9, "best": 1.0},
    ),
    Case(
        metric.decodes_ignored,
        replace(
            MEASURED,
            failure=failed("OverflowError", "out of range integral type conversion attempted"),
        ),
        {"failure": None},
    ),
    of_metric(
        metric.labels_compete,
        {"single": {"accuracy": 0.6}},
        replace(TRIED, kind="many", perfect={"accuracy": 0.6}, single={"accuracy": 0.8}, several=5),
        value=0.6,
        single=0.8,
    ),
    of_metric(
        metric.metric_all_or_nothing,
        {"partly": ({"accuracy": 0.25}, {"accuracy": 0.5}, {"accuracy": 0.75})},
        replace(TRIED, partly=({"accuracy": 0.0}, {"accuracy": 0.0}, {"accuracy": 1.0})),
        half=0.0,
        most=1.0,
    ),
    of_metric(metric.never_a_no, {"always": "no"}, replace(ALL_YES, always="yes"), name="micro_f1"),
    of_metric(
        metric.never_a_yes, {"always": "yes"}, replace(ALL_YES, always="no"), name="micro_f1"
    ),
    Case(
        metric.answers_in_a_tuple,
        replace(MEASURED, parts=2, failure=failed("AttributeError", "'tuple' object has no")),
        {"parts": 1},
        says={"parts": 2},
    ),
    of_metric(
        metric.metric_remembers,
        {"again": None},
        replace(TRIED, again={"accuracy": 0.6}),
        first=1.0,
        again=0.6,
    ),
    of_metric(
        metric.metric_misses_nearest,
        {"perfect": {"recall": 1.0}},
        Trials("halves", {"recall": 0.0}, {"recall": 0.0}, {"recall": 0.1}),
        value=0.0,
    ),
    Case(
        metric.logits_lose_a_row,
        replace(MEASURED, loses="one tensor"),
        {"loses": ""},
        says={"what": "one tensor"},
    ),
    Case(
        metric.stops_without_waiting,
        replace(MEASURED, impatient="val_loss"),
        {"impatient": ""},
        script="EarlyStopping(monitor='val_loss')",
        says={"name": "val_loss"},
    ),
    Case(
        metric.label_names_in_other_order,
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
        metric.picked_already,
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
