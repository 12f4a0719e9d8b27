"""Experiments on a Keras model: its own `fit` with one thing changed, over the same few batches.

The learning rate is one variable that every step sets, so that a graph which `fit` has traced
serves all changes of it: tracing is what costs.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras
from transformers import TFPreTrainedModel

from debugger.frameworks.keras.answering import Answer, loss_of, scores_of, without_labels
from debugger.frameworks.keras.bench import Bench, draw
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.conditions import (
    CLIPPED_BY,
    DECAYED_BY,
    DROPPED_BY,
    conditions_of,
    head_layers,
    inner,
    levels_of,
    library_loss,
    made_anew,
    thawed,
)
from debugger.frameworks.keras.forwarding import loss_in
from debugger.frameworks.keras.rates import schedule_of
from debugger.frameworks.keras.reading import Rows, batches_of, dense, parts_of
from debugger.frameworks.keras.steering import steering
from debugger.frameworks.keras.training import (
    accuracy,
    are_classes,
    fitted,
    planned_steps,
    steps_per_epoch,
)
from debugger.pipelines.facts import Facts
from debugger.pipelines.kept import Attributes
from debugger.pipelines.portions import (
    MOST_WORDED,
    ONE_BATCH_STEPS,
    floor_of,
    level_of,
    levelled,
    measured_of,
    rows_for,
    size_for,
)
from debugger.pipelines.rows import spread
from debugger.pipelines.trying import Change, Taken, Worded

_MEASURED_BATCHES = 8
_OF_RATE = {
    "rate": None,
    "constant": False,
    "mask": False,
    "shuffle": False,
    "head": False,
    "longer": False,
}
"""Changes that a traced graph does not know of."""


@dataclass(frozen=True)
class _Portion:
    """Batches to take steps over, and what the loss is measured on: rows, or else batches."""

    batches: list[Any]
    rows: list[int]


class KerasLab:
    """See `trying.Lab`."""

    def __init__(self, fit: Fit, facts: Facts, bench: Bench, rows: Rows, answer: Answer) -> None:
        self._fit, self._facts, self._bench, self._rows = fit, facts, bench, rows
        self._loss = loss_of(fit.model)
        self._library = library_loss(facts, self._loss, rows.batch, answer)
        planned = planned_steps(fit, facts, rows.count)
        with bench.untouched():
            given = fit, facts, self._loss, rows, planned
            self.conditions = conditions_of(*given, self._library)
        self._rate = tf.Variable(tf.constant(0.0), trainable=False)
        self._graphs: dict[Change, Any] = {}
        self._read: dict[int, list[Any]] = {}
        self._beginning = 0.0

    def take(self, change: Change, seed: int, one_batch: bool, until: float) -> Taken | None:
        """A first step may take long, and nothing can stop it: it must fit into the time."""
        if time.monotonic() + self._beginning > until:
            return None
        portion = self._portion(seed, one_batch, change)
        if not portion.batches:
            return None
        model = self._fit.model
        steps = ONE_BATCH_STEPS if one_batch else size_for(self.conditions.weights)[1]
        if not change.longer:
            steps = min(steps, self.conditions.updates)
        pace = _Pace(self._rate, self._rates(change), steps, until)
        try:
            with (
                thawed(model) if change.thaw else nullcontext(),
                self._bench.mounted(steps, keep=False, anew=change.thaw) as optimizer,
                _changed(model, optimizer, change),
            ):
                if change.head:
                    _make_head_anew(model)
                before = self._measured(portion)
                graph = self._mounted(optimizer, change)
                if seed:
                    _reseed(seed)
                own = steering(self._fit.callbacks) if _keeps_its_rate(change) else []
                kept = [Attributes(getattr(one, "own", one)) for one in own]
                epoch = steps_per_epoch(self._fit) if own else None
                broken = fitted(self._fit, _again(portion.batches), steps, [*own, pace], epoch)
                for one in kept:
                    one.restore()
                if broken is None and not change.thaw:
                    self._graphs[graph] = model.train_function
                after = self._measured(portion)
        except Exception:  # a change that cannot be made here proves nothing
            return None
        self._beginning = max(self._beginning, pace.beginning)
        if broken is not None or pace.late or before is None:
            return None
        return Taken(before, math.nan if after is None else after, self._floor(portion), pace.taken)

    def worded(self) -> Worded:
        return worded(self._rows, self._facts)

    def _portion(self, seed: int, one_batch: bool, change: Change) -> _Portion:
        count, size = size_for(self.conditions.weights)[0], self._facts.batch_size
        rows = self._rows
        if are_classes(rows, self._facts) and size:
            chosen = rows_for(rows.looked_at, rows.labels, size, count, seed, one_batch)
            taken = (
                list(np.random.default_rng(seed).permutation(chosen)) if change.shuffle else chosen
            )
            batches = [rows.again(taken[n : n + size]) for n in range(0, len(taken), size)]
            measured = [chosen[place] for place in measured_of(len(chosen))]
        else:
            wanted = 1 if one_batch else count
            if wanted not in self._read:  # who shuffles gives others each time
                with self._bench.untouched():
                    given = islice(batches_of(self._fit.train), wanted * 2)
                    self._read[wanted] = list(given)
            found = self._read[wanted]
            batches = found[wanted:] if seed and len(found) == 2 * wanted else found[:wanted]
            measured = []
        if change.mask:
            batches = [self._masked_anew(batch) for batch in batches]
        if change.scaled and batches:
            levels = levels_of(self._fit.model, parts_of(batches[0]).x)
            batches = [self._scaled(batch, levels) for batch in batches]
        if change.scaled_labels and batches:
            level = level_of(dense(parts_of(batches[0]).labels).astype(float).ravel())
            batches = [_with_labels(batch, level) for batch in batches]
        # What was learned from changed batches is asked about changed batches.
        return _Portion(batches, [] if change.mask or change.scaled else measured)

    def _scaled(self, batch: Any, levels: dict[int, tuple[Any, Any]]) -> Any:
        """By the numbers of the first batch, as a script would by those of its training rows."""
        given = tf.nest.flatten(parts_of(batch).x)
        for place, level in levels.items():
            given[place] = tf.cast(levelled(dense(given[place]), level), tf.float32)
        x = tf.nest.pack_sequence_as(parts_of(batch).x, given)
        return (x, *batch[1:]) if isinstance(batch, tuple) else x

    def _masked_anew(self, batch: Any) -> Any:
        parts = parts_of(batch)
        made = made_anew(self._fit, parts.x)
        if made is None:
            return batch
        x = {**parts.x, "attention_mask": made}
        return (x, *batch[1:]) if isinstance(batch, tuple) else x

    def _rates(self, change: Change) -> Callable[[int], float] | None:
        """The learning rate of each step; None where it is for the script's callbacks to say."""
        here = self.conditions
        peak, schedule = here.rate or 0.0, schedule_of(self._fit.model.optimizer)
        times = 1.0 if change.rate is None else change.rate / (peak or 1.0)
        if change.constant or schedule is None:
            return None
        done = int(inner(self._fit.model.optimizer).iterations)
        return lambda step: float(schedule(tf.constant(done + step))) * times

    def _mounted(self, optimizer: Any, change: Change) -> Change:
        """Its rate is the one variable, its loss the one that was asked for, its graph known."""
        model: Any = self._fit.model
        graph = replace(change, **_OF_RATE)
        peak = self.conditions.rate or 0.0
        rate: Any = inner(optimizer).learning_rate
        held = float(rate) if _keeps_its_rate(change) and isinstance(rate, tf.Variable) else peak
        self._rate.assign(held if change.rate is None else change.rate)
        if change.loss:
            of_transformers = issubclass(type(model), TFPreTrainedModel)
            base: Any = TFPreTrainedModel if of_transformers else tf_keras.Model
            base.compile(model, optimizer=optimizer, loss=self._library, run_eagerly=False)
        if isinstance(inner(optimizer), tf_keras.optimizers.legacy.Optimizer):
            inner(optimizer)._hyper["learning_rate"] = self._rate
        else:
            vars(inner(optimizer))["_learning_rate"] = self._rate
        if change.thaw:  # `fit` goes by what was frozen when it was compiled
            vars(model)["_compiled_trainable_state"] = model._get_trainable_state()
        known = None if change.thaw else self._graphs.get(graph)
        vars(model).update(train_function=known, _run_eagerly=False, _jit_compile=False)
        return graph

    def _measured(self, portion: _Portion) -> float | None:
        """Without dropout: the cross-entropy of classes, else the library's loss, else its own."""
        model, losses = self._fit.model, []
        if portion.rows:
            return accuracy(model, self._rows, portion.rows, self._facts)[1]
        for batch in portion.batches[:_MEASURED_BATCHES]:
            parts = parts_of(batch)
            if self._library is not None:
                scores = scores_of(model(without_labels(model, parts.x, parts.inside)))
                losses.append(float(self._library(parts.labels, scores)))
            else:
                model.reset_metrics()
                found = loss_in(model.test_step(batch))
                losses.append(None if found is None else found - _penalties(model))
        known = [one for one in losses if one is not None and math.isfinite(one)]
        return sum(known) / len(known) if known and len(known) == len(losses) else None

    def _floor(self, portion: _Portion) -> float | None:
        if portion.rows:
            return floor_of(np.asarray([self._rows.labels[n] for n in portion.rows]), "")
        labels = [parts_of(batch).labels for batch in portion.batches[:_MEASURED_BATCHES]]
        if any(one is None for one in labels) or self._loss.counts in ("amounts", "each"):
            return self._floor_of_amounts(labels)
        flat = np.concatenate([dense(one).ravel() for one in labels])
        return floor_of(flat, self._facts.task) if flat.dtype.kind in "iu" else None

    def _floor_of_amounts(self, labels: list[Any]) -> float | None:
        """The variance is what the mean costs where squares are counted, and nothing else is."""
        if any(one is None for one in labels):
            return None
        squares = self._loss.name.lower() in ("mse", "mean_squared_error", "meansquarederror")
        if self._facts.task == "regression" and not squares:
            return None
        joined = np.concatenate([dense(one) for one in labels])
        return floor_of(joined.astype(float), self._facts.task)


class _Pace(tf_keras.callbacks.Callback):
    """Counts steps, and sets the learning rate of each."""

    model: Any

    def __init__(
        self, rate: Any, rates: Callable[[int], float] | None, limit: int, until: float
    ) -> None:
        super().__init__()
        self.taken, self.late, self.beginning = 0, False, 0.0
        self._rate, self._rates, self._limit, self._until = rate, rates, limit, until
        self._began = time.monotonic()

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.model.reset_metrics()
        if self._rates is not None:
            self._rate.assign(self._rates(self.taken))

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if not self.taken:
            self.beginning = time.monotonic() - self._began
        self.taken += 1
        self.late = time.monotonic() > self._until
        if self.late or self.taken >= self._limit:
            self.model.stop_training = True


def _with_labels(batch: Any, level: tuple[Any, Any]) -> Any:
    """Labels that stand beside the inputs, brought to another scale."""
    x, y, *weights = batch
    return (x, tf.cast((dense(y) - level[0]) / level[1], tf.float32), *weights)


def _keeps_its_rate(change: Change) -> bool:
    return change.rate is None and not change.constant


@contextmanager
def _changed(model: Any, optimizer: Any, change: Change) -> Iterator[None]:
    """The optimizer is a copy; what is set on layers is put back."""
    kept: list[tuple[Any, str, Any]] = []

    def put(thing: Any, name: str, value: Any) -> None:
        kept.append((thing, name, getattr(thing, name)))
        setattr(thing, name, value)

    layers = list(model._flatten_layers())
    try:
        for layer in layers:
            if change.weight_decay:
                kept.append((layer, "_callable_losses", layer._callable_losses))
                vars(layer)["_callable_losses"] = []
            if change.dropout:
                for name in DROPPED_BY:
                    part = getattr(layer, "cell", layer)
                    if isinstance(getattr(part, name, None), float):
                        put(part, name, 0.0)
            if change.precision:
                put(layer, "_dtype_policy", tf_keras.mixed_precision.Policy("float32"))
                put(layer, "_compute_dtype_object", tf.float32)
        for name in DECAYED_BY if change.weight_decay else ():
            if getattr(inner(optimizer), name, None) is not None:
                setattr(inner(optimizer), name, None if name == "weight_decay" else 0.0)
        for name in CLIPPED_BY if change.clipping else ():
            if getattr(inner(optimizer), name, None) is not None:
                setattr(inner(optimizer), name, None)
        yield
    finally:
        for thing, name, value in reversed(kept):
            if name == "_callable_losses":
                vars(thing)[name] = value
            else:
                setattr(thing, name, value)


def _penalties(model: Any) -> float:
    """What layers add to the loss for their weights alone."""
    return sum(float(one()) for layer in model._flatten_layers() for one in layer._callable_losses)


def _make_head_anew(model: Any) -> None:
    """As a model of transformers makes one, else as Keras does unless it is told otherwise."""
    usual = tf_keras.initializers.GlorotUniform(seed=0)
    for layer in head_layers(model):
        drawn = layer.kernel_initializer if isinstance(model, TFPreTrainedModel) else usual
        layer.kernel.assign(drawn(layer.kernel.shape, layer.kernel.dtype))
        if getattr(layer, "bias", None) is not None:
            layer.bias.assign(tf.zeros_like(layer.bias))


def _reseed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    draw(seed, random.Random(seed))


def _again(batches: list[Any]) -> Any:
    return tf.data.Dataset.from_generator(lambda: cycle(batches), output_signature=_spec(batches))


def _spec(batches: list[Any]) -> Any:
    """As much of the shapes as all batches have in common: a graph is traced once for them all."""

    def one(*leaves: Any) -> Any:
        first = leaves[0]
        if not isinstance(first, tf.Tensor):
            return tf.type_spec_from_value(first)._with_tensor_ranks_only()
        sizes = [{int(leaf.shape[axis]) for leaf in leaves} for axis in range(first.shape.rank)]
        shape = [size.pop() if axis and len(size) == 1 else None for axis, size in enumerate(sizes)]
        return tf.TensorSpec(shape, first.dtype)

    return tf.nest.map_structure(one, *batches)


def worded(rows: Rows, facts: Facts, known: dict[Any, int] | None = None) -> Worded:
    """Rows of words with their classes; nothing where rows are none, or hold several texts.

    `known` are numbers that words have been given before, and is added to.
    """
    labels = rows.labels
    if not are_classes(rows, facts):
        return Worded()
    found = [words for column in rows.columns.values() if (words := _worded(column))]
    texts = rows.columns.get("input_ids") or (found[0] if len(found) == 1 else None)
    places = spread(min(len(texts or ()), len(labels)), MOST_WORDED) if texts else []
    if not texts or not places:
        return Worded()
    known = {} if known is None else known
    numbered = (tuple(known.setdefault(w, len(known)) for w in texts[n]) for n in places)
    return Worded(tuple(numbered), tuple(labels[n] for n in places))


def _worded(column: list[Any]) -> list[Any] | None:
    """Rows of the numbers of tokens, or of texts, as words; None for anything else."""
    if not column:
        return None
    if all(isinstance(row, str) for row in column):
        return [row.lower().split() for row in column]
    if all(isinstance(row, list) and all(isinstance(one, int) for one in row) for row in column):
        return column
    return None
