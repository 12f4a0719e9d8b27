"""Batches that a loop by hand was given one after the other, taken apart into rows."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any

import numpy as np
import torch
from torch.utils.data import default_collate

from debugger.frameworks.pytorch.tensors import Columns

MOST_ROWS, MOST_BYTES, SECONDS = 4096, 256 << 20, 3.0
MOSTLY, RUN = 0.5, 2
Source = Callable[[], Iterable[Any]]
"""Gives the batches, one after the other, from the first one on."""


@dataclass(frozen=True)
class Kept:
    """The batches that were drawn, as their parts. `kind` tells what a batch is like."""

    first: Any
    parts: list[list[np.ndarray | torch.Tensor]]
    kind: tuple[Any, ...]

    @property
    def batches(self) -> int:
        return len(self.parts)

    @property
    def size(self) -> int:
        return max(len(one[0]) for one in self.parts)

    def rows(self, names: tuple[str, ...]) -> Rows | None:
        """All of them, by name; None where the batches cannot be laid on each other."""
        full = sum(len(one[0]) == self.size for one in self.parts)
        if full < MOSTLY * len(self.parts) or len(names) != len(self.parts[0]):
            return None
        whole: dict[str, torch.Tensor] = {}
        filled: dict[str, float] = {}
        for name, column in zip(names, zip(*self.parts, strict=True), strict=True):
            laid = _laid([torch.as_tensor(part) for part in column])
            if laid is None:
                return None
            whole[name], filling = laid
            filled |= {} if filling is None else {name: filling}
        falling = (
            n for n, part in zip(names, zip(*self.parts, strict=True), strict=True) if _falls(part)
        )
        return Rows(Columns(whole), filled, next(falling, ""))


@dataclass(frozen=True)
class Rows:
    """`filled` are the columns whose batches were not all as wide, and by what they were made so:
    a batch is cut to the longest of its rows again. In each batch the column `falling` falls, as
    lengths do that packed rows are sorted by."""

    columns: Columns
    filled: Mapping[str, float] = field(default_factory=dict)
    falling: str = ""

    def once(self) -> Rows:
        """Each row that is among them, once."""
        seen: dict[bytes, int] = {}
        for place in range(len(self.columns)):
            row = self.columns[place].values()
            seen.setdefault(b"".join(part.numpy().tobytes() for part in row), place)
        chosen = list(seen.values())
        tensors = {name: tensor[chosen] for name, tensor in self.columns.tensors.items()}
        return Rows(Columns(tensors, by_lot=True), self.filled, self.falling)

    def collate(self, rows: list[Any]) -> Any:
        batch: dict[str, Any] = default_collate(rows)
        if self.falling:
            order = batch[self.falling].argsort(descending=True, stable=True)
            batch = {name: part[order] for name, part in batch.items()}
        if not self.filled:
            return batch
        told = [
            (batch[n] != filling).reshape(*batch[n].shape[:2], -1).any(-1).any(0)
            for n, filling in self.filled.items()
        ]
        if len(set(map(len, told))) > 1:
            return batch  # parts of their own lengths
        used = torch.stack(told).any(0).nonzero()
        width = int(used.max()) + 1 if len(used) else 1
        cut = {name: batch[name][:, :width].contiguous() for name in self.filled}
        return {name: cut.get(name, part) for name, part in batch.items()}


def kept(source: Source, most: int | None = None) -> Kept | None:
    """The first of the batches, as many as can be looked at; None of what are none."""
    found: list[list[Any]] = []
    first: Any = None
    rows, size, until = 0, 0, time.monotonic() + SECONDS
    try:
        for item in islice(source(), most):
            parts = parts_of(item)
            if not parts or not all(holds_rows(part) for part in parts):
                return None
            if len(set(map(len, parts))) > 1 or not len(parts[0]):
                return None
            first = item if first is None else first
            found.append(parts)
            rows += len(parts[0])
            size += sum(part.nbytes for part in parts)
            if rows >= MOST_ROWS or size >= MOST_BYTES or time.monotonic() > until:
                break
    except Exception:  # of the script's: what it gives cannot be had by itself
        return None
    return Kept(first, found, _kind(first)) if found else None


def _kind(item: Any) -> tuple[Any, ...]:
    named = tuple(item) if isinstance(item, Mapping) else ()
    return (*named, *((str(part.dtype), part.ndim) for part in parts_of(item)))


def parts_of(item: Any) -> list[Any]:
    if isinstance(item, Mapping):
        return list(item.values())
    return list(item) if isinstance(item, list | tuple) else [item]


def holds_rows(value: Any) -> bool:
    if isinstance(value, Mapping | tuple | list):
        parts = parts_of(value)
        return bool(parts) and all(isinstance(one, torch.Tensor | np.ndarray) for one in parts)
    if isinstance(value, np.ndarray):
        return value.ndim > 0 and value.dtype.kind in "fiub"
    return isinstance(value, torch.Tensor) and value.dim() > 0 and not value.requires_grad


def _laid(column: list[torch.Tensor]) -> tuple[torch.Tensor, float | None] | None:
    """All batches on each other, and what those that are not as wide were filled up with."""
    if len({part.shape[1:] for part in column}) == 1:
        return torch.cat(column), None
    if len({part.dim() for part in column}) > 1 or len({part.shape[2:] for part in column}) > 1:
        return None
    width, filling = max(part.shape[1] for part in column), _filling(column)
    wide = []
    for part in column:
        made = part.new_full((len(part), width, *part.shape[2:]), filling)
        made[:, : part.shape[1]] = part
        wide.append(made)
    return torch.cat(wide), filling


def _falls(column: Sequence[np.ndarray | torch.Tensor]) -> bool:
    """Whether it is one whole number a row, never more than that of the row before."""
    parts = [torch.as_tensor(part) for part in column]
    if any(part.dim() != 1 or part.is_floating_point() for part in parts):
        return False
    steps = [part[1:] - part[:-1] for part in parts if part.dtype != torch.bool]
    moved = sum(bool((step < 0).any()) for step in steps)
    return moved >= RUN and not any(bool((step > 0).any()) for step in steps)


def _filling(column: list[torch.Tensor]) -> float:
    """What a script fills its own rows up with: what stands at the ends of most, several times."""
    ends: Counter[float] = Counter()
    for part in column:
        for row in part.flatten(1).tolist() if part.dim() == 2 else ():
            value, run = next(groupby(reversed(row)), (0, ()))
            ends[value] += len(list(run)) >= RUN
    value, count = ends.most_common(1)[0] if ends else (0.0, 0)
    return value if count else 0.0
