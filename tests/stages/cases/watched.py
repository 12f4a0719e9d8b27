"""Cases of the rules in stages/watched.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.stages import watched
from tests.stages.cases.seen import MEASURED, Case

CASES = [
    Case(
        watched.rate_cut_while_better,
        replace(MEASURED, best_metric="loss", greater_is_better=True, best_by="ReduceLROnPlateau"),
        {"best_by": "EarlyStopping"},
        script='ReduceLROnPlateau(monitor="val_loss", mode="max")',
        says={"name": "loss", "mode": "min"},
    ),
    Case(
        watched.best_is_worst,
        replace(MEASURED, best_metric="eval_loss", greater_is_better=True),
        {"greater_is_better": False},
        says={"name": "loss", "kept": "highest", "better": "lower"},
    ),
    Case(
        watched.gain_out_of_reach,
        replace(MEASURED, best_metric="accuracy", real={"accuracy": 0.4}, least_gain=0.9),
        {"least_gain": 0.01},
        script="EarlyStoppingCallback(early_stopping_threshold=0.9)",
        says={"gain": 0.9, "best": 1.0},
    ),
    Case(
        watched.stops_without_waiting,
        replace(MEASURED, impatient="val_loss"),
        {"impatient": ""},
        script="EarlyStopping(monitor='val_loss')",
        says={"name": "val_loss"},
    ),
]
