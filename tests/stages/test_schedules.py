"""A learning rate that starts small on purpose, or is higher for a new head, is no fault."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.optim.lr_scheduler import LambdaLR
from transformers import Trainer

from debugger import diagnose
from debugger.outcome import NotRun
from tests import tiny
from tests.frameworks.pytorch.test_untouched import everything


def with_rates(body: float, head: float, warm_up: int = 1) -> Trainer:
    """An optimizer of one's own, as people write it who want the head to learn faster."""
    torch.manual_seed(0)
    model: Any = tiny.trained(tiny.bert())
    groups = [
        {"params": model.bert.parameters(), "lr": body},
        {"params": model.classifier.parameters(), "lr": head},
    ]
    optimizer = torch.optim.AdamW(groups)
    climb = LambdaLR(optimizer, lambda step: min(1.0, step / warm_up))
    return tiny.classifier(model=model, optimizers=(optimizer, climb))


def codes(trainer: Trainer, stage: Any) -> list[str]:
    return [finding.code for finding in diagnose(trainer, stage=stage).findings]


def test_a_new_head_may_learn_faster_than_the_pretrained_weights() -> None:
    assert codes(with_rates(body=1e-4, head=1e-3), "step") == []


@pytest.mark.usefixtures("tiny_as_large")
def test_the_pretrained_weights_may_not_learn_as_fast() -> None:
    assert codes(with_rates(body=1e-3, head=1e-3), "step") == ["learning_rate_too_high"]


def test_one_batch_is_learned_at_the_full_rate_whatever_the_warm_up() -> None:
    assert codes(with_rates(body=5e-3, head=5e-3, warm_up=10_000), "overfit") == []


def test_a_warm_up_of_ones_own_goes_on_afterwards_as_before() -> None:
    trainer = with_rates(body=5e-3, head=5e-3, warm_up=10_000)
    before = everything(trainer), str(trainer.lr_scheduler.state_dict())  # type: ignore[union-attr]

    diagnose(trainer, stage="overfit")

    assert (everything(trainer), str(trainer.lr_scheduler.state_dict())) == before  # type: ignore[union-attr]


@pytest.mark.proof
@pytest.mark.parametrize(
    ("warm_up", "climbing"), [pytest.param(1000, True, marks=pytest.mark.proof), (10, False)]
)
def test_nobody_is_stuck_while_the_rate_still_climbs(warm_up: int, climbing: bool) -> None:
    torch.manual_seed(0)
    args = tiny.arguments(
        learning_rate=1e-7,
        max_steps=60,
        lr_scheduler_type="constant_with_warmup",
        warmup_steps=warm_up,
    )

    train = diagnose(tiny.classifier(args=args), stage="train").stage("train")

    assert (NotRun("stuck_at_chance", "still_warming_up") in train.not_run) == climbing
    assert ("stuck_at_chance" in [finding.code for finding in train.findings]) != climbing
