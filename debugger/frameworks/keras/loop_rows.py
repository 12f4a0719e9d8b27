"""The rows that a loop by hand goes over, as its model and its loss get them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from types import CodeType
from typing import Any

import numpy as np
import tensorflow as tf

from debugger.frameworks.keras.by_hand import Handed, Heard, heard
from debugger.frameworks.keras.loop_loss import alike, pair
from debugger.frameworks.keras.reading import MOST_BYTES, MOST_ROWS, once
from debugger.script import loops

TURNS_HEARD = 3
SECONDS = 5.0
_TRAINS, JUDGES = re.compile(r"train", re.I), re.compile(r"val|test|dev|eval|held", re.I)


@dataclass(frozen=True)
class Data:
    """What `fit` would be given. `steps` are those of an epoch, where not all of its batches were
    kept."""

    train: Any
    validation: Any
    epochs: int
    steps: int | None


@dataclass(frozen=True)
class Epochs:
    """How often the rows are gone through; whether a loop around theirs counts that."""

    times: int
    around: bool


@dataclass(frozen=True)
class Turns:
    """The items that a loop goes over, and what is done with one of them. A `while` counts them by
    its `counter`."""

    code: CodeType
    names: dict[str, Any]
    items: tf.data.Dataset | range | list[Any]
    count: int | None
    counter: str = ""

    @property
    def counted(self) -> bool:
        return isinstance(self.items, range)

    def hear(self, item: Any) -> Heard | None:
        put = {loops.PUT: item} | ({self.counter: item} if self.counter else {})
        one = heard(self.code, put, self.names)
        return None if one is None else replace(one, item=item)


def batches_of(loop: loops.Loop, names: dict[str, Any]) -> list[Any] | None:
    """As many as can be looked at of what a list, or a function of the script's, gives."""
    given = loop.given(names)
    if given is None or not loops.is_function_or_list(given, names):
        return None
    found: list[Any] = []
    rows, began = 0, time.monotonic()
    for item in loops.asked(given, names) or ():
        leaves = tf.nest.flatten(item)
        if not leaves or not all(isinstance(leaf, tf.Tensor | np.ndarray) for leaf in leaves):
            return None
        found.append(item)
        rows += len(leaves[0]) if np.ndim(leaves[0]) else 1
        if rows >= MOST_ROWS or time.monotonic() - began > SECONDS:
            break
    return found or None


def data_of(
    turns: Turns, epochs: Epochs, names: dict[str, Any], some: list[Heard], handed: Handed | None
) -> Data:
    """Of the first turns it is known what they do."""
    if turns.counted and alike(some[0], some[-1]):
        return Data(_stored([pair(some[0], handed)]), None, epochs.times * len(turns.items), None)
    if turns.counted and not epochs.around and _same_rows(some, handed):
        whole = _stored([pair(some[0], handed)])  # in another order each time
        return Data(whole, None, epochs.times * len(turns.items), None)
    if isinstance(turns.items, tf.data.Dataset) and (chosen := _chosen(some[0], handed)):
        train, steps = turns.items.map(chosen), None
    else:
        chosen, (train, steps) = None, _kept(turns, handed)
    return Data(train, _held(turns, names, chosen, handed), epochs.times, steps)


def _same_rows(some: list[Heard], handed: Handed | None) -> bool:
    """Whether two turns got the same rows, in another order."""
    return sorted(_marks(pair(some[0], handed))) == sorted(_marks(pair(some[-1], handed)))


def _marks(both: Any) -> list[bytes]:
    """What tells the rows of a batch apart; nothing where its parts hold as many as they like."""
    parts = [np.asarray(leaf) for leaf in tf.nest.flatten(both)]
    if len({len(part) if part.ndim else 0 for part in parts}) > 1:
        return []
    return [b"".join(row.tobytes() for row in rows) for rows in zip(*parts, strict=True)]


def some_turns(turns: Turns) -> list[Heard]:
    """The first turns, and the last of those that are counted."""
    items = islice(turns.items, TURNS_HEARD)
    if isinstance(turns.items, range):
        items = chain(items, turns.items[-1:])
    found = [turns.hear(item) for item in items]
    return [one for one in found if one is not None] if all(found) else []


def _chosen(one: Heard, handed: Handed | None) -> Callable[..., Any] | None:
    """Where the model and the loss get parts of an item as they are: which."""
    parts = [id(part) for part in tf.nest.flatten(one.item)]
    both = pair(one, handed)
    leaves = [id(part) for part in tf.nest.flatten(both)]
    if any(leaf not in parts for leaf in leaves):
        return None
    places = [parts.index(leaf) for leaf in leaves]

    def choose(*given: Any) -> Any:
        flat = tf.nest.flatten(given)
        made = tf.nest.pack_sequence_as(both, [flat[place] for place in places])
        return made if handed is not None else made[0]

    return choose


def _kept(turns: Turns, handed: Handed | None) -> tuple[Any, int | None]:
    """What the model and the loss get in one turn after the other, as a data set; and how many
    turns there are, where that are more."""
    pairs: list[Any] = []
    rows, size, began = 0, 0, time.monotonic()
    streamed = isinstance(turns.items, tf.data.Dataset)
    most = (once(turns.items, 0)[0] if streamed else 0) or MOST_ROWS
    for item in turns.items:
        one = turns.hear(item)
        if one is None:
            break
        both = pair(one, handed)
        pairs.append(both)
        leaves = [np.asarray(leaf) for leaf in tf.nest.flatten(both)]
        rows += len(leaves[0])
        size += sum(leaf.nbytes for leaf in leaves)
        if rows >= min(most, MOST_ROWS) or size >= MOST_BYTES or time.monotonic() - began > SECONDS:
            break
    if turns.counted and (drawn := _rows_once(pairs)) is not None:
        return drawn.repeat(), turns.count
    whole = turns.count is None or len(pairs) == turns.count
    made = _stored(pairs)
    return (made, None) if whole else (made.repeat(), turns.count)


def _rows_once(pairs: list[Any]) -> Any:
    """Of rows that turns draw by lot, each that was drawn, once; None where none comes again."""
    marks = [_marks(both) for both in pairs]
    first = {mark: (n, row) for n, batch in enumerate(marks) for row, mark in enumerate(batch)}
    if not all(marks) or len(first) == sum(map(len, marks)):
        return None
    flat = [[np.asarray(leaf) for leaf in tf.nest.flatten(both)] for both in pairs]
    leaves = zip(*([leaf[row] for leaf in flat[n]] for n, row in first.values()), strict=True)
    made = tf.nest.pack_sequence_as(pairs[0], [np.stack(one) for one in leaves])
    rows = tf.data.Dataset.from_tensor_slices(made if len(made) > 1 else made[0])
    return rows.batch(len(marks[0]))


def _stored(pairs: list[Any]) -> Any:
    """Sizes that are always the same are known of the data set too."""
    flat = [tf.nest.flatten(one) for one in pairs]
    specs = []
    for leaves in zip(*flat, strict=True):
        shapes = [tuple(leaf.shape) for leaf in leaves]
        sizes = [s[0] if len(set(s)) == 1 else None for s in zip(*shapes, strict=True)]
        kind = tf.as_dtype(leaves[0].dtype)
        specs.append(tf.TensorSpec([None, *sizes[1:]] if sizes else [], kind))
    alone = len(pairs[0]) == 1
    signature = tf.nest.pack_sequence_as(pairs[0], specs)

    def again() -> Iterator[Any]:
        return (one[0] if alone else one for one in pairs)

    made = tf.data.Dataset.from_generator(
        again, output_signature=signature[0] if alone else signature
    )
    return made.apply(tf.data.experimental.assert_cardinality(len(pairs)))


def _held(
    turns: Turns, names: dict[str, Any], chosen: Callable[..., Any] | None, handed: Handed | None
) -> Any:
    """The rows that are to be judged by: another data set of the same form, by its name."""
    own = turns.items
    if not isinstance(own, tf.data.Dataset):
        return None
    beside = {
        name: value
        for name, value in names.items()
        if isinstance(value, tf.data.Dataset) and not _TRAINS.search(name) and JUDGES.search(name)
    }
    for value in beside.values():
        if value is own or not _same_form(value.element_spec, own.element_spec):
            continue
        if chosen is not None:
            return value.map(chosen)
        count = int(value.cardinality())
        other = replace(turns, items=value, count=count if count > 0 else None)
        return _kept(other, handed)[0]
    return None


def _same_form(one: Any, other: Any) -> bool:
    try:
        tf.nest.assert_same_structure(one, other)
    except (ValueError, TypeError):
        return False
    pairs = zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True)
    return all(
        a.dtype == b.dtype and a.shape.rank == b.shape.rank
        for a, b in pairs
        if isinstance(a, tf.TensorSpec) and isinstance(b, tf.TensorSpec)
    )
