"""Old gradients in a new step are found, however they got there; what is meant is left alone."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import Trainer

from debugger import diagnose
from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from tests import tiny


class Chunks(Trainer):
    """Steps after every two rows, and the gradients of the rows before are still there."""

    def training_step(self, model: Any, inputs: Any, *_: Any, **__: Any) -> torch.Tensor:
        inputs = self._prepare_inputs(inputs)
        loss: Any = torch.tensor(0.0)
        for first in range(0, len(inputs["labels"]), 2):
            self.before_a_chunk(model)
            chunk = {name: value[first : first + 2] for name, value in inputs.items()}
            loss = self.compute_loss(model, chunk)
            self.accelerator.backward(loss)
            self.after_a_chunk(model)
        return loss.detach()

    def before_a_chunk(self, model: Any) -> None: ...

    def after_a_chunk(self, model: Any) -> None:
        optimizer: Any = self.optimizer
        optimizer.step()


class ZeroedBefore(Chunks):
    """The Trainer's own step then takes the last chunk once more."""

    def before_a_chunk(self, model: Any) -> None:
        model.zero_grad()


class ZeroedAfter(Chunks):
    def after_a_chunk(self, model: Any) -> None:
        super().after_a_chunk(model)
        model.zero_grad()


class OnlyBackward(Chunks):
    def after_a_chunk(self, model: Any) -> None: ...


class Mixes(Trainer):
    """Adds `share` of what it remembers to each gradient, and remembers `kept` of it."""

    share, kept = 1.0, 1.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.memory: dict[str, Any] = {}

    def training_step(self, model: Any, *args: Any, **kwargs: Any) -> Any:
        loss = super().training_step(model, *args, **kwargs)
        for name, weight in model.named_parameters():
            old = self.memory.get(name, torch.zeros_like(weight))
            self.memory[name] = self.kept * old + weight.grad
            weight.grad += self.share * old
        return loss


class Momentum(Mixes):
    share, kept = 0.9, 0.9


class Slow(Mixes):
    share, kept = 2.0, 0.98


class Noise(Trainer):
    def training_step(self, model: Any, *args: Any, **kwargs: Any) -> Any:
        loss = super().training_step(model, *args, **kwargs)
        for weight in model.parameters():
            weight.grad += 0.1 * torch.randn_like(weight)
        return loss


class Silent(Trainer):
    """Brings its gradients without backward()."""

    def training_step(self, model: Any, inputs: Any, *_: Any, **__: Any) -> torch.Tensor:
        for weight in model.parameters():
            weight.grad = torch.ones_like(weight)
        return torch.tensor(0.0)


def carried(trainer_class: type[Trainer], **more: Any) -> float | None:
    torch.manual_seed(0)
    trainer = tiny.classifier(trainer_class=trainer_class, args=tiny.arguments(**more))
    return TrainerPipeline(trainer).step().leftover_gradient


@pytest.mark.some(1)
@pytest.mark.parametrize("trainer_class", [Chunks, ZeroedBefore, Mixes])
def test_gradients_of_an_earlier_step_are_found_in_a_later_one(
    trainer_class: type[Trainer],
) -> None:
    assert carried(trainer_class)
    assert carried(trainer_class, max_grad_norm=0.0)
    report = diagnose(tiny.classifier(trainer_class=trainer_class), stage="step")
    assert [f.code for f in report.findings if f.severity == "fault"] == ["missing_zero_grad"]


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("trainer_class", "more"),
    [
        (Trainer, {}),
        (Trainer, {"gradient_accumulation_steps": 2}),
        (Trainer, {"optim": "sgd", "max_grad_norm": 0.01}),
        (ZeroedAfter, {}),
        (OnlyBackward, {}),
        (Momentum, {}),
        (Slow, {}),
        (Noise, {}),
        (Silent, {}),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else ",".join(value) or "-",
)
def test_what_is_new_or_meant_is_left_alone(
    trainer_class: type[Trainer], more: dict[str, Any]
) -> None:
    assert not carried(trainer_class, **more)


def test_the_weights_carry_no_trace_of_being_followed() -> None:
    trainer = tiny.classifier()
    TrainerPipeline(trainer).step()

    assert trainer.model is not None
    assert all(weight._backward_hooks is None for weight in trainer.model.parameters())
