"""Does it really learn? The first steps of the real training, against chance and the twin."""

from __future__ import annotations

import math
from typing import Any

from debugger.evidence.tables import matrix
from debugger.outcome import Evidence
from debugger.pipelines.face import Emit, Facts, Pipeline, Training
from debugger.stages.judging import (
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Stage,
    Verdict,
    View,
    fault,
    look,
    snippet,
    traceback_shown,
)
from debugger.stages.step import RATHER_HIGH, RATHER_LOW

ENOUGH_STEPS = 60
LAST = 20
MARGIN = 0.05
PARTED = 0.15
"""How far two smoothed losses must lie apart to have parted."""


def steps_for(stage: str | None, least: int) -> int:
    """How long to train: looked at by itself, `train` shows enough steps to judge by."""
    return max(least, ENOUGH_STEPS) if stage == "train" else least


def observe(pipeline: Pipeline, emit: Emit, steps: int, seconds: float | None = None) -> Training:
    return pipeline.train(steps, emit, seconds)


def measured(seen: Training) -> dict[str, Any]:
    return {
        "accuracy": _last_accuracy(seen),
        "majority": seen.majority,
        "steps": len(seen.losses),
        "planned": seen.planned,
        "losses": [_finite(loss) for loss in seen.losses],
        "accuracies": [list(point) for point in seen.accuracies],
    }


def show(seen: Training, facts: Facts) -> list[Evidence]:
    shown = traceback_shown("train", seen.failure, snippet(facts, "train"))
    if seen.losses:
        series: dict[str, Any] = {"loss": [[n, _finite(y)] for n, y in enumerate(seen.losses, 1)]}
        if seen.accuracies:
            series["accuracy"] = [list(point) for point in seen.accuracies]
        if seen.eval_losses:
            series["eval_loss"] = [list(point) for point in seen.eval_losses]
        marks = {"chance": math.log(seen.classes)} if seen.classes and seen.classes > 1 else {}
        if seen.majority is not None:
            marks["majority"] = seen.majority
        data = {"series": series, "marks": marks}
        shown.append(Evidence("chart", "learning", "train", data, snippet(facts, "learning")))
    if seen.guesses:
        typed = snippet(facts, "predicted")
        shown.append(matrix("predicted", "train", seen.guesses, facts.label_names, typed))
    return shown


def diverged(seen: Training, view: View) -> Verdict | CannotJudge | None:
    if not seen.losses:
        return CannotJudge("too_few_steps")
    broken = next((n for n, y in enumerate(seen.losses, 1) if not math.isfinite(y)), None)
    if broken is not None:
        return fault(None, step=broken, first=seen.losses[0], last=seen.losses[-1])
    chance = math.log(seen.classes) if seen.classes and seen.classes > 1 else seen.losses[0]
    last = _mean(seen.losses[-LAST:])
    if len(seen.losses) < LAST or last < 2 * max(seen.losses[0], chance):
        return None
    return fault(None, step=len(seen.losses), first=seen.losses[0], last=last)


def stuck_at_chance(seen: Training, view: View) -> Verdict | CannotJudge | None:
    if blind := _cannot_judge(seen):
        return blind
    chance, last = math.log(seen.classes or 2), _mean(seen.losses[-LAST:])
    accuracy = _last_accuracy(seen) or 0.0
    if last < chance - MARGIN or accuracy > (seen.majority or 0) + MARGIN:
        return None
    if seen.warming_up:
        return CannotJudge("still_warming_up")
    line = view.places.argument("learning_rate", "lr", "optimizer")
    if _usual_rate(seen, view):
        line = (
            view.places.labels_written()
            or view.places.argument("train_dataset")
            or view.places.call("to_tf_dataset")
        )
    return fault(line, loss=last, chance=chance, accuracy=accuracy, steps=len(seen.losses))


def labels_put_by_hand(seen: Training, view: View) -> Verdict | CannotJudge | None:
    """Stuck at a usual rate, in a script that puts labels beside rows: do they belong there?"""
    if blind := _cannot_judge(seen):
        return blind
    if not view.has_script:
        return CannotJudge("no_script")
    line = view.places.labels_written()
    if line is None or not _usual_rate(seen, view):
        return None
    stuck = isinstance(stuck_at_chance(seen, view), Verdict)
    return look(line, rate=seen.peak_learning_rate) if stuck else None


def constant_predictions(seen: Training, view: View) -> Verdict | CannotJudge | None:
    if blind := _cannot_judge(seen):
        return blind
    if len(seen.predicted) != 1:
        return None
    if seen.warming_up:
        return CannotJudge("still_warming_up")
    label = next(iter(seen.predicted))
    names = view.facts.label_names or ()
    name = names[int(label)] if label.isdigit() and int(label) < len(names) else label
    return fault(None, name=name, rows=seen.eval_rows, steps=len(seen.losses))


def learns_train_only(seen: Training, view: View) -> Verdict | CannotJudge | None:
    if blind := _cannot_judge(seen):
        return blind
    chance, last = math.log(seen.classes or 2), _mean(seen.losses[-LAST:])
    accuracy = _last_accuracy(seen) or 0.0
    if last > chance / 2 or accuracy > (seen.majority or 0) + MARGIN:
        return None
    return fault(None, loss=last, chance=chance, accuracy=accuracy, majority=seen.majority)


def worse_than_chance(seen: Training, view: View) -> Verdict | CannotJudge | None:
    """Well below chance cannot be bad luck: the labels mean something else over there."""
    if blind := _cannot_judge(seen):
        return blind
    accuracy, even = _last_accuracy(seen) or 0.0, 1 / (seen.classes or 2)
    spread = math.sqrt(even * (1 - even) / max(1, seen.eval_rows))
    if accuracy > even - 4 * spread:
        return None
    return fault(
        view.places.argument("eval_dataset", "validation_data"), accuracy=accuracy, even=even
    )


def does_not_fall(seen: Training, view: View) -> Verdict | CannotJudge | None:
    """For tasks without classes: the loss after the first steps is not below where it began."""
    if seen.classes is not None:
        return NOT_FOR_THIS_TASK
    if len(seen.losses) < ENOUGH_STEPS:
        return CannotJudge("too_few_steps")
    first, last = _mean(seen.losses[:LAST]), _mean(seen.losses[-LAST:])
    return look(None, first=first, last=last, steps=len(seen.losses)) if last >= first else None


RULES: tuple[Rule, ...] = (
    diverged,
    stuck_at_chance,
    labels_put_by_hand,
    constant_predictions,
    learns_train_only,
    worse_than_chance,
    does_not_fall,
)
TRAIN = Stage("train", observe, show, measured, RULES, trains=True)


def parted_at(losses: list[float | None], twin: list[float | None]) -> int | None:
    """The first step from which the two smoothed losses stay apart to the end, if they do."""
    here, there = _smoothed(losses), _smoothed(twin)
    apart = [
        a is None or b is None or abs(a - b) > PARTED for a, b in zip(here, there, strict=False)
    ]
    if not apart or not apart[-1]:
        return None
    return max((n for n, far in enumerate(apart, 1) if not far), default=0) + 1


def _smoothed(losses: list[float | None], window: int = 10) -> list[float | None]:
    spans = [losses[max(0, n - window) : n] for n in range(1, len(losses) + 1)]
    return [
        None if any(y is None for y in span) else _mean([y for y in span if y is not None])
        for span in spans
    ]


def _cannot_judge(seen: Training) -> CannotJudge | None:
    if seen.classes is None or seen.classes < 2:
        return NOT_FOR_THIS_TASK
    if not seen.accuracies or seen.majority is None:
        return CannotJudge("no_eval_set")
    return CannotJudge("too_few_steps") if len(seen.losses) < ENOUGH_STEPS else None


def _usual_rate(seen: Training, view: View) -> bool:
    """Nothing that the step stage would say of the rate: then it is not to blame."""
    rate = seen.peak_learning_rate
    return view.facts.pretrained and rate is not None and RATHER_LOW < rate <= RATHER_HIGH


def _last_accuracy(seen: Training) -> float | None:
    return seen.accuracies[-1][1] if seen.accuracies else None


def _mean(values: Any) -> float:
    return sum(values) / len(values)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
