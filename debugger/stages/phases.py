"""Trainings in phases: what was frozen, thawed, compiled again, and by which optimizer it goes."""

from __future__ import annotations

import math
import re

from debugger.pipelines.step import Step
from debugger.stages.judging import (
    NO_SCRIPT,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Verdict,
    View,
    fault,
    look,
)

NEARLY = 1e-3


def not_compiled_again(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """The step that was traced for the training before goes on with the weights of that one."""
    if seen.phases is None:
        return NOT_FOR_THIS_TASK
    unseen = seen.phases.unseen
    if unseen is None:
        return None
    changed = {"thawed": unseen.thawed, "frozen": unseen.frozen}
    line = view.places.last_set("trainable", before=view.places.training_line)
    return fault(line or view.places.training_line, **changed)


def optimizer_knows_others(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """An optimizer of Keras holds something for each weight that it began with, and for no more."""
    if seen.phases is None:
        return NOT_FOR_THIS_TASK
    failure = seen.failure
    told = failure and re.search(r"optimizer cannot recognize variable (\S+?)\.? ", failure.message)
    if failure is None or not told:
        return None
    return fault(seen.phases.compiled_at or failure.line, name=told[1])


def rate_ignored(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Today's optimizers take `lr`, warn, and go by their default."""
    if seen.phases is None:
        return NOT_FOR_THIS_TASK
    ignored, rate = seen.phases.ignored, seen.peak_learning_rate
    if ignored is None or rate is None or math.isclose(ignored[0], rate, rel_tol=NEARLY):
        return None
    return fault(view.places.argument_at("lr", ignored[1]), asked=ignored[0], rate=rate)


def kept_through_folds(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """One model for all folds: from the second on it has met the rows that it is asked about."""
    if not view.has_script:
        return NO_SCRIPT
    kept = None if seen.failure else view.places.kept_through_folds
    if kept is None:
        return None
    return (fault if kept.asked else look)(kept.line, model=kept.model, at=kept.at)


RULES: tuple[Rule, ...] = (
    not_compiled_again,
    optimizer_knows_others,
    rate_ignored,
    kept_through_folds,
)
