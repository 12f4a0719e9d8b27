"""The script's own `fit`, rehearsed: two steps watched closely, one batch, the first 120."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.failure import Failure, failure_of
from debugger.frameworks.keras.bench import Bench
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.facts import blocks_of, head_of
from debugger.frameworks.keras.forwarding import scores
from debugger.frameworks.keras.reading import Rows
from debugger.pipelines.curve import EVAL_ROWS, Curve, Fared
from debugger.pipelines.face import Block, Decay, Emit, Facts, Memory, Step, Training
from debugger.pipelines.rows import one_of_each, spread

WATCHED_STEPS = 2
EVAL_BATCH = 64
RATES_LOOKED_AT = 50
_SCHEDULERS = (tf_keras.callbacks.LearningRateScheduler, tf_keras.callbacks.ReduceLROnPlateau)


def step(fit: Fit, facts: Facts, bench: Bench, rows: int | None) -> Step:
    """Two real steps, eagerly: what reached each block, what moved it, and the learning rate."""
    model = fit.model
    with bench.mounted(WATCHED_STEPS, keep=False) as optimizer:
        watch, before = _Watch(optimizer), bench.before
        failure = _fitted(fit, fit.train, WATCHED_STEPS, [watch])
        weights = {weight.name: weight for weight in model.weights}
        trainable = {weight.name for weight in model.trainable_weights}
        head = tuple(weight.name for weight in head_of(model))
        planned = planned_steps(fit, facts, rows)
        schedule = _schedule(optimizer)
        rates = _rates(schedule, planned)
        peak = max(rates) if rates else _rate(optimizer)
        return Step(
            blocks=tuple(
                _block(name, [w.name for w in group], weights, trainable, before, watch)
                for name, group in blocks_of(model).items()
            ),
            steps=watch.steps,
            optimizer=type(optimizer).__name__,
            learning_rates=tuple(watch.learning_rates),
            peak_learning_rate=peak,
            head_learning_rate=peak,
            trainable=sum(math.prod(weights[n].shape) for n in trainable),
            total=sum(math.prod(weight.shape) for weight in weights.values()),
            head=head,
            head_frozen=bool(head) and not trainable & set(head),
            nan_after=tuple(n for n, w in weights.items() if not np.isfinite(w.numpy()).all()),
            decay=_decay(schedule, planned, (rows or 0) * fit.epochs),
            last_learning_rate=rates[-1] if rates else None,
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
    model, chosen = fit.model, one_of_each(rows.labels, facts.batch_size or rows.looked_at)
    if rows.batch is None:
        return Memory(failure=rows.failure)
    batch = _batch(rows, chosen)
    rates = _rates(_schedule(model.optimizer), planned_steps(fit, facts, rows.count))
    with bench.mounted(steps, keep=not rates) as optimizer:
        if rates:  # twenty steps of somebody's own long warm-up would prove nothing
            constant = tf.Variable(tf.constant(max(rates)), trainable=False)
            vars(optimizer)["_learning_rate"] = constant
        curve = _Curve(steps, emit, seconds=seconds)
        before = _accuracy(model, rows, chosen, facts)
        repeated = tf.data.Dataset.from_tensors(batch).repeat()
        failure = _fitted(fit, repeated, steps, [curve])
        after = _accuracy(model, rows, chosen, facts)
    labels = [rows.labels[row] for row in chosen] if before[0] is not None else []
    return curve.memory(before, after, labels, len(chosen), model.count_params(), failure)


def train(
    fit: Fit,
    facts: Facts,
    bench: Bench,
    trained_on: Rows,
    held_out: Rows | None,
    steps: int,
    emit: Emit,
    seconds: float | None = None,
) -> Training:
    """The script's own training up to `steps`, its schedule as if it went on to the end."""
    model = fit.model
    usable = held_out is not None and held_out.failure is None and bool(held_out.labels)
    rows = spread(held_out.looked_at, EVAL_ROWS) if usable and held_out else []
    labels = Counter(held_out.labels[row] for row in rows) if held_out else Counter()
    planned = planned_steps(fit, facts, None)

    def evaluated() -> Fared:
        return _accuracy(model, held_out, rows, facts) if held_out else (None, None, {})

    with bench.mounted(steps) as optimizer:
        curve = _Curve(min(steps, planned or steps), emit, evaluated, seconds)
        own = [one for one in fit.callbacks if isinstance(one, _SCHEDULERS)]
        failure = _fitted(fit, fit.train.repeat(), steps, [*own, curve])
        peak = max(_rates(_schedule(optimizer), planned) or curve.rates, default=None)
    known = {
        "trained_on": trained_on.labels,
        "epochs": len(curve.losses) * fit.epochs / planned if planned else None,
        "weights": model.count_params(),
    }
    return curve.training(facts, labels, len(rows), planned or 0, peak, failure, **known)


def planned_steps(fit: Fit, facts: Facts, rows: int | None) -> int | None:
    """How many steps `fit` would take."""
    if fit.steps_per_epoch:
        return fit.steps_per_epoch * fit.epochs
    batches = int(fit.train.cardinality())
    if batches < 0:
        batches = math.ceil(rows / facts.batch_size) if rows and facts.batch_size else -1
    return batches * fit.epochs if batches > 0 else None


def _fitted(fit: Fit, data: Any, steps: int, callbacks: list[Any]) -> Failure | None:
    """The model's own `fit` over so many steps; None when nothing went wrong."""
    try:
        fit.model.fit(
            data,
            steps_per_epoch=steps,
            epochs=1,
            verbose=0,
            shuffle=False,
            class_weight=fit.class_weight,
            callbacks=callbacks,
        )
    except Exception as error:
        return failure_of(error)
    return None


class _Watch(tf_keras.callbacks.Callback):
    """Notes the gradients on their way into the optimizer, and the learning rate of each step."""

    def __init__(self, optimizer: Any) -> None:
        super().__init__()
        self.steps = 0
        self.gradients: dict[str, float] = {}
        self.learning_rates: list[float] = []
        self._optimizer = optimizer
        self._apply = optimizer.apply_gradients

    def on_train_begin(self, logs: Any = None) -> None:
        self._optimizer.apply_gradients = self._note

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.learning_rates.append(_rate(self._optimizer) or 0.0)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.steps = batch + 1

    def _note(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        for gradient, weight in pairs:
            if gradient is not None:
                norm = math.sqrt(2 * float(tf.nn.l2_loss(tf.convert_to_tensor(gradient))))
                self.gradients[weight.name] = max(norm, self.gradients.get(weight.name, 0.0))
        return self._apply(pairs, *args, **kwargs)


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

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.model.reset_metrics()  # Keras prints the mean since the epoch began

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        step = batch + 1
        loss = float((logs or {}).get("loss", math.nan))
        self.note(step, loss, _rate(self.model.optimizer) or 0.0)
        over = self.is_over(step, self.limit)
        self.look(step, over)
        if over:
            self.model.stop_training = True


def _accuracy(model: Any, rows: Rows, chosen: list[int], facts: Facts) -> Fared:
    """The loss is the mean cross-entropy, whatever the script's own loss is."""
    if facts.task != "classification" or not rows.labels or rows.batch is None:
        return None, None, {}
    right, losses = 0, []
    paired: Counter[tuple[int, int]] = Counter()
    for start in range(0, len(chosen), EVAL_BATCH):
        part = chosen[start : start + EVAL_BATCH]
        logits = np.asarray(scores(model(_inputs(rows, part), training=False)), dtype=float)
        labels = np.asarray([rows.labels[row] for row in part])
        if logits.ndim != 2 or labels.ndim != 1:
            return None, None, {}
        guesses = logits.argmax(axis=-1)
        right += int((guesses == labels).sum())
        paired.update(zip(labels.tolist(), guesses.tolist(), strict=True))
        if labels.min() >= 0 and labels.max() < logits.shape[1]:
            highest = logits.max(axis=1, keepdims=True)
            spread_out = np.log(np.exp(logits - highest).sum(axis=1)) + highest[:, 0]
            losses += (spread_out - logits[np.arange(len(labels)), labels]).tolist()
    mean = float(np.mean(losses)) if len(losses) == len(chosen) and losses else None
    mean = mean if mean is not None and math.isfinite(mean) else None
    return (right / len(chosen) if chosen else None), mean, dict(paired)


def _inputs(rows: Rows, chosen: list[int]) -> Any:
    """These rows as one batch, shorter ones filled up at the end, as a collator does it."""
    assert rows.batch is not None
    made = {}
    for name, values in rows.columns.items():
        part = [values[row] for row in chosen]
        like = rows.batch.inputs[name]
        if isinstance(part[0], list):
            width = max(len(row) for row in part)
            part = [row + [0] * (width - len(row)) for row in part]
        made[name] = tf.constant(np.asarray(part), dtype=like.dtype)
    return made if hasattr(rows.batch.x, "keys") else next(iter(made.values()))


def _batch(rows: Rows, chosen: list[int]) -> Any:
    """As `fit` would be given it: the labels inside or beside the inputs, where they stood."""
    assert rows.batch is not None
    inputs = _inputs(rows, chosen)
    labels = tf.constant([rows.labels[row] for row in chosen], dtype=rows.batch.labels.dtype)
    if rows.batch.y is None:
        return {**inputs, rows.batch.inside: labels} if rows.batch.inside else inputs
    y = rows.batch.y
    return inputs, ({next(iter(y)): labels} if hasattr(y, "keys") else labels)


def _rate(optimizer: Any) -> float | None:
    if (schedule := _schedule(optimizer)) is not None:
        return _plain(schedule(optimizer.iterations))  # the optimizer tells that of its last step
    rate: Any = getattr(optimizer, "learning_rate", None)
    if callable(rate) and not isinstance(rate, tf.Variable):
        rate = rate(optimizer.iterations)
    return None if rate is None else _plain(rate)


def _plain(rate: Any) -> float:
    """As a person wrote it: in 32 bits 0.001 is 0.0010000000474974513."""
    return float(f"{float(rate):.6g}")


def _schedule(optimizer: Any) -> Any:
    """None where the learning rate is one number."""
    rate = getattr(optimizer, "_learning_rate", None)
    return rate if isinstance(rate, tf_keras.optimizers.schedules.LearningRateSchedule) else None


def _rates(schedule: Any, planned: int | None) -> list[float]:
    """The learning rates that a schedule will go through; none where there is no schedule."""
    if schedule is None:
        return []
    last = max(1, (planned or 1) - 1)
    steps = sorted({round(last * n / RATES_LOOKED_AT) for n in range(RATES_LOOKED_AT + 1)})
    return [_plain(schedule(tf.constant(number))) for number in steps]


def _decay(schedule: Any, planned: int | None, examples: int) -> Decay | None:
    falling = getattr(schedule, "decay_schedule_fn", schedule)
    steps = getattr(falling, "decay_steps", None)
    if steps is None or planned is None:
        return None
    return Decay(type(falling).__name__, int(steps), planned, examples)


def _block(
    name: str,
    members: list[str],
    weights: dict[str, Any],
    trainable: set[str],
    before: dict[str, Any],
    watch: _Watch,
) -> Block:
    gradients = [watch.gradients[m] for m in members if m in watch.gradients]
    moved = _norm([weights[m].numpy() - before[m] for m in members])
    size = _norm([before[m] for m in members])
    return Block(
        name=name,
        weights=sum(math.prod(weights[m].shape) for m in members),
        trainable=sum(math.prod(weights[m].shape) for m in members if m in trainable),
        gradient=math.sqrt(sum(g**2 for g in gradients)) if gradients else None,
        update=moved / size if size else moved,
    )


def _norm(arrays: list[Any]) -> float:
    return math.sqrt(sum(float(np.linalg.norm(array)) ** 2 for array in arrays))
