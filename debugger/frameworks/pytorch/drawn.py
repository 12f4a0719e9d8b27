"""How a model's weights were drawn, and whether those of a checkpoint are still there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from transformers import Trainer

from debugger.frameworks.pytorch.loading import loaded_into
from debugger.frameworks.pytorch.parts import is_adapter
from debugger.pipelines.drawn import Drawn, Redrawn

FAR_WIDER = 8.0
"""Times the width that keeps numbers at their size. The initialisers in use stay below 2."""
NEARLY_ALL = 0.9
_TABLES = (torch.nn.Embedding, torch.nn.EmbeddingBag)


def drawn(trainer: Trainer) -> Drawn | None:
    """Of a model that was not seen to be loaded: a checkpoint's weights may have any form."""
    model: Any = trainer.model
    if any(map(loaded_into, model.modules())):
        return None
    matrices = dict(_matrices(model))
    alike = [name for name, (weight, _) in matrices.items() if bool((weight == weight[:1]).all())]
    wide = [
        (name, float(weight.std()), 1 / math.sqrt(width))
        for name, (weight, width) in matrices.items()
        if float(weight.std()) * math.sqrt(width) >= FAR_WIDER
    ]
    first = wide[0] if wide else ("", 0.0, 0.0)
    return Drawn(len(matrices), len(alike), next(iter(alike), ""), len(wide), *first)


def redrawn(trainer: Trainer) -> Redrawn | None:
    """What of the weights that a checkpoint brought is there no more. None: nobody saw it."""
    model: Any = trainer.model
    pairs = [
        (imprint, weight)
        for module in model.modules()
        for name, weight in module.named_parameters()
        if (imprint := loaded_into(module).get(name)) is not None
        if imprint.shape == tuple(weight.shape)  # else resized, or put elsewhere
    ]
    if not pairs:
        return None
    moved = [(imprint, weight) for imprint, weight in pairs if not imprint.is_of(weight)]
    matrices = [pair for pair in moved if pair[1].dim() > 1]
    scales = sum(imprint.scale for imprint, _ in pairs)
    unlike = sum(one.unlike(weight) for one, weight in matrices)
    learned = sum(one.learned(weight) for one, weight in moved)
    return Redrawn(
        tensors=len(pairs),
        moved=len(moved),
        share=sum(w.numel() for _, w in moved) / max(1, sum(w.numel() for _, w in pairs)),
        by_lot=scales > 0
        and learned <= (1 - NEARLY_ALL) * scales
        and bool(matrices)
        and unlike >= NEARLY_ALL * len(matrices),
    )


def _matrices(model: torch.nn.Module) -> Iterator[tuple[str, tuple[torch.Tensor, int]]]:
    """What layers multiply with, and over how many numbers a unit sums up."""
    tables = {id(one.weight) for one in model.modules() if isinstance(one, _TABLES)}
    for path, module in model.named_modules():
        if isinstance(module, _TABLES):
            continue
        for name, weight in module.named_parameters(recurse=False):
            full = f"{path}.{name}".lstrip(".")
            if weight.dim() < 2 or "weight" not in name or id(weight) in tables:
                continue
            if is_adapter(full) or not weight.is_floating_point() or len(weight) < 2:
                continue
            turned = type(module).__name__ == "Conv1D"  # of GPT-2, which has inputs come first
            width = weight.shape[0] if turned else weight[0].numel()
            if width > 1:
                values = weight.detach().float()
                yield full, (values.t() if turned else values, width)
