"""Can it memorise one batch? Twenty steps on the same rows. If not, the fault is in the set-up."""

from __future__ import annotations

import math
from typing import Any

from debugger.evidence.tables import say, table
from debugger.outcome import Evidence
from debugger.pipelines.face import Emit, Pipeline
from debugger.pipelines.facts import Facts
from debugger.pipelines.training import Memory, Training
from debugger.stages.chance import guessing_costs, interval, mean_within, shares_of
from debugger.stages.judging import (
    IN_NATS,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Stage,
    Verdict,
    View,
    fault,
    look,
    note,
    snippet,
    traceback_shown,
)

STEPS = 20
FALLEN = 0.7
"""Of the first loss; a model that memorises falls well below it in twenty steps."""
ON_ITS_WAY, LEARNED, RESTLESS, WORSE, HARMED = 0.85, 0.95, 1.15, 1.02, 1.5
"""Of the first loss: it falls well, steps help, are too large, harm, harm where no label tells."""
SHARES = 0.98
"""Of what guessing costs: any dearer, and only the shares of the classes were learned."""
COLLAPSED = 0.02
"""Of how far outputs lay apart. In healthy trainings they move apart, most often a hundredfold."""
DRAWN_TOGETHER, IN_ONE_PLACE = 0.25, 0.1
"""Of how far outputs lay apart, where the loss falls at the same time; healthy ones move apart."""
LARGE_RATE = {True: 5e-4, False: 1e-2}
"""Learning rates at which it is known to happen: of pretrained weights, and of new ones."""
AMPLE = 2
"""So many times the steps that it needs; a rate that falls to nothing makes half of the way."""
UNLUCKY = 0.05
"""How probable it may be that no row is right by bad luck alone."""
MANY = 16
"""Rows of a batch: of fewer, some more that are right say little."""
KNOWN = 0.1
"""A loss in nats a token: a guess between two words alone costs 0.69."""
LARGE, SURE_RATE = 5_000_000, 1e-4
"""So many pretrained weights learn something of a batch in twenty steps at this rate."""


def observe(pipeline: Pipeline, emit: Emit, steps: int, seconds: float | None = None) -> Memory:
    return pipeline.overfit(steps, emit, seconds)


def measured(seen: Memory) -> dict[str, Any]:
    return {
        "losses": list(seen.losses),
        "before": seen.before,
        "after": seen.after,
        "quiet_losses": seen.quiet_losses,
        "apart": seen.apart,
    }


def show(seen: Memory, facts: Facts) -> list[Evidence]:
    shown = traceback_shown("overfit", seen.failure, snippet(facts, "overfit"))
    if seen.losses:
        points = [[number, _finite(loss)] for number, loss in enumerate(seen.losses, 1)]
        # A loss that nobody knows may have another floor, as that of an autoencoder has.
        marks = {} if facts.task == "unknown" else {"perfect": 0.0}
        data = {"series": {"loss": points}, "marks": marks}
        shown.append(Evidence("chart", "memory", "overfit", data, snippet(facts, "memory")))
    if seen.after is not None:
        after = say("after_steps", steps=len(seen.losses))
        rows = [[say("before"), seen.before], [after, seen.after]]
        shown.append(table("memory_accuracy", "overfit", ["when", "batch_accuracy"], rows))
    return shown


def cannot_memorise(seen: Memory, view: View) -> Verdict | CannotJudge | None:
    """Steps that must show in one batch, and it is known no better than by guessing."""
    if blind := _cannot_judge(seen):
        return blind
    if not math.isfinite(seen.losses[-1]):
        return fault(None, **_numbers(seen))
    if _knows_them(seen) or _has_learned(seen) or _knew_them(seen, view):
        return None
    if not _proves_it(seen, view):
        return None
    return fault(None, **_numbers(seen))


def outputs_collapsed(seen: Memory, view: View) -> Verdict | CannotJudge | None:
    """Steps so large that the inputs no longer matter: every row is given the same answer."""
    if blind := _cannot_judge(seen):
        return blind
    if seen.apart is None or not seen.apart[0]:
        return CannotJudge("outputs_out_of_sight")
    before, after = seen.apart
    if not after <= COLLAPSED * before or _knows_them(seen) or _is_on_its_way(seen):
        return None
    brisk = seen.rate is not None and seen.rate >= LARGE_RATE[view.facts.pretrained]
    line = (view.places.rate() or view.places.argument("optimizer")) if brisk else None
    return (fault if brisk else look)(
        line, rate=seen.rate or 0.0, before=before, after=after, steps=len(seen.losses)
    )


def won_by_collapse(seen: Memory, view: View) -> Verdict | CannotJudge | None:
    """The loss falls while all rows are given the same answer: it asks for nothing else.

    Of a loss without labels alone: with them, the same answer to all rows costs what guessing does.
    """
    if blind := _cannot_judge(seen):
        return blind
    if view.facts.task != "unknown" or seen.labels or seen.held_to_labels:
        return NOT_FOR_THIS_TASK
    if seen.apart is None or not seen.apart[0]:
        return CannotJudge("outputs_out_of_sight")
    before, after = seen.apart
    first, last = seen.losses[0], mean_within(seen.losses[-3:])[0]
    if not after <= DRAWN_TOGETHER * before or not 0 <= last < FALLEN * first:
        return None
    line = view.places.making.loss() or view.places.flows.made_loss()
    numbers = {"first": first, "last": last, "before": before, "after": after}
    made = fault if after <= IN_ONE_PLACE * before else look
    return made(line, steps=len(seen.losses), **numbers)


def opposite_rewarded(seen: Memory, view: View) -> Verdict | CannotJudge | None:
    """Fewer rows are right the further the loss falls: it asks for what the labels say not."""
    if blind := _cannot_judge(seen):
        return blind
    if seen.after is None or seen.before is None or not seen.labels:
        return NOT_FOR_THIS_TASK
    if seen.after or mean_within(seen.losses[-3:])[0] >= FALLEN * seen.losses[0]:
        return None
    by_luck = (1 - 1 / len(set(seen.labels))) ** seen.rows
    if len(set(seen.labels)) == 1 or by_luck > UNLUCKY:
        return None
    numbers = {"first": seen.losses[0], "last": seen.losses[-1], "before": seen.before}
    return fault(None, steps=len(seen.losses), rows=seen.rows, **numbers)


def memorises_slowly(seen: Memory, view: View) -> Verdict | CannotJudge | None:
    """It may yet know them: a small rate, much dropout or a small new model take their time."""
    if blind := _cannot_judge(seen):
        return blind
    if not _is_slow(seen, view) or _in_time(seen) is not None:
        return None
    if view.facts.task == "unknown" and _has_learned(seen):
        return None  # where a loss of one's own ends, nobody knows
    line = view.places.rate() or view.places.argument("optimizer")
    return look(line, rate=seen.rate or 0.0, **_numbers(seen))


def memorises_in_time(seen: Memory, view: View) -> Verdict | CannotJudge | None:
    """Slow, but steady, and the training is many times as long."""
    if blind := _cannot_judge(seen):
        return blind
    needed = _in_time(seen)
    if needed is None or not _is_slow(seen, view) or view.facts.task == "unknown":
        return None
    return note(None, needed=needed, planned=seen.planned, **_numbers(seen))


RULES: tuple[Rule, ...] = (
    won_by_collapse,
    opposite_rewarded,
    outputs_collapsed,
    cannot_memorise,
    memorises_slowly,
    memorises_in_time,
)
OVERFIT = Stage("overfit", observe, show, measured, RULES, trains=True, steps=STEPS)


def tells_no_loss(seen: Memory | Training) -> bool:
    """A step of one's own may give back numbers, and none that is called `loss`."""
    return not seen.losses and not seen.out_of_time and seen.failure is None


def _cannot_judge(seen: Memory) -> CannotJudge | None:
    if tells_no_loss(seen):
        return CannotJudge("no_loss_told")
    return CannotJudge("too_few_steps") if len(seen.losses) < STEPS else None


def _is_slow(seen: Memory, view: View) -> bool:
    if _knows_them(seen) or _is_on_its_way(seen) or _knew_them(seen, view):
        return False
    if seen.rows >= MANY and _is_surer(seen):
        return False
    if cannot_memorise(seen, view) is not None:
        return False
    return not isinstance(outputs_collapsed(seen, view), Verdict)


def _in_time(seen: Memory) -> int | None:
    """The steps that take the loss to nothing as it falls now, where the training makes more than
    enough of them, and it surely falls."""
    half = len(seen.losses) // 2
    (first, about), (last, within) = map(mean_within, (seen.losses[:half], seen.losses[-half:]))
    falls = first - about > last + within and seen.losses[0] > 0
    if not falls or not seen.planned:
        return None
    needed = math.ceil(seen.losses[0] / (first - last) * (len(seen.losses) - half))
    return needed if AMPLE * needed <= seen.planned else None


def _knows_them(seen: Memory) -> bool:
    """The loss is far down, or the rows that are right cannot all be luck."""
    if mean_within(seen.losses[-3:])[0] < FALLEN * seen.losses[0]:
        return True
    if seen.quiet_losses is not None and seen.quiet_losses[1] < FALLEN * seen.quiet_losses[0]:
        return True
    if seen.after is None:
        return False
    sure = interval(seen.after, seen.rows)[0]
    return seen.after >= 0.99 or sure > (1 + _majority(seen)) / 2


def _knew_them(seen: Memory, view: View) -> bool:
    """Every word was known before the first step, and there is nothing left to fall."""
    costs = (seen.losses[0], mean_within(seen.losses)[0], *(seen.quiet_losses or ()))
    return view.facts.task in IN_NATS and min(costs) >= 0 and max(costs) < KNOWN


def _is_on_its_way(seen: Memory) -> bool:
    if mean_within(seen.losses[-5:])[0] < ON_ITS_WAY * seen.losses[0]:
        return True
    before, after = seen.quiet_losses or (0.0, 0.0)
    return after < ON_ITS_WAY * before


def _is_surer(seen: Memory) -> bool:
    """More rows are right than the commonest class has, beyond luck."""
    return seen.after is not None and interval(seen.after, seen.rows)[0] > _majority(seen)


def _has_learned(seen: Memory) -> bool:
    """More than how common each class is, though not yet the rows."""
    if _is_surer(seen):
        return True
    if mean_within(seen.losses[-5:])[0] < LEARNED * seen.losses[0]:
        return True
    if seen.quiet_losses is None:
        return False
    before, after = seen.quiet_losses
    return after < SHARES * min(before, _guessing(seen) or before)


def _proves_it(seen: Memory, view: View) -> bool:
    """The steps are too large or harm, or many weights took them at a usual rate."""
    usual = seen.rate is not None and seen.rate >= SURE_RATE
    if view.facts.pretrained and usual and seen.weights >= LARGE:
        return True
    mean, within = mean_within(seen.losses[-10:])
    first = seen.losses[0]
    before, after = seen.quiet_losses or (first, mean)
    if not seen.labels:  # a loss that is small from the start may rise and mean nothing
        return mean - within > first and after > HARMED * before
    return max(seen.losses) > RESTLESS * first or (
        mean > first and after > WORSE * max(before, _guessing(seen))
    )


def _guessing(seen: Memory) -> float:
    return guessing_costs(shares_of(seen.labels))


def _majority(seen: Memory) -> float:
    return max(shares_of(seen.labels), default=0.0)


def _numbers(seen: Memory) -> dict[str, Any]:
    return {
        "first": seen.losses[0],
        "last": seen.losses[-1],
        "rows": seen.rows,
        "steps": len(seen.losses),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
