"""What the whole run is going to do to the weights: updates, schedule, decay, dropout."""

from __future__ import annotations

import math
from typing import Any

from debugger.evidence.tables import pairs
from debugger.outcome import Evidence
from debugger.pipelines.facts import Facts
from debugger.pipelines.plan import ADAMS, Plan, Rates
from debugger.pipelines.step import Step
from debugger.pipelines.trials import HIGHER_IS_BETTER
from debugger.pipelines.within import Clipped
from debugger.stages.judging import (
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Verdict,
    View,
    fault,
    look,
    note,
    snippet,
)

FEW_UPDATES = 10
MANY_UPDATES = 1000
TOO_LITTLE = {True: 1e-4, False: 1e-3}
"""What the rates of a whole run add up to, at least: of a pretrained model, and of a new one.

Adam moves no weight further than that, and weights are a few hundredths large."""
OF_FINE_TUNING, SMALL_WAY = 5e-5, 1e-2
"""Of a new model: a rate, and what the rates of a whole run add up to, that are usual for one that
knows something. Its weights are drawn about 0.02 apart."""
NO_WAY = {True: 1e-3, False: 5e-3}
"""As a share of its size, what the block that moves most comes to in the whole run, at least."""
NEXT_TO_NOTHING, TINY_NORM = 1e-3, 1e-2
"""What clipping leaves of a gradient, as a share of it and as a norm, and less."""
USUAL_BATCH, USUAL_EPOCHS = 16, 3
LITTLE_LEFT = 0.05
"""Of the rate that the optimizer was given: what a schedule leaves of it at most."""
TIMES_ITSELF, RATE_OF_WEIGHTS, MANY_WEIGHTS = 3.0, 0.2, 1000
HALF_ITSELF, LARGE_RATE = 0.5, 0.05
"""Of a new model: how far two steps move weights, as a share of their size, at which rate."""
ADADELTA, MUCH_SMALLER = 1.0, 50
"""The rate that it was made for, and how far below that is no longer one that somebody chose."""
NO_FACTOR = 0.01
"""A rate that is multiplied with no more is not meant to go on."""
UNKNOWN = CannotJudge("no_plan")
FALLEN, FAR_BELOW = 0.25, 10
"""What is left of the rate at the end of the first epoch, and how much oftener than once in one
it is lowered."""
NEARLY_ALL = 0.8
"""Of the updates: what has a hundredth of the rate for so many of them was meant to last."""
OF_A_TRIAL = 30
"""So few updates in place of whole epochs were hardly meant to stay."""
A_SMALL_PART = 0.1
"""Of what the epochs would take: nor was that."""
ENOUGH = 0.9
"""Of the steps that are asked for."""
LARGE_PENALTY, STRONG_PENALTY, AS_STRONG = 0.01, 0.05, 0.3
"""Of a decay that Adam takes for a part of the gradient, and how it pulls beside the loss's own."""
CUT_AWAY, DROWNED = 1e-2, 0.1
"""Shares: what is left of a gradient that is cut, and of an update that eps outweighs."""


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
    compiled = view.facts.compiled is not None
    asked = _fewest_compiled(plan) if compiled else _fewest(plan, view)
    line = next(filter(None, (view.places.argument(name) for name in asked)), None)
    return look(line, updates=plan.updates)


def one_epoch_by_default(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Who says nothing of epochs gets one."""
    plan = seen.plan
    if plan is None or view.facts.compiled is None or not view.has_script:
        return UNKNOWN
    if view.facts.by_hand:
        return NOT_FOR_THIS_TASK
    if plan.epochs != 1 or view.places.layers.keyword("epochs") or plan.updates >= MANY_UPDATES:
        return None
    return look(view.places.call("model.fit", ".fit"), updates=plan.updates)


def no_epoch_left(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """`epochs` is the number of the last epoch, not how many are to come."""
    plan = seen.plan
    if plan is None or view.facts.compiled is None:
        return UNKNOWN
    if plan.epochs > 0:
        return None
    line = (plan.begins_at and view.places.fits.ended_at()) or None
    line = line or view.places.layers.keyword("epochs")
    return fault(line, first=plan.begins_at)


def data_runs_out(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """An epoch of so many steps goes on where the last one ended, and the data have an end."""
    plan = seen.plan
    if plan is None or plan.held_batches is None:
        return UNKNOWN
    asked, held = plan.asked_steps, plan.held_batches
    if held >= ENOUGH * asked:
        return None
    places = view.places
    once = held * plan.epochs >= asked  # so that it is meant to be gone through again
    of_batches = places.call("from_tensor_slices", "from_generator", "to_tf_dataset", ".batch")
    line = places.fits.fitted() if once and of_batches is not None else None
    line = (line and places.fits.shuffled_within(line)) or line
    line = line or places.layers.keyword("steps_per_epoch")
    return fault(line, asked=asked, held=held, epochs=plan.epochs, done=held * plan.epochs / asked)


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
    trial = plan.max_steps <= OF_A_TRIAL or plan.max_steps <= A_SMALL_PART * whole
    made = look if trial else note
    return made(line, updates=plan.max_steps, epochs=plan.epochs, whole=math.ceil(whole))


def warmup_longer_than_run(seen: Step, view: View) -> Verdict | CannotJudge | None:
    plan = seen.plan
    if plan is None or plan.rates is None:
        return UNKNOWN
    rates = plan.rates
    if rates.climbs < plan.updates / 2 or plan.updates < 3:
        return None
    never = rates.reached < 0.5 * rates.peak and _too_little(seen, view)
    line = view.places.argument("warmup_steps", "num_warmup_steps", "warmup_ratio")
    line = line or view.places.chosen.schedule_length(before=1)
    return (fault if never else look)(
        line, climbs=rates.climbs, updates=plan.updates, reached=rates.reached, peak=rates.peak
    )


def rate_gone_early(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """The schedule is over long before the training is."""
    plan = seen.plan
    if plan is None or plan.rates is None:
        return UNKNOWN
    if not _gone_early(seen, plan, plan.rates):
        return None
    more = (factor_next_to_none, rate_falls_by_updates)
    if any(isinstance(one(seen, view), Verdict) for one in more):
        return None  # which say why
    made = fault if _surely_gone(plan.rates) else look
    line = _schedule_line(plan, view)
    return made(line, share=plan.rates.little, updates=plan.updates, peak=plan.rates.reached)


def _gone_early(seen: Step, plan: Plan, rates: Rates) -> bool:
    return rates.little >= 0.3 and plan.updates >= FEW_UPDATES and not _decays_at_once(seen)


def _surely_gone(rates: Rates) -> bool:
    return rates.nothing >= 0.4 or rates.little >= NEARLY_ALL


def factor_next_to_none(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """What older optimizers were told as their decay, said to what wants a factor."""
    plan = seen.plan
    if plan is None or plan.rates is None:
        return UNKNOWN
    told = view.places.casts.factor("ExponentialDecay", "decay_rate", 2)
    if told is None or told[1] > NO_FACTOR or plan.rates.little < 0.3:
        return None
    line, factor = told
    return fault(line, factor=factor, share=plan.rates.little, peak=plan.rates.reached)


def _schedule_line(plan: Plan, view: View) -> int | None:
    """Where a schedule is told its length, or is made."""
    lengths = ("num_training_steps", "num_train_steps", "T_max", "total_steps")
    line = view.places.total_made(*lengths) or view.places.argument_chosen(*lengths)
    line = (
        line
        or view.places.argument("decay_steps")
        or view.places.chosen.schedule_length()
        or view.places.call("Decay")
    )
    line = line or view.places.call(
        "get_scheduler", "schedule_with_warmup", "StepLR", "ExponentialLR"
    )
    line = line or view.places.factors() or view.places.call("LambdaLR")
    line = line or view.places.argument("lr_scheduler_type", "optimizers")
    by = "" if plan.steered is None else plan.steered.function
    return line or view.places.returned_by(by) or view.places.call("LearningRateScheduler")


def rate_falls_by_updates(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A decay that was thought of in epochs, in the hands of what counts updates."""
    plan = seen.plan
    if plan is None or plan.rates is None or plan.rates.after_epoch is None or not plan.batches:
        return UNKNOWN
    rates, after = plan.rates, plan.rates.after_epoch
    in_epoch, rhythm = math.ceil(plan.batches / plan.accumulation), rates.rhythm or 1
    if plan.epochs < 2 or rates.climbs or after > FALLEN * rates.reached or 2 * rhythm > in_epoch:
        return None
    gone = _gone_early(seen, plan, rates)
    if _decays_at_once(seen) or (gone and rates.rhythm is None):
        return None
    if isinstance(factor_next_to_none(seen, view), Verdict):
        return None
    often = rates.rhythm is not None and FAR_BELOW * rates.rhythm <= in_epoch
    made = fault if often or (gone and _surely_gone(rates)) else look
    return made(
        _schedule_line(plan, view),
        updates=in_epoch,
        rhythm=rhythm,
        first=rates.reached,
        after=after,
        epochs=plan.epochs,
    )


def plateau_upside_down(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """It takes what gets better for what stands still, and cuts the rate each time."""
    plan = seen.plan
    if plan is None or plan.plateau is None:
        return UNKNOWN
    name, rises = plan.plateau.name, plan.plateau.rises
    falls = "loss" in name.lower() or name.lower() in ("mse", "mae", "rmse", "wer", "cer")
    if not falls and not any(word in name.lower() for word in HIGHER_IS_BETTER):
        # Untold, the arguments take any number but a loss for one that is to rise.
        if view.places.argument("greater_is_better") is None:
            return None
        falls = not plan.plateau.greater_is_better
    if falls != rises:
        return None
    places = view.places
    line = places.flows.said("mode", "max" if rises else "min")
    line = line or places.argument("lr_scheduler_kwargs", "lr_scheduler_type")
    line = line or places.call("ReduceLROnPlateau")
    told = ("higher", "lower", "min") if falls else ("lower", "higher", "max")
    return fault(line, name=name, **dict(zip(("way", "better", "mode"), told, strict=True)))


def schedule_leaves_little(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A factor that is nowhere near 1 is most often no factor."""
    plan = seen.plan
    if plan is None or plan.rates is None:
        return UNKNOWN
    rates = plan.rates
    line = view.places.flows.scaled_by()
    if line is None or rates.reached > LITTLE_LEFT * rates.peak or _climbs_on(seen):
        return None
    made = fault if _too_little(seen, view) else look
    factor = rates.reached / rates.peak
    return made(line, peak=rates.peak, reached=rates.reached, factor=factor)


def _climbs_on(seen: Step) -> bool:
    """See warmup_longer_than_run."""
    plan = seen.plan
    return plan is None or plan.rates is None or plan.rates.climbs >= plan.updates / 2


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


def gradients_cut_away(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Clipping to a norm so small that nothing is left to go by."""
    plan = seen.plan
    if plan is not None and plan.clipped is not None:
        return _cut_by_optimizer(plan, plan.clipped, seen, view)
    if plan is None or plan.arrived is None or plan.left is None:
        return UNKNOWN
    after = plan.arrived * plan.left
    if plan.left > NEXT_TO_NOTHING or after > TINY_NORM:
        return None
    if not (_swallowed(seen) if seen.optimizer in ADAMS else _hardly_drawn(plan, view)):
        return None
    by_arguments = plan.clipping > 0 and 0.5 * plan.clipping < after < 1.5 * plan.clipping
    line = view.places.argument("max_grad_norm") if by_arguments else None
    line = line or view.places.call("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm")
    line = line or view.places.argument("max_grad_norm")
    return fault(line, before=plan.arrived, after=after)


def _cut_by_optimizer(
    plan: Plan, cut: Clipped, seen: Step, view: View
) -> Verdict | CannotJudge | None:
    """Adam makes steps of one size of gradients of any, until what it adds to them is larger."""
    if not cut.before:
        return UNKNOWN
    if cut.after >= CUT_AWAY * cut.before:
        return None
    adam = seen.optimizer in ADAMS and plan.eps is not None
    drowned = adam and cut.after < DROWNED * (cut.after + (plan.eps or 0.0))
    if not drowned and (adam or not _too_little(seen, view)):
        return None
    line = view.places.argument(cut.name)
    return fault(line, name=cut.name, at=cut.at, before=cut.before, after=cut.after)


def too_little_movement(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """All rates of the run together are less than weights are apart."""
    plan = seen.plan
    if plan is None or plan.rates is None:
        return UNKNOWN
    if seen.by_hand is not None and seen.by_hand.zeroed:  # see zeroed_before_step
        return None
    if not _too_little(seen, view) or isinstance(warmup_longer_than_run(seen, view), Verdict):
        return None
    if any(
        isinstance(rule(seen, view), Verdict)
        for rule in (gradients_cut_away, schedule_leaves_little)
    ):
        return None  # which say more
    known = _moved_in_all(seen)
    if known is None or known >= NO_WAY[view.facts.pretrained]:
        return None
    line = view.places.rate() or view.places.argument("max_grad_norm", "optimizers")
    line = line or view.places.call("Decay", f".{seen.optimizer}")
    line = line or view.places.fits.compiled("optimizer")
    return fault(line, updates=plan.updates, share=known, optimizer=seen.optimizer)


def rate_small_for_new(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """The rates of fine-tuning, for weights that know nothing yet and have all the way to go."""
    plan, rate = seen.plan, seen.peak_learning_rate
    if plan is None or plan.rates is None or rate is None:
        return UNKNOWN
    if view.facts.pretrained or seen.optimizer not in ADAMS or seen.adapter or plan.frozen_new:
        return NOT_FOR_THIS_TASK
    if view.facts.cut_short:
        return CannotJudge("cut_short_here")
    if rate > OF_FINE_TUNING or plan.rates.total >= SMALL_WAY:
        return None
    known = (too_little_movement(seen, view), warmup_longer_than_run(seen, view))
    if any(isinstance(one, Verdict) for one in known):
        return None
    return look(view.places.rate(), rate=rate, updates=plan.updates, total=plan.rates.total)


def steps_beyond_weights(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Adam moves each weight by about the rate, whatever its gradient. A handful of weights may
    have far to go; where thousands move by many times their own size, nothing of them is left."""
    rate = seen.peak_learning_rate
    if view.facts.pretrained or seen.optimizer not in ADAMS or rate is None or seen.steps < 2:
        return NOT_FOR_THIS_TASK
    warm = rate / max(seen.learning_rates, default=rate) if any(seen.learning_rates) else 1.0
    moved = [warm * (block.update or 0.0) for block in seen.blocks if block.trainable]
    often, far_enough = (
        2 * sum(one >= far for one in moved) >= len(moved) for far in (TIMES_ITSELF, HALF_ITSELF)
    )
    if rate < LARGE_RATE or seen.trainable < MANY_WEIGHTS or not far_enough:
        return None
    times = max(moved, default=0.0)
    made = fault if rate >= RATE_OF_WEIGHTS and often else look
    return made(view.places.rate() or view.places.argument("optimizer"), rate=rate, times=times)


def adadelta_hardly_moves(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Its own steps begin next to nothing, and the rate is a factor on top of them."""
    rate = seen.peak_learning_rate
    if seen.optimizer != "Adadelta" or not rate:
        return NOT_FOR_THIS_TASK
    if rate > ADADELTA / MUCH_SMALLER:
        return None
    line = view.places.rate() or view.places.call("Adadelta") or view.places.argument("optimizer")
    return fault(line, rate=rate, times=ADADELTA / rate)


def eps_swallows_update(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Adam divides by the size of the gradient plus eps; where eps is larger, it is what counts."""
    plan = seen.plan
    share = _share_of_rate(seen)
    if plan is None or plan.eps is None or share is None:
        return UNKNOWN
    if not _swallowed(seen) or isinstance(gradients_cut_away(seen, view), Verdict):
        return None
    tight = plan.eps <= 1e-6
    line = view.places.argument(*(("max_grad_norm",) if tight else ("adam_epsilon", "eps")))
    line = line or view.places.argument("max_grad_norm", "optimizers")
    return fault(line, eps=plan.eps, gradient=plan.gradient, share=share)


def optimizer_maximizes(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Optimizers of torch can be told to climb."""
    plan = seen.plan
    if plan is None:
        return UNKNOWN
    return fault(view.places.argument("maximize")) if plan.maximizes else None


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


def decay_through_adam(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Added to the gradient, it is scaled like it, however little of it there is."""
    plan = seen.plan
    if plan is None or plan.held is None:
        return UNKNOWN
    decay = plan.weight_decay
    if plan.decoupled or seen.optimizer not in ADAMS or not LARGE_PENALTY <= decay < 1:
        return None
    pull = decay * plan.held
    made = fault if decay >= STRONG_PENALTY and pull >= AS_STRONG else look
    line = view.places.argument("weight_decay")
    return made(line, name=seen.optimizer, decay=decay, pull=pull)


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
    one_epoch_by_default,
    data_runs_out,
    no_epoch_left,
    max_steps_cuts_epochs,
    warmup_longer_than_run,
    rate_gone_early,
    factor_next_to_none,
    rate_falls_by_updates,
    plateau_upside_down,
    schedule_leaves_little,
    schedule_moves_faster,
    gradients_cut_away,
    too_little_movement,
    eps_swallows_update,
    rate_small_for_new,
    steps_beyond_weights,
    adadelta_hardly_moves,
    optimizer_maximizes,
    weight_decay_too_strong,
    decay_through_adam,
    momentum_too_long,
)


def _fewest_compiled(plan: Plan) -> tuple[str, ...]:
    """Where one batch is an epoch and nobody asked for that, it holds all rows there are."""
    whole = plan.batches == 1 and not plan.asked_steps
    return ("batch_size", "batch", "epochs") if whole else ("steps_per_epoch", "epochs")


def _fewest(plan: Plan, view: View) -> tuple[str, ...]:
    """The settings of the arguments, first the one that takes most updates away.

    Where all are as usual, it is the rows that are few.
    """
    if plan.max_steps:
        return ("max_steps",)
    takes = {
        "per_device_train_batch_size": view.facts.batch_size / USUAL_BATCH,
        "gradient_accumulation_steps": plan.accumulation,
        "num_train_epochs": USUAL_EPOCHS / plan.epochs if plan.epochs else 1.0,
    }
    far = sorted((name for name in takes if takes[name] > 1), key=takes.__getitem__, reverse=True)
    return (*far, "train_dataset")


def _share_of_rate(seen: Step) -> float | None:
    """How much of the learning rate Adam's eps leaves of an update."""
    plan = seen.plan
    if plan is None or plan.eps is None or not plan.gradient or seen.optimizer not in ADAMS:
        return None
    return plan.gradient / (plan.gradient + plan.eps)


def _swallowed(seen: Step) -> bool:
    share = _share_of_rate(seen)
    return share is not None and share < 0.1


def _hardly_drawn(plan: Plan, view: View) -> bool:
    """How far gradients of this size would bring all weights, decay apart, as a share of them."""
    if plan.rates is None or not plan.held:
        return False
    way = plan.rates.total / plan.held / (1 - min(plan.momentum, 0.99))
    return way < NO_WAY[view.facts.pretrained]


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
