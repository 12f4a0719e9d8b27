"""The face over a built Trainer, and what else the clinic asks for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch
from transformers import Trainer

from debugger.frameworks.pytorch import evaluating, forwarding, looking, training, weighing
from debugger.frameworks.pytorch.building import Built, stopped_at_training
from debugger.frameworks.pytorch.by_hand import LoopTrainer
from debugger.frameworks.pytorch.company import company
from debugger.frameworks.pytorch.drawn import drawn, redrawn
from debugger.frameworks.pytorch.experimenting import TrainerLab
from debugger.frameworks.pytorch.facts import configured_like, facts_of, first_tokens, tokenizer_of
from debugger.frameworks.pytorch.inputs import named_in
from debugger.frameworks.pytorch.loading import numbered_by_other, unfitting_in, was_loaded
from debugger.frameworks.pytorch.lone import lone
from debugger.frameworks.pytorch.mixing import mixed
from debugger.frameworks.pytorch.order import order
from debugger.frameworks.pytorch.rows import count_of, first_set
from debugger.frameworks.pytorch.settings import (
    classes_for_objects,
    never_begun,
    texts_for_numbers,
    unknown_names,
)
from debugger.frameworks.pytorch.untouched import borrowed, untouched
from debugger.outcome import Evidence, Finding, Weighed
from debugger.pipelines.batch import Batch
from debugger.pipelines.data import Data
from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.face import Emit
from debugger.pipelines.forward import Earlier, Forward
from debugger.pipelines.rows import class_names_of, is_hub, learned_from, one_of_each
from debugger.pipelines.step import Step
from debugger.pipelines.training import Memory, Training
from debugger.script.places import Places

__all__ = [
    "TrainerPipeline",
    "at_setup",
    "has_cuda",
    "in_place_of",
    "pipeline",
    "stopped_at_training",
]

HIDDEN = -1
"""The label of rows whose real one is kept secret."""


class TrainerPipeline:
    """See `face.Pipeline`."""

    def __init__(self, trainer: Trainer, earlier: Earlier | None = None) -> None:
        self._trainer = trainer
        self._earlier = earlier
        self._left: Path | None = None
        with self.untouched():
            known = facts_of(trainer, class_names_of(trainer.train_dataset))
        if earlier is not None and earlier.moved and not was_loaded(trainer.model):
            known = replace(known, pretrained=False)  # what shows in its weights was learned here
        self.facts = replace(known, cut_short=earlier is not None and earlier.cut_short)

    def untouched(self) -> AbstractContextManager[None]:
        return untouched(self._trainer, weights=False)

    @cached_property
    def _data(self) -> Data:
        with self.untouched():
            seen = looking.data(self._trainer, self.facts, tokenizer_of(self._trainer))
        return replace(seen, numbered=self._numbered())

    def _numbered(self) -> tuple[int | None, int, int] | None:
        trainer, held = self._trainer, first_set(self._trainer.eval_dataset)
        if held is None or self.facts.main_input != "input_ids":
            return None
        ids = partial(first_tokens, trainer, "input_ids")
        return numbered_by_other(trainer, ids, partial(ids, held))

    def data(self) -> Data:
        return self._data

    def batch(self) -> Batch:
        widths = () if self._data.train is None else self._data.train.widths
        tokenizer = tokenizer_of(self._trainer)
        with borrowed(self._trainer):
            seen = looking.batch(self._trainer, widths, self.facts, tokenizer)
        if seen.failure is None:
            with borrowed(self._trainer):
                drawn = order(self._trainer, self._labels)
            with borrowed(self._trainer):
                return replace(seen, order=drawn, mixed=mixed(self._trainer, self._data))
        with borrowed(self._trainer):  # draws the same rows again
            return replace(seen, **looking.handed(self._trainer, self.facts, tokenizer))

    def forward(self) -> Forward:
        with borrowed(self._trainer):
            seen = forwarding.forward(self._trainer, self.facts, self._labels)
            if seen.failure is not None and seen.failure.device_lost:
                return seen  # and with it all that could still be asked
            of_rows = looking.dropped if seen.failure is None else looking.dropped_of_rows
            dropped = of_rows(self._trainer)
            drawn_so: dict[str, Any] = {
                "drawn": drawn(self._trainer),
                "redrawn": redrawn(self._trainer),
                "unfitting": unfitting_in(self._trainer),
            }
        beside = alone = None
        if seen.failure is None:
            with borrowed(self._trainer):
                beside = company(self._trainer)
            with borrowed(self._trainer):
                alone = lone(self._trainer)
        asked_for = named_in(type(self._trainer).compute_loss, dropped)
        return replace(
            seen,
            earlier=self._earlier,
            dropped=dropped,
            asked_for=asked_for,
            configured_like=configured_like(self._trainer),
            company=beside,
            lone=alone,
            **drawn_so,
        )

    def step(self) -> Step:
        return training.step(self._trainer)

    def evaluate(self) -> Evaluate:
        return evaluating.evaluate(self._trainer, self.facts, self._data)

    def overfit(self, steps: int, emit: Emit, seconds: float | None = None) -> Memory:
        rows = self._one_batch()
        return training.overfit(self._trainer, self.facts, rows, steps, emit, seconds)

    def train(self, steps: int, emit: Emit, seconds: float | None = None) -> Training:
        def leave() -> None:
            if self._left is not None:
                weighing.leave(self._trainer, self.facts, self._left)

        given = self._trainer, self.facts, self._labels
        seen = training.train(*given, steps, emit, seconds, leave)
        return replace(seen, has_words=bool(self._data.worded.rows))

    def judged_by(self, owner: Any, rows: Any, labels: Any) -> TrainerPipeline | None:
        trainer = self._trainer
        held = trainer.eval_dataset
        others = list(held.values()) if isinstance(held, dict) else [held]
        if owner is not trainer or any(rows is one for one in (trainer.train_dataset, *others)):
            return None
        if not isinstance(rows, torch.utils.data.Dataset) and not is_hub(rows, "Dataset"):
            return None
        made = copy(self)
        vars(made).pop("_data", None)
        made._trainer = copy(trainer)
        made._trainer.eval_dataset = rows
        seen = made.data()
        secret = seen.eval is None or not any(one != HIDDEN for one in seen.eval.labels)
        return None if secret or learned_from(seen) else made

    def leave(self, file: Path) -> None:
        self._left = file

    def weigh(self, file: Path) -> Weighed:
        return weighing.weigh(self._trainer, self.facts, file)

    def lab(self) -> TrainerLab | None:
        if self._data.train is None:
            return None
        return TrainerLab(self._trainer, self.facts, self._labels)

    @property
    def _labels(self) -> tuple[Any, ...]:
        return () if self._data.train is None else self._data.train.labels

    def _one_batch(self) -> list[int]:
        size = self._trainer.args.per_device_train_batch_size
        if not self._labels or not isinstance(self._labels[0], (int, str)):
            return list(range(min(size, count_of(self._trainer.train_dataset) or size)))
        return one_of_each(self._labels, size)


def pipeline(trained: Trainer, earlier: Earlier | None = None) -> TrainerPipeline:
    return TrainerPipeline(trained, earlier)


def has_cuda() -> bool:
    return torch.cuda.is_available()


def in_place_of(*_: object) -> None:
    """Nothing has to stand in: every Trainer can be looked at."""


def at_setup(built: Built, places: Places) -> tuple[list[Finding], list[Evidence]]:
    """What its arguments hold; all else shows in the Trainer itself."""
    trained = built.trained
    args = getattr(trained, "args", None)
    found = texts_for_numbers(args, places) + unknown_names(args, places)
    found += classes_for_objects(trained, places) + never_begun(trained, places)
    return [*found, *_first_of(trained)], []


def _first_of(trained: Any) -> Iterator[Finding]:
    """Of several loops by hand the one that trains first."""
    loop = trained.by_hand if isinstance(trained, LoopTrainer) else None
    if loop is not None and loop.others:
        yield Finding("first_loop_only", "note", "setup", loop.others[0], {"at": loop.line})
