"""Answers that come in another order than the labels that they are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.frameworks.keras.reading import dense
from debugger.frameworks.keras.rest import labels_in
from debugger.pipelines.held import Held
from debugger.pipelines.printed import Printed

FEWEST, MANY = 8, 3


def in_other_order(
    rows: Sequence[Any], known: Mapping[str, Any], printed: Sequence[Printed]
) -> Held | None:
    """What the model is asked about is shuffled, while one of the things that are `known` by name
    holds the very labels of it in another order; and a number that is printed is no better for it
    that the answers are right.

    Two sets may have as many rows of one class, and of the other, by chance: then the proof is that
    the order is another each time.
    """
    blind = [one for one in printed if _is_off(one)]
    for given in rows if blind else ():
        if not isinstance(given, tf.data.Dataset | tf_keras.utils.Sequence):
            continue
        first, again = (_classes(labels_in(given)) for _ in range(2))
        if first is None or again is None:
            continue
        if len(set(first.tolist())) < MANY and np.array_equal(first, again):
            continue
        name = next((name for name, value in known.items() if value is given), "")
        for labels, value in known.items():
            held = _classes(_plain(value))
            if held is not None and np.array_equal(np.sort(held), np.sort(first)):
                moved = int((held != first).sum())
                if name and moved:
                    return Held(name, labels, blind[0].line, len(first), moved=moved)
    return None


def _is_off(one: Printed) -> bool:
    """Whether right answers are nearer to those drawn by lot than to all there is to reach."""
    drawn = (one.some, one.other, *one.dealt)
    if one.perfect is None or min(drawn) < 0 or max(drawn) > 1:
        return False
    return one.perfect < (1 + max(drawn)) / 2


def _plain(value: Any) -> Any:
    """An array, or a list of numbers; None of all else."""
    listed = isinstance(value, list) and bool(value) and isinstance(value[0], int | float)
    return np.asarray(value) if listed else value if isinstance(value, np.ndarray) else None


def _classes(labels: Any) -> Any:
    """The number of the class of each row."""
    array = None if labels is None else dense(labels)
    if array is None or array.dtype.kind not in "iufb" or len(array) < FEWEST:
        return None
    if array.ndim == 2:
        array = array.argmax(-1) if array.shape[1] > 1 else array[:, 0]
    return array if array.ndim == 1 and len(set(array.tolist())) > 1 else None
