"""What a loss of one's own rewards: broken and sound ones in real Trainers, asked by the clinic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from datasets import Dataset
from torch.nn import functional
from transformers import BertModel, Trainer

from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from debugger.outcome import Finding
from debugger.stages import forward
from debugger.stages.judging import View, judged
from debugger.words import Words
from tests import tiny
from tests.frameworks.pytorch.test_untouched import everything

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def own(loss: Loss) -> type[Trainer]:
    """A Trainer with a compute_loss of its own, as people write it."""

    class Own(Trainer):
        def compute_loss(  # type: ignore[override]
            self, model: Any, inputs: Any, return_outputs: bool = False, **kwargs: Any
        ) -> Any:
            labels = inputs.pop("labels")
            outputs = model(**inputs)
            found = loss(outputs["logits"], labels)
            return (found, outputs) if return_outputs else found

    return Own


def findings(trainer: Trainer) -> dict[str, Finding]:
    pipeline = TrainerPipeline(trainer)
    before = everything(trainer)
    seen = pipeline.forward()
    assert everything(trainer) == before
    found, _ = judged("forward", forward.RULES, seen, View(pipeline.facts))
    for one in found:
        Words().finding(one)
    return {one.code: one for one in found}


def uneven(shares: tuple[int, ...] = (6, 3, 1)) -> Dataset:
    """Sixty rows in which the labels have these shares of ten."""
    turn = [label for label, count in enumerate(shares) for _ in range(count)]
    dataset = tiny.pairs(60).remove_columns("label")
    return dataset.add_column("label", turn * 6).shuffle(seed=0)


def classes(loss: Loss, rows: int = 16, **more: Any) -> Trainer:
    args = tiny.arguments(per_device_train_batch_size=rows)
    return tiny.classifier(trainer_class=own(loss), args=args, **more)


def many(loss: Loss) -> Trainer:
    rows = [[float(n % 2), float(n % 5 == 0), float(n % 3 > 0)] for n in range(48)]
    dataset = tiny.pairs(48).remove_columns("label").add_column("labels", rows)
    model = tiny.bert(problem_type="multi_label_classification")
    args = tiny.arguments(per_device_train_batch_size=16)
    return tiny.classifier(
        model=model,
        args=args,
        trainer_class=own(loss),
        train_dataset=dataset,
        eval_dataset=dataset,
        compute_metrics=None,
    )


def amounts(loss: Loss, model: Any = None) -> Trainer:
    trainer = tiny.regressor()
    return tiny.classifier(
        model=model or trainer.model,
        trainer_class=own(loss),
        train_dataset=trainer.train_dataset,
        eval_dataset=trainer.eval_dataset,
        compute_metrics=None,
    )


def weighted(*weights: float) -> Loss:
    return lambda z, y: functional.cross_entropy(z, y, weight=torch.tensor(weights))


def hot(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return functional.one_hot(y, z.shape[-1]).float()


def focal(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    each = functional.cross_entropy(z, y, reduction="none")
    return ((1 - torch.exp(-each)) ** 2 * each).mean()


def dice(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    shares, wanted = z.softmax(-1), hot(z, y)
    return 1 - ((2 * (shares * wanted).sum(0) + 1) / (shares.sum(0) + wanted.sum(0) + 1)).mean()


def distilled(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    teacher = torch.linspace(-1, 1, z.numel()).reshape(z.shape).log_softmax(-1)
    soft = functional.kl_div((z / 2).log_softmax(-1), teacher, log_target=True, reduction="sum")
    return 0.5 * functional.cross_entropy(z, y) + 0.5 * soft / len(z)


ROWS = {
    "softmax": (
        lambda z, y: functional.cross_entropy(z.softmax(-1), y),
        "squashed_before_loss",
        {"name": "softmax", "right": pytest.approx(0.5514, abs=1e-3)},
    ),
    "sigmoid": (
        lambda z, y: functional.cross_entropy(z.sigmoid(), y),
        "squashed_before_loss",
        {"name": "sigmoid"},
    ),
    "sign": (lambda z, y: -functional.cross_entropy(z, y), "loss_wrong_sign", {}),
    "no logarithm": (lambda z, y: functional.nll_loss(z, y), "loss_below_zero", {}),
    "axis": (
        lambda z, y: functional.cross_entropy(z.t().flatten().view(len(y), -1), y),
        "draws_other_rows",
        {"logits": "[16, 3]", "labels": "[16]"},
    ),
    "backwards": (
        lambda z, y: functional.cross_entropy(z.flip(-1), y),
        "right_not_rewarded",
        {},
    ),
    "no labels": (
        lambda z, y: functional.cross_entropy(z, torch.zeros_like(y)),
        "loss_ignores_labels",
        {},
    ),
    "none": (
        lambda z, y: functional.cross_entropy(z, y, reduction="none"),
        "loss_not_one_number",
        {"shape": "[16]"},
    ),
    "ignored": (
        lambda z, y: functional.cross_entropy(z, y, ignore_index=0),
        "labels_left_out",
        {"label": 0},
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_loss_that_rewards_something_else_is_named(name: str) -> None:
    loss, code, says = ROWS[name]

    found = findings(classes(loss))

    assert found[code].severity == "fault"
    assert says.items() <= found[code].numbers.items()
    assert [one for one in found.values() if one.severity == "fault"] == [found[code]]


@pytest.mark.parametrize(
    "loss",
    [
        functional.cross_entropy,
        focal,
        dice,
        distilled,
        lambda z, y: functional.cross_entropy(z.log_softmax(-1), y),
        lambda z, y: functional.nll_loss(z.log_softmax(-1), y),
        lambda z, y: functional.cross_entropy(z / 0.5, y, label_smoothing=0.2),
        lambda z, y: functional.binary_cross_entropy_with_logits(z, hot(z, y)),
        lambda z, y: functional.mse_loss(z.softmax(-1), hot(z, y)),
        lambda z, y: functional.mse_loss(z, hot(z, y)),
        lambda z, y: functional.multi_margin_loss(z, y),
        lambda z, y: functional.cross_entropy(z, y) + 0.1 * z.pow(2).mean(),
        lambda z, y: (
            functional.cross_entropy(z, y)
            - 0.1 * torch.distributions.Categorical(logits=z).entropy().mean()
        ),
    ],
)
@pytest.mark.parametrize("rows", [3, 16])
def test_odd_losses_that_reward_the_right_answer_are_left_alone(loss: Loss, rows: int) -> None:
    assert findings(classes(loss, rows)) == {}


def test_a_sum_over_the_rows_is_something_to_think_about() -> None:
    found = findings(classes(lambda z, y: functional.cross_entropy(z, y, reduction="sum")))

    assert {one.code: one.severity for one in found.values()} == {"loss_is_a_sum": "look"}
    assert found["loss_is_a_sum"].numbers["rows"] == 16


@pytest.mark.parametrize(
    ("weights", "code"),
    [
        ((6.0, 3.0, 1.0), "weights_favour_frequent"),
        ((10 / 3, 10.0, 10 / 6), "weights_in_other_order"),
        ((10 / 6, 10 / 3, 10.0), None),
        ((1.0, 1.0, 1.0), None),
        ((1.0, 1.4, 3.0), None),
    ],
)
def test_weights_are_held_against_the_shares_of_the_classes(
    weights: tuple[float, ...], code: str | None
) -> None:
    found = findings(classes(weighted(*weights), train_dataset=uneven()))

    faults = [one.code for one in found.values() if one.severity == "fault"]
    assert faults == ([] if code is None else [code])


MANY: dict[str, tuple[Loss, str | None]] = {
    "sound": (functional.binary_cross_entropy_with_logits, None),
    "sigmoid and bce": (lambda z, y: functional.binary_cross_entropy(z.sigmoid(), y), None),
    "sigmoid": (
        lambda z, y: functional.binary_cross_entropy_with_logits(z.sigmoid(), y),
        "squashed_before_loss",
    ),
    "log_softmax": (
        lambda z, y: functional.binary_cross_entropy_with_logits(z.log_softmax(-1), y),
        "squashed_before_loss",
    ),
    "sign": (
        lambda z, y: functional.binary_cross_entropy_with_logits(-z, y),
        "loss_wrong_sign",
    ),
    "weights": (
        lambda z, y: functional.binary_cross_entropy_with_logits(
            z, y, pos_weight=torch.tensor([1.0, 4.0, 0.5])
        ),
        None,
    ),
    "weights upside down": (
        lambda z, y: functional.binary_cross_entropy_with_logits(
            z, y, pos_weight=torch.tensor([1.0, 0.26, 2.0])
        ),
        "positive_weight_upside_down",
    ),
}


@pytest.mark.parametrize("name", MANY)
def test_losses_of_many_answers_a_row(name: str) -> None:
    loss, code = MANY[name]

    found = findings(many(loss))

    assert [one.code for one in found.values()] == ([] if code is None else [code])


class Reading(torch.nn.Module):
    """A body with a head of one's own, and something at its end."""

    def __init__(self, end: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.config = tiny.bert().config
        self.bert = BertModel(self.config)
        self.head = torch.nn.Linear(16, 1)
        self.end = end

    def forward(self, input_ids: Any, attention_mask: Any = None) -> dict[str, torch.Tensor]:
        pooled = self.bert(input_ids, attention_mask=attention_mask).pooler_output
        return {"logits": self.end(self.head(pooled))}


def flat_mse(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return functional.mse_loss(z.squeeze(-1), y)


@pytest.mark.parametrize(
    ("loss", "end", "code"),
    [
        (flat_mse, torch.nn.Identity(), None),
        (flat_mse, torch.sigmoid, None),
        (lambda z, y: functional.mse_loss(z, y), torch.nn.Identity(), "rows_pulled_alike"),
        (lambda z, y: functional.l1_loss(z.squeeze(-1), y), torch.nn.Identity(), None),
        (lambda z, y: flat_mse(z, y), lambda z: z.clamp(max=0.5), "output_cannot_reach"),
        (flat_mse, lambda z: 90 + (z - 0.9).relu(), "output_cannot_reach"),
        (lambda z, y: flat_mse(z, (y - 9) / 30), lambda z: z.tanh() / 2, None),
        (lambda z, y: flat_mse(z, (y - 9) / 30), torch.nn.Identity(), None),
    ],
)
def test_losses_of_amounts(loss: Loss, end: Any, code: str | None) -> None:
    found = findings(amounts(loss, Reading(end)))

    assert [one.code for one in found.values()] == ([] if code is None else [code])


@pytest.mark.parametrize(("flat", "code"), [(True, None), (False, "rows_pulled_alike")])
def test_a_loss_that_is_a_part_of_the_model_is_asked_each_time(
    flat: bool, code: str | None
) -> None:
    """Beside it, all parts with weights hold the head."""

    class Own(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            model = Reading(torch.nn.Identity())
            self.model, self.config = model, model.config
            self.loss_fn = torch.nn.MSELoss()

        def forward(
            self, input_ids: Any, attention_mask: Any = None, labels: Any = None
        ) -> dict[str, torch.Tensor]:
            logits = self.model(input_ids, attention_mask)["logits"]
            logits = logits.squeeze(-1) if flat else logits
            return {"loss": self.loss_fn(logits, labels), "logits": logits}

    rows = tiny.regressor().train_dataset
    found = findings(tiny.classifier(model=Own(), train_dataset=rows, compute_metrics=None))

    assert [one.code for one in found.values()] == ([] if code is None else [code])


@pytest.mark.parametrize(
    ("there", "here", "code"),
    [(-1, 1, None), (None, 0, "asks_for_its_input"), (-2, 2, "next_token_not_asked")],
)
def test_a_language_model_is_asked_for_the_next_token(
    there: int | None, here: int, code: str | None
) -> None:
    def loss(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(z[:, :there].transpose(1, 2), y[:, here:])

    healthy = tiny.language_model()
    trainer = own(loss)(
        healthy.model,
        healthy.args,
        train_dataset=healthy.train_dataset,
        data_collator=healthy.data_collator,
    )

    assert list(findings(trainer)) == ([] if code is None else [code])


def test_a_softmax_inside_a_model_of_ones_own_is_found_too() -> None:
    class Own(Reading):
        def forward(  # type: ignore[override]
            self, input_ids: Any, attention_mask: Any = None, labels: Any = None
        ) -> dict[str, torch.Tensor]:
            shares = super().forward(input_ids, attention_mask)["logits"]
            return {"loss": functional.cross_entropy(shares, labels), "logits": shares}

    model = Own(torch.nn.Softmax(dim=-1))
    model.head = torch.nn.Linear(16, 3)

    assert findings(tiny.classifier(model=model))["squashed_before_loss"].severity == "fault"
    model.end = torch.nn.Identity()
    assert findings(tiny.classifier(model=model)) == {}


def test_a_loss_function_that_divides_by_the_items_of_the_batch_is_handed_them() -> None:
    def summed(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> torch.Tensor:
        total = functional.cross_entropy(outputs.logits, labels, reduction="sum")
        return total / num_items_in_batch

    assert findings(tiny.classifier(compute_loss_func=summed)) == {}


def test_a_compute_loss_that_refuses_what_every_step_hands_it() -> None:
    class Old(Trainer):
        def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False) -> Any:  # type: ignore[override]
            outputs = model(**inputs)
            return (outputs.loss, outputs) if return_outputs else outputs.loss

    found = findings(tiny.classifier(trainer_class=Old))

    assert found["compute_loss_refuses_items"].severity == "fault"


def over_tokens(loss: Loss) -> Trainer:
    healthy = tiny.token_classifier()
    return own(loss)(
        healthy.model,
        healthy.args,
        train_dataset=healthy.train_dataset,
        data_collator=healthy.data_collator,
    )


@pytest.mark.parametrize(
    ("loss", "code"),
    [
        (lambda z, y: functional.cross_entropy(z.transpose(1, 2), y), None),
        (lambda z, y: functional.cross_entropy(z.flatten(0, 1), y.flatten()), None),
        (
            lambda z, y: functional.cross_entropy(z.flatten().view(len(z), 2, -1), y),
            "draws_other_rows",
        ),
        (
            lambda z, y: functional.cross_entropy(z.reshape(len(z), 2, -1), y),
            "axes_only_counted_off",
        ),
        (
            lambda z, y: functional.cross_entropy(z.softmax(-1).transpose(1, 2), y),
            "squashed_before_loss",
        ),
    ],
)
def test_losses_over_tokens(loss: Loss, code: str | None) -> None:
    assert list(findings(over_tokens(loss))) == ([] if code is None else [code])


def test_a_label_that_the_loss_over_tokens_leaves_out_may_be_left_out_on_purpose() -> None:
    def loss(z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(z.transpose(1, 2), y.clamp(min=0), ignore_index=0)

    assert findings(over_tokens(loss))["labels_left_out"].severity == "look"
