"""Cases of the rules in stages/metric.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.facts import Compiled
from debugger.pipelines.trials import Trials
from debugger.stages import metric
from tests.stages.cases.seen import MEASURED, TRIED, Case, of_metric
from tests.stages.test_step import FACTS

OF_TWO = {"macro": {"precision": 0.6, "recall": 0.4, "f1": 0.5}}

OF_ROWS = replace(
    TRIED,
    drawn={"f1": 0.6},
    constant={"f1": 0.7},
    averages={"micro": {"f1": 0.6}, "macro": {"f1": 0.3}, "weighted": {"f1": 0.5}},
)

CASES = [
    Case(
        metric.metric_flatters_constant,
        replace(MEASURED, constant={"accuracy": 1.0}),
        {"constant": {"accuracy": 0.99}},
    ),
    Case(
        metric.metric_wrong_on_perfect,
        replace(MEASURED, perfect={"accuracy": 0.5}),
        {"perfect": {"accuracy": 1.0}},
    ),
    of_metric(
        metric.metric_leaves_class_out,
        {"left_out": ()},
        replace(TRIED, left_out=(0,)),
        name="accuracy",
        value=1.0,
    ),
    of_metric(
        metric.metric_blind,
        {"drawn": {"accuracy": 0.3}},
        replace(TRIED, constant=TRIED.perfect, drawn=TRIED.perfect),
        name="accuracy",
    ),
    of_metric(
        metric.metric_prefers_chance,
        {"drawn": {"accuracy": 0.0}},
        replace(TRIED, perfect={"accuracy": 0.0}),
        drawn=0.3,
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
    of_metric(
        metric.auc_of_choices,
        {"unsure": {"auc": 0.7}},
        replace(TRIED, sure={"auc": 0.5}, unsure={"auc": 0.5}),
        name="auc",
        value=0.5,
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
        metric.average_named_otherwise,
        {"drawn": {"f1_macro": 0.2}},
        replace(
            TRIED,
            drawn={"f1_macro": 0.3},
            averages={"macro": {"f1": 0.2}, "micro": {"f1": 0.3}},
        ),
        average="micro",
    ),
    of_metric(
        metric.metric_all_or_nothing,
        {"partly": ({"accuracy": 0.25}, {"accuracy": 0.5}, {"accuracy": 0.75})},
        replace(TRIED, partly=({"accuracy": 0.0}, {"accuracy": 0.0}, {"accuracy": 1.0})),
        half=0.0,
        most=1.0,
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
]
