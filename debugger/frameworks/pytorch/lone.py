"""A last batch that holds one row alone: whether a squeeze takes the axis of rows away there."""

from __future__ import annotations

from typing import Any

from transformers import Trainer

from debugger.failure import failure_of_script, on_behalf
from debugger.frameworks.pytorch.batches import logits_of, with_loss
from debugger.frameworks.pytorch.heard import heard_within
from debugger.frameworks.pytorch.rows import first_set, is_stream
from debugger.pipelines.layout import Lone


def lone(trainer: Trainer) -> Lone | None:
    """In eval mode, inside `borrowed`. None where no set ends so, or where it goes well."""
    model: Any = trainer.model
    model.eval()
    held = first_set(trainer.eval_dataset)
    sets = [(trainer.train_dataset, trainer.get_train_dataloader)]
    if held is not None:
        sets.append((held, lambda: trainer.get_eval_dataloader(held)))
    for rows, loader in sets:
        if rows is None or is_stream(rows):
            continue
        try:
            if found := _in(trainer, loader()):
                return found
        except Exception as error:  # what rows and batches run into is told by their stages
            failure_of_script(error)
    return None


def _in(trainer: Trainer, loader: Any) -> Lone | None:
    batches = getattr(loader, "batch_sampler", None)
    size, sampler = getattr(batches, "batch_size", None), getattr(batches, "sampler", None)
    if not size or size < 2 or sampler is None or getattr(batches, "drop_last", False):
        return None
    drawn = len(sampler)
    if drawn % size != 1 or drawn < size:
        return None
    one, other = loader.dataset[0], loader.dataset[1]
    together = logits_of(on_behalf(with_loss, trainer, loader.collate_fn([one, other]))[1])
    with heard_within() as heard:
        try:
            alone = logits_of(
                on_behalf(with_loss, trainer, loader.collate_fn([loader.dataset[0]]))[1]
            )
        except Exception as error:
            failure_of_script(error)
            broken = True
        else:
            if together is None or alone is None:
                return None
            broken = 0 < alone.dim() < together.dim()
    if not broken or not heard.rowless:
        return None
    return Lone(drawn, size, heard.rowless[0])
