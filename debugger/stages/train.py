"""Does it really learn? The first steps of the real training, against chance and the twin."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from debugger.evidence.tables import matrix
from debugger.outcome import Evidence
from debugger.pipelines.curve import rows_of_each
from debugger.pipelines.face import Emit, Pipeline
from debugger.pipelines.facts import Facts
from debugger.pipelines.training import Training
from debugger.stages import turning
from debugger.stages.chance import (
    agreement,
    guessing_costs,
    interval,
    mean_within,
)
from debugger.stages.judging import (
    NO_SCRIPT,
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
from debugger.stages.overfit import tells_no_loss
from debugger.stages.step import RATHER_LOW, rather_high

ENOUGH_STEPS = 60
AT_FULL_RATE = 40
LAST = 20
MARGIN = 0.05
NEAR_GUESSING = 0.8
BELOW_ANY = 0.03
"""By so much less than any one answer; luck takes off far less where rows are a hundred."""
FULL = 0.5
"""Of the highest rate; what a warm-up or a decay leaves below that is too small to judge by."""
EARLY = 0.1
"""Of the rows, or of a plan of steps: before that much of many, nothing need show."""
BEGUN = 0.25
"""Of the plan: so far a small net that begins at random may have come nowhere, and still learn."""
LAGS = 0.1
"""Of what averages began with: with more of it left they are not what the batches are like."""
LARGE = 5_000_000
BRISK, BRISK_FOR_SMALL = 5e-5, 1e-3
"""Rates at which a large and a small model must show something: docs/CLAIMS.md."""
USUAL_FOR_NEW = 1e-4, 5e-3
"""Between these new weights are trained: then the rate is not to blame."""
ONE_SIDED = 0.75
GENERALISED = 0.7
FAR_BELOW = 4.0
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
        return CannotJudge("no_loss_told" if tells_no_loss(seen) else "too_few_steps")
    broken = next((n for n, y in enumerate(seen.losses, 1) if not math.isfinite(y)), None)
    if broken is not None:
        return fault(None, step=broken, first=seen.losses[0], last=seen.losses[-1])
    first = seen.losses[0]
    chance = math.log(seen.classes) if seen.classes and seen.classes > 1 else first
    recent = seen.losses[-LAST:]
    last, within = mean_within(recent)
    if len(seen.losses) < LAST or first < 0 or last < 2 * max(first, chance):
        return None
    # One easy first batch makes all that follows look bad: then some of it is as low again.
    sure = min(recent) > first and last - within > 1.5 * max(first, chance)
    return (fault if sure else look)(None, step=len(seen.losses), first=first, last=last)


def stuck_at_chance(seen: Training, view: View) -> Verdict | CannotJudge | None:
    if blind := _cannot_judge(seen, view):
        return blind
    chance, last = _guessing(seen), _mean(seen.losses[-LAST:])
    accuracy = _last_accuracy(seen) or 0.0
    if last < (1 - MARGIN) * chance or _beats_the_majority(seen) or _tells_unseen_apart(seen):
        return None
    if seen.warming_up or _just_warm(seen):
        return CannotJudge("still_warming_up")
    if _is_on_its_way(seen) and not 0 < seen.planned <= len(seen.losses):
        return CannotJudge("still_on_its_way")
    line = view.places.rate() or view.places.argument("optimizer")
    if _usual_rate(seen, view):
        line = (
            view.places.written.labels()
            or view.places.argument("train_dataset")
            or view.places.call("to_tf_dataset")
        )
    new = not view.facts.pretrained and seen.weights < LARGE
    new = new and len(seen.losses) < BEGUN * seen.planned
    verdict = fault if _had_its_chance(seen) and not new else look
    return verdict(line, loss=last, chance=chance, accuracy=accuracy, steps=len(seen.losses))


def labels_put_by_hand(seen: Training, view: View) -> Verdict | CannotJudge | None:
    """Stuck at a usual rate, in a script that puts labels beside rows: do they belong there?"""
    if blind := _cannot_judge(seen, view):
        return blind
    if not view.has_script:
        return NO_SCRIPT
    line = view.places.written.labels()
    if line is None or not _usual_rate(seen, view):
        return None
    if isinstance(labels_shuffled_apart(seen, view), Verdict):
        return None  # which says more
    stuck = isinstance(stuck_at_chance(seen, view), Verdict)
    return look(line, rate=seen.peak_learning_rate) if stuck else None


def labels_shuffled_apart(seen: Training, view: View) -> Verdict | CannotJudge | None:
    """Unseen rows are answered by luck, and a line of the script parts labels from their rows."""
    if blind := _cannot_judge(seen, view):
        return blind
    if not view.has_script:
        return NO_SCRIPT
    line = view.places.labels_torn()
    if line is None or seen.has_words or _beats_the_majority(seen):
        return None  # where words stand beside the labels, the data stage has judged by them
    numbers = {"accuracy": _last_accuracy(seen), "majority": seen.majority}
    stuck = stuck_at_chance(seen, view)
    proved = isinstance(stuck, Verdict) and stuck.severity == "fault"
    made = look if view.places.rows_made_of_labels(line) or not proved else fault
    return made(line, rows=seen.eval_rows, **numbers)


def constant_predictions(seen: Training, view: View) -> Verdict | CannotJudge | None:
    """One answer to everything. Where most rows are of one class, that is how learning begins."""
    if blind := _cannot_judge(seen, view):
        return blind
    if len(seen.predicted) != 1 or seen.majority == 1:
        return None
    if _averages_lag(seen):
        return CannotJudge("averages_lag")
    if seen.warming_up:
        return CannotJudge("still_warming_up")
    label = next(iter(seen.predicted))
    names = view.facts.label_names or ()
    name = names[int(label)] if label.isdigit() and int(label) < len(names) else label
    stuck = stuck_at_chance(seen, view)
    proved = isinstance(stuck, Verdict) and stuck.severity == "fault"
    verdict = fault if proved and (seen.majority or 0) < ONE_SIDED else look
    return verdict(None, name=name, rows=seen.eval_rows, steps=len(seen.losses))


def learns_train_only(seen: Training, view: View) -> Verdict | CannotJudge | None:
    """Rows that it had not met were answered well in the first epoch: then others are different.

    What was learned later may have been learned by heart, which few rows always are.
    """
    if blind := _cannot_judge(seen, view):
        return blind
    chance, (last, within) = _guessing(seen), mean_within(seen.losses[-LAST:])
    accuracy, majority = _last_accuracy(seen) or 0.0, seen.majority or 0.0
    at_best = interval(accuracy, seen.eval_rows)[1]
    if last >= (1 - MARGIN) * chance or _beats_the_majority(seen):
        return None
    if at_best > majority + (1 - majority) / 3:
        return None
    if _averages_lag(seen):
        return CannotJudge("averages_lag")
    new = seen.losses[: int(len(seen.losses) / seen.epochs)] if seen.epochs else ()
    met, about = mean_within(new[-LAST:]) if len(new) >= LAST else (chance, 0.0)
    proved = last + within < chance / 2 and met + about < GENERALISED * chance
    return (fault if proved else look)(
        None, loss=last, chance=chance, accuracy=accuracy, majority=majority
    )


def worse_than_chance(seen: Training, view: View) -> Verdict | CannotJudge | None:
    """Well below luck cannot be bad luck: the labels mean something else over there.

    Luck is what as many of each answer would get right if they were dealt out blindly.
    """
    if blind := _cannot_judge(seen, view):
        return blind
    if not seen.guesses:
        return CannotJudge("nothing_predicted")
    accuracy, even, spread = agreement(seen.guesses)
    if accuracy > even - FAR_BELOW * spread:
        return None
    if _averages_lag(seen):
        return CannotJudge("averages_lag")
    return fault(
        view.places.argument("eval_dataset") or view.places.fits.validated(),
        accuracy=accuracy,
        even=even,
    )


def does_not_fall(seen: Training, view: View) -> Verdict | CannotJudge | None:
    """For tasks without classes: the loss after the first steps is not below where it began."""
    if seen.classes is not None:
        return NOT_FOR_THIS_TASK
    if tells_no_loss(seen):
        return CannotJudge("no_loss_told")
    if len(seen.losses) < ENOUGH_STEPS:
        return CannotJudge("too_few_steps")
    if seen.warming_up:
        return CannotJudge("still_warming_up")
    first, last = _mean(seen.losses[:LAST]), _mean(seen.losses[-LAST:])
    return look(None, first=first, last=last, steps=len(seen.losses)) if last >= first else None


RULES: tuple[Rule, ...] = (
    diverged,
    stuck_at_chance,
    labels_put_by_hand,
    labels_shuffled_apart,
    constant_predictions,
    learns_train_only,
    worse_than_chance,
    does_not_fall,
    *turning.RULES,
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


def _cannot_judge(seen: Training, view: View) -> CannotJudge | None:
    if seen.classes is None or seen.classes < 2:
        return NOT_FOR_THIS_TASK
    if view.facts.cut_short:
        return CannotJudge("cut_short_here")
    if not seen.accuracies or seen.majority is None:
        return CannotJudge("no_eval_set")
    return CannotJudge("too_few_steps") if len(seen.losses) < ENOUGH_STEPS else None


def _guessing(seen: Training) -> float:
    """What guessing by the shares of the classes costs; by their number, where nobody counted."""
    return guessing_costs(seen.shares) or math.log(seen.classes or 2)


def surely_learns(seen: Training) -> bool:
    """Unseen rows are told apart better than luck would do it."""
    accuracy, majority = _last_accuracy(seen), seen.majority
    if accuracy is None or majority is None:
        return False
    return interval(accuracy, seen.eval_rows)[0] > majority + MARGIN


def _beats_the_majority(seen: Training) -> bool:
    accuracy, majority = _last_accuracy(seen) or 0.0, seen.majority or 0.0
    beats = accuracy > majority + MARGIN or interval(accuracy, seen.eval_rows)[0] > majority
    return beats or _finds_each_class(seen)


def _finds_each_class(seen: Training) -> bool:
    """Rows of each class are surely found more often, on average, than by luck. A loss that weighs
    rare classes pays for that in accuracy."""
    rows = rows_of_each(seen.guesses)
    least = [interval(seen.guesses.get((n, n), 0) / rows[n], rows[n])[0] for n in rows]
    return len(least) > 1 and sum(least) / len(least) > 1 / len(least)


def _at_full_rate(seen: Training) -> int:
    """How many steps were taken at a rate that counts."""
    highest = max(seen.peak_learning_rate or 0.0, *seen.rates)
    return sum(rate >= FULL * highest for rate in seen.rates)


def _just_warm(seen: Training) -> bool:
    """A warm-up that took most of the steps is only over."""
    if not seen.rates or seen.rates[-1] < FULL * max(seen.rates):
        return False
    return _at_full_rate(seen) < LAST


def _had_its_chance(seen: Training) -> bool:
    """Enough of the rows, at rates that must show, with a loss that is surely that of guessing."""
    mean, within = mean_within(seen.losses[-LAST:])
    rate = seen.peak_learning_rate
    brisk = BRISK if seen.weights >= LARGE else BRISK_FOR_SMALL
    return (
        not seen.out_of_time
        and mean - within > NEAR_GUESSING * _guessing(seen)
        and (len(seen.losses) / max(1, seen.planned) if seen.epochs is None else seen.epochs)
        >= EARLY
        and (not seen.rates or _at_full_rate(seen) >= AT_FULL_RATE)
        and (rate is None or rate >= brisk)
    )


def _averages_lag(seen: Training) -> bool:
    """Unseen rows are answered by averages that the rest of the training would still move on."""
    return seen.lagging > LAGS and len(seen.losses) < seen.planned


def _is_on_its_way(seen: Training) -> bool:
    """Unseen rows cost more than guessing does, and less at each look: it began far off, as a
    narrow net does, and is not there yet."""
    if len(seen.eval_losses) < 2:
        return False
    (_, before), (_, now) = seen.eval_losses[-2:]
    chance = _guessing(seen)
    return now > (1 + MARGIN) * chance and before - now > MARGIN * chance


def _tells_unseen_apart(seen: Training) -> bool:
    """Unseen rows cost less than one answer to all of them costs at best, and less at each look."""
    costs, counts = [loss for _, loss in seen.eval_losses], rows_of_each(seen.guesses)
    least = guessing_costs(count / counts.total() for count in counts.values())
    falls = len(costs) > 1 and all(now < before for before, now in pairwise(costs))
    return falls and costs[-1] < (1 - BELOW_ANY) * least


def _usual_rate(seen: Training, view: View) -> bool:
    """Nothing that the step stage would say of the rate: then it is not to blame."""
    rate = seen.peak_learning_rate
    pretrained = RATHER_LOW, rather_high(seen.weights)
    low, high = pretrained if view.facts.pretrained else USUAL_FOR_NEW
    return rate is not None and low < rate <= high


def _last_accuracy(seen: Training) -> float | None:
    return seen.accuracies[-1][1] if seen.accuracies else None


def _mean(values: Any) -> float:
    return sum(values) / len(values)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
