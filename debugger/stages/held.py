"""What the script does with the model once it is trained: whom it asks, what it compares."""

from __future__ import annotations

import re

from debugger.failure import first_line
from debugger.pipelines.evaluate import Evaluate
from debugger.stages.judging import (
    NO_SCRIPT,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Verdict,
    View,
    fault,
    look,
)

_MIXED = r"a mix of (\S+) and (\S+) targets"
_OF_EACH = "continuous-multioutput"
EDGE = 0.02
"""Of what an answer can be: so near to its ends a threshold says nearly always the same."""


def another_model_asked(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Behind the training a model is made anew, and that one is measured or kept."""
    if not view.has_script:
        return NO_SCRIPT
    found = seen.anew or (view.places.judged.fresh() if view.facts.compiled is None else None)
    if found is None:
        return None
    line, trained_is_used = found
    return (look if trained_is_used else fault)(line)


def loaded_whole(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """What holds the weights, among other things, is taken for the weights themselves."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.loaded_whole()
    return None if found is None else fault(found.line, at=found.at, key=found.key)


def measured_on_training_rows(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Beside a number for other rows, that for the training rows shows how far they part."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.judged.on_training_rows() or view.places.judged.on_fitted_rows()
    if found is None or not found[1] or seen.failure is not None:
        return None
    alone = seen.evaluations or seen.eval_rows is None
    return (look if alone else fault)(found[0])


def answers_of_other_rows(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """As far as their names tell: answers about the one set, and labels of the other."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.judged.other_rows()
    if found is None or seen.failure is not None:
        return None
    line, rows, labels = found
    return look(line, rows=rows, labels=labels)


def dropout_still_on(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A Trainer leaves its model as it trained it, unless it has evaluated it since."""
    if not view.has_script:
        return NO_SCRIPT
    if not seen.dropout or seen.evaluations != 0:
        return None
    line = view.places.judged.while_training()
    return None if line is None else fault(line, dropout=seen.dropout)


def answers_in_other_order(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The rows are shuffled as they are asked about, and the labels are not, or otherwise."""
    if not view.has_script:
        return NO_SCRIPT
    worst = max(seen.held, key=lambda one: one.moved, default=None)
    if worst is None or not worst.moved:
        return None
    line = view.places.rows.shuffled(worst.rows) or worst.line
    numbers = {"rows": worst.rows, "moved": worst.moved, "of": worst.count}
    return fault(line, labels=worst.labels or worst.rows, **numbers)


def answers_not_scaled_back(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The model learned scaled labels, and its answers are held against those as they were."""
    if not view.has_script:
        return NO_SCRIPT
    found = next((one for one in seen.held if one.learned and one.other), None)
    if found is None or found.learned is None or found.other is None:
        return None
    (low, high), (least, most) = found.learned, found.other
    ends = {"low": low, "high": high, "other_low": least, "other_high": most}
    return fault(found.line, labels=found.labels, **ends)


def metric_arguments_swapped(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """scikit-learn takes the truth first, and is given the answers in its place."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.backwards
    if found is None or seen.failure is not None:
        return None  # what fails before it is told first
    return (look if found.table else fault)(found.line, name=found.name)


def threshold_hardly_met(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A yes wants more, or less, than this model is ever likely to say."""
    if not view.has_script:
        return NO_SCRIPT
    if seen.reach is None:
        return NOT_FOR_THIS_TASK
    low, high = seen.reach
    far = [c for c in view.places.cuts if not EDGE < (c.at - low) / (high - low) < 1 - EDGE]
    if not far:
        return None
    cut = far[0]
    verdict = look if low < cut.at < high else fault
    return verdict(cut.line, cut=cut.at, low=low, high=high)


def model_made_each_round(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A loop that was to go on with a model begins anew with another, and keeps the last."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.rebuilt
    if found is None or seen.failure is not None:
        return None
    return (look if found.measured or found.epochs else fault)(found.line)


def asked_before_training(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """What is measured once all is over are answers from before; a checkpoint may know some."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.asked_too_early
    if found is None or seen.failure is not None:
        return None
    made = look if view.facts.pretrained or found.measured else fault
    return made(found.line, name=found.name)


def weights_brought_back(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """What was learned is written over by what stood there before."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.brought_back
    if found is None or seen.failure is not None:
        return None
    return fault(found.line, at=found.at)


def opened_unsaved(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The folder is empty then, or holds what another run has left there."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.judged.opened_unsaved()
    if found is None or seen.failure is not None:
        return None
    return fault(found[0], folder=found[1])


def asked_as_in_training(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A model of Keras is told to train while it is asked; many answers in a loop are drawn so."""
    if not view.has_script or view.facts.compiled is None:
        return NOT_FOR_THIS_TASK if view.has_script else NO_SCRIPT
    line = view.places.judged.told_to_train() if seen.dropout else None
    return None if line is None else fault(line, dropout=seen.dropout)


def asked_without_batch(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Keras takes the first axis of what it is asked about for the rows."""
    if not view.has_script or view.facts.compiled is None:
        return NOT_FOR_THIS_TASK if view.has_script else NO_SCRIPT
    for one in () if seen.failure else view.places.asked_of_one():
        rows = view.names.get(one.of)
        shape = tuple(getattr(rows, "shape", ()))
        if rows is not None and (len(shape) < 2 or shape[1:] == (1,)):
            continue  # a list of several inputs, or a number that stands for its row
        made = look if rows is None and one.of else fault
        size = " x ".join(map(str, shape[1:]))
        return made(one.line, name=one.name, size=f", {size}" if size else "")
    return None


def no_test_step(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A training step of its own holds the loss, and what evaluates knows of none."""
    if not seen.untested:
        return None
    line = view.places.function("train_step")
    watched = seen.best_metric
    return (fault if watched else look)(line, name=watched or "loss")


def scores_measured_as_classes(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """scikit-learn tells classes from scores by their numbers, and refuses to mix the two."""
    kinds = _mixed_up(seen)
    if kinds not in (("binary", _OF_EACH), ("multiclass", _OF_EACH)) or not seen.num_labels:
        return None
    return fault(_answers_line(seen, view), classes=seen.num_labels)


def scores_measured_as_yes_no(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The same of one output, or of several labels."""
    if _mixed_up(seen) not in (("binary", "continuous"), ("multilabel-indicator", _OF_EACH)):
        return None
    return fault(_answers_line(seen, view), outputs=seen.num_labels or 1)


def _answers_line(seen: Evaluate, view: View) -> int | None:
    line = seen.fails_later[1] if seen.fails_later else None
    return view.places.handed_answers(line) or line


def _mixed_up(seen: Evaluate) -> tuple[str, str] | None:
    """What the metric took the labels for, and the answers, in whichever order."""
    found = None if seen.fails_later is None else re.search(_MIXED, seen.fails_later[0])
    if found is None:
        return None
    one, other = found.groups()
    return (other, one) if one.startswith("continuous") else (one, other)


def fails_afterwards(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The training is paid for by then, and its answers are lost."""
    told = (scores_measured_as_classes, scores_measured_as_yes_no)
    if seen.fails_later is None or any(isinstance(one(seen, view), Verdict) for one in told):
        return None
    said, line = seen.fails_later
    if seen.left_out:
        places = view.places
        cut = places.argument(seen.left_out) or places.returned_in(seen.left_out, "__len__")
        line = cut or line
    return fault(line, said=first_line(said))


def history_without_key(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    if seen.unknown_key is None:
        return None
    name, known, line = seen.unknown_key
    return fault(line, name=name, known=known)


def watched_in_vain(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A callback that never finds its number says so in a warning, and does nothing."""
    if seen.watched_in_vain is None:
        return None
    callback, name, known = seen.watched_in_vain
    line = view.places.flows.said("monitor", name) or view.places.call(callback)
    return fault(line, callback=callback, name=name, known=known)


RULES: tuple[Rule, ...] = (
    another_model_asked,
    loaded_whole,
    measured_on_training_rows,
    answers_of_other_rows,
    dropout_still_on,
    answers_in_other_order,
    answers_not_scaled_back,
    metric_arguments_swapped,
    threshold_hardly_met,
    model_made_each_round,
    asked_before_training,
    weights_brought_back,
    opened_unsaved,
    asked_as_in_training,
    asked_without_batch,
    no_test_step,
    scores_measured_as_classes,
    scores_measured_as_yes_no,
    fails_afterwards,
    history_without_key,
    watched_in_vain,
)
