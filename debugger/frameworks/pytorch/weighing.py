"""What a training has learned, left as plain numbers, and tried in another Trainer's model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import Trainer

from debugger.frameworks.pytorch.rows import first_set, subset
from debugger.frameworks.pytorch.training import accuracy, batches_of
from debugger.frameworks.pytorch.untouched import borrowed
from debugger.outcome import Weighed
from debugger.pipelines import learned
from debugger.pipelines.curve import EVAL_ROWS
from debugger.pipelines.facts import Facts


def leave(trainer: Trainer, facts: Facts, file: Path) -> None:
    learned.leave(file, _arrays(trainer), facts.label_names)


def weigh(trainer: Trainer, facts: Facts, file: Path) -> Weighed:
    """With this Trainer's own preparation of its evaluation rows. Its model keeps the weights."""
    model: Any = trainer.model
    dataset = first_set(trainer.eval_dataset)
    if facts.task != "classification" or dataset is None:
        return Weighed(reason="weights_untried")
    before = _arrays(trainer)
    try:
        arrays, labels = learned.found(file, before)
    except learned.Unusable as error:
        return Weighed(reason=error.code)
    far = learned.moved(arrays, before)
    model.load_state_dict({name: torch.from_numpy(one) for name, one in arrays.items()})
    with borrowed(trainer):
        batches = batches_of(trainer, subset(dataset, EVAL_ROWS))
        guesses = accuracy(trainer, batches, facts)[2]
    return learned.weighed(guesses, labels, facts.label_names, far)


def _arrays(trainer: Any) -> dict[str, Any]:
    """All that the model holds; half numbers, which NumPy does not know, as whole ones."""
    held = {name: one.detach().cpu() for name, one in trainer.model.state_dict().items()}
    return {
        name: (one.float() if one.is_floating_point() else one).numpy()
        for name, one in held.items()
    }
