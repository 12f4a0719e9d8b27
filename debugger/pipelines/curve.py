"""A training as it goes: the loss of every step, and now and then how the evaluation rows fare."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from debugger.failure import Failure
from debugger.pipelines.evaluate import Guesses
from debugger.pipelines.face import Emit
from debugger.pipelines.facts import Facts
from debugger.pipelines.training import Memory, Training

EVAL_ROWS = 256
EVAL_EVERY = 40
Fared = tuple[float | None, float | None, Guesses]
"""Accuracy (of classes only), mean loss and what was guessed for which label."""
UNKNOWN: Fared = (None, None, {})


class Curve:
    """Told by a callback of either framework; it stops after `limit` steps, or after `seconds`."""

    def __init__(
        self,
        limit: int,
        emit: Emit,
        evaluate: Callable[[], Fared] | None = None,
        seconds: float | None = None,
    ) -> None:
        self.limit, self.emit, self.evaluate = limit, emit, evaluate
        self.out_of_time = False
        self._until = None if seconds is None else time.monotonic() + seconds
        self.losses: list[float] = []
        self.rates: list[float] = []
        self.accuracies: list[tuple[int, float]] = []
        self.eval_losses: list[tuple[int, float]] = []
        self.guesses: Guesses = {}

    def note(self, step: int, loss: float, rate: float) -> None:
        self.losses.append(loss)
        self.rates.append(rate)
        self.emit("loss", step, loss)

    def is_over(self, step: int, most: int) -> bool:
        """Whether this was the last step, of so many or for want of time."""
        late = self._until is not None and time.monotonic() >= self._until
        self.out_of_time = late and step < most
        return late or step >= most

    def look(self, step: int, done: bool) -> None:
        if not self.evaluate or not (done or step % EVAL_EVERY == 0):
            return
        accuracy, loss, self.guesses = self.evaluate()
        if accuracy is not None:
            self.accuracies.append((step, accuracy))
            self.emit("accuracy", step, accuracy)
        if loss is not None:
            self.eval_losses.append((step, loss))
            self.emit("eval_loss", step, loss)

    def memory(
        self,
        before: Fared,
        after: Fared,
        labels: Sequence[Any],
        rows: int,
        weights: int,
        failure: Failure | None,
    ) -> Memory:
        """One batch of so many rows, with the classes of those that have one."""
        quiet = before[1], after[1]
        return Memory(
            losses=tuple(self.losses),
            before=before[0],
            after=after[0],
            quiet_losses=None if quiet[0] is None or quiet[1] is None else (quiet[0], quiet[1]),
            labels=_classes(labels),
            rows=rows,
            rate=max(self.rates, default=None),
            weights=weights,
            out_of_time=self.out_of_time,
            failure=failure,
        )

    def training(
        self,
        facts: Facts,
        labels: Counter[Any],
        rows: int,
        planned: int,
        rate: float | None,
        failure: Failure | None,
        trained_on: Sequence[Any] = (),
        **known: Any,
    ) -> Training:
        """All of it as plain values.

        `labels` and `rows` are those that it was evaluated on, `trained_on` the other labels; a
        pipeline tells the rest of a Training as `known`.
        """
        total = sum(labels.values())
        classes = facts.task == "classification"
        counts = Counter(_classes(trained_on)) if classes else Counter()
        return Training(
            losses=tuple(self.losses),
            planned=planned,
            accuracies=tuple(self.accuracies),
            eval_losses=tuple(self.eval_losses),
            predicted=_counted(self.guesses),
            guesses=self.guesses,
            majority=max(labels.values()) / total if total and classes else None,
            classes=facts.num_labels if classes else None,
            eval_rows=rows,
            warming_up=len(self.rates) > 1 and self.rates[-1] > self.rates[-2],
            rates=tuple(self.rates),
            shares=tuple(count / counts.total() for _, count in sorted(counts.items())),
            peak_learning_rate=rate,
            out_of_time=self.out_of_time,
            failure=failure,
            **known,
        )


def _classes(labels: Sequence[Any]) -> tuple[int, ...]:
    return tuple(y for y in labels if isinstance(y, int) and y >= 0)


def rows_of_each(guesses: Guesses) -> Counter[int]:
    """How many rows there are of each label."""
    counts = Counter[int]()
    for (label, _), rows in guesses.items():
        counts[label] += rows
    return counts


def _counted(guesses: Guesses) -> dict[str, int]:
    """How often each class was the answer, right or wrong."""
    counts: Counter[int] = Counter()
    for (_, guess), rows in guesses.items():
        counts[guess] += rows
    return {str(guess): counts[guess] for guess in sorted(counts)}
