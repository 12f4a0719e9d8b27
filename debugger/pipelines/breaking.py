"""Where the rest of a script breaks off, whatever the trained model answers."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from debugger.failure import failure_of, is_ours
from debugger.script.remainder import gives, reads

_TOLD = ("ValueError", "TypeError", "IndexError", "AxisError", "InvalidArgumentError")
"""What a wrong shape or a wrong kind of numbers leads to. All else may come of what was left out of
the rest, or of where it was run."""
_COUNTED = ("inconsistent numbers of samples", "broadcast", "incompatible", "same length")
"""What is said where there are answers to more rows, or to fewer, than there are labels."""


@dataclass(frozen=True)
class Step:
    """One statement. `blind`: it names what only a statement that was left out knows. `ended` is
    what it ended in for each way of answering, `asked`: it asks the model, `measured`: it has it
    evaluated, and `given` is what it gives a name to."""

    statement: ast.stmt
    line: int | None
    blind: bool
    ended: tuple[Exception | None, ...]
    asked: bool
    measured: bool
    given: dict[str, Any] = field(repr=False)


def broken_off(steps: Iterable[Step], answers: tuple[int, ...]) -> tuple[str, int] | None:
    """What Python says of the first statement that fails, and the line to blame; None where that
    may not be the script's own doing. `answers` is their shape.

    Answers that are no longer one a row are to blame where they were made so.
    """
    hangs: set[str] = set()
    uneven: dict[str, int | None] = {}
    for step in steps:
        behind = reads(step.statement)
        on_answers = step.asked or bool(behind & hangs)
        lost = [uneven[name] for name in sorted(behind) if name in uneven]
        if step.measured and isinstance(step.ended[0], TypeError | ValueError):
            on_answers = on_answers or "unpack" in str(step.ended[0])
        if any(error is not None for error in step.ended):
            return _told(step, lost[0] if lost else None) if on_answers else None
        if on_answers:
            hangs |= gives(step.statement)
            for name, value in step.given.items():
                rows = _rows(value)
                if lost or (answers and rows is not None and rows != answers[0]):
                    uneven[name] = lost[0] if lost else step.line
    return None


def _told(step: Step, uneven: int | None) -> tuple[str, int] | None:
    first = step.ended[0]
    if first is None or step.blind or any(type(one) is not type(first) for one in step.ended):
        return None
    if is_ours(first) or type(first).__name__ not in _TOLD:
        return None
    failure = failure_of(first)
    line = uneven if uneven and any(map(failure.says, _COUNTED)) else failure.line
    return None if line is None else (f"{failure.exception}: {failure.message}", line)


def _rows(value: Any) -> int | None:
    return len(value) if isinstance(value, np.ndarray) and value.ndim else None
