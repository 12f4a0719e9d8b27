"""What callbacks do to a training, as far as the number of an epoch alone decides it."""

from __future__ import annotations

from debugger.pipelines.plan import ADAMS
from debugger.pipelines.step import Step
from debugger.stages.judging import CannotJudge, Rule, Verdict, View, fault, look
from debugger.stages.plan import TOO_LITTLE, UNKNOWN

FAR_UP = 10.0
"""Times what the optimizer was given."""
FAR_DOWN = 10.0
WILD = 0.1
"""A rate of Adam's that no model learns by."""


def rate_taken_by_callback(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A callback sets the rate of every epoch, whatever the optimizer was given."""
    steered = None if seen.plan is None else seen.plan.steered
    if steered is None or seen.optimizer not in ADAMS:
        return UNKNOWN
    if steered.total >= TOO_LITTLE[view.facts.pretrained] or steered.asked <= steered.highest:
        return None
    numbers = {"highest": steered.highest, "asked": steered.asked, "total": steered.total}
    line = view.places.call(steered.callback)
    return fault(
        line, name=steered.callback, updates=seen.plan.updates if seen.plan else 0, **numbers
    )


def rate_driven_up(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A schedule that multiplies what it gave the last time goes up without an end."""
    steered = None if seen.plan is None else seen.plan.steered
    if steered is None or not steered.asked or len(steered.rates) < 2:
        return UNKNOWN
    first, last = steered.rates[0], steered.rates[-1]
    if steered.highest < FAR_UP * steered.asked or last < FAR_UP * first:
        return None
    made = fault if seen.optimizer in ADAMS and last >= WILD else look
    line = view.places.returned_by(steered.function) or view.places.call(steered.callback)
    return made(line, name=steered.callback, first=first, last=last, epochs=len(steered.rates))


def rate_driven_down(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """What is meant for the first rate is taken of the last one, and each epoch takes it again. A
    factor that is always the same may well be taken again."""
    steered = None if seen.plan is None else seen.plan.steered
    if steered is None or not steered.asked or not steered.afresh:
        return UNKNOWN
    last, meant = steered.rates[-1], steered.afresh[-1]
    if len({f"{rate:.6g}" for rate in steered.afresh}) < 4 or last * FAR_DOWN > meant:
        return None
    line = view.places.returned_by(steered.function) or view.places.call(steered.callback)
    return fault(line, name=steered.callback, last=last, meant=meant, epochs=len(steered.rates))


def schedule_gives_no_float(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Keras asks for a float at the beginning of an epoch, and stops where there is none."""
    if seen.plan is None or seen.plan.no_float is None:
        return None
    name, epoch = seen.plan.no_float
    line = view.places.handed.without_answer(name) or view.places.returned_by(name)
    line = line or view.places.call("LearningRateScheduler")
    return fault(line, name=name, epoch=epoch + 1)


def plateau_has_no_room(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """The rate is to be lowered where nothing gets better, and begins at the least it may be."""
    if seen.plan is None:
        return UNKNOWN
    if seen.plan.no_room is None:
        return None
    rate, least = seen.plan.no_room
    line = view.places.argument("min_lr") or view.places.call("ReduceLROnPlateau")
    return look(line, rate=rate, least=least)


def thawed_without_optimizer(seen: Step, view: View) -> Verdict | None:
    """What a callback lets train later is not in the optimizer, which was made before."""
    thawed = None if seen.plan is None else seen.plan.thawed
    if thawed is None:
        return None
    line = view.places.origins.thawing_in(thawed.callback) or view.places.call(thawed.callback)
    return fault(
        line,
        name=thawed.callback,
        epoch=thawed.epoch,
        weights=thawed.weights,
        first=thawed.name,
    )


RULES: tuple[Rule, ...] = (
    rate_taken_by_callback,
    rate_driven_up,
    rate_driven_down,
    schedule_gives_no_float,
    plateau_has_no_room,
    thawed_without_optimizer,
)
