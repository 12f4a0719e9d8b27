"""Parts of a model that stand in a plain list, where PyTorch does not look for weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from torch import nn

from debugger.pipelines.forward import Listed


def listed(model: nn.Module) -> Listed | None:
    """The first list, tuple or dictionary of modules that the model knows nothing of."""
    known = {id(part) for part in model.modules()}
    for owner in model.modules():
        for name, held in vars(owner).items():
            parts = [part for part in _inside(held) if id(part) not in known]
            weights = sum(weight.numel() for part in parts for weight in part.parameters())
            if weights and not name.startswith("_"):
                return Listed(name, type(held).__name__, len(parts), weights)
    return None


def _inside(held: Any) -> Iterator[nn.Module]:
    values = held.values() if isinstance(held, Mapping) else held
    if isinstance(held, list | tuple | Mapping):
        yield from (part for part in values if isinstance(part, nn.Module))
