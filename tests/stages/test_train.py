"""The rules of the training on plain values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from debugger.pipelines.training import Training
from debugger.script.places import Places
from debugger.stages.judging import CannotJudge, Verdict, View
from debugger.stages.train import (
    constant_predictions,
    diverged,
    does_not_fall,
    labels_put_by_hand,
    learns_train_only,
    stuck_at_chance,
    worse_than_chance,
)
from tests.stages.test_step import FACTS

STUCK = {
    "losses": (1.1,) * 60,
    "accuracies": ((60, 0.34),),
    "predicted": {"0": 256},
    "majority": 0.34,
    "classes": 3,
    "eval_rows": 256,
}
BY_HAND = (
    'labels = rows["label"]\nrows = rows.add_column("labels", labels)\n'
    "Trainer(\n  args=Arguments(learning_rate=1e-4),\n  train_dataset=rows,\n)"
)
UNTOUCHED = "Trainer(\n  args=Arguments(learning_rate=1e-4),\n  train_dataset=rows,\n)"


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ('rows = rows.add_column("labels", y)', 1),
        ('rows = rows.add_column(name="label", column=y)', 1),
        ('frame["label"] = y', 1),
        ('rows = Dataset.from_dict(\n  {"text": x, "label": y}\n)', 2),
        ('frame["label"] = y\nrows = rows.add_column("label", z)', 2),
        ('rows = rows.rename_column("label", "labels")', None),
        ('y = rows["label"]\nrows = rows.add_column("idx", x)', None),
    ],
)
def test_the_last_line_that_puts_labels_beside_rows_is_found(script: str, line: int | None) -> None:
    assert Places(script).written.labels() == line


@pytest.mark.parametrize(
    ("script", "rate", "line"),
    [
        (BY_HAND, 1e-4, 1),
        (BY_HAND, 1e-3, 4),
        (BY_HAND, None, 4),
        (UNTOUCHED, 1e-4, 3),
        (UNTOUCHED, 1e-8, 2),
    ],
)
def test_a_usual_learning_rate_is_not_blamed_for_a_model_that_is_stuck(
    script: str, rate: float | None, line: int
) -> None:
    seen = Training(**STUCK, peak_learning_rate=rate)

    verdict = stuck_at_chance(seen, View(FACTS, Places(script), True))

    assert isinstance(verdict, Verdict)
    assert verdict.line == line


def test_labels_put_by_hand_are_worth_a_look_only_where_nothing_is_learned() -> None:
    view = View(FACTS, Places(BY_HAND), True)
    learned = {**STUCK, "losses": (0.4,) * 60, "accuracies": ((60, 0.8),)}

    suspect = labels_put_by_hand(Training(**STUCK, peak_learning_rate=1e-4), view)
    assert isinstance(suspect, Verdict)
    assert (suspect.severity, suspect.line) == ("look", 1)
    assert labels_put_by_hand(Training(**learned, peak_learning_rate=1e-4), view) is None
    assert labels_put_by_hand(Training(**STUCK, peak_learning_rate=1e-3), view) is None
    alone = labels_put_by_hand(Training(**STUCK, peak_learning_rate=1e-4), View(FACTS))
    assert alone == CannotJudge("no_script")


STRANGER = View(FACTS)
LEARNING = Training(
    losses=(1.1,) * 20 + (0.6,) * 20 + (0.1,) * 20,
    accuracies=((60, 0.36),),
    predicted={"0": 100, "1": 156},
    guesses={(0, 0): 50, (0, 1): 78, (1, 0): 50, (1, 1): 78},
    majority=0.34,
    classes=3,
    eval_rows=256,
    shares=(0.34, 0.33, 0.33),
)


def severity(rule: Any, seen: Training) -> str | None:
    found = rule(seen, STRANGER)
    return found.severity if isinstance(found, Verdict) else None


@pytest.mark.parametrize(("found", "told"), [(30, None), (8, "fault")])
def test_a_loss_that_weighs_rare_classes_may_pay_for_it_in_accuracy(
    found: int, told: str | None
) -> None:
    """Always to say the common one is right more often than to find three in four of each."""
    weighed = replace(
        Training(**STUCK),
        guesses={(0, 0): 168, (0, 1): 49, (1, 0): 39 - found, (1, 1): found},
        majority=217 / 256,
        accuracies=((60, (168 + found) / 256),),
    )

    assert severity(stuck_at_chance, weighed) == told


def test_stuck_is_proved_only_by_steps_that_must_have_shown() -> None:
    stuck = Training(
        **STUCK,
        peak_learning_rate=1e-4,
        weights=22_000_000,
        planned=5760,
        epochs=0.2,
        rates=(1e-4,) * 60,
    )

    assert severity(stuck_at_chance, stuck) == "fault"
    for doubt in (
        {"peak_learning_rate": 2e-5, "rates": (2e-5,) * 60},
        {"weights": 9_000},
        {"epochs": 0.005},
        {"epochs": None, "planned": 36_000},
        {"losses": (0.2, 2.0) * 30},
        {"rates": tuple(1e-4 * (1 - n / 60) for n in range(60))},
    ):
        assert severity(stuck_at_chance, replace(stuck, **doubt)) == "look", doubt
    warm = replace(stuck, rates=tuple(1e-4 * min(1, n / 58) ** 4 for n in range(60)))
    assert stuck_at_chance(warm, STRANGER) == CannotJudge("still_warming_up")
    falling = replace(stuck, eval_losses=((20, 2.1), (40, 1.6), (60, 1.4)))
    assert stuck_at_chance(falling, STRANGER) == CannotJudge("still_on_its_way")
    assert stuck_at_chance(replace(falling, planned=0), STRANGER) == CannotJudge("still_on_its_way")
    assert severity(stuck_at_chance, replace(falling, planned=60)) == "fault"
    settled = replace(stuck, eval_losses=((20, 1.9), (40, 1.41), (60, 1.4)))
    assert severity(stuck_at_chance, settled) == "fault"
    new = View(replace(STRANGER.facts, pretrained=False), STRANGER.places, STRANGER.has_script)
    brisk = replace(stuck, peak_learning_rate=1e-2, rates=(1e-2,) * 60)
    for planned, weights, told in (
        (5760, 9_000, "look"),
        (200, 9_000, "fault"),
        (5760, 22_000_000, "fault"),
    ):
        found = stuck_at_chance(replace(brisk, planned=planned, weights=weights), new)
        assert isinstance(found, Verdict)
        assert found.severity == told


def test_who_tells_unseen_rows_apart_better_at_each_look_is_not_stuck() -> None:
    stuck = Training(
        losses=(0.69,) * 60,
        accuracies=((60, 0.56),),
        classes=2,
        majority=0.56,
        eval_rows=178,
        guesses={(0, 0): 99, (0, 1): 1, (1, 0): 77, (1, 1): 1},
    )

    assert isinstance(stuck_at_chance(stuck, STRANGER), Verdict)
    for costs, tells in (((0.68, 0.66, 0.64), True), ((0.68, 0.64, 0.66), False)):
        seen = replace(stuck, eval_losses=tuple(zip((40, 80, 120), costs, strict=True)))
        assert (stuck_at_chance(seen, STRANGER) is None) == tells
    idle = replace(stuck, eval_losses=((40, 0.72), (80, 0.70), (120, 0.686)))
    assert isinstance(stuck_at_chance(idle, STRANGER), Verdict)


def test_rare_classes_put_the_price_of_guessing_down() -> None:
    rare = Training(
        losses=(0.69,) * 20 + (0.23,) * 40,
        accuracies=((100, 0.95),),
        predicted={"0": 100},
        guesses={(0, 0): 95, (1, 0): 5},
        majority=0.95,
        classes=2,
        eval_rows=100,
        shares=(0.94, 0.06),
    )

    assert severity(learns_train_only, rare) is None
    assert severity(constant_predictions, rare) == "look"
    assert severity(worse_than_chance, rare) is None
    best = replace(rare, losses=(0.01,) * 60, accuracies=((100, 1.0),))
    assert severity(learns_train_only, best) is None
    assert severity(stuck_at_chance, best) is None


@pytest.mark.parametrize(
    ("epochs", "wanted"), [(1.0, "fault"), (0.9, "fault"), (3.0, "look"), (None, "look")]
)
def test_learned_by_heart_is_no_fault_unseen_rows_of_the_first_epoch_are(
    epochs: float | None, wanted: str
) -> None:
    assert severity(learns_train_only, replace(LEARNING, epochs=epochs)) == wanted


def test_a_little_learned_by_heart_is_told_as_something_to_think_about() -> None:
    seen = replace(LEARNING, losses=(1.09,) * 40 + (1.0, 1.02) * 10, epochs=4.0)

    assert severity(learns_train_only, seen) == "look"
    assert severity(learns_train_only, replace(seen, losses=(1.09,) * 60)) is None


def test_few_rows_to_evaluate_on_prove_nothing() -> None:
    assert severity(learns_train_only, replace(LEARNING, epochs=1.0, eval_rows=12)) is None


def test_one_wrong_answer_to_everything_is_no_wrong_label() -> None:
    rare = replace(LEARNING, guesses={(0, 1): 250, (1, 1): 6}, accuracies=((60, 0.02),))

    assert severity(worse_than_chance, rare) is None
    swapped = replace(rare, guesses={(0, 1): 128, (1, 0): 128}, accuracies=((60, 0.0),))
    assert severity(worse_than_chance, swapped) == "fault"


@pytest.mark.parametrize("rule", [stuck_at_chance, worse_than_chance, constant_predictions])
def test_a_training_whose_beginning_was_cut_short_is_not_judged_by_what_it_knows(rule: Any) -> None:
    seen = replace(
        Training(**STUCK, peak_learning_rate=1e-4),
        guesses={(0, 0): 20, (0, 1): 80, (1, 0): 80, (1, 1): 20},
    )

    assert isinstance(rule(seen, View(FACTS)), Verdict)
    known = View(replace(FACTS, cut_short=True))
    assert rule(seen, known) == CannotJudge("cut_short_here")


def test_a_loss_below_nothing_that_falls_on_is_no_divergence() -> None:
    falling = replace(LEARNING, classes=None, losses=(-2.0,) * 20 + (-2.1,) * 40)
    assert severity(diverged, falling) is None


def test_one_easy_first_batch_is_no_divergence() -> None:
    noisy = replace(LEARNING, classes=None, losses=(0.2, *(1.0, 0.3, 0.1, 1.2, 0.5) * 12))

    assert severity(diverged, noisy) in (None, "look")
    assert severity(diverged, replace(noisy, losses=(0.2, *(3.0, 4.0) * 30))) == "fault"


def test_a_rate_that_still_climbs_excuses_a_loss_that_does_not_fall() -> None:
    flat = replace(LEARNING, classes=None, losses=(2.0,) * 60)

    assert severity(does_not_fall, flat) == "look"
    assert does_not_fall(replace(flat, warming_up=True), STRANGER) == CannotJudge(
        "still_warming_up"
    )
