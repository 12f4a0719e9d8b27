"""What a loop of the script's own has to see to, where a Trainer does it by itself."""

from __future__ import annotations

from debugger.pipelines.face import Evaluate, Step
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault, look


def zeroed_before_step(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Gradients that have come are gone when the optimizer is to use them."""
    here = seen.by_hand
    if here is None:
        return NOT_FOR_THIS_TASK
    if not here.zeroed:
        return None
    line = view.places.call("zero_grad") or here.steps_at
    return fault(line, zeroed=here.zeroed, backwards=here.backwards)


def learns_in_eval_mode(seen: Step, view: View) -> Verdict | CannotJudge | None:
    here = seen.by_hand
    if here is None:
        return NOT_FOR_THIS_TASK
    if here.training or not here.differs:
        return None
    if view.facts.compiled is not None:
        return None  # see asked_without_training
    return look(here.line, layer=here.differs)


def asked_without_training(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A model of Keras that is called is told each time whether it learns."""
    here = seen.by_hand
    if here is None or view.facts.compiled is None:
        return NOT_FOR_THIS_TASK
    if here.training or not here.differs:
        return None
    return look(here.asked_at or here.line, layer=here.differs)


def penalty_left_out(seen: Step, view: View) -> Verdict | CannotJudge | None:
    here = seen.by_hand
    if here is None:
        return NOT_FOR_THIS_TASK
    return look(here.lost_at, layer=here.unpenalised) if here.unpenalised else None


def number_read_once(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """What tf.function makes of a function holds the numbers of the first call."""
    here = seen.by_hand
    if here is None:
        return NOT_FOR_THIS_TASK
    once = here.read_once
    return None if once is None else fault(once.line, name=once.name, value=once.value)


def loop_broken_off(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """What was to try the loop out, once, and was left in it."""
    here = seen.by_hand
    if here is None:
        return NOT_FOR_THIS_TASK
    if here.broken_off is None or here.batches < 2:
        return None
    return look(here.broken_off, batches=here.batches)


def optimizer_made_anew(seen: Step, view: View) -> Verdict | CannotJudge | None:
    here = seen.by_hand
    if here is None:
        return NOT_FOR_THIS_TASK
    return None if here.made_anew is None else fault(here.made_anew, name=here.optimizer)


def metric_never_reset(seen: Step, view: View) -> Verdict | CannotJudge | None:
    here = seen.by_hand
    if here is None:
        return NOT_FOR_THIS_TASK
    if here.unreset is None:
        return None
    name, line = here.unreset
    return look(line, name=name)


def stays_in_eval_mode(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """The first epoch learns as it should, and none of those that come."""
    here = seen.by_hand
    if here is None:
        return NOT_FOR_THIS_TASK
    if not here.training or not here.differs or here.stuck_at is None:
        return None
    return look(here.stuck_at, layer=here.differs)


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
    asked_without_training,
    penalty_left_out,
    number_read_once,
    loop_broken_off,
    optimizer_made_anew,
    metric_never_reset,
)
OF_NUMBERS: tuple[Rule, ...] = (judged_in_train_mode,)
