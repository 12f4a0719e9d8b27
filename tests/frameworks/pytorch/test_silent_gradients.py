"""What goes wrong without an error: gradients on their way, rows beside rows, a metric's memory."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from transformers import Trainer

from debugger import diagnose
from debugger.frameworks.pytorch.company import note_cut_short
from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from tests import tiny


def codes(trainer: Trainer, stage: Any, severity: str = "fault") -> set[str]:
    report = diagnose(trainer, stage=stage)
    return {one.code for one in report.findings if one.severity == severity}


class ZeroedTooSoon(Trainer):
    def training_step(self, model: Any, *given: Any, **named: Any) -> torch.Tensor:
        loss = super().training_step(model, *given, **named)
        model.zero_grad()
        return loss


class TakenAway(Trainer):
    def training_step(self, model: Any, *given: Any, **named: Any) -> torch.Tensor:
        loss = super().training_step(model, *given, **named)
        for weight in model.parameters():
            weight.grad = None
        return loss


class ZeroedBefore(Trainer):
    def training_step(self, model: Any, *given: Any, **named: Any) -> torch.Tensor:
        model.zero_grad()
        return super().training_step(model, *given, **named)


@pytest.mark.parametrize("kind", [ZeroedTooSoon, TakenAway])
def test_gradients_that_no_optimizer_sees_are_thrown_away(kind: type[Trainer]) -> None:
    found = codes(tiny.classifier(trainer_class=kind), "step")

    assert "gradients_thrown_away" in found
    assert "no_gradient" not in found


@pytest.mark.parametrize("kind", [Trainer, ZeroedBefore])
def test_gradients_zeroed_before_they_come_are_not(kind: type[Trainer]) -> None:
    seen = TrainerPipeline(tiny.classifier(trainer_class=kind)).step().reached

    assert seen is not None
    assert (seen.thrown, seen.used) == (0, 2)


def test_what_watches_gradients_leaves_nothing_behind() -> None:
    trainer = tiny.classifier()
    model: Any = trainer.model
    before = nn.Module.zero_grad, torch.optim.Optimizer.zero_grad
    TrainerPipeline(trainer).step()

    assert before == (nn.Module.zero_grad, torch.optim.Optimizer.zero_grad)
    assert not any(weight._backward_hooks for weight in model.parameters())
    assert not any(module._forward_hooks for module in model.modules())


class TwoHeads(nn.Module):
    def __init__(self, added: bool) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.heads = nn.ModuleDict({"kind": nn.Linear(8, 3), "again": nn.Linear(8, 3)})
        self.added = added

    def forward(self, input_ids: Any, attention_mask: Any = None, labels: Any = None) -> Any:
        states = self.words(input_ids).mean(dim=1)
        kind, again = self.heads["kind"](states), self.heads["again"](states)
        loss = functional.cross_entropy(kind, labels)
        if self.added:
            loss = loss + functional.cross_entropy(again, labels)
        return {"loss": loss, "logits": kind, "again": again}


@pytest.mark.parametrize("added", [True, False])
def test_an_answer_that_the_loss_does_not_ask_about_is_noted(added: bool) -> None:
    seen = TrainerPipeline(tiny.classifier(model=TwoHeads(added))).step().reached

    assert seen is not None
    assert seen.unheard == (() if added else ("heads.again",))


class Added(nn.Module):
    """The classifier with something beside it that is a product of two matrices."""

    def __init__(self, inner: nn.Linear, both: bool, scale: float = 1.0) -> None:
        super().__init__()
        self.inner, self.scale = inner, scale
        self.down = nn.Linear(inner.in_features, 4, bias=False)
        self.up = nn.Linear(4, inner.out_features, bias=False)
        nn.init.zeros_(self.up.weight)
        if both:
            nn.init.zeros_(self.down.weight)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return self.inner(states) + self.scale * self.up(self.down(states))


@pytest.mark.parametrize("both", [True, False])
def test_two_factors_of_zeros_never_move_and_one_does_no_harm(both: bool) -> None:
    model: Any = tiny.bert()
    model.classifier = Added(model.classifier, both)

    assert ("begins_at_zero_twice" in codes(tiny.classifier(model=model), "step")) is both


def test_a_product_that_something_else_makes_0_is_not_blamed_on_its_factors() -> None:
    model: Any = tiny.bert()
    model.classifier = Added(model.classifier, both=False, scale=0.0)

    assert "begins_at_zero_twice" not in codes(tiny.classifier(model=model), "step")


@pytest.mark.proof
@pytest.mark.skipif(tiny.TRANSFORMERS >= 5, reason="transformers 5 cuts nothing off there")
def test_checkpointing_over_frozen_embeddings_cuts_the_rest_off() -> None:
    model = tiny.bert()
    for weight in model.bert.embeddings.parameters():
        weight.requires_grad_(False)
    args = tiny.arguments(gradient_checkpointing=True)

    assert "checkpointing_cuts_off" in codes(tiny.classifier(model=model, args=args), "step")
    assert "checkpointing_cuts_off" not in codes(tiny.classifier(args=args), "step")


class Kept(Trainer):
    """Weighs rows by what it kept of them, in the order that they once had."""

    by_place = True

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        outputs = model(**inputs)
        each = functional.cross_entropy(outputs.logits, inputs["labels"], reduction="none")
        weights = torch.arange(1.0, len(each) + 1) if self.by_place else 1 + inputs["labels"]
        loss = (each * weights).mean()
        return (loss, outputs) if return_outputs else loss


class ByRow(Kept):
    by_place = False


@pytest.mark.parametrize("kind", [Kept, ByRow])
def test_a_loss_goes_by_the_place_of_a_row_or_by_the_row(kind: type[Kept]) -> None:
    found = codes(tiny.classifier(trainer_class=kind), "forward")

    assert ("loss_goes_by_place" in found) is kind.by_place


class Bare(Trainer):
    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        outputs = model(**inputs)
        return (outputs.loss, outputs.logits) if return_outputs else outputs.loss


def test_bare_scores_lose_the_first_row_of_a_batch() -> None:
    assert "logits_lose_a_row" in codes(tiny.classifier(trainer_class=Bare), "evaluate")


class Asks(Trainer):
    teacher: Any = None

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        outputs = model(**inputs)
        with torch.no_grad():
            told = self.teacher(inputs["labels"]).logits
        loss = functional.cross_entropy(outputs.logits, told.softmax(-1))
        return (loss, outputs) if return_outputs else loss


class Knows(nn.Module):
    """A teacher that is always right, but for the numbers of the classes."""

    def __init__(self, turned: int) -> None:
        super().__init__()
        self.turned = turned

    def forward(self, labels: Any) -> Any:
        from transformers.modeling_outputs import SequenceClassifierOutput

        scores = 9.0 * functional.one_hot((labels + self.turned) % 3, 3)
        return SequenceClassifierOutput(logits=scores)  # type: ignore[arg-type]


@pytest.mark.parametrize("turned", [0, 1])
def test_a_teacher_that_numbers_the_classes_otherwise(turned: int) -> None:
    args = tiny.arguments(per_device_train_batch_size=8)
    trainer: Any = tiny.classifier(trainer_class=Asks, args=args)
    trainer.teacher = Knows(turned).eval()

    assert ("teacher_numbers_otherwise" in codes(trainer, "forward")) is bool(turned)


def test_a_teacher_whose_own_training_was_cut_short_here_is_not_held_against_labels() -> None:
    trainer: Any = tiny.classifier(
        trainer_class=Asks, args=tiny.arguments(per_device_train_batch_size=8)
    )
    trainer.teacher = Knows(1).eval()
    note_cut_short(trainer.teacher)

    assert "teacher_numbers_otherwise" not in codes(trainer, "forward")


def test_a_metric_that_keeps_what_it_has_seen() -> None:
    seen: list[Any] = []

    def gathering(given: Any) -> dict[str, float]:
        seen.append((given.predictions.argmax(-1) == given.label_ids).mean())
        return {"accuracy": float(sum(seen) / len(seen))}

    found = codes(tiny.classifier(compute_metrics=gathering), "evaluate", "look")

    assert "metric_remembers" in found
    assert "metric_remembers" not in codes(tiny.classifier(), "evaluate", "look")


@pytest.mark.some(1)
@pytest.mark.parametrize("better", ["accuracy", "kappa"])
@pytest.mark.parametrize("mode", ["min", "max"])
def test_a_schedule_that_waits_for_a_number_to_go_the_wrong_way(better: str, mode: str) -> None:
    args = tiny.arguments(
        lr_scheduler_type="reduce_lr_on_plateau",
        lr_scheduler_kwargs={"mode": mode},
        metric_for_best_model=better,
        eval_strategy="epoch",
    )

    found = codes(tiny.classifier(args=args), "step")
    assert ("plateau_upside_down" in found) is (mode == "min")
