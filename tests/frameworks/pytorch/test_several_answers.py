"""Several numbers a row, from a model of one's own: labels of yes and no, or amounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional
from transformers import Trainer

from debugger import diagnose
from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from tests import tiny

ROWS, INPUTS, ANSWERS = 240, 6, 3


class Module(torch.nn.Module):
    def __init__(self, loss: Callable[..., Any], ends_in: Any = None) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(INPUTS, 24), torch.nn.ReLU(), torch.nn.Linear(24, ANSWERS)
        )
        self.loss, self.ends_in = loss, ends_in or torch.nn.Identity()

    def forward(self, inputs: Any, labels: Any = None) -> dict[str, Any]:
        made = self.ends_in(self.layers(inputs))
        return {"loss": self.loss(made, labels), "logits": made}


def trainer(model: Any, labels: Callable[[Any], Any]) -> Trainer:
    draw = torch.Generator().manual_seed(1)
    x = torch.randn(ROWS, INPUTS, generator=draw)
    y = labels(x[:, :ANSWERS] + x[:, ANSWERS:])
    rows: Any = [{"inputs": one, "labels": label} for one, label in zip(x, y, strict=True)]
    args = tiny.arguments(learning_rate=5e-3, num_train_epochs=20, per_device_train_batch_size=16)
    return Trainer(model, args, train_dataset=rows[:200], eval_dataset=rows[200:])


def yes_or_no(x: Any) -> Any:
    return (x > 0).float()


BCE = functional.binary_cross_entropy_with_logits
MADE: dict[str, tuple[Callable[[], Trainer], str]] = {
    "amounts": (lambda: trainer(Module(functional.mse_loss), lambda x: x), "unknown"),
    "pixels": (
        lambda: trainer(Module(functional.smooth_l1_loss), lambda x: 20 + 4 * x),
        "unknown",
    ),
    "shares": (
        lambda: trainer(Module(functional.mse_loss, torch.nn.Sigmoid()), torch.sigmoid),
        "unknown",
    ),
    "yes or no": (lambda: trainer(Module(BCE), yes_or_no), "multilabel"),
    "votes": (lambda: trainer(Module(BCE), torch.sigmoid), "multilabel"),
    "votes, summed up": (
        lambda: trainer(Module(lambda x, y: BCE(x, y, reduction="sum")), torch.sigmoid),
        "multilabel",
    ),
    "votes and a sigmoid": (
        lambda: trainer(Module(functional.binary_cross_entropy, torch.nn.Sigmoid()), torch.sigmoid),
        "multilabel",
    ),
    "no yes or no": (lambda: trainer(Module(BCE), lambda x: 2 * yes_or_no(x)), "multilabel"),
}


@pytest.mark.parametrize("what", MADE)
def test_amounts_are_told_from_labels(what: str) -> None:
    made, task = MADE[what]

    assert TrainerPipeline(made()).facts.task == task


@pytest.mark.proof
@pytest.mark.parametrize("what", [what for what in MADE if what != "no yes or no"])
def test_what_learns_has_no_fault(what: str) -> None:
    report = diagnose(MADE[what][0](), stage="all")

    assert [one.code for one in report.findings if one.severity == "fault"] == []
    assert {stage.outcome for stage in report.stages} <= {"pass", "look"}


@pytest.mark.proof
def test_who_is_held_to_labels_is_not_only_drawn_together() -> None:
    """All answers go down together at first, as nearly all labels say no."""

    def loss(shares: Any, labels: Any) -> Any:
        return functional.binary_cross_entropy(shares, labels.float())

    rare = trainer(Module(loss, torch.nn.Sigmoid()), lambda x: (x > 3).long())
    rare.args.learning_rate = 0.1

    report = diagnose(rare, stage="overfit")

    assert "won_by_collapse" not in [one.code for one in report.findings]
