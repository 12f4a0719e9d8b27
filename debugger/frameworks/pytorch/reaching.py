"""Watches gradients on their way: who throws them away, and what they never come back to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from debugger.failure import on_behalf, own_line
from debugger.frameworks.pytorch.parts import is_adapter
from debugger.pipelines.reached import Reached


@contextmanager
def reaching(model: torch.nn.Module) -> Iterator[Reaching]:
    """While open, gradients, those who set them to zero, and the heads of the model are noted."""
    watch = Reaching(model)
    with ExitStack() as stack:
        for weight in model.parameters():
            if weight.requires_grad:
                before = weight._backward_hooks
                stack.callback(setattr, weight, "_backward_hooks", before)
                stack.callback(weight.register_hook(watch.arrives).remove)
        for name, module in model.named_modules():
            if module is not model and next(module.parameters(recurse=False), None) is not None:
                stack.callback(module.register_forward_hook(watch.answers(name)).remove)
        stack.callback(model.register_forward_hook(watch.ends).remove)
        for kind in (torch.nn.Module, torch.optim.Optimizer):
            stack.callback(setattr, kind, "zero_grad", kind.zero_grad)
            setattr(kind, "zero_grad", watch.zeroes(kind.zero_grad))  # noqa: B010
        hook = register_optimizer_step_pre_hook(watch.steps)
        stack.callback(hook.remove)
        yield watch


class Reaching:
    """`waiting`: gradients came that no optimizer has seen yet."""

    def __init__(self, model: torch.nn.Module) -> None:
        self._model = model
        self._waiting = False
        self._made: list[tuple[str, torch.Tensor]] = []
        self._heads: set[str] = set()
        self._thrown, self._used = 0, 0
        self._thrown_at: int | None = None
        self._still: set[str] | None = None
        self._muted: set[str] = set()

    def arrives(self, gradient: torch.Tensor) -> None:
        self._waiting = self._waiting or _holds_some(gradient)

    def answers(self, name: str) -> Any:
        def note(_module: Any, _given: Any, output: Any) -> None:
            if isinstance(output, torch.Tensor) and output.requires_grad:
                self._made.append((name, output))

        return note

    def ends(self, _module: Any, _given: Any, output: Any) -> None:
        parts = output.items() if isinstance(output, Mapping) else enumerate(_listed(output))
        told = {
            value.data_ptr()
            for name, value in parts
            if isinstance(value, torch.Tensor) and value.dim() and name != "loss"
        }
        self._heads |= {name for name, made in self._made if made.data_ptr() in told}
        self._made.clear()

    def zeroes(self, method: Any) -> Any:
        @wraps(method)
        def zeroed(this: Any, *given: Any, **named: Any) -> Any:
            answer = on_behalf(method, this, *given, **named)
            if self._waiting and not self._any_left():
                self._throws(own_line())
            return answer

        return zeroed

    def steps(self, *_: Any) -> None:
        if self._waiting and not self._any_left():
            self._throws(None)
        elif self._waiting:
            self._used += 1
        self._waiting = False
        matrices = {
            name: weight
            for name, weight in self._model.named_parameters()
            if weight.requires_grad and weight.dim() > 1
        }
        still = {name for name, weight in matrices.items() if _is_still(weight)}
        self._still = still if self._still is None else self._still & still
        if self._still:
            self._muted = {name for name in matrices.keys() - still if _is_muted(matrices[name])}

    def reached(self, gradients: Mapping[str, float]) -> Reached:
        """`gradients` are the largest norms of all weights that had any."""
        weights = dict(self._model.named_parameters())
        called = {id(weight): name for name, weight in weights.items()}
        adapters = [n for n, w in weights.items() if w.requires_grad and is_adapter(n)]
        return Reached(
            names=tuple(dict.fromkeys([*(n for n, _ in self._model.named_modules()), *weights])),
            unheard=tuple(
                head
                for head in sorted(self._heads)
                if (own := _trained(self._model.get_submodule(head)))
                and not any(gradients.get(called.get(id(weight), "")) for weight in own)
            ),
            dead=tuple(
                name
                for name in sorted(self._still or ())
                if not any(_stand_together(name, other) for other in self._muted)
            ),
            adapters=len(adapters),
            adapted=sum(bool(gradients.get(name)) for name in adapters),
            checkpointed=any(
                getattr(one, "gradient_checkpointing", False) for one in self._model.modules()
            ),
            thrown=self._thrown,
            used=self._used,
            thrown_at=self._thrown_at,
        )

    def _any_left(self) -> bool:
        grads = (weight.grad for weight in self._model.parameters())
        return any(grad is not None and _holds_some(grad) for grad in grads)

    def _throws(self, line: int | None) -> None:
        self._thrown, self._waiting = self._thrown + 1, False
        self._thrown_at = self._thrown_at or line


def _listed(output: Any) -> tuple[Any, ...]:
    return tuple(output) if isinstance(output, tuple | list) else (output,)


def _is_still(weight: torch.Tensor) -> bool:
    """Zeros alone, which a gradient reaches that is 0 throughout."""
    return weight.grad is not None and not _holds_some(weight) and not _holds_some(weight.grad)


def _is_muted(weight: torch.Tensor) -> bool:
    """Not zeros, and nothing comes back to it: a zero elsewhere stops its gradient."""
    return weight.grad is not None and not _holds_some(weight.grad)


def _stand_together(one: str, other: str) -> bool:
    """Two factors of a product are called alike but for one word."""
    here, there = one.split("."), other.split(".")
    return len(here) == len(there) and sum(a != b for a, b in zip(here, there, strict=True)) == 1


def _trained(module: torch.nn.Module) -> list[torch.nn.Parameter]:
    """Tied weights go by one of their names alone, so they are known by themselves."""
    return [weight for weight in module.parameters(recurse=False) if weight.requires_grad]


def _holds_some(numbers: torch.Tensor) -> bool:
    """Not only zeros. A norm is quicker to have, and is 0 where all are very small, too."""
    return bool(numbers.detach().norm()) or bool(numbers.any())
