"""What leaves a training in doubt."""

from collections.abc import Iterable

from debugger.outcome import Finding

DOUBTS = (
    "cannot_memorise",
    "memorises_slowly",
    "diverged",
    "stuck_at_chance",
    "constant_predictions",
    "learns_train_only",
    "does_not_fall",
)
"""Findings that say that it does not learn, and not why."""
UNRELATED = frozenset({"leak", "imbalanced", "trained_already"})
"""Faults before the training that say nothing of how it goes; nor do any of `evaluate`."""


def in_doubt(findings: Iterable[Finding]) -> bool:
    return any(finding.code in DOUBTS for finding in findings)
