"""The arrays that `fit` is given, measured leaf by leaf."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
import tf_keras

from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.reading import Rows
from debugger.pipelines.columns import Column, Columns, column_of, given_twice


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
    return Columns(
        inputs=_measured({names[place]: rows.leaves[place] for place in read}),
        twice=None if pair is None else (names[pair[0]], names[pair[1]]),
        shared=pair is not None and _read_by_one(fit.model, *pair),
        embedded=max((one.input_dim for one in _embeddings(fit.model)), default=0),
    )


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
