"""Which rows the training puts into which batch, as its own sampler says."""

from __future__ import annotations

import time
from itertools import islice
from typing import Any

import torch
from torch.utils.data import SequentialSampler
from transformers import Trainer

from debugger.frameworks.pytorch.batches import labels_of
from debugger.frameworks.pytorch.rows import is_stream
from debugger.pipelines.plan import Order, of_one_label

BATCHES = 64
SECONDS = 3.0
"""For the rows of a stream, which have to be made to be looked at."""


def keeps_order(trainer: Trainer) -> bool:
    """Whether nobody shuffles."""
    if type(trainer).get_train_dataloader is Trainer.get_train_dataloader:
        return isinstance(trainer._get_train_sampler(), SequentialSampler)
    return isinstance(getattr(trainer.get_train_dataloader(), "sampler", None), SequentialSampler)


def order(trainer: Trainer, labels: tuple[Any, ...]) -> Order | None:
    """None where rows are no numbers, as those of a loader without a sampler."""
    loader: Any = trainer.get_train_dataloader()
    if is_stream(trainer.train_dataset):
        return _of_stream(trainer, loader)
    sampler = getattr(loader, "batch_sampler", None)
    if sampler is None or not hasattr(trainer.train_dataset, "__len__"):
        return None
    generators = [
        one
        for holder in (loader, sampler, getattr(sampler, "sampler", None))
        if isinstance(one := getattr(holder, "generator", None), torch.Generator)
    ]
    states = [one.get_state() for one in generators]
    try:
        batches = [list(batch) for batch in islice(iter(sampler), BATCHES)]
    finally:
        for one, state in zip(generators, states, strict=True):
            one.set_state(state)
    drawn = [row for batch in batches for row in batch]
    if not drawn or not all(isinstance(row, int) for row in drawn):
        return None
    known = [[labels[row] for row in batch if row < len(labels)] for batch in batches]
    single, by_chance = of_one_label(known, labels)
    rows = len(trainer.train_dataset)  # type: ignore[arg-type]
    weights = getattr(getattr(sampler, "sampler", None), "weights", ())
    weighed = len(weights) if 0 < len(weights) < rows else None
    asked = getattr(getattr(sampler, "sampler", None), "num_samples", None)
    size = getattr(sampler, "batch_size", None)
    return Order(
        *(len(batches), len(drawn), len(set(drawn)), rows, single, by_chance, weighed),
        asked=asked if isinstance(asked, int) else None,
        size=size if isinstance(size, int) else 1,
    )


def _of_stream(trainer: Trainer, loader: Any) -> Order | None:
    """Rows that have no numbers are told apart by nothing, so that each counts as a new one."""
    until, batches = time.monotonic() + SECONDS, []
    for batch in islice(loader, BATCHES):
        labels = labels_of(trainer, batch)
        if labels is None or labels.dim() != 1 or labels.is_floating_point():
            return None
        batches.append(labels.tolist())
        if time.monotonic() > until:
            break
    drawn = [label for batch in batches for label in batch]
    if not drawn:
        return None
    single, by_chance = of_one_label(batches, drawn)
    return Order(len(batches), len(drawn), len(drawn), len(drawn), single, by_chance)
