"""What a loop of the script's own has to see to, where a Trainer does it by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from debugger.pipelines.by_hand import ByHand
from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.step import Step
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault, look


def _of_a_loop(told: Callable[[ByHand, View], Verdict | None]) -> Rule:
    @wraps(told)
    def rule(seen: Step, view: View) -> Verdict | CannotJudge | None:
        return NOT_FOR_THIS_TASK if seen.by_hand is None else told(seen.by_hand, view)

    return rule


@_of_a_loop
def zeroed_before_step(seen: ByHand, view: View) -> Verdict | None:
    """Gradients that have come are gone when the optimizer is to use them."""
    if not seen.zeroed:
        return None
    line = view.places.call("zero_grad") or seen.steps_at
    return fault(line, zeroed=seen.zeroed, backwards=seen.backwards)


@_of_a_loop
def learns_in_eval_mode(seen: ByHand, view: View) -> Verdict | None:
    """A model of PyTorch is in one mode or the other; one of Keras is told with each call."""
    if seen.training or not seen.differs:
        return None
    return look(seen.asked_at or seen.line, layer=seen.differs)


@_of_a_loop
def stays_in_eval_mode(seen: ByHand, view: View) -> Verdict | None:
    """The first epoch learns as it should, and none of those that come."""
    if not seen.training or not seen.differs or seen.stuck_at is None:
        return None
    return look(seen.stuck_at, layer=seen.differs)


@_of_a_loop
def penalty_left_out(seen: ByHand, view: View) -> Verdict | None:
    return look(seen.lost_at, layer=seen.unpenalised) if seen.unpenalised else None


@_of_a_loop
def number_read_once(seen: ByHand, view: View) -> Verdict | None:
    """What tf.function makes of a function holds the numbers of the first call."""
    once = seen.read_once
    return None if once is None else fault(once.line, name=once.name, value=once.value)


@_of_a_loop
def loop_broken_off(seen: ByHand, view: View) -> Verdict | None:
    """What was to try the loop out, once, and was left in it."""
    if seen.broken_off is None or seen.batches < 2:
        return None
    return look(seen.broken_off, batches=seen.batches)


@_of_a_loop
def optimizer_made_anew(seen: ByHand, view: View) -> Verdict | None:
    return None if seen.made_anew is None else fault(seen.made_anew, name=seen.optimizer)


@_of_a_loop
def metric_never_reset(seen: ByHand, view: View) -> Verdict | None:
    if seen.unreset is None:
        return None
    name, line = seen.unreset
    return look(line, name=name)


def judged_in_train_mode(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    if not view.facts.by_hand:
        return NOT_FOR_THIS_TASK
    here = seen.unsteady
    if here is None or not here.changed:
        return None
    told = {"layer": here.layer, "rows": here.rows, "changed": here.changed}
    return look(view.places.call("no_grad"), **told)


OF_STEPS: tuple[Rule, ...] = (
    zeroed_before_step,
    learns_in_eval_mode,
    stays_in_eval_mode,
    penalty_left_out,
    number_read_once,
    loop_broken_off,
    optimizer_made_anew,
    metric_never_reset,
)
OF_NUMBERS: tuple[Rule, ...] = (judged_in_train_mode,)
