"""How far the outputs of a model lie apart: do they still go by what it is given?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from transformers import Trainer

from debugger.frameworks.pytorch.batches import logits_of, with_loss

MOST = 512


@torch.no_grad()
def outputs_apart(trainer: Trainer, batches: Sequence[Any]) -> float | None:
    """The spread of each output over rows and places, on the whole; None where nothing shows it."""
    model: Any = trainer.model
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    found = []
    try:
        for batch in batches:
            outputs = with_loss(trainer, batch)[1]
            logits = logits_of(outputs)
            logits = _vectors_of(outputs) if logits is None else logits
            if not isinstance(logits, torch.Tensor) or not logits.is_floating_point():
                return None
            found.append(logits.reshape(-1, logits.shape[-1] if logits.dim() > 1 else 1)[:MOST])
    except Exception:  # another rule tells of what does not go through
        return None
    finally:
        for module, training in modes:
            module.training = training
    if not found or sum(map(len, found)) < 2:
        return None
    return float(torch.cat(found).double().std(dim=0).mean())


def _vectors_of(outputs: Any) -> torch.Tensor | None:
    """Of a model that makes a vector for each of two inputs: the first ones."""
    if not isinstance(outputs, Mapping):
        return None
    made = [v for v in outputs.values() if isinstance(v, torch.Tensor) and v.dim() == 2]
    return made[0] if len(made) > 1 and made[0].shape == made[1].shape else None


def pair_of(apart: Sequence[float | None]) -> tuple[float, float] | None:
    before, after = (*apart, None, None)[:2]
    return None if before is None or after is None else (before, after)
