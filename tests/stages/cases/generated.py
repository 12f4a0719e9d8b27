"""Cases of the rules in stages/generated.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.trials import Trials
from debugger.stages import generated
from tests.stages.cases.seen import MEASURED, TRIED, Case, failed, of_metric

DECODED = ((False, 7), (True, 9))

NEVER_RIGHT = Trials("texts", {"exact": 0.0}, {"exact": 0.0}, {"exact": 0.0})

CASES = [
    Case(
        generated.answers_drawn_out,
        replace(MEASURED, least=5, wanted=(3, 5, 4, 7)),
        {"least": 3},
        script="model.generation_config.min_length = 5",
        says={"least": 5, "share": 0.5},
    ),
    Case(
        generated.answers_cut,
        replace(MEASURED, written=4, wanted=(3, 5, 6, 7)),
        {"written": 12},
        says={"written": 4, "share": 0.75},
    ),
    Case(
        generated.decoded_unlike,
        replace(MEASURED, decoded=DECODED, trials=NEVER_RIGHT),
        {"decoded": ((True, 7), (True, 9))},
    ),
    of_metric(
        generated.metric_ignores_order,
        {"backwards": {"exact": 0.0}},
        replace(TRIED, perfect={"exact": 1.0}, drawn={"exact": 0.0}, backwards={"exact": 1.0}),
        name="exact",
        value=1.0,
    ),
    Case(
        generated.decodes_ignored,
        replace(
            MEASURED,
            failure=failed("OverflowError", "out of range integral type conversion attempted"),
        ),
        {"failure": None},
    ),
]
