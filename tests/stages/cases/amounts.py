"""Cases of the rules in stages/amounts.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.trials import Trials
from debugger.stages import amounts
from tests.stages.cases.seen import MEASURED, TRIED, Case, of_metric

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

CASES = [
    Case(
        amounts.scaled_back_twice,
        replace(MEASURED, trials=replace(IN_DEVIATIONS, nudged={"mae": 0.001}), scale=(9.0, 2.0)),
        {"scale": (0.0, 1.0)},
        says={"name": "mae", "times": 2.0, "deviation": 2.0},
    ),
    of_metric(
        amounts.metric_error_on_perfect,
        {"perfect": {"eval_mae": 0.0}},
        Trials("amounts", {"eval_mae": 80.0}, {"eval_mae": 81.0}, {"eval_mae": 82.0}),
        name="eval_mae",
        value=80.0,
        drawn=82.0,
    ),
    of_metric(
        amounts.metric_mixes_rows,
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
    Case(
        amounts.error_in_scaled_units,
        replace(MEASURED, trials=IN_DEVIATIONS, scale=(0.0, 1.0)),
        {"trials": replace(IN_DEVIATIONS, nudged={"mae": 0.03})},
        script="scale = StandardScaler()\ny = scale.fit_transform(y)",
        says={"name": "mae", "scaled": 2, "deviation": 1.0},
    ),
    Case(
        amounts.error_with_sign,
        replace(MEASURED, trials=WITH_SIGN),
        {"trials": replace(WITH_SIGN, drawn={"mae": 0.9})},
        says={"name": "mae", "value": 0.0},
    ),
    of_metric(
        amounts.amounts_held_equal,
        {"nudged": {"accuracy": 1.0}},
        replace(TRIED, nudged={"accuracy": 0.0}),
        nudged=0.0,
    ),
    of_metric(
        amounts.accuracy_of_amounts,
        {"kind": "classes"},
        replace(TRIED, kind="amounts", perfect={"accuracy": 0.0}),
        name="accuracy",
    ),
]
