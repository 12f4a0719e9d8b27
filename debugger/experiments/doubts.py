"""What leaves a training in doubt."""

from collections.abc import Iterable

from debugger.outcome import Finding

DOUBTS = (
    "cannot_memorise",
    "diverged",
    "stuck_at_chance",
    "constant_predictions",
    "learns_train_only",
    "does_not_fall",
)
"""Findings that say that it does not learn, and not why."""


def in_doubt(findings: Iterable[Finding]) -> bool:
    return any(finding.code in DOUBTS for finding in findings)
