"""A part of a data set that the Trainer takes for one, also of one that only streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from itertools import islice
from typing import Any

import torch
from transformers import Seq2SeqTrainer, Trainer

from debugger.pipelines.rows import is_hub, shares_by_weight, spread

READ_AGAIN = 4


def subset(dataset: Any, rows: list[int] | int) -> Any:
    """Some rows, or so many, still a Dataset when it was one: only there are columns dropped."""
    if is_stream(dataset):
        most = rows if isinstance(rows, int) else len(rows)
        return dataset.take(most) if hasattr(dataset, "take") else _Beginning(dataset, most)
    chosen = spread(len(dataset), rows) if isinstance(rows, int) else rows
    if hasattr(dataset, "select"):
        return dataset.select(chosen)
    return torch.utils.data.Subset(dataset, chosen)


def is_stream(dataset: Any) -> bool:
    """Whether its rows can only be read one after the other."""
    return is_hub(dataset, "IterableDataset") or isinstance(
        dataset, torch.utils.data.IterableDataset
    )


def count_of(dataset: Any) -> int | None:
    """How many rows there are, where that is told."""
    return len(dataset) if isinstance(dataset, Sized) and not is_stream(dataset) else None


def first_set(dataset: Any) -> Any:
    """Of several sets to evaluate on, the first."""
    if isinstance(dataset, Mapping):
        return next(iter(dataset.values()), None)
    return dataset


def own_sampler(trainer: Trainer) -> bool:
    """Whether somebody else than the Trainer picks the rows of a batch."""
    library = (Trainer, Seq2SeqTrainer)
    return any(
        all(getattr(type(trainer), name) is not getattr(kind, name) for kind in library)
        for name in ("_get_train_sampler", "get_train_dataloader")
    )


def drawn_shares(trainer: Any, labels: Sequence[Any], places: Sequence[int]) -> dict[int, float]:
    """How much of what is drawn each label has, of the rows at those places, where rows are drawn
    with weights; else nothing."""
    try:
        sampler = trainer._get_train_sampler() if own_sampler(trainer) else None
    except Exception:  # of the script's own, which is met elsewhere
        return {}
    if not isinstance(sampler, torch.utils.data.WeightedRandomSampler):
        return {}
    if not all(isinstance(label, int) for label in labels):
        return {}
    weights = sampler.weights
    if len(labels) != len(places) or len(weights) != count_of(trainer.train_dataset):
        return {}
    return shares_by_weight(labels, (float(weights[place]) for place in places))


def lacking(rows: Any, others: Any) -> tuple[str, ...]:
    """What a row of one set holds, and a row of the other does not."""
    if any(is_stream(one) or not count_of(one) for one in (rows, others)):
        return ()
    try:
        first, other = rows[0], others[0]
    except Exception:  # rows that cannot be read are told of where they are
        return ()
    if not isinstance(first, Mapping) or not isinstance(other, Mapping):
        return ()
    return tuple(str(name) for name in first if name not in other)


def drawn_anew(dataset: Any) -> str:
    """A field of fractions that is another one when the same row is read once more; "" of none."""
    if dataset is None or is_stream(dataset) or not count_of(dataset):
        return ""
    for place in spread(len(dataset), READ_AGAIN):
        try:
            first, again = dataset[place], dataset[place]
        except Exception:  # rows that cannot be read are told of where they are
            return ""
        for name in first if isinstance(first, Mapping) else ():
            one, other = first[name], again[name]
            fractions = isinstance(one, torch.Tensor) and one.is_floating_point()
            if not fractions or one.shape != other.shape:
                continue
            if not torch.allclose(one, other, rtol=0, atol=0, equal_nan=True):
                return str(name)
    return ""


class _Beginning(torch.utils.data.IterableDataset):
    def __init__(self, whole: Any, rows: int) -> None:
        self.whole, self.rows = whole, rows

    def __iter__(self) -> Iterator[Any]:
        return islice(self.whole, self.rows)
