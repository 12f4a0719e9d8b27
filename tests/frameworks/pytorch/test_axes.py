"""Axes that a model's forward swaps, and those that it only counts off anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from transformers import Trainer

from debugger.outcome import Finding
from tests import tiny
from tests.frameworks.pytorch.test_losses import findings

STEPS, CHANNELS = 12, 3
Turn = Callable[[torch.Tensor], torch.Tensor]


class Series(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 24

    def __getitem__(self, number: int) -> dict[str, Any]:
        drawn = torch.Generator().manual_seed(number)
        return {"rows": torch.randn(STEPS, CHANNELS, generator=drawn), "labels": number % 2}


class Model(nn.Module):
    def __init__(self, turn: Turn) -> None:
        super().__init__()
        self.turn, self.head = turn, nn.Linear(STEPS * CHANNELS, 2)

    def forward(self, rows: torch.Tensor, labels: Any = None) -> dict[str, torch.Tensor]:
        logits = self.head(self.turn(rows).flatten(1))
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def told(turn: Turn) -> Finding | None:
    trainer = Trainer(Model(turn), tiny.arguments(), train_dataset=Series())
    return findings(trainer).get("axes_only_counted_off")


@pytest.mark.parametrize(
    "turn",
    [
        lambda rows: rows.view(len(rows), CHANNELS, STEPS),
        lambda rows: rows.reshape(-1, CHANNELS, STEPS),
        lambda rows: rows.unsqueeze(1).view(len(rows), 1, CHANNELS, STEPS),
        lambda rows: rows.contiguous().view(rows.size(0), rows.size(2), rows.size(1)),
    ],
)
def test_a_view_that_is_meant_to_swap_axes_is_named_where_it_stands(turn: Turn) -> None:
    found = told(turn)

    assert found is not None
    assert (found.severity, found.line) == ("fault", turn.__code__.co_firstlineno)
    assert str(CHANNELS) in found.numbers["after"]


@pytest.mark.parametrize(
    "turn",
    [
        lambda rows: rows.transpose(1, 2),
        lambda rows: rows.permute(0, 2, 1).reshape(-1, CHANNELS, STEPS),
        lambda rows: rows.view(len(rows), -1),
        lambda rows: rows.view(len(rows), 4, 3, CHANNELS),
        lambda rows: rows.reshape(-1, CHANNELS).view(len(rows), STEPS, CHANNELS),
        lambda rows: rows.view(len(rows), STEPS, CHANNELS),
        lambda rows: rows.view(len(rows), 6, 6).mT,
    ],
)
def test_what_swaps_axes_or_folds_them_is_let_be(turn: Turn) -> None:
    assert told(turn) is None


class Squeezed(nn.Module):
    def __init__(self, squeeze: Turn) -> None:
        super().__init__()
        self.squeeze, self.pool, self.head = (
            squeeze,
            nn.AdaptiveAvgPool1d(1),
            nn.Linear(CHANNELS, 2),
        )

    def forward(self, rows: torch.Tensor, labels: Any = None) -> dict[str, torch.Tensor]:
        logits = self.head(self.squeeze(self.pool(rows.transpose(1, 2))))
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def left_alone(squeeze: Turn, size: int = 23, **more: Any) -> Finding | None:
    args = tiny.arguments(per_device_train_batch_size=size, **more)
    trainer = Trainer(Squeezed(squeeze), args, train_dataset=Series())
    return findings(trainer).get("squeeze_takes_rows")


@pytest.mark.parametrize("squeeze", [lambda x: x.squeeze(), lambda x: torch.squeeze(x)])
def test_a_squeeze_that_takes_the_axis_of_the_rows_where_one_is_left(squeeze: Turn) -> None:
    found = left_alone(squeeze)

    assert found is not None
    assert (found.severity, found.line) == ("fault", squeeze.__code__.co_firstlineno)
    assert (found.numbers["rows"], found.numbers["size"]) == (24, 23)


def test_no_row_is_left_alone_or_no_axis_of_it_is_lost() -> None:
    assert left_alone(lambda x: x.squeeze(), size=8) is None
    assert left_alone(lambda x: x.squeeze(), dataloader_drop_last=True) is None
    assert left_alone(lambda x: x.squeeze(-1)) is None
