"""The training rows read a second time, as the next epoch would: is each label still its row's?"""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from typing import Any

import tensorflow as tf

from debugger.failure import on_behalf
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.feeding import as_batches
from debugger.frameworks.keras.reading import Rows, read

SAME = 0.95
"""Of all labels: so many are the same ones, in whatever order."""
Labels = dict[int, Counter[int]]


def relabelled(fit: Fit, first: Rows) -> tuple[int, int] | None:
    """How many rows have another label then, of those that come again just as they were.

    None where not all rows were read, or where none comes again: who makes rows anew changes them.
    Rows of a Dataset of `datasets` take their labels along.
    """
    if first.failure is not None or not first.leaves or first.count != first.looked_at:
        return None
    if fit.source(fit.train) is not None:
        return None
    try:
        second = read(_next_epoch(fit), how=first.how)
    except Exception:  # what cannot be copied, or read again, proves nothing
        return None
    if second.failure is not None or not second.leaves:
        return None
    here, there = _labels(first), _labels(second)
    drawn, again = (sum(found.values(), Counter()) for found in (here, there))
    if (drawn & again).total() < SAME * drawn.total():  # labels that are drawn, not moved
        return None
    known = here.keys() & there.keys()
    changed = [one for one in known if not here[one].keys() & there[one].keys()]
    return sum(here[one].total() for one in changed), sum(here[one].total() for one in known)


def _next_epoch(fit: Fit) -> Any:
    """A Sequence is told when an epoch is over: the copy of one."""
    if fit.sequence is None:
        return fit.train
    again = copy.deepcopy(fit.sequence)
    on_behalf(again.on_epoch_end)
    return as_batches(again)


def _labels(rows: Rows) -> Labels:
    """The labels of each row, by what tells the row from others."""
    assert rows.batch is not None
    names, found = list(rows.batch.inputs), len(tf.nest.flatten(rows.batch.x))
    y = rows.batch.y
    beside = range(found, found + (0 if y is None else len(tf.nest.flatten(y))))
    inside = [n for n, name in enumerate(names[:found]) if name == rows.batch.inside]
    labels = [*inside, *beside]
    inputs = [n for n in range(found) if n not in inside]
    told: Labels = defaultdict(Counter)
    for row in range(len(rows.leaves[0])):
        key, label = (
            hash(b"".join(rows.leaves[n][row].tobytes() for n in places))
            for places in (inputs, labels)
        )
        told[key][label] += 1
    return told
