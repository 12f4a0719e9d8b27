"""The script's own `fit`, rehearsed: two steps watched closely, one batch, the first 120."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.failure import Failure, on_behalf
from debugger.frameworks.keras.answering import log_shares, loss_of, scores_of, without_labels
from debugger.frameworks.keras.apart import holds_together
from debugger.frameworks.keras.bench import (
    Bench,
    broken_weights,
    count_of,
    named_weights,
    optimizers_of,
    values_of,
)
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.facts import blocks_of, head_of
from debugger.frameworks.keras.forwarding import loss_in
from debugger.frameworks.keras.plan import plan
from debugger.frameworks.keras.rates import (
    decay_of,
    hold,
    looked_at,
    rate_of,
    rates_of,
    schedule_of,
)
from debugger.frameworks.keras.reading import Rows, told
from debugger.frameworks.keras.steering import steering
from debugger.frameworks.keras.turning import none_turned, turned, turning_layers
from debugger.frameworks.keras.units import alike, faded, lagging, norms
from debugger.pipelines.called import Given, uncallable
from debugger.pipelines.curve import EVAL_ROWS, Curve, Fared
from debugger.pipelines.evaluate import Guesses
from debugger.pipelines.face import Emit
from debugger.pipelines.facts import Facts
from debugger.pipelines.kept import Attributes
from debugger.pipelines.rows import one_of_each, spread
from debugger.pipelines.step import Block, Step
from debugger.pipelines.training import Memory, Training
from debugger.pipelines.turning import DOUBTED, MOST_TURNED, Turn, Turned, taken_for_one

WATCHED_STEPS = 2
_TRAINING: dict[str, Given] = {
    "set_model": (1, ()),
    "on_train_begin": (1, ()),
    "on_epoch_begin": (2, ()),
    "on_train_batch_begin": (2, ()),
    "on_train_batch_end": (2, ()),
    "on_epoch_end": (2, ()),
    "on_train_end": (1, ()),
}
"""What `fit` calls of every callback."""
EVAL_BATCH = 64


def step(fit: Fit, facts: Facts, bench: Bench, rows: int | None) -> Step:
    """Two real steps, eagerly: what reached each block, what moved it, and the learning rate."""
    model = fit.model
    with bench.mounted(WATCHED_STEPS, keep=False) as optimizer:
        held = [vars(model)[name] for name in optimizers_of(model)]
        watch, before = _Watch(held), bench.before
        failure = fitted(fit, fit.train, WATCHED_STEPS, [watch])
        weights = named_weights(model)
        chosen = {id(weight) for weight in model.trainable_weights} if weights else set()
        trainable = {name for name, weight in weights.items() if id(weight) in chosen}
        head = tuple(head_of(model))
        planned = planned_steps(fit, facts, rows)
        schedule = schedule_of(optimizer)
        rates = rates_of(schedule, planned)
        peak = max(rates) if rates else rate_of(optimizer)
        known = dict(zip(looked_at(planned), rates, strict=True)) if rates else {0: peak or 0.0}
        return Step(
            blocks=tuple(
                _block(name, group, weights, trainable, before, watch)
                for name, group in blocks_of(model).items()
            ),
            steps=watch.steps,
            optimizer=type(optimizer).__name__,
            learning_rates=tuple(watch.learning_rates),
            peak_learning_rate=peak,
            head_learning_rate=peak,
            trainable=count_of(weights[n] for n in trainable),
            total=count_of(weights.values()),
            head=head,
            head_frozen=bool(head) and not trainable & set(head),
            nan_after=broken_weights(weights),
            decay=decay_of(schedule, planned, (rows or 0) * fit.epochs) if fit.whole else None,
            schedule=_steered_by(schedule, fit),
            last_learning_rate=rates[-1] if rates else None,
            plan=plan(fit, optimizer, known, planned, watch.first),
            alike=alike(model, weights, before, watch.gradients) if watch.steps else (),
            faded=faded(model, watch.gradients),
            phases=fit.phases,
            by_hand=fit.by_hand,
            uncallable=uncallable(fit.callbacks, _TRAINING),
            norms=norms(model, weights, before, watch.steps, planned if fit.whole else None),
            failure=failure,
        )


def overfit(
    fit: Fit,
    facts: Facts,
    bench: Bench,
    rows: Rows,
    steps: int,
    emit: Emit,
    seconds: float | None = None,
) -> Memory:
    """The course's test: the same few rows again and again, at the script's own learning rate."""
    model = fit.model
    if rows.batch is None:
        return Memory(failure=rows.failure)
    chosen, batch = _one_batch(rows, facts)
    planned = planned_steps(fit, facts, rows.count)
    rates = rates_of(schedule_of(model.optimizer), planned)
    _make_metrics(model, bench, batch)
    with bench.mounted(steps, keep=not rates) as optimizer:
        if rates:  # twenty steps of somebody's own long warm-up would prove nothing
            hold(optimizer, max(rates))
        curve = _Curve(steps, emit, seconds=seconds)
        before = accuracy(model, rows, chosen, facts)
        failure = fitted(fit, _again_and_again(batch, fit.train), steps, [curve])
        after = accuracy(model, rows, chosen, facts)
    labels = [rows.labels[row] for row in chosen] if before[0] is not None else []
    memory = curve.memory(before, after, labels, len(chosen), _size(model), failure)
    return replace(memory, planned=planned if fit.whole else None)


def train(
    fit: Fit,
    facts: Facts,
    bench: Bench,
    trained_on: Rows,
    held_out: Rows | None,
    steps: int,
    emit: Emit,
    seconds: float | None = None,
    leave: Callable[[], None] = lambda: None,
) -> Training:
    """The script's own training up to `steps`, its schedule as if it went on to the end.

    After the last step it is called to `leave` what was learned.
    """
    model = fit.model
    usable = held_out is not None and held_out.failure is None and bool(held_out.labels)
    rows = spread(held_out.looked_at, EVAL_ROWS) if usable and held_out else []
    plain = [held_out.labels[row] for row in rows] if held_out else []
    labels = Counter(label for label in plain if isinstance(label, (int, float, str)))
    planned = planned_steps(fit, facts, None)

    def evaluated() -> Fared:
        return accuracy(model, held_out, rows, facts) if held_out else (None, None, {})

    seen_turned: Turned | None = None
    own = steering(fit.callbacks)
    kept = [Attributes(getattr(one, "own", one)) for one in own]
    if trained_on.batch is not None:
        _make_metrics(model, bench, trained_on.batch.raw)
    with bench.mounted(steps) as optimizer:
        curve = _Curve(min(steps, planned or steps), emit, evaluated, seconds)
        epoch = steps_per_epoch(fit) if own else None
        failure = fitted(fit, fit.train.repeat(), steps, [*own, curve], epoch)
        peak = max(rates_of(schedule_of(optimizer), planned) or curve.rates, default=None)
        if failure is None:
            leave()
            seen_turned = None if held_out is None else _turned(model, held_out, rows, facts)
    for one in kept:
        one.restore()
    still: Guesses = {}
    if failure is None and turning_layers(model) and taken_for_one(curve.guesses):
        with bench.mounted(steps, keep=False), none_turned(model):
            again = _Curve(len(curve.losses), _untold, evaluated, seconds)
            fitted(fit, fit.train.repeat(), steps, [again])
        still = again.guesses
    known = {
        "unturned": still,
        "turned": seen_turned,
        "trained_on": trained_on.labels,
        "epochs": len(curve.losses) * fit.epochs / planned if planned else None,
        "weights": _size(model),
        "lagging": lagging(model, named_weights(model), bench.before, len(curve.losses)),
    }
    return curve.training(facts, labels, len(rows), planned or 0, peak, failure, **known)


def _turned(model: Any, held_out: Rows, rows: list[int], facts: Facts) -> Turned | None:
    """Asked only where a first look leaves doubts: each way to turn them costs an evaluation."""
    if not rows or not are_classes(held_out, facts):
        return None
    right = accuracy(model, held_out, rows, facts)[0]
    if right is None or right > DOUBTED:
        return None
    more = spread(held_out.looked_at, MOST_TURNED)
    found: dict[Turn, float | None] = {
        how: accuracy(model, made, more, facts)[0] for how, made in turned(held_out, more)
    }
    best = max(found, key=lambda how: found[how] or 0.0, default=None)
    as_it_is = accuracy(model, held_out, more, facts)[0] if best is not None else None
    if best is None or as_it_is is None:
        return None
    return Turned(best, len(more), as_it_is, found[best] or 0.0)


def _untold(*_: Any) -> None:
    """What is only tried is nobody's training."""


def _steered_by(schedule: Any, fit: Fit) -> str:
    """What changes the learning rate on the way."""
    own = [getattr(one, "own", one) for one in steering(fit.callbacks)]
    return next((type(one).__name__ for one in (schedule, *own) if one is not None), "")


def _one_batch(rows: Rows, facts: Facts) -> tuple[list[int], Any]:
    """Rows of every class in turn, where they are classes; else the first batch as it came."""
    assert rows.batch is not None
    if are_classes(rows, facts):
        chosen = one_of_each(rows.labels, facts.batch_size or rows.looked_at)
        return chosen, rows.again(chosen)
    return list(range(facts.batch_size)), rows.batch.raw


def _make_metrics(model: Any, bench: Bench, batch: Any) -> None:
    """Metrics make their variables when they are first used; in a graph, that is traced twice."""
    with bench.untouched():
        made = model.compiled_metrics
        if made is not None and not made.built:
            with suppress(Exception):  # what fails here fails in `fit`, which tells it
                on_behalf(model.test_step, batch)


def _again_and_again(batch: Any, like: Any) -> Any:
    """One batch without end, told to have the shapes that the data set tells: a graph that is
    traced for it is the one that `train` needs.
    """
    repeated, told = tf.data.Dataset.from_tensors(batch).repeat(), like.element_spec
    specs = tf.nest.flatten(told)
    if not all(isinstance(one, tf.TensorSpec) for one in specs):
        return repeated

    def loosened(*parts: Any) -> Any:
        tensors = tf.nest.flatten(parts if isinstance(told, tuple) else parts[0])
        pairs = zip(tensors, specs, strict=True)
        loose = [tf.raw_ops.PlaceholderWithDefault(input=one, shape=s.shape) for one, s in pairs]
        return tf.nest.pack_sequence_as(told, loose)

    alike = tf.nest.map_structure(lambda one: one.dtype, (repeated.element_spec, told))
    return repeated.map(loosened) if alike[0] == alike[1] else repeated


def are_classes(rows: Rows, facts: Facts) -> bool:
    """Rows with a number for a class, of which a batch can be made anew."""
    known = facts.task == "classification" and rows.leaves and rows.labels
    if holds_together(rows):
        return False
    return bool(known) and all(isinstance(label, int) for label in rows.labels)


def steps_per_epoch(fit: Fit) -> int | None:
    batches = fit.steps_per_epoch or int(fit.train.cardinality())
    return batches if batches > 0 else None


def planned_steps(fit: Fit, facts: Facts, rows: int | None) -> int | None:
    """How many steps `fit` would take."""
    if fit.steps_per_epoch:
        asked = fit.steps_per_epoch * fit.epochs
        return asked if fit.held is None else min(asked, fit.held)
    batches = int(fit.train.cardinality())
    if batches < 0:
        batches = math.ceil(rows / facts.batch_size) if rows and facts.batch_size else -1
    return batches * fit.epochs if batches > 0 else None


def fitted(
    fit: Fit, data: Any, steps: int, callbacks: list[Any], epoch: int | None = None
) -> Failure | None:
    """The model's own training over so many steps; None when nothing went wrong.

    In one go, or in the script's own epochs for callbacks that count them.
    """
    try:
        fitting: Any = tf_keras.Model.fit
        on_behalf(
            fitting,
            fit.model,
            data,
            steps_per_epoch=min(steps, epoch or steps),
            epochs=math.ceil(steps / min(steps, epoch or steps)),
            verbose=0,
            shuffle=False,
            class_weight=fit.class_weight,
            callbacks=callbacks,
        )
    except Exception as error:
        return told(error)
    return None


class _Watch(tf_keras.callbacks.Callback):
    """Notes the gradients on their way into the optimizers, and the rate of each step."""

    def __init__(self, optimizers: list[Any]) -> None:
        super().__init__()
        self.steps = 0
        self.gradients: dict[int, float] = {}
        self.first: dict[str, float] = {}
        self.learning_rates: list[float] = []
        self._optimizers = optimizers

    def on_train_begin(self, logs: Any = None) -> None:
        for optimizer in self._optimizers:
            optimizer.apply_gradients = self._noted(optimizer)

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.learning_rates.append(rate_of(self._optimizers[0]) or 0.0)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.steps = batch + 1

    def _noted(self, optimizer: Any) -> Callable[..., Any]:
        apply, clips = optimizer.apply_gradients, getattr(optimizer, "_clip_gradients", None)
        scaled = hasattr(optimizer, "inner_optimizer")  # as mixed precision does, by large numbers

        def noted(grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            pairs = list(grads_and_vars)
            if any(not isinstance(pair, tuple | list) or len(pair) != 2 for pair in pairs):
                return on_behalf(apply, pairs, *args, **kwargs)  # which refuses them
            given = [(one, weight) for one, weight in pairs if one is not None]
            for one, weight in given:
                norm = float(np.linalg.norm(_whole(one)))
                self.gradients[id(weight)] = max(norm, self.gradients.get(id(weight), 0.0))
            if given and not self.first and not scaled:
                gradients = [one for one, _ in given]
                self.first = _sizes(gradients if clips is None else clips(gradients))
                self.first |= {"uncut": _sizes(gradients).get("typical", 0.0)}
            return on_behalf(apply, pairs, *args, **kwargs)

        return noted


def _sizes(gradients: list[Any]) -> dict[str, float]:
    """Of gradients as the optimizer takes them: their norm, and a typical number in them."""
    arrays = [_whole(one) for one in gradients]
    squares = sum(float(np.vdot(array, array)) for array in arrays)
    counted = sum(int(np.count_nonzero(array)) for array in arrays)
    if not counted or not math.isfinite(squares):
        return {}
    return {"norm": math.sqrt(squares), "typical": math.sqrt(squares / counted)}


def _whole(gradient: Any) -> Any:
    """That of an embedding tells its rows apart."""
    return np.asarray(tf.cast(tf.convert_to_tensor(gradient), tf.float32))


class _Curve(Curve, tf_keras.callbacks.Callback):
    model: Any

    def __init__(
        self,
        limit: int,
        emit: Emit,
        evaluate: Callable[[], Fared] | None = None,
        seconds: float | None = None,
    ) -> None:
        tf_keras.callbacks.Callback.__init__(self)
        Curve.__init__(self, limit, emit, evaluate, seconds)
        self.taken = 0

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.model.reset_metrics()  # Keras prints the mean since the epoch began

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.taken += 1
        loss = loss_in(logs)
        if loss is not None:
            self.note(self.taken, loss, rate_of(self.model.optimizer) or 0.0)
        over = self.is_over(self.taken, self.limit)
        self.look(self.taken, over)
        if over:
            self.model.stop_training = True


def accuracy(model: Any, rows: Rows, chosen: list[int], facts: Facts) -> Fared:
    """The loss is the mean cross-entropy, whatever the script's own loss is."""
    if not are_classes(rows, facts) or rows.batch is None:
        return None, None, {}
    loss = loss_of(model)
    right, losses = 0, []
    paired: Counter[tuple[int, int]] = Counter()
    for start in range(0, len(chosen), EVAL_BATCH):
        part = chosen[start : start + EVAL_BATCH]
        x = without_labels(model, rows.inputs(part), rows.batch.inside)
        shares = log_shares(scores_of(model(x, training=False)), loss)
        labels = np.asarray([rows.labels[row] for row in part])
        if shares is None or len(shares) != len(labels):
            return None, None, {}
        guesses = shares.argmax(axis=-1)
        right += int((guesses == labels).sum())
        paired.update(zip(labels.tolist(), guesses.tolist(), strict=True))
        if labels.min() >= 0 and labels.max() < shares.shape[1]:
            losses += (-shares[np.arange(len(labels)), labels]).tolist()
    mean = float(np.mean(losses)) if len(losses) == len(chosen) and losses else None
    mean = mean if mean is not None and math.isfinite(mean) else None
    return (right / len(chosen) if chosen else None), mean, dict(paired)


def _block(
    name: str,
    members: list[str],
    weights: dict[str, Any],
    trainable: set[str],
    before: dict[str, Any],
    watch: _Watch,
) -> Block:
    gradients = [
        watch.gradients[id(weights[m])] for m in members if id(weights[m]) in watch.gradients
    ]
    moved = _norm([values_of(weights[m]) - before[m] for m in members])
    size = _norm([before[m] for m in members])
    return Block(
        name=name,
        weights=count_of(weights[m] for m in members),
        trainable=count_of(weights[m] for m in members if m in trainable),
        gradient=math.sqrt(sum(g**2 for g in gradients)) if gradients else None,
        update=moved / size if size else moved,
    )


def _size(model: Any) -> int:
    """Keras itself counts only what was called as a whole."""
    return count_of(named_weights(model).values())


def _norm(arrays: list[Any]) -> float:
    return math.sqrt(sum(float(np.linalg.norm(array)) ** 2 for array in arrays))
