"""What `fit` is given, as the tf.data.Dataset that Keras would make of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras
from tf_keras.src.engine import data_adapter

KEPT_BYTES = 2**27
"""So much of a generator can be read again; what comes later is read once."""


def as_batches(
    x: Any,
    y: Any = None,
    weights: Any = None,
    size: int | None = None,
    steps: int | None = None,
    shuffle: bool | str = False,
) -> Any:
    """By Keras's own adapters, so that what they refuse is refused in their own words."""
    adapter = data_adapter.select_data_adapter(x, y)
    if issubclass(adapter, data_adapter.GeneratorDataAdapter):
        if y is not None or weights is not None:
            adapter(x, y, sample_weights=weights, shuffle=False)  # which refuses them
        if isinstance(x, tf_keras.utils.Sequence):
            return _of_sequence(x, bool(shuffle))
        return _of_generator(x)
    return adapter(
        x,
        y,
        sample_weights=weights,
        batch_size=size,
        steps=steps,
        shuffle=shuffle,
        epochs=1,
        distribution_strategy=tf.distribute.get_strategy(),
    ).get_dataset()


def given_as(data: Any) -> Any:
    """Data handed to `diagnose`: what `fit` takes as x, or a tuple of x, y and weights."""
    if data is None or isinstance(data, tf.data.Dataset):
        return data
    if hasattr(data, "__next__"):
        raise TypeError(
            "A generator can be read once only, and looking at it would use it up. Pass a "
            "keras.utils.Sequence, a tf.data.Dataset or arrays."
        )
    return as_batches(*data) if isinstance(data, tuple) else as_batches(data)


def _of_sequence(rows: Any, shuffle: bool) -> Any:
    def batches() -> Iterator[Any]:
        order = list(range(len(rows)))
        if shuffle:
            random.Random(0).shuffle(order)
        return (rows[place] for place in order)

    made = _of_batches(batches, rows[0])
    return made.apply(tf.data.experimental.assert_cardinality(len(rows)))


def _of_generator(generator: Any) -> Any:
    again = _Again(generator)
    return _of_batches(lambda: iter(again), next(iter(again)))


def _of_batches(batches: Callable[[], Iterator[Any]], first: Any) -> Any:
    signature = tf.nest.map_structure(_ranks, data_adapter._process_tensorlike(_standard(first)))
    return tf.data.Dataset.from_generator(
        lambda: map(_standard, batches()), output_signature=signature
    )


def _standard(batch: Any) -> Any:
    """Lists of inputs as tuples, no None, and fractions as Keras holds them."""
    adapter: Any = data_adapter.GeneratorDataAdapter
    return adapter._standardize_batch(None, batch)


def _ranks(value: Any) -> Any:
    return tf.type_spec_from_value(value)._with_tensor_ranks_only()


class _Again:
    """A generator that can be read from its beginning as often as one likes."""

    def __init__(self, generator: Any) -> None:
        self._rest, self._lock = generator, Lock()
        self._kept: list[Any] = []
        self._bytes = 0

    def __iter__(self) -> Iterator[Any]:
        place = 0
        while True:
            with self._lock:
                if place < len(self._kept):
                    batch = self._kept[place]
                else:
                    try:
                        batch = next(self._rest)
                    except StopIteration:
                        return
                    if self._bytes < KEPT_BYTES:
                        self._kept.append(batch)
                        self._bytes += _bytes_of(batch)
            place += 1
            yield batch


def _bytes_of(batch: Any) -> int:
    return sum(np.asarray(leaf).nbytes for leaf in tf.nest.flatten(batch) if leaf is not None)
