"""A part of a data set that the Trainer takes for one."""

from __future__ import annotations

from typing import Any

import torch


def subset(dataset: Any, rows: list[int]) -> Any:
    """Some rows, still a Dataset when it was one: only of those the Trainer drops columns."""
    if hasattr(dataset, "select"):
        return dataset.select(rows)
    return torch.utils.data.Subset(dataset, rows)
