"""Rows and labels, names and numbers that a script's own text shows to have come apart."""

from __future__ import annotations

from typing import Any

from debugger.pipelines.data import Data
from debugger.pipelines.evaluate import Evaluate
from debugger.script.pairing import Apart
from debugger.stages.judging import NO_SCRIPT, CannotJudge, Rule, Verdict, View, fault, look

FEWEST, SEVERAL, SHOWN = 8, 8, 6


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


def tables_side_by_side(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Both hold the same keys, and in two orders: rows were to be joined by them."""
    if not view.has_script:
        return NO_SCRIPT
    found = [] if seen.failure else view.places.pairing.side_by_side()
    for line, one, other in found:
        here: Any = view.names.get(one)
        there: Any = view.names.get(other)
        for key in _keys_in_both(here, there):
            ours, theirs = here[key].tolist(), there[key].tolist()
            if ours != theirs and sorted(ours, key=str) == sorted(theirs, key=str):
                moved = sum(a != b for a, b in zip(ours, theirs, strict=True))
                return fault(line, one=one, other=other, key=key, moved=moved, rows=len(ours))
    return None


def listed_in_two_orders(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Rows were made by a list of names, as of files, and their labels stand in a table that has
    the same names in another order."""
    if not view.has_script:
        return NO_SCRIPT
    pairing = view.places.pairing
    lists = {n: one for n, one in view.names.items() if _are_names(one) and pairing.goes_over(n)}
    for line, table in () if seen.failure else pairing.as_they_stand():
        held = view.frame(table)
        if held is None or len(held) < FEWEST:
            continue
        for name, listed in lists.items():
            if len(listed) != len(held):
                continue
            for key in (one for one in held.columns if not pairing.reads(table, str(one))):
                ours, theirs = list(listed), held[key].tolist()
                if _are_names(theirs) and ours != theirs and sorted(ours) == sorted(theirs):
                    moved = sum(a != b for a, b in zip(ours, theirs, strict=True))
                    said = {"one": name, "other": table, "key": str(key)}
                    return fault(line, **said, moved=moved, rows=len(ours))
    return None


def rows_are_one(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A list times a number holds the same thing so many times."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.rows_are_one()
    return None if found is None else fault(found[0], made=found[1])


def names_of_letters(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What makes yes and no of lists of names was given texts, and went through their letters."""
    if not view.has_script:
        return NO_SCRIPT
    for held in () if seen.failure else view.names.values():
        if type(held).__name__ != "MultiLabelBinarizer" or not hasattr(held, "classes_"):
            continue
        names = [str(one) for one in held.classes_]
        single = sum(len(one) == 1 for one in names)
        line = view.places.call(".fit_transform", "MultiLabelBinarizer")
        if len(names) >= SEVERAL and single == len(names):
            return fault(line, names=len(names), example=", ".join(names[:SHOWN]))
        bare = [one.strip().lower() for one in names]
        twice = next((a for a, b in zip(names, bare, strict=True) if bare.count(b) > 1), None)
        if twice is not None:
            alike = [one for one in names if one.strip().lower() == twice.strip().lower()]
            return fault(line, names=len(names), example=" / ".join(map(repr, alike)))
    return None


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


def epoch_chosen_by_test(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Of many epochs the one that fares best on these very rows is no better on others."""
    if not view.has_script:
        return NO_SCRIPT
    there = not seen.failure and not view.asked_behind  # which are not what it is chosen by
    found = view.places.pairing.epoch_chosen_by_test() if there else None
    return None if found is None else look(found[0], name=found[1])


def undone_otherwise(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """log1p is undone by expm1, and by nothing else."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.pairing.undone_otherwise()
    return None if found is None else look(found[0], made=found[1], other=found[2])


def area_of_decisions(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Behind a training, in a script's own words; see also auc_of_choices."""
    if not view.has_script:
        return NO_SCRIPT
    line = None if seen.failure or seen.has_metric else view.places.pairing.hard_scores()
    return None if line is None else fault(line)


def drawn_apart(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Pictures and masks that are each turned and shuffled by lots of their own."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.pairing.drawn_apart()
    return None if found is None else fault(found[0], one=found[1], other=found[2])


def row_shuffled_inside(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """tf.random.shuffle goes by the first axis, and of one row that is what stands in it."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.pairing.row_shuffled()
    return None if found is None else fault(found[0], name=found[1])


OF_ROWS: tuple[Rule, ...] = (
    dropped_on_one_side,
    keys_sorted_apart,
    labels_unsplit,
    names_in_two_orders,
    reshape_moves_axis,
    tables_side_by_side,
    listed_in_two_orders,
    rows_are_one,
    names_of_letters,
    row_shuffled_inside,
    drawn_apart,
)
OF_NUMBERS: tuple[Rule, ...] = (
    evaluation_named_otherwise,
    chosen_by_test,
    epoch_chosen_by_test,
    undone_otherwise,
    area_of_decisions,
)


def _are_names(value: Any) -> bool:
    """A list of texts, no two of them alike."""
    texts = isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
    return texts and len(value) >= FEWEST and len(set(value)) == len(value)


def _keys_in_both(one: Any, other: Any) -> list[str]:
    """Columns that two tables share and that tell all rows apart."""
    if type(one).__name__ != "DataFrame" or type(other).__name__ != "DataFrame":
        return []
    if len(one) != len(other) or len(one) < FEWEST:
        return []
    both = [name for name in one.columns if name in other.columns]
    return [name for name in both if one[name].is_unique and other[name].is_unique]


def _apart(seen: Data, view: View, found: Apart | None) -> Verdict | CannotJudge | None:
    if not view.has_script:
        return NO_SCRIPT
    if seen.failure is not None or found is None:
        return None
    return fault(found.line, one=found.one, other=found.other)
