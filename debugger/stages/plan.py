"""What the whole run is going to do to the weights: updates, schedule, decay, dropout."""

from __future__ import annotations

import math
from typing import Any

from debugger.evidence.tables import pairs
from debugger.outcome import Evidence
from debugger.pipelines.face import Facts, Step
from debugger.pipelines.plan import ADAMS
from debugger.stages.judging import CannotJudge, Rule, Verdict, View, fault, look, note, snippet

FEW_UPDATES = 10
TOO_LITTLE = {True: 1e-4, False: 1e-3}
"""What the rates of a whole run add up to, at least: of a pretrained model, and of a new one.

Adam moves no weight further than that, and weights are a few hundredths large."""
NO_WAY = {True: 1e-3, False: 5e-3}
"""As a share of its size, what the block that moves most comes to in the whole run, at least."""
HARDLY_LEFT, NEXT_TO_NONE = 0.8, 0.95
"""Dropout before a head."""
MUCH = 0.3
"""As a share of all weights: what may stay as it was drawn without a fault."""
UNKNOWN = CannotJudge("no_plan")


def shown(seen: Step, facts: Facts) -> list[Evidence]:
    plan = seen.plan
    if plan is None:
        return []
    rates = plan.rates
    rows: list[tuple[str, Any]] = [
        ("updates_planned", plan.updates or None),
        ("batches_in_epoch", plan.batches),
        ("batches_in_update", plan.accumulation),
        *([("updates_until_peak", rates.climbs), ("highest_rate", rates.reached)] if rates else []),
        ("weight_decay", plan.weight_decay),
        ("largest_dropout", plan.dropout),
    ]
    return [pairs("plan", "step", rows, snippet(facts, "plan"))]


def accumulation_beyond_epoch(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Gradients of more batches than an epoch has: one update an epoch, whatever was meant."""
    plan = seen.plan
    if plan is None or plan.batches is None:
        return UNKNOWN
    if plan.accumulation <= plan.batches or plan.max_steps or plan.accumulation < 2:
        return None
    line = view.places.argument("gradient_accumulation_steps")
    return (fault if plan.updates < FEW_UPDATES else look)(
        line, accumulation=plan.accumulation, batches=plan.batches, updates=plan.updates
    )


def few_updates(seen: Step, view: View) -> Verdict | CannotJudge | None:
    plan = seen.plan
    if plan is None or not plan.updates:
        return UNKNOWN
    if plan.updates >= FEW_UPDATES or isinstance(accumulation_beyond_epoch(seen, view), Verdict):
        return None
    asked = ("max_steps", "num_train_epochs", "gradient_accumulation_steps")
    if view.facts.compiled is not None:
        asked = ("steps_per_epoch", "epochs")
    return look(view.places.argument(*asked), updates=plan.updates)


def max_steps_cuts_epochs(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Both are given, and the Trainer goes by one of them. That may well be what is wanted."""
    plan = seen.plan
    if plan is None or plan.batches is None:
        return UNKNOWN
    line = view.places.argument("max_steps")
    if not plan.max_steps or line is None or view.places.argument("num_train_epochs") is None:
        return None
    whole = math.ceil(plan.batches / plan.accumulation) * plan.epochs
    if 2 * plan.max_steps > whole:
        return None
    return note(line, updates=plan.max_steps, epochs=plan.epochs, whole=math.ceil(whole))


def warmup_longer_than_run(seen: Step, view: View) -> Verdict | CannotJudge | None:
    plan = seen.plan
    if plan is None or plan.rates is None:
        return UNKNOWN
    rates = plan.rates
    if rates.climbs < plan.updates / 2 or plan.updates < 3:
        return None
    never = rates.reached < 0.5 * rates.peak and _too_little(seen, view)
    line = view.places.argument("warmup_steps", "num_warmup_steps", "warmup_ratio")
    return (fault if never else look)(
        line, climbs=rates.climbs, updates=plan.updates, reached=rates.reached, peak=rates.peak
    )


def rate_gone_early(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """The schedule is over long before the training is."""
    plan = seen.plan
    if plan is None or plan.rates is None:
        return UNKNOWN
    nothing, little = plan.rates.nothing, plan.rates.little
    if little < 0.3 or plan.updates < FEW_UPDATES or _decays_at_once(seen):
        return None
    lengths = ("num_training_steps", "num_train_steps", "T_max", "total_steps")
    line = view.places.argument_chosen(*lengths) or view.places.argument("decay_steps")
    line = line or view.places.call("Decay")
    line = line or view.places.call("get_scheduler", "schedule_with_warmup", "StepLR", "LambdaLR")
    line = line or view.places.argument("lr_scheduler_type", "optimizers")
    made = fault if nothing >= 0.4 else look
    return made(line, share=little, updates=plan.updates, peak=plan.rates.reached)


def schedule_moves_faster(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """The Trainer moves the schedule after each update; somebody else does it too."""
    plan = seen.plan
    if plan is None:
        return UNKNOWN
    if plan.schedule_steps < 1.5:
        return None
    over = plan.rates is not None and plan.rates.nothing >= 0.3
    line = view.places.call("scheduler.step") or view.places.argument("optimizers")
    return (fault if over else look)(line, times=plan.schedule_steps)


def too_little_movement(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """All rates of the run together are less than weights are apart."""
    plan = seen.plan
    if plan is None or plan.rates is None:
        return UNKNOWN
    if not _too_little(seen, view) or isinstance(warmup_longer_than_run(seen, view), Verdict):
        return None
    known = _moved_in_all(seen)
    if known is None or known >= NO_WAY[view.facts.pretrained]:
        return None
    line = view.places.rate() or view.places.argument("max_grad_norm", "optimizers")
    line = line or view.places.call("Decay", f".{seen.optimizer}")
    return fault(line, updates=plan.updates, share=known, optimizer=seen.optimizer)


def eps_swallows_update(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Adam divides by the size of the gradient plus eps; where eps is larger, it is what counts."""
    plan = seen.plan
    if plan is None or plan.eps is None or not plan.gradient or seen.optimizer not in ADAMS:
        return UNKNOWN
    share = plan.gradient / (plan.gradient + plan.eps)
    if share >= 0.1:
        return None
    tight = plan.eps <= 1e-6
    line = view.places.argument(*(("max_grad_norm",) if tight else ("adam_epsilon", "eps")))
    line = line or view.places.argument("max_grad_norm", "optimizers")
    return fault(line, eps=plan.eps, gradient=plan.gradient, share=share)


def weight_decay_too_strong(seen: Step, view: View) -> Verdict | CannotJudge | None:
    plan = seen.plan
    if plan is None or plan.rates is None:
        return UNKNOWN
    if plan.weight_decay < 1:
        return None
    left = math.exp(-plan.weight_decay * plan.rates.total)
    drowned = plan.held is not None and plan.weight_decay * plan.held > 10
    strong = left < 0.7 or (not plan.decoupled and seen.optimizer in ADAMS and drowned)
    line = view.places.argument("weight_decay", "weight_decay_rate")
    return (fault if strong else look)(line, decay=plan.weight_decay, left=left)


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
    line = view.places.highest("dropout") or view.places.argument("rate")
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
    made = fault if share >= MUCH and not view.facts.pretrained else look
    return made(line, name=plan.frozen_new_name, frozen=plan.frozen_new, share=share)


def momentum_too_long(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A mean over more updates than the run has."""
    plan = seen.plan
    if plan is None or plan.betas is None:
        return UNKNOWN
    first, second = plan.betas
    if first < 0.98 and second >= 0.5:
        return None
    line = view.places.argument("adam_beta1", "betas", "adam_beta2")
    return look(line, first=first, second=second)


RULES: tuple[Rule, ...] = (
    accumulation_beyond_epoch,
    few_updates,
    max_steps_cuts_epochs,
    warmup_longer_than_run,
    rate_gone_early,
    schedule_moves_faster,
    too_little_movement,
    eps_swallows_update,
    weight_decay_too_strong,
    weights_at_rate_zero,
    half_precision_weights,
    dropout_high,
    head_dropout_high,
    frozen_before_training,
    momentum_too_long,
)


def _decays_at_once(seen: Step) -> bool:
    """See schedule_too_short."""
    return seen.decay is not None and seen.decay.steps <= 0.1 * seen.decay.planned


def _too_little(seen: Step, view: View) -> bool:
    """For Adam the rates tell; for others what the first steps did, times the steps there are."""
    rates = seen.plan.rates if seen.plan else None
    if rates is None:
        return False
    if seen.optimizer in ADAMS:
        return rates.total < TOO_LITTLE[view.facts.pretrained]
    moved = _moved_in_all(seen)
    return moved is not None and moved < NO_WAY[view.facts.pretrained]


def _moved_in_all(seen: Step) -> float | None:
    """How far the block that moves most would come in the whole run, as a share of its size."""
    plan, taken = seen.plan, sum(seen.learning_rates)
    if plan is None or plan.rates is None or taken <= 0:
        return None
    moved = max((block.update or 0.0 for block in seen.blocks), default=0.0)
    return moved / taken * plan.rates.total / (1 - min(plan.momentum, 0.99))
