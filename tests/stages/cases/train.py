"""Cases of the rules in stages/train.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.stages import train
from tests.stages.cases.seen import TRAINED, Case

CASES = [
    Case(
        train.diverged,
        replace(TRAINED, losses=(1.1,) * 20 + (2.5,) * 20),
        {"losses": (1.1,) * 20 + (2.1,) * 20},
        says={"step": 40},
    ),
    Case(
        train.constant_predictions,
        replace(TRAINED, predicted={"1": 256}),
        {"predicted": {"1": 255, "0": 1}},
        says={"name": "maybe"},
    ),
    Case(
        train.learns_train_only,
        replace(TRAINED, accuracies=((60, 0.38),)),
        {"accuracies": ((60, 0.4),)},
        says={"accuracy": 0.38, "majority": 0.34},
    ),
    Case(
        train.labels_shuffled_apart,
        replace(TRAINED, accuracies=((60, 0.34),)),
        {"accuracies": ((60, 0.8),)},
        script="random.shuffle(labels)",
        says={"accuracy": 0.34, "majority": 0.34, "rows": 256},
    ),
    Case(
        train.worse_than_chance,
        replace(TRAINED, guesses={(0, 0): 20, (0, 1): 80, (1, 0): 80, (1, 1): 20}),
        {"guesses": {(0, 0): 40, (0, 1): 60, (1, 0): 60, (1, 1): 40}},
        says={"accuracy": 0.2, "even": 0.5},
    ),
    Case(
        train.does_not_fall,
        replace(TRAINED, classes=None, losses=(2.0,) * 60),
        {"losses": (2.0,) * 40 + (1.9,) * 20},
        says={"steps": 60},
    ),
]
