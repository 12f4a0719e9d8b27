"""What keeps weights from learning: they are frozen, dropped, too coarse, or have no rate."""

from __future__ import annotations

from debugger.pipelines.step import Step
from debugger.stages.judging import CannotJudge, Rule, Verdict, View, fault, look
from debugger.stages.plan import UNKNOWN

HARDLY_LEFT, NEXT_TO_NONE = 0.8, 0.95
"""Dropout before a head."""
MUCH = 0.3
"""As a share of all weights: what may stay as it was drawn without a fault."""
PARTLY_EMPTY = 0.25
"""Of the columns of a table: who fills so many with one number means to learn them."""


def weights_at_rate_zero(seen: Step, view: View) -> Verdict | CannotJudge | None:
    plan = seen.plan
    if plan is None:
        return UNKNOWN
    if not plan.idle or not seen.peak_learning_rate:
        return None
    line = view.places.naming("lr") or view.places.argument("optimizers")
    made = fault if set(plan.idle) & set(seen.head) else look
    return made(line, count=len(plan.idle), first=plan.idle[0])


def half_precision_weights(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Small steps are lost in numbers of 16 bits: weights are kept whole, and autocast halves."""
    plan = seen.plan
    half = "" if plan is None else plan.half
    if plan is None:
        return UNKNOWN
    if not half or (half == "bfloat16" and plan.narrow < 0.5):
        return None
    line = view.places.argument("torch_dtype", "dtype") or view.places.call(".half", ".bfloat16")
    return (fault if half == "float16" else look)(line, type=half, lost=plan.narrow)


def dropout_high(seen: Step, view: View) -> Verdict | CannotJudge | None:
    plan = seen.plan
    if plan is None:
        return UNKNOWN
    if plan.dropout < 0.5:
        return None
    line = view.places.highest("dropout", "pdrop", "drop_rate")
    made = fault if plan.dropout >= 0.8 else look
    return made(line, dropout=plan.dropout, name=plan.dropout_name)


def head_dropout_high(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Half of the numbers is usual before a head of one's own; next to none left is not."""
    plan = seen.plan
    if plan is None:
        return UNKNOWN
    if plan.head_dropout < HARDLY_LEFT or plan.dropout >= plan.head_dropout:  # told already
        return None
    line = view.layer(plan.head_dropout_name, "rate")
    line = line or view.places.highest("dropout") or view.places.argument("rate")
    made = fault if plan.head_dropout >= NEXT_TO_NONE else look
    return made(line, dropout=plan.head_dropout, name=plan.head_dropout_name)


def frozen_before_training(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """What is frozen should know something already. Random numbers do not."""
    plan = seen.plan
    if plan is None:
        return UNKNOWN
    if not plan.frozen_new or not seen.trainable or seen.head_frozen:
        return None
    share = plan.frozen_new / max(1, seen.total)
    line = view.places.assignment("trainable") or view.places.argument("trainable")
    line = line or view.places.assignment("requires_grad") or view.places.call("requires_grad_")
    made = fault if share >= MUCH and not view.facts.pretrained else look
    return made(line, name=plan.frozen_new_name, frozen=plan.frozen_new, share=share)


def table_stays_frozen(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """`from_pretrained` of a table freezes it unless it is told otherwise, which few expect."""
    plan = seen.plan
    if plan is None or not seen.total:
        return UNKNOWN
    line = view.places.chosen.frozen_untold()
    if plan.still is None or line is None or not seen.trainable:
        return None
    if isinstance(empty_table_frozen(seen, view), Verdict):
        return None
    return look(line, share=plan.still.weights / seen.total)


def empty_table_frozen(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """The same of a table that leaves room for what is to be learned."""
    plan = seen.plan
    if plan is None:
        return UNKNOWN
    line, still = view.places.chosen.frozen_untold(), plan.still
    if still is None or line is None or still.empty < PARTLY_EMPTY * still.columns:
        return None
    return fault(line, columns=still.columns, empty=still.empty) if seen.trainable else None


RULES: tuple[Rule, ...] = (
    weights_at_rate_zero,
    half_precision_weights,
    dropout_high,
    head_dropout_high,
    frozen_before_training,
    table_stays_frozen,
    empty_table_frozen,
)
