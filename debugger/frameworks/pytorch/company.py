"""Asks a loss of one's own about rows alone and beside others, and whom it asks itself."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from itertools import islice
from typing import Any
from weakref import WeakSet

import torch
from transformers import Trainer

from debugger.frameworks.pytorch.batches import labels_of, logits_of, rows_in, with_loss
from debugger.frameworks.pytorch.losses import is_own
from debugger.frameworks.pytorch.untouched import Rng
from debugger.pipelines.company import Company, teacher_of

BATCHES = 3
SEVERAL = 8
MOST_ASKED = 8
"""Batches of which a teacher is asked."""
_cut_short: WeakSet[torch.nn.Module] = WeakSet()


def note_cut_short(model: Any) -> None:
    """To be called where a training of it ends early here: it knows less than the script's will."""
    _cut_short.update(model.modules())


def company(trainer: Trainer) -> Company | None:
    """In eval mode, inside `borrowed`. None where the loss is the library's own."""
    if not is_own(trainer):
        return None
    model: Any = trainer.model
    model.eval()
    told: dict[str, Any] = {}
    with suppress(Exception):  # what a batch runs into is told by the stages
        told |= _alone(trainer)
    with suppress(Exception):
        told["teacher"] = teacher_of(_asked(trainer))
    return Company(**told)


def _alone(trainer: Any) -> dict[str, float]:
    batches = list(islice(trainer.get_train_dataloader(), BATCHES))
    if not batches or any(rows_in(batch) != 1 for batch in batches):
        return {}
    alone = max(abs(_cost(trainer, batch)) for batch in batches)
    trainer._train_batch_size = SEVERAL
    several = next(iter(trainer.get_train_dataloader()))
    if rows_in(several) < 2:
        return {}
    return {"alone": alone, "together": _cost(trainer, several)}


def _cost(trainer: Any, batch: Any) -> float:
    return float(with_loss(trainer, batch)[0].float().mean())


def _asked(trainer: Any) -> Counter[tuple[int, int]]:
    """What other models say inside the loss, by the label of the row."""
    own = set(trainer.model.modules())
    answers: list[torch.Tensor] = []

    def note(module: torch.nn.Module, _given: Any, output: Any) -> None:
        if module not in own and module not in _cut_short and module.training is False:
            logits = logits_of(output) if hasattr(output, "logits") else None
            if logits is not None and logits.dim() == 2:
                answers.append(logits)

    counts: Counter[tuple[int, int]] = Counter()
    drawn = Rng()
    hook = torch.nn.modules.module.register_module_forward_hook(note)
    try:
        for batch in islice(trainer.get_train_dataloader(), MOST_ASKED):
            answers.clear()
            labels = labels_of(trainer, batch)
            with_loss(trainer, batch)
            if labels is None or labels.dim() != 1 or labels.is_floating_point() or not answers:
                break
            said = answers[-1].argmax(-1)
            if said.shape != labels.shape or int(labels.max()) >= answers[-1].shape[-1]:
                break
            counts.update(zip(said.tolist(), labels.tolist(), strict=True))
    finally:
        hook.remove()
        drawn.restore()
    return counts
