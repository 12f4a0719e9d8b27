"""A tf.data.Dataset read as rows: what `fit` hands to the model, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.failure import Failure, failure_of
from debugger.pipelines.rows import LABELS

MOST_ROWS = 5000


@dataclass(frozen=True)
class Parts:
    """One batch, as it came: its inputs by name, its labels, and where those stood."""

    raw: Any
    x: Any
    y: Any
    inputs: dict[str, Any]
    labels: Any
    inside: str | None

    @property
    def names(self) -> tuple[str, ...]:
        return ("x",) if self.y is None else ("x", "y")


@dataclass(frozen=True)
class Rows:
    """The first rows, column by column, as Python values. `failure`: no further batch came.

    `batch` is the first one; `count` is of all rows, None where they are a stream without an end.
    """

    columns: dict[str, list[Any]]
    labels: tuple[Any, ...]
    count: int | None
    batch: Parts | None
    failure: Failure | None = None

    @property
    def looked_at(self) -> int:
        return len(next(iter(self.columns.values()), self.labels))


def parts_of(batch: Any) -> Parts:
    x, y, _ = tf_keras.utils.unpack_x_y_sample_weight(batch)
    inputs = dict(x) if isinstance(x, Mapping) else {"inputs": x}
    inside = next((name for name in LABELS if name in inputs), None)
    labels = inputs.get(inside or "") if y is None else y
    if isinstance(labels, Mapping):
        labels = next(iter(labels.values()), None)
    return Parts(batch, x, y, inputs, labels, inside)


def read(dataset: Any, most: int = MOST_ROWS) -> Rows:
    columns: dict[str, list[Any]] = {}
    labels: list[Any] = []
    first, failure = None, None
    if not isinstance(dataset, tf.data.Dataset):
        return _one_batch(dataset)
    try:
        for batch in dataset:
            parts = parts_of(batch)
            first = first or parts
            for name, value in parts.inputs.items():
                if name != parts.inside:
                    columns.setdefault(name, []).extend(_rows(value))
            if parts.labels is not None:
                labels += _rows(parts.labels)
            if len(next(iter(columns.values()), labels)) >= most:
                break
    except Exception as error:
        failure = failure_of(error)
    rows = Rows(columns, tuple(labels), None, first, failure)
    return replace(rows, count=_count(dataset, rows, most))


def _one_batch(dataset: Any) -> Rows:
    try:
        return Rows({}, (), None, parts_of(next(iter(dataset))))
    except Exception as error:
        return Rows({}, (), None, None, failure_of(error))


def _count(dataset: Any, rows: Rows, most: int) -> int | None:
    """Read to the end, or told by the number of batches."""
    if rows.looked_at < most:
        return rows.looked_at
    batches = int(dataset.cardinality())
    return None if batches < 0 or rows.batch is None else batches * size_of(rows.batch)


def size_of(parts: Parts | None) -> int:
    if parts is None:
        return 0
    value = next(iter(parts.inputs.values()), parts.labels)
    return int(value.shape[0]) if value is not None and len(value.shape) else 0


def _rows(value: Any) -> list[Any]:
    if hasattr(value, "to_tensor"):  # ragged, or sparse
        value = value.to_tensor()
    array = np.asarray(value)
    if array.dtype == object:
        return [one.decode() if isinstance(one, bytes) else one for one in array.tolist()]
    return array.tolist()
