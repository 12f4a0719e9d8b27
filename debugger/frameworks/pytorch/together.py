"""Models that a turn of a loop asks one after the other, and that learn as one: an encoder and its
decoder, each with an optimizer of its own or both with the same."""

from __future__ import annotations

import copy
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch.optim.lr_scheduler import LRScheduler

from debugger.frameworks.pytorch.tensors import names_like
from debugger.pipelines.unfollowed import NotFollowed


class Together(torch.nn.Module):
    """Only the loop knows what each of them is given."""

    def __init__(self, models: Mapping[str, torch.nn.Module]) -> None:
        super().__init__()
        for name, model in models.items():
            self.add_module(name, model)

    @property
    def answering(self) -> torch.nn.Module:
        """The one that is asked last."""
        return list(self.children())[-1]

    def forward(self, inputs: Any) -> Any:
        raise NotImplementedError(f"a loop asks {' and '.join(dict(self.named_children()))}")


def answering(model: torch.nn.Module) -> torch.nn.Module:
    return model.answering if isinstance(model, Together) else model


def members(model: torch.nn.Module) -> list[Any]:
    """Whose mode a turn may set."""
    return [model, *model.children()] if isinstance(model, Together) else [model]


def as_one(
    models: Sequence[torch.nn.Module], names: Mapping[str, Any], optimizer: Any
) -> torch.nn.Module:
    """What they are parts of, be it asked itself, or by a method that asks those alone; else all of
    them, where all are learned by the optimizer."""
    if len(models) == 1:
        return models[0]
    asked = {id(one) for one in models}
    known = (one for one in names.values() if isinstance(one, torch.nn.Module))
    whole = [one for one in (*models, *known) if asked <= set(map(id, one.modules()))]
    if whole:
        return min(whole, key=lambda one: sum(1 for _ in one.modules()))
    called = [(*names_like(one, names), type(one).__name__)[0] for one in models]
    learned = learned_by(optimizer)
    if len(set(called)) < len(called) or not all(_weights_of(one) <= learned for one in models):
        raise NotFollowed("loop_of_models", count=len(models), names=", ".join(called))
    return Together(dict(zip(called, models, strict=True)))


def of_all(told: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What they are given, each once: the first by its own names."""
    further = ({f"{name}_{n}": v for name, v in one.items()} for n, one in enumerate(told) if n)
    return dict(ChainMap(dict(told[0]), *further))


def _weights_of(model: torch.nn.Module) -> frozenset[int]:
    return frozenset(id(weight) for weight in model.parameters() if weight.requires_grad)


def learned_by(optimizer: Any) -> frozenset[int]:
    return frozenset(id(w) for group in optimizer.param_groups for w in group["params"])


def joined(optimizer: Any, names: Mapping[str, Any], steps: Iterable[str]) -> tuple[Any, int]:
    """One in the place of several that step in the same turn, each with weights of its own, and of
    how many. It shares their groups, so that a rate which is set in one of them is set here."""
    held = {name: one for name, one in names.items() if isinstance(one, torch.optim.Optimizer)}
    stepped = {id(held[name]): held[name] for name in steps if name in held}
    known = stepped if id(optimizer) in stepped else {id(one): one for one in held.values()}
    apart = [one for one in known.values() if learned_by(one) != learned_by(optimizer)]
    if not apart:
        return optimizer, 1
    alike = all(type(one) is type(optimizer) for one in apart)
    shared = any(learned_by(one) & learned_by(optimizer) for one in apart)
    if known is not stepped or not alike or shared or _moved(names, [optimizer, *apart]):
        raise NotFollowed("loop_of_optimizers", count=1 + len(apart))
    whole = copy.copy(optimizer)
    whole.param_groups = [group for one in (optimizer, *apart) for group in one.param_groups]
    return whole, 1 + len(apart)


def learns_all(optimizer: Any, model: torch.nn.Module) -> bool:
    """Whether all that the optimizer steps is of that model."""
    return learned_by(optimizer) <= _weights_of(model)


def _moved(names: Mapping[str, Any], optimizers: Sequence[Any]) -> bool:
    """Whether a schedule is there for one of them: each would have to move on by itself."""
    schedules = [one for one in names.values() if isinstance(one, LRScheduler)]
    return any(one.optimizer is other for one in schedules for other in optimizers)
