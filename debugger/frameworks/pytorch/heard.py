"""What functions of torch are handed while a batch runs, whoever calls them and from where."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import torch

from debugger.failure import is_own, on_behalf, own_line
from debugger.pipelines.layout import Swapped, is_swap
from debugger.pipelines.losses import Shared, Squashed

SUMS_TO_ONE = 1e-3
MOST_HELD = 16


@dataclass
class Heard:
    """`turned`: the lines that gave a divergence its two sides in each other's place. `thinned`:
    what put numbers out, the share of them, and the line. `rowless`: the lines of a squeeze that
    took away the first axis."""

    squashed: list[Squashed] = field(default_factory=list)
    shared: list[Shared] = field(default_factory=list)
    turned: list[int | None] = field(default_factory=list)
    thinned: list[tuple[str, float, int | None]] = field(default_factory=list)
    swapped: list[Swapped] = field(default_factory=list)
    rowless: list[int | None] = field(default_factory=list)
    sigmoids: list[torch.Tensor] = field(default_factory=list)
    """What they made; held, so that nothing else comes to stand in its place."""

    def binary_cross_entropy_with_logits(self, scores: Any, *_: Any, **__: Any) -> None:
        if isinstance(scores, torch.Tensor) and any(map(_same(scores), self.sigmoids)):
            self.squashed.append(Squashed(1, own_line()))

    def sigmoid(self, made: Any) -> None:
        if isinstance(made, torch.Tensor):
            self.sigmoids = [*self.sigmoids[1 - MOST_HELD :], made.detach()]

    def cross_entropy(self, scores: Any, wanted: Any = None, *_: Any, **__: Any) -> None:
        if isinstance(scores, torch.Tensor) and _are_shares(scores):
            self.squashed.append(Squashed(int(scores.shape[1]), own_line()))
        if isinstance(wanted, torch.Tensor) and wanted.is_floating_point() and wanted.dim() == 2:
            yes = wanted.detach()
            if bool(((yes == 0) | (yes == 1)).all()):
                told = yes.sum(dim=1)
                share = float((told != 1).float().mean())
                self.shared.append(Shared(share, int(told.max()), own_line()))

    def kl_div(self, answers: Any, wanted: Any = None, *_: Any, **named: Any) -> None:
        if not isinstance(answers, torch.Tensor) or not isinstance(wanted, torch.Tensor):
            return
        logs = bool((wanted <= 0).all()) and _are_shares(wanted.detach().exp())
        if logs and not named.get("log_target") and _are_shares(answers):
            self.turned.append(own_line())

    def dropout(self, _: Any, p: float = 0.5, training: bool = True, *__: Any, **___: Any) -> None:
        if training and p:
            self.thinned.append(("dropout", p, own_line()))

    def counted_off(self, rows: torch.Tensor, made: torch.Tensor) -> None:
        """A tensor, and what `view` or `reshape` has made of it."""
        if is_swap(rows.shape, made.shape):
            self.swapped.append(Swapped(tuple(rows.shape), tuple(made.shape), own_line()))

    def squeezed(self, rows: torch.Tensor, made: torch.Tensor) -> None:
        if rows.dim() and rows.shape[0] == 1 and made.shape[:1] != (1,):
            self.rowless.append(own_line())

    def scaled_dot_product_attention(self, *given: Any, **named: Any) -> None:
        share = given[4] if len(given) > 4 else named.get("dropout_p", 0.0)
        if share:
            self.thinned.append(("scaled_dot_product_attention", share, own_line()))


@contextmanager
def heard_within() -> Iterator[Heard]:
    """While open, notes what is given to losses that make something of their own of it, and what
    puts numbers out."""
    heard = Heard()
    with ExitStack() as stack:
        attention = heard.scaled_dot_product_attention
        of_two = heard.binary_cross_entropy_with_logits
        for note in (heard.cross_entropy, of_two, heard.kl_div, heard.dropout, attention):
            stack.enter_context(_listening(note))
        for home in (torch, torch.nn.functional, torch.Tensor):
            stack.enter_context(_kept(home, heard.sigmoid))
        for name in ("view", "reshape"):
            stack.enter_context(_followed(torch.Tensor, name, heard.counted_off))
        for home in (torch, torch.Tensor):
            stack.enter_context(_followed(home, "squeeze", heard.squeezed))
        yield heard


@contextmanager
def _in_its_place(home: Any, name: str, other: Callable[..., Any]) -> Iterator[None]:
    before = getattr(home, name)
    setattr(home, name, other)
    try:
        yield
    finally:
        setattr(home, name, before)


def _listening(note: Callable[..., None]) -> AbstractContextManager[None]:
    name = note.__name__
    before = getattr(torch.nn.functional, name)

    @wraps(before)
    def listened(*given: Any, **named: Any) -> Any:
        if given:
            note(*given, **named)
        return on_behalf(before, *given, **named)

    return _in_its_place(torch.nn.functional, name, listened)


def _kept(home: Any, note: Callable[[Any], None]) -> AbstractContextManager[None]:
    """While open, notes what a function makes."""
    name = note.__name__
    before = getattr(home, name)

    @wraps(before)
    def kept(*given: Any, **named: Any) -> Any:
        made = on_behalf(before, *given, **named)
        note(made)
        return made

    return _in_its_place(home, name, kept)


def _same(one: torch.Tensor) -> Callable[[torch.Tensor], bool]:
    """Whether another is the same numbers, maybe in another shape."""
    return lambda other: one.data_ptr() == other.data_ptr() and one.numel() == other.numel()


def _followed(
    home: Any, name: str, note: Callable[[torch.Tensor, torch.Tensor], None]
) -> AbstractContextManager[None]:
    """While open, notes what is made of a tensor, where the script asks for it."""
    before = getattr(home, name)

    @wraps(before)
    def followed(self: torch.Tensor, *given: Any, **named: Any) -> Any:
        made = on_behalf(before, self, *given, **named)
        if is_own(sys._getframe(1).f_code.co_filename):  # a library knows what it does
            note(self, made)
        return made

    return _in_its_place(home, name, followed)


@torch.no_grad()
def _are_shares(scores: torch.Tensor) -> bool:
    """Of at least two rows, each of whose numbers add up to 1: scores do that by no chance."""
    if scores.dim() < 2 or len(scores) < 2 or scores.shape[1] < 2 or not scores.numel():
        return False
    sums = scores.float().sum(dim=1)
    return bool(scores.min() >= 0) and bool(((sums - 1).abs() < SUMS_TO_ONE).all())
