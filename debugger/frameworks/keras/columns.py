"""The arrays that `fit` is given, measured leaf by leaf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.frameworks.keras.answering import answer_to
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.reading import Rows, dense, parts_of
from debugger.pipelines.columns import (
    MOST_MEASURED,
    Column,
    Columns,
    Echo,
    Gap,
    column_of,
    echo_of,
    given_twice,
    swapped,
    without_number,
)

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
    return Columns(
        inputs=_measured(found),
        gaps=tuple(_gaps(fit.model, rows, found)),
        echo=_echo(rows, found),
        twice=None if pair is None else (names[pair[0]], names[pair[1]]),
        shared=pair is not None and _read_by_one(fit.model, *pair),
        embedded=max((one.input_dim for one in _embeddings(fit.model)), default=0),
    )


def between(train: Rows, other: Rows | None) -> tuple[tuple[int, int], ...]:
    """Columns of the other rows that stand at another's place, where there is one array of each."""
    here, there = array_of(train), None if other is None else array_of(other)
    return () if here is None or there is None else swapped(here, there)


def array_of(rows: Rows) -> Any:
    """The first rows of the only input there is; None where there are more, or of several sizes."""
    if rows.batch is None or not rows.leaves or len(tf.nest.flatten(rows.batch.x)) != 1:
        return None
    found = rows.leaves[0][:MOST_MEASURED]
    return np.stack(found) if found and len({row.shape for row in found}) == 1 else None


def _gaps(model: Any, rows: Rows, found: dict[str, Any]) -> Iterator[Gap]:
    for name, leaves in found.items():
        if without := without_number(leaves):
            yield Gap(name, len(without), len(leaves), _felt(model, rows, without[:ASKED]))


def _felt(model: Any, rows: Rows, chosen: list[int]) -> bool | None:
    """Whether the model has no answer to such rows; one may well fill its gaps by itself."""
    scores = answer_to(model, parts_of(rows.again(chosen))).scores
    return None if scores is None else not np.isfinite(dense(scores)).all()


def _echo(rows: Rows, found: dict[str, Any]) -> Echo | None:
    echoes = (echo_of(name, leaves, rows.labels) for name, leaves in found.items())
    return next((one for one in echoes if one is not None), None)


def _measured(found: dict[str, Any]) -> tuple[Column, ...]:
    made = (column_of(name, rows) for name, rows in found.items())
    return tuple(one for one in made if one is not None)


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
