"""The face over a compiled Keras model and its data, and what else the clinic asks for."""

from __future__ import annotations

from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import tensorflow as tf
import tf_keras
from transformers import DataCollatorWithPadding

from debugger.frameworks.keras import evaluating, forwarding, gpu, looking, training, weighing
from debugger.frameworks.keras.afterwards import After
from debugger.frameworks.keras.answering import (
    Answer,
    answer_to,
    built,
    how_labels,
    loss_of,
    of_library,
)
from debugger.frameworks.keras.apart import holds_together
from debugger.frameworks.keras.bench import Bench, optimizers_of
from debugger.frameworks.keras.building import Fit, stopped_at_training
from debugger.frameworks.keras.experimenting import KerasLab, worded
from debugger.frameworks.keras.facts import facts_of
from debugger.frameworks.keras.feeding import as_batches
from debugger.frameworks.keras.reading import HowLabels, Rows, endless, read
from debugger.frameworks.keras.rereading import relabelled
from debugger.frameworks.keras.standing_in import foreign_callbacks, in_place_of
from debugger.outcome import Evidence, Finding, Weighed
from debugger.pipelines.batch import Batch
from debugger.pipelines.data import Data
from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.face import Emit
from debugger.pipelines.forward import Earlier, Forward
from debugger.pipelines.rows import LABELS, learned_from
from debugger.pipelines.starting import Built
from debugger.pipelines.step import Step
from debugger.pipelines.training import Memory, Training
from debugger.pipelines.trying import Worded
from debugger.script.places import Places

__all__ = [
    "KerasPipeline",
    "at_setup",
    "has_cuda",
    "in_place_of",
    "pipeline",
    "stopped_at_training",
]


class KerasPipeline:
    """See `face.Pipeline`. All stages see one first batch: who shuffles has another each time."""

    def __init__(self, fit: Fit, earlier: Earlier | None = None) -> None:
        self._fit, self._earlier = fit, earlier
        self._left: Path | None = None
        self._bench = Bench(fit.model)
        with self.untouched():
            first = read(fit.train, 1)
        loaded = built(fit.model, first.batch)  # whoever has no weights yet is given them for good
        self._bench = Bench(fit.model)
        loss = loss_of(fit.model)
        self._first = first
        tells = of_library(fit.model) and loss.counts != "each"  # what it is for, unasked
        answer = Answer(None) if tells else self._answer
        self.facts = facts_of(fit, first.batch, loss, answer, loaded)
        self._how: HowLabels = how_labels(self.facts.task, loss, first.batch)
        self._first = replace(first, how=self._how)

    def untouched(self) -> AbstractContextManager[Any]:
        return self._bench.untouched()

    @cached_property
    def _answer(self) -> Answer:
        """To the first batch."""
        with self.untouched():
            return answer_to(self._fit.model, self._first.batch)

    @cached_property
    def _train(self) -> Rows:
        with self.untouched():
            batches = self._fit.steps_per_epoch or 0
            return read(self._fit.train, how=self._how, batches=endless(self._fit.train) * batches)

    @cached_property
    def _eval(self) -> Rows | None:
        if self._fit.validation is None:
            return None
        with self.untouched():
            return read(
                self._fit.validation, how=self._how, batches=self._fit.validation_steps or 0
            )

    @cached_property
    def _data(self) -> Data:
        with self.untouched():
            seen = looking.data(self._fit, self.facts, self._train, self._eval)
            again = relabelled(self._fit, self._train)
        known: dict[Any, int] = {}
        words = worded(self._train, self.facts, known)
        held = self._eval
        other = Worded() if held is None else worded(held, self.facts, known)
        return replace(seen, worded=words, both=(words, other), relabelled=again)

    def data(self) -> Data:
        return self._data

    def batch(self) -> Batch:
        with self.untouched():
            seen = looking.batch(self._fit, self._first, self.facts)
        return replace(seen, order=looking.order(self._train, self.facts))

    def forward(self) -> Forward:
        fit, (labels, count) = self._fit, self._labels()
        planned = training.planned_steps(fit, self.facts, count) if fit.whole else None
        known = labels, self._first, self._answer
        seen = forwarding.forward(fit, self.facts, self._bench, *known, planned)
        return replace(seen, earlier=self._earlier)

    def _labels(self) -> tuple[tuple[Any, ...], int | None]:
        """Those of all rows, and how many there are. Collators of the library leave classes as they
        are, so nothing has to be put together for them."""
        source = None if "_train" in vars(self) else self._fit.source(self._fit.train)
        first = self._first.batch
        if source is not None and source.made is self._fit.train and first is not None:
            known = type(source.collate).__module__ == DataCollatorWithPadding.__module__
            name = next((one for one in LABELS if one in source.dataset.column_names), None)
            if known and name is not None and first.labels is not None:
                labels = tuple(source.dataset.with_format(None)[name])
                if all(isinstance(one, int) for one in labels):
                    return labels, len(labels)
        return self._train.labels, self._train.count

    def step(self) -> Step:
        source = self._fit.source(self._fit.train)
        rows = self._train.count if source is None else len(source.dataset)
        return training.step(self._fit, self.facts, self._bench, rows)

    def evaluate(self) -> Evaluate:
        with self.untouched():
            return evaluating.evaluate(self._fit, self.facts, self._data, self._train)

    def overfit(self, steps: int, emit: Emit, seconds: float | None = None) -> Memory:
        given = self._fit, self.facts, self._bench, self._train
        return training.overfit(*given, steps, emit, seconds)

    def train(self, steps: int, emit: Emit, seconds: float | None = None) -> Training:
        def leave() -> None:
            if self._left is not None:
                weighing.leave(self._fit.model, self.facts, self._left)

        given = self._fit, self.facts, self._bench, self._train, self._eval
        seen = training.train(*given, steps, emit, seconds, leave)
        return replace(seen, has_words=bool(self._data.worded.rows))

    def judged_by(self, owner: Any, rows: Any, labels: Any) -> KerasPipeline | None:
        fit = self._fit
        shown = (fit.train, fit.validation, *(one for pair in fit.pairs for one in pair))
        if owner is not fit.model or any(rows is one for one in shown):
            return None
        if labels is None and not isinstance(rows, tf.data.Dataset | tf_keras.utils.Sequence):
            return None
        other = copy(self)
        vars(other).pop("_eval", None)
        vars(other).pop("_data", None)
        validation = as_batches(rows, labels, size=self.facts.batch_size)
        other._fit = replace(fit, validation=validation, validation_steps=None, after=After())
        if other._eval is None or not other._eval.labels or learned_from(other.data()):
            return None
        return other

    def leave(self, file: Path) -> None:
        self._left = file

    def weigh(self, file: Path) -> Weighed:
        return weighing.weigh(self._fit.model, self.facts, self._bench, self._eval, file)

    def lab(self) -> KerasLab | None:
        rows, model = self._train, self._fit.model
        if rows.batch is None or rows.failure is not None or len(optimizers_of(model)) != 1:
            return None
        if holds_together(rows):  # no part of it can be tried by itself
            return None
        with self.untouched():
            answer = answer_to(model, rows.batch)
        return KerasLab(self._fit, self.facts, self._bench, rows, answer)


def pipeline(trained: Fit, earlier: Earlier | None = None) -> KerasPipeline:
    return KerasPipeline(trained, earlier)


def has_cuda() -> bool:
    return bool(tf.config.list_physical_devices("GPU"))


def at_setup(built: Built, places: Places) -> tuple[list[Finding], list[Evidence]]:
    """How the script has TensorFlow hold a GPU's memory, and whose callbacks it has brought in."""
    memory = gpu.gpu_memory()
    found = gpu.findings(memory, places, built.training_line)
    return found + _of_other_keras(built.trained, places), gpu.show(memory)


def _of_other_keras(fit: Any, places: Places) -> list[Finding]:
    return [
        Finding(
            "callback_of_other_keras",
            "fault",
            "setup",
            places.imported("keras") or places.call(name),
            {"name": name},
        )
        for name in foreign_callbacks(fit)[:1]
    ]
