"""Which rows the training puts into which batch, as its own sampler says."""

from __future__ import annotations

from itertools import islice
from typing import Any

import torch
from transformers import Trainer

from debugger.pipelines.plan import Order, of_one_label

BATCHES = 64


def order(trainer: Trainer, labels: tuple[Any, ...]) -> Order | None:
    """None where rows are no numbers: a stream, or a loader without a sampler."""
    loader: Any = trainer.get_train_dataloader()
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
    return Order(len(batches), len(drawn), len(set(drawn)), rows, single, by_chance)
