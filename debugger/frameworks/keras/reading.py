"""Batches read as rows: what `fit` hands to the model, whatever it was made of."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import tensorflow as tf
import tf_keras
from tensorflow.python.util import nest

from debugger.failure import Failure, failure_of_script, is_own, line_in, on_behalf
from debugger.pipelines.rows import LABELS

MOST_ROWS = 5000
MOST_BYTES = 2**27
WIDE = 1024
"""Rows of more numbers, and rows of more than one axis of fractions, are told by what they are."""
_PLACE = re.compile(r'File "([^"]+)", line (\d+), in ')
_SAID = re.compile(r"\b(\w+(?:Error|Exception|StopIteration)): (.*)")

HowLabels = Literal["as they are", "one of each", "places", "whole"]
"""Labels as classes: in columns of one, the place of the 1 in a vector, 0.0 and 1.0."""


@dataclass(frozen=True)
class Parts:
    """One batch, as it came: its inputs by name, its labels, and where those stood.

    `labels` is None where there are none, or several of them.
    """

    raw: Any
    x: Any
    y: Any
    weights: Any
    inputs: dict[str, Any]
    labels: Any
    inside: str | None

    @property
    def names(self) -> tuple[str, ...]:
        return ("x",) if self.y is None else ("x", "y")


@dataclass(frozen=True)
class Wide:
    """A row of a picture or a sound: too much to show, and the same only where all of it is."""

    shape: tuple[int, ...]
    dtype: str
    low: float
    high: float
    digest: str

    def __str__(self) -> str:
        return f"{self.dtype} {list(self.shape)}, {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Rows:
    """The first rows, column by column, as Python values. `failure`: no further batch came.

    `batch` is the first one; `count` is of all rows, None where they are a stream without an end.
    `leaves` are the arrays behind, by their place in a batch; none where no batch can be made anew.
    """

    columns: dict[str, list[Any]]
    labels: tuple[Any, ...]
    count: int | None
    batch: Parts | None
    failure: Failure | None = None
    leaves: tuple[list[Any], ...] = field(default=(), repr=False)
    how: HowLabels = "as they are"

    @property
    def looked_at(self) -> int:
        return len(next(iter(self.columns.values()), self.labels))

    def inputs(self, chosen: list[int]) -> Any:
        """These rows as `x` of one batch, shorter ones filled up at the end."""
        assert self.batch is not None
        places = len(tf.nest.flatten(self.batch.x))
        made = [self._leaf(place, chosen) for place in range(places)]
        return tf.nest.pack_sequence_as(self.batch.x, made)

    def again(self, chosen: list[int]) -> Any:
        """These rows as one batch, just as `fit` would be given it."""
        assert self.batch is not None
        made = [self._leaf(place, chosen) for place in range(len(self.leaves))]
        return tf.nest.pack_sequence_as(self.batch.raw, made)

    def _leaf(self, place: int, chosen: list[int]) -> Any:
        assert self.batch is not None
        rows = [self.leaves[place][row] for row in chosen]
        shapes = {row.shape for row in rows}
        if len(shapes) > 1:
            most = [max(sizes) for sizes in zip(*shapes, strict=True)]
            rows = [
                np.pad(r, [(0, m - n) for n, m in zip(r.shape, most, strict=True)]) for r in rows
            ]
        return tf.constant(np.stack(rows), dtype=tf.nest.flatten(self.batch.raw)[place].dtype)


def leaves_out(parts: Parts) -> bool:
    """Whether some of its rows weigh nothing."""
    return parts.weights is not None and bool((dense(parts.weights) == 0).any())


def parts_of(batch: Any) -> Parts:
    x, y, weights = tf_keras.utils.unpack_x_y_sample_weight(batch)
    inputs = _named(x)
    inside = next((name for name in LABELS if name in inputs), None)
    inside = inside if isinstance(x, Mapping) else None
    found = [inputs[inside]] if y is None and inside else tf.nest.flatten(y)
    labels = found[0] if len(found) == 1 else None
    return Parts(batch, x, y, weights, inputs, labels, inside)


def read(
    dataset: Any, most: int = MOST_ROWS, how: HowLabels = "as they are", batches: int = 0
) -> Rows:
    """At most so many rows, or `batches` of them. What a `repeat` gives again is left out."""
    columns: dict[str, list[Any]] = {}
    labels: list[Any] = []
    leaves: list[list[Any]] | None = None
    first, failure, size, complete = None, None, 0, True
    asked, (held, batches) = batches, once(dataset, batches)
    try:
        for number, batch in enumerate(batches_of(dataset), 1):
            parts = parts_of(batch)
            for name, value in parts.inputs.items():
                if name != parts.inside:
                    columns.setdefault(name, []).extend(_rows(value))
            if parts.labels is not None:
                labels += classes_in(parts.labels, how)
            leaves = _joined(leaves, _arrays(batch, size_of(parts)), first is None)
            first = first or parts
            size += sum(_bytes(leaf) for leaf in tf.nest.flatten(batch))
            rows = len(next(iter(columns.values()), labels))
            if number == batches or (held and rows >= held):
                break
            if rows >= most or size >= MOST_BYTES:
                complete = False
                break
    except Exception as error:
        failure = told(error)
    whole = {name: values[: held or None] for name, values in columns.items()}
    found = Rows(whole, tuple(labels[: held or None]), None, first, failure, leaves=(), how=how)
    again = _count(dataset, found) if held or batches != asked else None
    count = again or (found.looked_at if complete else _count(dataset, found))
    return replace(found, count=count, leaves=tuple(leaves or ()))


def batches_of(dataset: Any) -> Iterator[Any]:
    """As `fit` would take them: what goes wrong on the way is the script's."""
    rest = on_behalf(iter, dataset)
    while (batch := on_behalf(next, rest, None)) is not None:
        yield batch


def _joined(held: Any, more: Any, is_first: bool) -> list[list[Any]] | None:
    """None once a batch did not fall into rows."""
    if is_first or held is None or more is None:
        return more if is_first else None
    for rows, new in zip(held, more, strict=True):
        rows += new
    return held


def endless(dataset: Any) -> bool:
    """Or nobody can tell before it was read."""
    return int(dataset.cardinality()) < 0


def size_of(parts: Parts | None) -> int:
    if parts is None:
        return 0
    leaves = [*parts.inputs.values(), *([] if parts.labels is None else [parts.labels])]
    return next((int(v.shape[0]) for v in leaves if len(v.shape) and v.shape[0] is not None), 0)


def dense(value: Any) -> Any:
    """As an array of numbers that numpy knows, or of texts."""
    if isinstance(value, tf.SparseTensor):
        value = tf.sparse.to_dense(value)
    elif hasattr(value, "to_tensor"):
        value = value.to_tensor()
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.kind == "V" else array  # bfloat16


def classes_in(labels: Any, how: HowLabels) -> list[Any]:
    """The labels of a batch, one plain value a row where they are classes."""
    array = dense(labels)
    if how == "places" and array.ndim == 2:
        return array.argmax(axis=1).tolist()
    if how in ("one of each", "whole") and array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if how == "whole" and array.dtype.kind in "bf" and not (array % 1).any():
        array = array.astype(np.int64)
    return _rows(array)


def told(error: BaseException) -> Failure:
    """What TensorFlow tells of an exception in Python code that it called stands in its message.

    Where the clinic itself is to blame, it is raised again.
    """
    failure = failure_of_script(error)
    placed = ((file, int(line)) for file, line in _PLACE.findall(str(error)) if is_own(file))
    own = [line for one in placed if (line := line_in(*one)) is not None]
    if failure.line is not None or not own:
        return failure
    said = _SAID.search(str(error))
    if said is None:
        return replace(failure, line=own[-1])
    return replace(
        failure, exception=said[1], message=f"{said[2]}\n{failure.message}", line=own[-1]
    )


def _named(x: Any) -> dict[str, Any]:
    paths: Any = nest.flatten_with_joined_string_paths(x)
    names = (path if isinstance(x, Mapping) else f"inputs_{path}" for path, _ in paths)
    if len(paths) == 1 and not isinstance(x, Mapping):
        names = iter(["inputs"])
    return {name: leaf for name, (_, leaf) in zip(names, paths, strict=True) if leaf is not None}


def _rows(value: Any) -> list[Any]:
    array = dense(value)
    if not array.ndim:
        return [array.item()]
    if array.dtype == object:
        return [
            one.decode("utf-8", "replace") if isinstance(one, bytes) else _text(one)
            for one in array.tolist()
        ]
    if _is_wide(array):
        return [_wide(row) for row in array]
    return array.tolist()


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(one) for one in value]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _is_wide(array: Any) -> bool:
    of_one = array[0].size if len(array) else 0
    return of_one > WIDE or (array.ndim > 2 and array.dtype.kind == "f") or array.ndim > 3


def _wide(row: Any) -> Wide:
    digest = hashlib.blake2b(np.ascontiguousarray(row).tobytes(), digest_size=8).hexdigest()
    return Wide(row.shape, row.dtype.name, float(row.min()), float(row.max()), digest)


def _arrays(batch: Any, size: int) -> list[list[Any]] | None:
    """Row by row, in the order of the batch; None where it does not fall into rows."""
    leaves = tf.nest.flatten(batch)
    if not all(
        isinstance(one, tf.Tensor) and one.shape.rank and one.shape[0] == size for one in leaves
    ):
        return None
    return [[np.asarray(row) for row in np.asarray(leaf)] for leaf in leaves]


def _bytes(leaf: Any) -> int:
    return leaf.dtype.size * leaf.shape.num_elements() if isinstance(leaf, tf.Tensor) else 0


def once(dataset: Any, batches: int) -> tuple[int, int]:
    """How many rows, or batches, come until a `repeat` begins anew; 0 where nobody can tell."""
    outer, batched = dataset, False
    while outer is not None:
        inner = getattr(outer, "_input_dataset", None)
        kind = type(outer).__name__
        if "Repeat" in kind and inner is not None and (held := int(inner.cardinality())) > 0:
            return (held, batches) if batched else (0, min(batches or held, held))
        batched = batched or "Batch" in kind
        outer = inner
    return 0, batches


def _count(dataset: Any, rows: Rows) -> int | None:
    batches = int(dataset.cardinality())
    return None if batches < 0 or rows.batch is None else batches * size_of(rows.batch)
