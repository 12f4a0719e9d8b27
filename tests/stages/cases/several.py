"""Cases of the rules in stages/several.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.trials import Trials
from debugger.stages import several
from tests.stages.cases.seen import TRIED, of_metric

SAID_YES = {"micro_f1": 0.5}

ALL_YES = Trials("many", SAID_YES, SAID_YES, SAID_YES)

CASES = [
    of_metric(
        several.labels_share_one_whole,
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
        several.metric_counts_one_label,
        {"perfect": {"accuracy": 1.0}, "single": {"accuracy": 1.0}},
        replace(TRIED, kind="many", perfect={"accuracy": 0.7}, single={"accuracy": 0.7}, several=5),
        rows=5,
    ),
    of_metric(several.threshold_on_logits, {"cut": 0.0}, replace(TRIED, kind="many", cut=0.5)),
    of_metric(
        several.labels_compete,
        {"single": {"accuracy": 0.6}},
        replace(TRIED, kind="many", perfect={"accuracy": 0.6}, single={"accuracy": 0.8}, several=5),
        value=0.6,
        single=0.8,
    ),
    of_metric(
        several.never_a_no, {"always": "no"}, replace(ALL_YES, always="yes"), name="micro_f1"
    ),
    of_metric(
        several.never_a_yes, {"always": "yes"}, replace(ALL_YES, always="no"), name="micro_f1"
    ),
]
