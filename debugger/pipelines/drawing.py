"""Answers in the form that a model gives, made up without touching anybody's generator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

FAR, SURE = 1e4, 8.0
Way = Callable[[Any, int], Any]
"""What is answered to rows, of which there are so many."""


class Unanswerable(BaseException):
    """Nobody knows what is right about these rows."""


@dataclass(frozen=True)
class Drawn:
    """`shape` is that of the answer to one row. Where they are `shares` those of a row sum up to 1,
    where they lie `inside` each does between 0 and 1. `yes_or_no`: each is a question of its own.
    """

    shape: tuple[int, ...] | None
    shares: bool = False
    inside: bool = False
    yes_or_no: bool = False

    def some(self, _: Any, count: int, seed: int = 0) -> Any:
        assert self.shape is not None
        drawn = np.random.default_rng(seed).standard_normal((count, *self.shape))
        if self.shares:
            drawn = np.exp(3 * drawn)
            drawn /= drawn.sum(-1, keepdims=True)
        elif self.inside:
            drawn = np.random.default_rng(seed).random((count, *self.shape))
        return drawn.astype(np.float32)

    def other(self, rows: Any, count: int) -> Any:
        return self.some(rows, count, 1)

    def low(self, _: Any, count: int) -> Any:
        return self._moved(count, -FAR)

    def high(self, _: Any, count: int) -> Any:
        return self._moved(count, FAR)

    def dealt(self, turn: int) -> Way:
        def made(rows: Any, count: int) -> Any:
            return self.some(rows, count)[np.random.default_rng(turn + 2).permutation(count)]

        return made

    def all_of(self, amount: float) -> Way:
        """The same answer to all rows."""
        return lambda _, count: np.full((count, *(self.shape or ())), amount, np.float32)

    def right(self, labels: Any, count: int) -> Any:
        """Just what the labels say, and sure of it."""
        assert self.shape is not None
        if labels is None or len(labels) != count or labels.dtype.kind not in "iufb":
            raise Unanswerable
        shape = (count, *self.shape)
        if labels.size == np.prod(shape[:-1]) and shape[-1] > 1:
            chosen = labels.reshape(shape[:-1]).astype(int)
            if (chosen < 0).any() or (chosen >= shape[-1]).any():
                raise Unanswerable
            made = np.eye(shape[-1])[chosen] * (1 if self.shares or self.inside else SURE)
        elif labels.size == np.prod(shape):
            made = labels.reshape(shape).astype(float)
        else:
            raise Unanswerable
        if self.yes_or_no and not self.inside:
            made = (2 * made - 1) * SURE
        return made.astype(np.float32)

    def first(self, labels: Any, count: int) -> Any:
        """Of several labels of a row only the first."""
        if labels is None or not several(labels):
            raise Unanswerable
        yes = np.asarray(labels) > 0
        return self.right((yes & (yes.cumsum(axis=1) == 1)).astype(float), count)

    def _moved(self, count: int, by: float) -> Any:
        some = self.some(None, count)
        if self.shares:
            return some[..., ::-1] if by > 0 else np.roll(some, 1, -1)
        if self.inside:
            return np.full_like(some, 0.999 if by > 0 else 0.001)
        return some + np.float32(by)


def several(labels: Any) -> int:
    """How many rows have more than one of several labels."""
    if labels.ndim != 2 or labels.shape[1] < 2 or not np.isin(labels, (0, 1)).all():
        return 0
    return int((labels.sum(axis=1) > 1).sum())


def ends_and_middle(learned: Any) -> tuple[float, ...]:
    """Of amounts, one a row; of anything else nothing."""
    amounts = np.asarray(learned, dtype=object)
    if amounts.ndim != 1 or not all(isinstance(one, int | float) for one in amounts):
        return ()
    known = amounts.astype(float)
    known = known[np.isfinite(known)]
    return tuple(np.quantile(known, (0.02, 0.5, 0.98)).tolist()) if len(known) else ()
