"""The face over a compiled Keras model and the data that `fit` was given."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

from debugger.pipelines import face
from debugger.pipelines.keras import evaluating, forwarding, looking, training
from debugger.pipelines.keras.bench import Bench
from debugger.pipelines.keras.building import Fit
from debugger.pipelines.keras.facts import facts_of
from debugger.pipelines.keras.reading import Rows, first_batch, read


class KerasPipeline:
    """See `face.Pipeline`."""

    def __init__(self, fit: Fit) -> None:
        self._fit = fit
        self._bench = Bench(fit.model)
        with self.untouched():
            batch = first_batch(fit.train)
        self.facts = facts_of(fit, batch)

    def untouched(self) -> AbstractContextManager[Any]:
        return self._bench.untouched()

    @cached_property
    def _train(self) -> Rows:
        with self.untouched():
            return read(self._fit.train)

    @cached_property
    def _eval(self) -> Rows | None:
        if self._fit.validation is None:
            return None
        with self.untouched():
            return read(self._fit.validation)

    @cached_property
    def _data(self) -> face.Data:
        with self.untouched():
            return looking.data(self._fit, self.facts, self._train, self._eval)

    def data(self) -> face.Data:
        return self._data

    def batch(self) -> face.Batch:
        with self.untouched():
            return looking.batch(self._fit, read(self._fit.train, 1))

    def forward(self) -> face.Forward:
        with self.untouched():
            return forwarding.forward(self._fit, self.facts, self._train.labels)

    def step(self) -> face.Step:
        source = self._fit.source(self._fit.train)
        rows = self._train.count if source is None else len(source.dataset)
        return training.step(self._fit, self.facts, self._bench, rows)

    def evaluate(self) -> face.Evaluate:
        with self.untouched():
            return evaluating.evaluate(self._fit, self.facts, self._data, self._train)

    def overfit(self, steps: int, emit: face.Emit) -> face.Memory:
        return training.overfit(self._fit, self.facts, self._bench, self._train, steps, emit)

    def train(self, steps: int, emit: face.Emit) -> face.Training:
        return training.train(self._fit, self.facts, self._bench, self._eval, steps, emit)
