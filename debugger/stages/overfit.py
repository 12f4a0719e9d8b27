"""Can it memorise one batch? Twenty steps on the same rows. If not, the fault is in the set-up."""

from __future__ import annotations

import math
from typing import Any

from debugger.evidence.tables import say, table
from debugger.outcome import Evidence
from debugger.pipelines.face import Emit, Facts, Memory, Pipeline
from debugger.stages.judging import (
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

STEPS = 20
FALLEN = 0.7
"""Of the first loss; a model that memorises falls well below it in twenty steps."""


def observe(pipeline: Pipeline, emit: Emit, steps: int, seconds: float | None = None) -> Memory:
    return pipeline.overfit(steps, emit, seconds)


def measured(seen: Memory) -> dict[str, Any]:
    return {"losses": list(seen.losses), "before": seen.before, "after": seen.after}


def show(seen: Memory, facts: Facts) -> list[Evidence]:
    shown = traceback_shown("overfit", seen.failure, snippet(facts, "overfit"))
    if seen.losses:
        points = [[number, _finite(loss)] for number, loss in enumerate(seen.losses, 1)]
        data = {"series": {"loss": points}, "marks": {"perfect": 0.0}}
        shown.append(Evidence("chart", "memory", "overfit", data, snippet(facts, "memory")))
    if seen.after is not None:
        after = say("after_steps", steps=len(seen.losses))
        rows = [[say("before"), seen.before], [after, seen.after]]
        shown.append(table("memory_accuracy", "overfit", ["when", "batch_accuracy"], rows))
    return shown


def cannot_memorise(seen: Memory, view: View) -> Verdict | CannotJudge | None:
    if len(seen.losses) < STEPS:
        return CannotJudge("too_few_steps")
    first, last = seen.losses[0], seen.losses[-1]
    if not math.isfinite(last):
        return fault(None, first=first, last=last, rows=seen.rows, steps=len(seen.losses))
    fallen = last < FALLEN * first
    if fallen or (seen.after is not None and seen.after >= 0.99):
        return None
    verdict = look if seen.after is None and last < first else fault
    return verdict(None, first=first, last=last, rows=seen.rows, steps=len(seen.losses))


RULES: tuple[Rule, ...] = (cannot_memorise,)
OVERFIT = Stage("overfit", observe, show, measured, RULES, trains=True, steps=STEPS)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
