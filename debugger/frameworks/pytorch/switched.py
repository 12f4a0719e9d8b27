"""How a training is started: with which switches of torch, and from which checkpoint."""

from __future__ import annotations

import os
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import torch
from transformers.trainer_utils import get_last_checkpoint

_without_gradients: WeakSet[Any] = WeakSet()
_found_none_in: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def note(trainer: Any, resume_from_checkpoint: Any = None) -> None:
    """To be called where the training would start, in whatever block that stands."""
    if not torch.is_grad_enabled():
        _without_gradients.add(trainer)
    if resume_from_checkpoint is True:
        folder = trainer.args.output_dir
        if not os.path.isdir(folder) or get_last_checkpoint(folder) is None:
            _found_none_in[trainer] = str(folder)
    elif isinstance(resume_from_checkpoint, str) and not os.path.isdir(resume_from_checkpoint):
        _found_none_in[trainer] = resume_from_checkpoint


def gradients_off(trainer: Any) -> bool:
    return trainer in _without_gradients


def no_checkpoint_in(trainer: Any) -> str:
    """The folder that the training is to go on from, where it holds no checkpoint."""
    return _found_none_in.get(trainer, "")
