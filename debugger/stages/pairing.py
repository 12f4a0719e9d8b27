"""Rows and labels, names and numbers that a script's own text shows to have come apart."""

from __future__ import annotations

from debugger.pipelines.face import Data, Evaluate
from debugger.script.pairing import Apart
from debugger.stages.judging import NO_SCRIPT, CannotJudge, Rule, Verdict, View, fault, look


def dropped_on_one_side(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """From the first row with a gap on, each label stands beside another row."""
    return _apart(seen, view, view.places.pairing.dropped_on_one_side())


def keys_sorted_apart(seen: Data, view: View) -> Verdict | CannotJudge | None:
    return _apart(seen, view, view.places.pairing.sorted_apart())


def labels_unsplit(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The half was drawn by lot, and the labels are those of the first rows of the whole."""
    return _apart(seen, view, view.places.pairing.labels_unsplit())


def names_in_two_orders(seen: Data, view: View) -> Verdict | CannotJudge | None:
    return _apart(seen, view, view.places.pairing.two_orders())


def reshape_moves_axis(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """It only counts the same numbers off anew."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.pairing.axis_moved()
    return None if found is None else fault(found[0], made=found[1])


def evaluation_named_otherwise(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """`evaluate` gives the loss first."""
    if not view.has_script:
        return NO_SCRIPT
    line = None if seen.failure else view.places.pairing.evaluated_in_other_order()
    return None if line is None else fault(line)


def chosen_by_test(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The best of several on these very rows is no better on others."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.pairing.chosen_by_test()
    return None if found is None else look(found[0], name=found[1])


OF_ROWS: tuple[Rule, ...] = (
    dropped_on_one_side,
    keys_sorted_apart,
    labels_unsplit,
    names_in_two_orders,
    reshape_moves_axis,
)
OF_NUMBERS: tuple[Rule, ...] = (evaluation_named_otherwise, chosen_by_test)


def _apart(seen: Data, view: View, found: Apart | None) -> Verdict | CannotJudge | None:
    if not view.has_script:
        return NO_SCRIPT
    if seen.failure is not None or found is None:
        return None
    return fault(found.line, one=found.one, other=found.other)
