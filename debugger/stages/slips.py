"""Slips of the pen: what the script's text shows to be meant otherwise."""

from __future__ import annotations

from debugger.experiments.signal import signal
from debugger.pipelines.data import Data
from debugger.pipelines.evaluate import Evaluate
from debugger.stages.columns import labels_move_between_epochs
from debugger.stages.judging import NO_SCRIPT, CannotJudge, Rule, Verdict, View, fault, look


def halves_crossed(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The inputs of one half of a split, and the labels of the other."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.slips.crossed()
    return None if found is None else fault(found.line, inputs=found.inputs, labels=found.labels)


def split_apart(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Two splits draw two lots: what stood beside each other does no more."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.slips.split_apart()
    return None if found is None else fault(found[0], inputs=found[1], labels=found[2])


def numbered_apart(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Words are numbered as they come, and they come otherwise in another set."""
    if not view.has_script:
        return NO_SCRIPT
    line = None if seen.failure else view.places.slips.numbered_apart()
    return None if line is None else fault(line)


def vocabulary_made_apart(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What numbers the words of the training rows is made anew of the rows to be judged by."""
    if not view.has_script:
        return NO_SCRIPT
    told = seen.failure is not None or seen.renumbered is not None
    found = None if told else view.places.vocabularies_apart()
    if found is None or view.places.slips.numbered_apart() is not None:
        return None  # see numbered_apart
    return (fault if found.surely else look)(found.line, made=found.made, at=found.at)


def vocabulary_made_inside(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A function that is called for both sets, and numbers words by those of the set in hand."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure or seen.renumbered else view.places.vocabulary_inside()
    if found is None or view.places.slips.numbered_apart() is not None:
        return None  # see numbered_apart
    told = {"made": found.made, "function": found.function, "at": found.at, "again": found.again}
    return (fault if found.surely else look)(found.line, **told)


def reordered_alone(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Rows or labels get a new order, and what stands beside them keeps the old one."""
    return _reordered(seen, view, both=False)


def reordered_by_two_lots(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Rows and labels get a new order each."""
    return _reordered(seen, view, both=True)


def labels_before_dropping(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """From the first row that is left out, each label stands beside another one."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.slips.labels_before_dropping()
    return None if found is None else fault(found[0], at=found[1], frame=found[2])


def learned_from_judged(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Rows are brought to a scale, or to numbers, of their own where they are to be judged by."""
    if not view.has_script:
        return NO_SCRIPT
    told = seen.failure is not None or seen.refitted is not None or seen.renumbered is not None
    found = None if told else view.places.slips.learned_from_judged()
    return None if found is None else look(found[0], kind=found[1])


def bytes_wrap_around(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Below 0 a byte begins at 255, and above 255 at 0."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.wrapped()
    if found is None:
        return None
    return (fault if found.below else look)(found.line, made=found.made)


def shuffled_before_zip(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Two data sets that hold the parts of the same rows, each in an order of its own."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.shuffled_before_zip()
    if found is None:
        return None
    told = {"shuffled": ", ".join(found.shuffled), "at": found.at}
    return (fault if found.labels else look)(found.line, **told)


def order_for_rank(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """argsort tells which thing stands at each place, and not at which place a thing stands."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.order_for_rank()
    if found is None:
        return None
    return (fault if found.surely else look)(found.line, order=found.order, asked=found.asked)


def compared_by_identity(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """`is` asks whether two values are the same object: no two that were only just made are."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.slips.identical()
    return None if found is None else fault(found[0], comparison=found[1])


def loss_divided_again(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The loss of an evaluation is a mean over its rows already."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.slips.loss_divided()
    return None if found is None else fault(found[0], made=found[1])


def _reordered(seen: Data, view: View, both: bool) -> Verdict | CannotJudge | None:
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.reordered_apart
    if found is None or found.both != both:
        return None
    words = signal(seen.worded)
    # Words that tell the label have stayed with it; for those that do not, see data.
    if words is not None and words.found:
        return None
    if words is not None and view.places.labels_torn() is not None:
        return None
    if isinstance(labels_move_between_epochs(seen, view), Verdict):
        return None  # which was measured
    return fault(found.line, moved=found.moved, kept=found.kept, at=found.at)


OF_ROWS: tuple[Rule, ...] = (
    halves_crossed,
    split_apart,
    numbered_apart,
    vocabulary_made_apart,
    vocabulary_made_inside,
    reordered_alone,
    reordered_by_two_lots,
    labels_before_dropping,
    learned_from_judged,
    bytes_wrap_around,
    shuffled_before_zip,
)
OF_NUMBERS: tuple[Rule, ...] = (compared_by_identity, loss_divided_again, order_for_rank)
