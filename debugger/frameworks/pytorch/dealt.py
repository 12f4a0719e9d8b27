"""How the loader of a loop by hand deals its rows into batches: how many, and in which order."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from torch.utils.data import DataLoader, IterableDataset, Sampler, SequentialSampler
from torch.utils.data.sampler import RandomSampler

from debugger.frameworks.pytorch.by_hand import LoopTrainer, Sampled, Unshuffled
from debugger.frameworks.pytorch.untouched import Rng

MOST_BATCHES = 100_000
NEARLY_ALL = 0.9
"""Of the rows: what fills no batch may be left out."""


def can_be_drawn_from(loader: DataLoader[Any]) -> bool:
    if isinstance(loader.dataset, IterableDataset):
        return False
    return _told_size(loader) > 0 or sampler_of(loader) is not None


def size_of(loader: DataLoader[Any]) -> int:
    """Of a batch: the largest, where a sampler of batches does not tell it."""
    return _told_size(loader) or max(map(len, _batches(loader)), default=0)


def _told_size(loader: DataLoader[Any]) -> int:
    """One that accelerate has prepared keeps it in the sampler of batches. 0: none."""
    return loader.batch_size or getattr(loader.batch_sampler, "batch_size", None) or 0


def sampler_of(loader: DataLoader[Any]) -> Any:
    """Of rows. One of batches may deal them by itself; None where nobody can deal as it does."""
    held = getattr(loader.batch_sampler, "sampler", None)
    if held is not None or loader.batch_size:
        return held or loader.sampler
    rows: Any = loader.dataset
    batches = _batches(loader)
    if not batches and _told_size(loader):
        return loader.sampler
    places = list(chain.from_iterable(batches))
    if not places or places == list(range(len(rows))):
        return SequentialSampler(rows) if places else None
    if all(len(one) == len(batches[0]) for one in batches[:-1]):
        return Dealt(loader.batch_sampler, len(places))
    once = len(set(places)) == len(places) >= NEARLY_ALL * len(rows)
    return RandomSampler(rows) if once else None


class Dealt(Sampler[int]):
    """Rows as a sampler of batches, all as large, deals them out: so many a pass."""

    def __init__(self, batches: Any, count: int) -> None:
        self._batches, self._count = copy.deepcopy(batches), count

    def __iter__(self) -> Iterator[int]:
        for batch in self._batches:
            yield from map(int, batch)

    def __len__(self) -> int:
        return self._count


def kind_of(sampler: Any) -> type[LoopTrainer]:
    if isinstance(sampler, RandomSampler) and not sampler.replacement:
        return LoopTrainer
    return Unshuffled if isinstance(sampler, SequentialSampler) else Sampled


def first_item(loader: DataLoader[Any]) -> Any:
    """Drawn by nobody else: workers would be processes of their own."""
    rows: Any = loader.dataset
    places = range(min(size_of(loader), len(rows)))
    return loader.collate_fn([rows[place] for place in places])


def _batches(loader: DataLoader[Any]) -> list[list[int]]:
    drawn = Rng()
    try:
        deals: Any = copy.deepcopy(loader.batch_sampler)  # which may hold a generator of its own
        return [[int(place) for place in one] for one in islice(deals, MOST_BATCHES)]
    except Exception:  # what cannot be copied, or deals no places
        return []
    finally:
        drawn.restore()
