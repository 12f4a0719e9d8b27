"""Rows of a data set: some of them, and the names of their classes."""

from __future__ import annotations

from typing import Any

import torch
from datasets import ClassLabel, Dataset

LABELS = ("labels", "label", "label_ids")


def class_names_of(dataset: Any) -> tuple[str, ...] | None:
    """The names of the classes, when the data set itself carries them."""
    features = dataset.features if isinstance(dataset, Dataset) else {}
    for name in LABELS:
        if isinstance(feature := features.get(name), ClassLabel):
            return tuple(feature.names)
    return None


def subset(dataset: Any, rows: list[int]) -> Any:
    """Some rows, still a Dataset when it was one: only of those the Trainer drops columns."""
    if hasattr(dataset, "select"):
        return dataset.select(rows)
    return torch.utils.data.Subset(dataset, rows)


def spread(count: int, most: int) -> list[int]:
    """At most so many rows, evenly from all: the first ones of a sorted set are all alike."""
    rows = min(count, most)
    return [place * count // rows for place in range(rows)]
