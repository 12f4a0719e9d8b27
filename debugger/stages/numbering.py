"""Rules about the numbers of labels: does one set number them as the other does?"""

from __future__ import annotations

from debugger.experiments.signal import renumbered
from debugger.pipelines.data import Data
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault
from debugger.stages.targets import labelling

RENUMBERED = 0.3
"""So much more often right under other numbers."""


def same_word_other_number(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The words beside the labels go with other numbers in the other split."""
    train = seen.train.read if seen.train else None
    other = seen.eval.read if seen.eval else None
    if train is None or other is None or not train.spelled or not other.spelled:
        return NOT_FOR_THIS_TASK
    if train.spelled_in != other.spelled_in:
        return NOT_FOR_THIS_TASK
    numbers = {word: number for number, word in train.spelled.items()}
    moved = {w: n for n, w in other.spelled.items() if numbers.get(w, n) != n}
    if not moved:
        return None
    word = min(moved)
    line = labelling(view)
    return fault(line, word=word, train=numbers[word], other=moved[word], moved=len(moved))


def eval_numbered_otherwise(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What words tell about the labels of one set holds for the other, under other numbers."""
    if view.facts.task != "classification" or _names_tell(seen):
        return NOT_FOR_THIS_TASK
    if isinstance(same_word_other_number(seen, view), Verdict):
        return NOT_FOR_THIS_TASK
    found = renumbered(*seen.both)
    if found is None:
        return CannotJudge("words_tell_too_little")
    if not found.moved or found.as_it_is > found.anew - RENUMBERED:
        return None
    train, other = (None if s is None else s.relabelled_at for s in (seen.train, seen.eval))
    line = other if other != train else None
    if view.facts.compiled is not None:
        line = view.places.making.numbering() or view.places.fits.validated(labels=True)
    line = line or view.places.parting.line() or view.places.making.evaluated()
    line = line or view.places.argument("eval_dataset")
    label, other = found.moved[0]
    return fault(
        line,
        label=label,
        other=other,
        moved=len(found.moved),
        as_it_is=found.as_it_is,
        anew=found.anew,
        rows=found.rows,
    )


RULES: tuple[Rule, ...] = (same_word_other_number, eval_numbered_otherwise)


def _names_tell(seen: Data) -> bool:
    """Both sets name their classes, and otherwise: see label_order."""
    here, there = (None if one is None else one.class_names for one in (seen.train, seen.eval))
    return here is not None and there is not None and here != there
