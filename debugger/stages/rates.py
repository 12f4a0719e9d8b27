"""A learning rate held against the optimizer that it is given to."""

from __future__ import annotations

from statistics import median

from debugger.pipelines.plan import ADAMS
from debugger.pipelines.step import Step
from debugger.stages.judging import CannotJudge, Rule, Verdict, View, look
from debugger.stages.plan import NO_WAY, UNKNOWN, too_little_movement

OF_ADAM = 3e-3
"""Rates below are usual for Adam, whose steps are as long as the rate, and for nobody else."""
OTHERS = ("SGD", "Adagrad", "Adadelta")


def rate_for_adam(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Plain gradient descent at such a rate brings the head somewhere, and no other part."""
    plan, rate, taken = seen.plan, seen.peak_learning_rate, sum(seen.learning_rates)
    if plan is None or plan.rates is None or rate is None or taken <= 0:
        return UNKNOWN
    if seen.optimizer in ADAMS or seen.optimizer not in OTHERS or rate > OF_ADAM:
        return None
    run = plan.rates.total / taken / (1 - min(plan.momentum, 0.99))
    moved = [(block.update or 0.0) * run for block in seen.blocks if block.trainable]
    share = median(moved) if moved else 0.0
    if share >= NO_WAY[view.facts.pretrained]:
        return None
    if isinstance(too_little_movement(seen, view), Verdict):
        return None  # which says more
    line = view.places.argument("optim") or view.places.call(f".{seen.optimizer}")
    numbers = {"optimizer": seen.optimizer, "rate": rate, "share": share, "updates": plan.updates}
    return look(line or view.places.rate(), **numbers)


RULES: tuple[Rule, ...] = (rate_for_adam,)
