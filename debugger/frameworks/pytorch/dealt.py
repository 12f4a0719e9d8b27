"""How the loader of a loop by hand deals its rows into batches: how many, and in which order."""

from __future__ import annotations

import copy
from itertools import chain, islice
from typing import Any

from torch.utils.data import DataLoader, IterableDataset, SequentialSampler
from torch.utils.data.sampler import RandomSampler

from debugger.frameworks.pytorch.by_hand import LoopTrainer, Sampled, Unshuffled
from debugger.frameworks.pytorch.untouched import Rng

MOST_BATCHES = 100_000
NEARLY_ALL = 0.9
"""Of the rows: what fills no batch may be left out."""


def can_be_drawn_from(loader: DataLoader[Any]) -> bool:
    if isinstance(loader.dataset, IterableDataset):
        return False
    return _told_size(loader) > 0 or bool(_places(loader))


def size_of(loader: DataLoader[Any]) -> int:
    """Of a batch: the largest, where a sampler of batches does not tell it."""
    return _told_size(loader) or max(map(len, _batches(loader)), default=0)


def _told_size(loader: DataLoader[Any]) -> int:
    """One that accelerate has prepared keeps it in the sampler of batches. 0: none."""
    return loader.batch_size or getattr(loader.batch_sampler, "batch_size", None) or 0


def sampler_of(loader: DataLoader[Any]) -> Any:
    """Of rows. One of batches may deal them by itself, all of them in some order."""
    held = getattr(loader.batch_sampler, "sampler", None)
    if held is not None or _told_size(loader):
        return held or loader.sampler
    rows: Any = loader.dataset
    places = _places(loader)
    if places == sorted(places):
        return SequentialSampler(rows)
    return RandomSampler(rows) if places != _places(loader, 2) else places


def kind_of(sampler: Any) -> type[LoopTrainer]:
    if isinstance(sampler, RandomSampler) and not sampler.replacement:
        return LoopTrainer
    return Unshuffled if isinstance(sampler, SequentialSampler) else Sampled


def first_item(loader: DataLoader[Any]) -> Any:
    """Drawn by nobody else: workers would be processes of their own."""
    rows: Any = loader.dataset
    places = range(min(size_of(loader), len(rows)))
    return loader.collate_fn([rows[place] for place in places])


def _places(loader: DataLoader[Any], passes: int = 1) -> list[int]:
    """Where its batches take their rows, in the last of so many passes; none where they do not go
    once through all of them."""
    places = list(chain.from_iterable(_batches(loader, passes)))
    rows: Any = loader.dataset
    once = len(set(places)) == len(places) >= NEARLY_ALL * len(rows)
    return places if once else []


def _batches(loader: DataLoader[Any], passes: int = 1) -> list[list[int]]:
    drawn, found = Rng(), list[list[int]]()
    try:
        deals: Any = copy.deepcopy(loader.batch_sampler)  # which may hold a generator of its own
        for _ in range(passes):
            found = [[int(place) for place in one] for one in islice(deals, MOST_BATCHES)]
    except Exception:  # what cannot be copied, or deals no places
        return []
    finally:
        drawn.restore()
    return found
