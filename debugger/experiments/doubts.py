"""What leaves a training in doubt."""

from collections.abc import Iterable, Sequence
from statistics import mean

from debugger.outcome import Finding

DOUBTS = (
    "cannot_memorise",
    "memorises_slowly",
    "memorises_in_time",
    "diverged",
    "stuck_at_chance",
    "constant_predictions",
    "learns_train_only",
    "does_not_fall",
)
"""Findings that say that it does not learn, and not why."""
NOT_YET = ("stuck_at_chance", "constant_predictions")
"""Those of them that more steps may put an end to."""
OF_LABELS = ("labels_put_by_hand",)
"""What is to be thought of where labels may not belong to their rows."""
OF_THE_PLAN = (
    "accumulation_beyond_epoch",
    "few_updates",
    "max_steps_cuts_epochs",
    "rate_gone_early",
    "rate_small_for_new",
    "warmup_longer_than_run",
)
"""Findings that say that the plan is odd, and not what comes of it."""
FALLEN = 0.7
LAST = 10
UNRELATED = frozenset({"leak", "imbalanced", "trained_already", "kept_through_folds"})
"""Faults before the training that say nothing of how it goes; nor do any of `evaluate`."""


def in_doubt(findings: Iterable[Finding]) -> bool:
    return any(finding.code in DOUBTS for finding in findings)


def odd_plan(findings: Iterable[Finding]) -> bool:
    return any(one.code in OF_THE_PLAN and one.severity == "look" for one in findings)


def hardly_fell(losses: Sequence[float | None]) -> bool:
    """Whether the last steps of a training cost nearly as much as its first one, or no number."""
    known = [loss for loss in losses if loss is not None]
    if len(known) < 2 * LAST:
        return False
    return len(known) < len(losses) or mean(known[-LAST:]) > FALLEN * mean(known[:3])
