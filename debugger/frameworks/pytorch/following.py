"""Follows gradients from one optimizer step to the next: what is new in them, and what is old."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

MOST_WEIGHTS = 30_000_000
"""Followed at most, from the head down: two copies of their gradients must fit into memory."""
ALIKE = 0.999
SAME = 0.02


@contextmanager
def followed(model: torch.nn.Module) -> Iterator[Followed]:
    """While open, every backward() and every step of an optimizer is noted; nothing is changed."""
    follow = Followed(model)
    weights = [(weight, weight._backward_hooks) for weight in follow.weights.values()]
    hooks = [w.register_hook(partial(follow.arrives, n)) for n, w in follow.weights.items()]
    hooks.append(register_optimizer_step_pre_hook(follow.steps))
    hooks.append(register_optimizer_step_post_hook(follow.stepped))
    try:
        yield follow
    finally:
        for hook in hooks:
            hook.remove()
        for weight, before in weights:
            weight._backward_hooks = before


class Followed:
    """`carried`: the norm of old gradients in a later step; None until there was one to judge.

    `arrived` is the norm of what backward() brought before the first step, and `left` the share of
    it that the optimizer got.

    Where zeroing is forgotten, the old gradient and the new one have the same share in what the
    optimizer gets. A momentum of one's own gives them different shares, and is left alone.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        self.carried: float | None = None
        self.arrived: float | None = None
        self.left: float | None = None
        self.weights: dict[str, Any] = {}
        room = MOST_WEIGHTS
        for name, weight in reversed(list(model.named_parameters())):
            if weight.requires_grad and weight.numel() <= room:
                self.weights[name] = weight
                room -= weight.numel()
        self._new: dict[str, torch.Tensor] = {}
        self._old: dict[str, torch.Tensor] = {}
        self._scale = 1.0
        self._readable = True

    def arrives(self, name: str, gradient: torch.Tensor) -> None:
        so_far = self._new.get(name)
        self._new[name] = gradient.detach().clone() if so_far is None else so_far + gradient

    def steps(self, optimizer: Any, *_: Any) -> None:
        names = self._held_by(optimizer)
        if not names or not self._readable:
            return
        held = {name: self.weights[name].grad for name in names}
        if not any(name in self._old for name in names):
            # What the optimizer gets must be what backward() brought, or nothing can be told.
            new = {name: self._new[name] for name in names if name in self._new}
            self._readable = _cosine(held, new) > ALIKE
            self._scale = _norm(held) / (_norm(new) or 1.0)
            if self.arrived is None and new:
                self.arrived, self.left = _norm(new), self._scale
        elif (found := self._old_in(held)) is not None:
            self.carried = max(found, self.carried or 0.0)

    def stepped(self, optimizer: Any, *_: Any) -> None:
        for name in self._held_by(optimizer):
            if name in self._new:
                self._old[name] = self._new.pop(name)

    def _held_by(self, optimizer: Any) -> list[str]:
        held = {id(weight) for group in optimizer.param_groups for weight in group["params"]}
        return [n for n, w in self.weights.items() if id(w) in held and _is_dense(w.grad)]

    def _old_in(self, held: dict[str, Any]) -> float | None:
        """How much of the last step's gradients is in these ones; None where it cannot be told."""
        new = {name: self._new[name] for name in held if name in self._new}
        old = {name: self._old[name] for name in held if name in self._old}
        if not new:
            return _norm(held) if _cosine(held, old) > ALIKE else None
        if _cosine(held, new) > ALIKE:
            return 0.0
        nn, oo, no = _dot(new, new), _dot(old, old), _dot(new, old)
        hn, ho, hh = _dot(held, new), _dot(held, old), _dot(held, held)
        apart = nn * oo - no * no
        if apart <= 1e-6 * nn * oo:
            return None
        of_new, of_old = (hn * oo - ho * no) / apart, (ho * nn - hn * no) / apart
        unexplained = hh - of_new * hn - of_old * ho
        if unexplained > 1e-3 * hh or not of_new:
            return None
        share = of_old / of_new
        same = any(abs(share - fair) < SAME * fair for fair in (1.0, self._scale))
        return abs(of_old) * math.sqrt(oo) if same else None


def _is_dense(gradient: torch.Tensor | None) -> bool:
    return gradient is not None and gradient.layout == torch.strided


def _dot(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> float:
    both = one.keys() & other.keys()
    flat = ((one[n].float().flatten(), other[n].float().flatten()) for n in sorted(both))
    return math.fsum(float(torch.dot(a, b)) for a, b in flat)


def _norm(gradients: dict[str, torch.Tensor]) -> float:
    return math.sqrt(_dot(gradients, gradients))


def _cosine(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> float:
    sizes = _norm(one) * _norm(other)
    return _dot(one, other) / sizes if sizes else 0.0
