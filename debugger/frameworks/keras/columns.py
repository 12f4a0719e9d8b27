"""The arrays that `fit` is given, measured leaf by leaf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.frameworks.keras.answering import answer_to
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.reading import Rows, dense, parts_of
from debugger.pipelines.columns import (
    MOST_MEASURED,
    Columns,
    Gap,
    filled_elsewhere,
    given_twice,
    measured,
    swapped,
    without_number,
)
from debugger.pipelines.windows import Met, Windows, met_in, windows

ASKED = 8
"""Rows that a model is asked about where something in them is no number."""


def columns(fit: Fit, rows: Rows | None) -> Columns | None:
    """None where no rows were read, or where they do not fall into arrays."""
    if rows is None or rows.batch is None or not rows.leaves:
        return None
    names = list(rows.batch.inputs)
    if len(names) != len(tf.nest.flatten(rows.batch.x)) or len(names) > len(rows.leaves):
        return None
    read = [place for place, name in enumerate(names) if name != rows.batch.inside]
    twice = given_twice([names[p] for p in read], [rows.leaves[p] for p in read])
    pair = None if twice is None else (read[twice[0]], read[twice[1]])
    found = {names[place]: rows.leaves[place] for place in read}
    seen = measured(found, rows.labels)
    return replace(
        seen,
        gaps=tuple(_felt_gaps(fit.model, rows, found, seen.gaps)),
        twice=None if pair is None else (names[pair[0]], names[pair[1]]),
        shared=pair is not None and _read_by_one(fit.model, *pair),
        embedded=max((one.input_dim for one in _embeddings(fit.model)), default=0),
        full=fit.after.full,
    )


def between(train: Rows, other: Rows | None) -> tuple[tuple[int, int], ...]:
    """Columns of the other rows that stand at another's place, where there is one array of each."""
    here, there = array_of(train), None if other is None else array_of(other)
    return () if here is None or there is None else swapped(here, there)


def met_again(train: Rows, other: Rows | None) -> Met | None:
    """Windows of the other rows that stand in those that are learned from, input by input."""
    if other is None or train.batch is None or other.batch is None:
        return None
    names = list(train.batch.inputs)
    held = (dict(zip(names, map(_stacked, rows.leaves), strict=False)) for rows in (train, other))
    here, there = ({n: a for n, a in one.items() if a is not None} for one in held)
    return met_in(here, there)


def _stacked(rows: Any) -> Any:
    some = rows[:MOST_MEASURED]
    return np.stack(some) if some and len({row.shape for row in some}) == 1 else None


def cut_from_time(train: Rows) -> Windows | None:
    if train.batch is None:
        return None
    return windows(dict(zip(train.batch.inputs, train.leaves, strict=False)))


def misfilled(train: Rows) -> tuple[int, int] | None:
    """Of one input alone; see `filled_elsewhere`."""
    if train.batch is None or len(tf.nest.flatten(train.batch.x)) != 1 or not train.leaves:
        return None
    return filled_elsewhere(train.leaves[0], train.labels)


def leaf_by_leaf(train: Rows, asked: Any) -> Iterator[tuple[Any, Any]]:
    """Each of several inputs that were learned from, and what stands in its place later on."""
    if train.batch is None or not isinstance(asked, list | tuple) or len(asked) < 2:
        return
    names = list(train.batch.inputs)
    if len(names) != len(asked) or len(train.leaves) < len(names):
        return
    for leaves, later in zip(train.leaves, asked, strict=False):
        here, there = leaves[:MOST_MEASURED], np.asarray(later)[:MOST_MEASURED]
        if here and len({row.shape for row in here}) == 1 and there.dtype.kind in "iuf":
            yield np.stack(here), there


def array_of(rows: Rows) -> Any:
    """The first rows of the only input there is; None where there are more, or of several sizes."""
    if rows.batch is None or not rows.leaves or len(tf.nest.flatten(rows.batch.x)) != 1:
        return None
    found = rows.leaves[0][:MOST_MEASURED]
    return np.stack(found) if found and len({row.shape for row in found}) == 1 else None


def _felt_gaps(
    model: Any, rows: Rows, found: dict[str, Any], gaps: tuple[Gap, ...]
) -> Iterator[Gap]:
    for gap in gaps:
        without = without_number(found[gap.name])
        yield replace(gap, felt=_felt(model, rows, without[:ASKED]))


def _felt(model: Any, rows: Rows, chosen: list[int]) -> bool | None:
    """Whether the model has no answer to such rows; one may well fill its gaps by itself."""
    scores = answer_to(model, parts_of(rows.again(chosen))).scores
    return None if scores is None else not np.isfinite(dense(scores)).all()


def _embeddings(model: Any) -> list[Any]:
    return [one for one in model._flatten_layers() if isinstance(one, tf_keras.layers.Embedding)]


def _read_by_one(model: Any, one: int, other: int) -> bool:
    """Whether one layer takes each of the two by itself, as for two texts to be compared."""
    inputs: Any = getattr(model, "inputs", None)
    if not inputs or len(inputs) <= max(one, other):
        return False
    first, second = (_readers(inputs[place]) for place in (one, other))
    return bool(first & second)


def _readers(tensor: Any) -> set[int]:
    layer = getattr(getattr(tensor, "_keras_history", None), "layer", None)
    nodes = getattr(layer, "_outbound_nodes", [])
    return {
        id(node.outbound_layer)
        for node in nodes
        if len(tf.nest.flatten(node.keras_inputs)) == 1 and node.outbound_layer.weights
    }
