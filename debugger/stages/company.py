"""Rules about what a loss of one's own makes of rows beside each other, and of a teacher."""

from __future__ import annotations

from debugger.pipelines.forward import Forward
from debugger.stages.judging import CannotJudge, Rule, Verdict, View, fault, look

NOTHING, SOMETHING = 1e-6, 1e-2
MOVED = 0.01
"""As a share of what a batch costs: no rounding."""
KNOWS, WRONG = 0.75, 0.5
OWN_LOSS = CannotJudge("loss_not_asked")


def loss_needs_more_rows(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """What compares the rows of a batch with each other has nothing to compare in one."""
    here = seen.company
    if here is None or here.alone is None or here.together is None:
        return OWN_LOSS
    if here.alone > NOTHING or abs(here.together) < SOMETHING:
        return None
    line = view.places.argument("per_device_train_batch_size") or view.places.call(
        "TrainingArguments"
    )
    return fault(line, together=here.together)


def loss_goes_by_place(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A loss holds rows against something that comes in an order of its own."""
    asked = seen.asked
    pair = None if asked is None else asked.in_turn
    if asked is None or pair is None:
        return OWN_LOSS
    if asked.elsewhere:
        return None  # see draws_other_rows
    straight, turned = pair
    if abs(turned - straight) < MOVED * max(abs(straight), NOTHING):
        return None
    made = fault if len(seen.labels_shape) == 1 else look
    line = view.places.flows.kept_in_step() or view.places.returned_by("compute_loss")
    return made(line, straight=straight, turned=turned)


def teacher_numbers_otherwise(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """It knows the rows well, and calls their classes by other numbers."""
    teacher = None if seen.company is None else seen.company.teacher
    if teacher is None:
        return OWN_LOSS
    if teacher.anew < KNOWS or teacher.as_it_is > WRONG * teacher.anew or teacher.moved is None:
        return None
    names = view.facts.label_names or ()
    said, meant = (names[n] if n < len(names) else str(n) for n in teacher.moved)
    numbers = {"rows": teacher.rows, "share": teacher.as_it_is, "anew": teacher.anew}
    line = view.places.written.labels() or view.places.returned_by("compute_loss")
    return fault(line, said=said, meant=meant, **numbers)


def teacher_knows_nothing(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Right no more often than who always says the commonest label."""
    teacher = None if seen.company is None else seen.company.teacher
    if teacher is None:
        return OWN_LOSS
    if teacher.as_it_is > teacher.majority + 0.02:
        return None
    if isinstance(teacher_numbers_otherwise(seen, view), Verdict):
        return None  # which says more
    line = view.places.flows.teaching() or view.places.returned_by("compute_loss")
    return look(line, rows=teacher.rows, share=teacher.as_it_is, majority=teacher.majority)


RULES: tuple[Rule, ...] = (
    loss_needs_more_rows,
    loss_goes_by_place,
    teacher_numbers_otherwise,
    teacher_knows_nothing,
)
