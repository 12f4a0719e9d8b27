"""The rules of the training on plain values."""

from __future__ import annotations

import pytest

from debugger.pipelines.face import Training
from debugger.script.places import Places
from debugger.stages.judging import CannotJudge, Verdict, View
from debugger.stages.train import labels_put_by_hand, stuck_at_chance
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
    assert Places(script).labels_written() == line


@pytest.mark.parametrize(
    ("script", "rate", "line"),
    [
        (BY_HAND, 1e-4, 2),
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
    assert (suspect.severity, suspect.line) == ("look", 2)
    assert labels_put_by_hand(Training(**learned, peak_learning_rate=1e-4), view) is None
    assert labels_put_by_hand(Training(**STUCK, peak_learning_rate=1e-3), view) is None
    alone = labels_put_by_hand(Training(**STUCK, peak_learning_rate=1e-4), View(FACTS))
    assert alone == CannotJudge("no_script")
