"""Cases of the rules in stages/tagged.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.trials import Trials
from debugger.stages import tagged
from tests.stages.cases.seen import MEASURED, TRIED, Case, of_metric
from tests.stages.test_step import FACTS

TRIED_TOKENS = Trials("tokens", {"f1": 1.0}, {"f1": 0.8}, {"f1": 0.6}, common=0)

CASES = [
    of_metric(
        tagged.metric_counts_ignored,
        {"perfect": {"accuracy": 1.0}},
        replace(TRIED, ignored=0.25, perfect={"accuracy": 0.75}),
        share=0.25,
        value=0.75,
    ),
    Case(
        tagged.metric_takes_first_places,
        replace(MEASURED, trials=replace(TRIED_TOKENS, perfect={"f1": 0.2}, packed={"f1": 1.0})),
        {"trials": replace(TRIED_TOKENS, packed={"f1": 0.2})},
        says={"name": "f1", "value": 0.2, "packed": 1.0},
    ),
    Case(
        tagged.outside_counted,
        replace(MEASURED, trials=replace(TRIED_TOKENS, constant={"f1": 0.8})),
        {"trials": replace(TRIED_TOKENS, constant={"f1": 0.13})},  # one of six, as of a macro mean
        facts=replace(FACTS, label_names=("O", "B-PER")),
        says={"name": "f1", "value": 0.8, "outside": "O"},
    ),
    Case(
        tagged.strays_uncounted,
        replace(MEASURED, trials=replace(TRIED_TOKENS, strayed=TRIED_TOKENS.perfect)),
        {"trials": replace(TRIED_TOKENS, strayed={"f1": 0.4})},
        facts=replace(FACTS, label_names=("O", "B-PER")),
        says={"name": "f1", "value": 1.0, "common": "O"},
    ),
    of_metric(
        tagged.metric_not_shifted,
        {"in_place": {"accuracy": 0.1}, "perfect": {"accuracy": 1.0}},
        replace(TRIED, perfect={"accuracy": 0.1}, in_place={"accuracy": 1.0}),
        in_place=1.0,
    ),
]
