"""What a run is going to do, in real Trainers: broken, healthy, and odd but right."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch
from transformers import Trainer, get_linear_schedule_with_warmup

from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from debugger.outcome import Finding
from debugger.script.places import Places
from debugger.stages import batch, step
from debugger.stages.judging import View, judged
from debugger.words import Words
from tests import tiny
from tests.frameworks.pytorch.test_untouched import everything


def findings(trainer: Trainer, pretrained: bool = False, stage: Any = step) -> dict[str, Finding]:
    pipeline = TrainerPipeline(trainer)
    facts = replace(pipeline.facts, pretrained=pretrained)
    before = everything(trainer)
    seen = pipeline.step() if stage is step else pipeline.batch()
    assert everything(trainer) == before
    found, _ = judged("step", stage.RULES, seen, View(facts))
    for one in found:
        Words().finding(one)
    return {one.code: one for one in found if one.severity != "note"}


def run(pretrained: bool = False, **more: Any) -> dict[str, str]:
    args = tiny.arguments(**more)
    found = findings(tiny.classifier(args=args), pretrained)
    return {one.code: one.severity for one in found.values()}


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({}, {}),
        ({"warmup_steps": 4, "weight_decay": 0.1, "lr_scheduler_type": "cosine"}, {}),
        ({"gradient_accumulation_steps": 2, "num_train_epochs": 4}, {}),
        ({"lr_scheduler_type": "constant", "max_grad_norm": 0.1}, {}),
        ({"optim": "adafactor"}, {}),
        ({"gradient_accumulation_steps": 64}, {"accumulation_beyond_epoch": "fault"}),
        ({"max_steps": 4}, {"few_updates": "look"}),
        (
            {"warmup_steps": 5000, "learning_rate": 5e-4},
            {"warmup_longer_than_run": "fault"},
        ),
        ({"warmup_steps": 22}, {"warmup_longer_than_run": "look"}),
        ({"weight_decay": 100.0}, {"weight_decay_too_strong": "fault"}),
        ({"weight_decay": 1.0}, {"weight_decay_too_strong": "look"}),
        ({"adam_epsilon": 1.0}, {"eps_swallows_update": "fault"}),
        ({"max_grad_norm": 1e-8}, {"gradients_cut_away": "fault"}),
        ({"optim": "sgd", "learning_rate": 1e-6}, {"too_little_movement": "fault"}),
        ({"optim": "sgd", "learning_rate": 0.1}, {}),
        (
            {"optim": "sgd", "learning_rate": 0.1, "max_grad_norm": 1e-6},
            {"gradients_cut_away": "fault"},
        ),
        ({"adam_beta1": 0.999}, {"momentum_too_long": "look"}),
    ],
)
def test_the_arguments_of_a_run(more: dict[str, Any], wanted: dict[str, str]) -> None:
    assert run(**more) == wanted


def scheduled(steps: int, warm: int = 0) -> dict[str, Finding]:
    model = tiny.bert()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = get_linear_schedule_with_warmup(optimizer, warm, steps)
    return findings(tiny.classifier(model=model, optimizers=(optimizer, schedule)))


@pytest.mark.proof
def test_a_schedule_of_one_epoch_in_a_run_of_three_is_over_early() -> None:
    found = scheduled(12)

    assert {one.code: one.severity for one in found.values()} == {"rate_gone_early": "fault"}
    assert found["rate_gone_early"].numbers["share"] == pytest.approx(24 / 36)
    assert scheduled(36) == {}
    assert scheduled(100, warm=5) == {}


def test_a_schedule_that_was_thought_of_in_epochs() -> None:
    def falling(gamma: float) -> dict[str, str]:
        model = tiny.bert()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma)
        found = findings(tiny.classifier(model=model, optimizers=(optimizer, schedule)))
        return {one.code: one.severity for one in found.values()}

    assert falling(0.85) == {"rate_falls_by_updates": "fault"}
    assert falling(0.97) == {}


def test_a_schedule_that_falls_in_steps_is_left_alone() -> None:
    model = tiny.bert()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 12)

    assert findings(tiny.classifier(model=model, optimizers=(optimizer, schedule))) == {}


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("kind", "decay", "wanted"),
    [
        (torch.optim.Adam, 0.1, {"decay_through_adam": "fault"}),
        (torch.optim.Adam, 0.02, {"decay_through_adam": "look"}),
        (torch.optim.Adam, 1e-4, {}),
        (torch.optim.AdamW, 0.1, {}),
        (partial(torch.optim.NAdam, decoupled_weight_decay=True), 0.1, {}),
    ],
)
def test_a_decay_that_adam_takes_for_a_gradient(
    kind: Any, decay: float, wanted: dict[str, str]
) -> None:
    model = tiny.bert()
    optimizer = kind(model.parameters(), lr=1e-3, weight_decay=decay)
    found = findings(tiny.classifier(model=model, optimizers=(optimizer, None)))

    assert {one.code: one.severity for one in found.values()} == wanted


def test_a_schedule_that_somebody_else_moves_too() -> None:
    class Twice(Trainer):
        def training_step(self, *args: Any, **kwargs: Any) -> Any:
            loss = super().training_step(*args, **kwargs)
            self.lr_scheduler.step()  # type: ignore[union-attr]
            return loss

    found = findings(tiny.classifier(trainer_class=Twice))

    assert found["schedule_moves_faster"].numbers["times"] == pytest.approx(2.0)
    assert found["schedule_moves_faster"].severity == "fault"


def test_a_head_at_rate_zero() -> None:
    model = tiny.bert()
    groups = [
        {"params": model.bert.parameters(), "lr": 1e-3},
        {"params": model.classifier.parameters(), "lr": 0.0},
    ]
    found = findings(tiny.classifier(model=model, optimizers=(torch.optim.AdamW(groups), None)))

    assert found["weights_at_rate_zero"].severity == "fault"
    assert found["weights_at_rate_zero"].numbers["count"] == 2


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("sizes", "severity"),
    [
        ({"hidden_dropout_prob": 0.9}, "fault"),
        ({"attention_probs_dropout_prob": 0.6}, "look"),
        ({"classifier_dropout": 0.6}, None),
        ({}, None),
    ],
)
def test_dropout_in_the_body(sizes: dict[str, Any], severity: str | None) -> None:
    found = findings(tiny.classifier(model=tiny.bert(**sizes)))

    assert [one.severity for one in found.values()] == ([severity] if severity else [])


def test_weights_of_16_bits_lose_small_steps() -> None:
    args = tiny.arguments(learning_rate=2e-5)
    model: Any = tiny.bert()
    found = findings(tiny.classifier(model=model.to(torch.bfloat16), args=args))

    assert found["half_precision_weights"].severity == "look"
    assert found["half_precision_weights"].numbers["lost"] > 0.5


class InOrder(Trainer):
    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        return torch.utils.data.SequentialSampler(self.train_dataset)  # type: ignore[arg-type]


class Stuck(Trainer):
    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        return [0, 1, 2, 3] * 12


class Drawn(Trainer):
    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        return torch.utils.data.WeightedRandomSampler([1.0] * 48, 48)


class DrawnByClass(Trainer):
    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        return torch.utils.data.WeightedRandomSampler([0.3, 0.7], 48)


@pytest.mark.parametrize(
    ("kind", "rows", "wanted"),
    [
        (Trainer, tiny.pairs(48).sort("label"), {}),
        (InOrder, tiny.pairs(48), {}),
        (InOrder, tiny.pairs(48).sort("label"), {"batches_of_one_label": "fault"}),
        (Stuck, tiny.pairs(48), {"same_rows_again": "fault"}),
        (Drawn, tiny.pairs(48), {}),
        (DrawnByClass, tiny.pairs(48), {"weights_of_few_rows": "fault"}),
    ],
)
def test_the_order_of_rows(kind: type[Trainer], rows: Any, wanted: dict[str, str]) -> None:
    trainer = tiny.classifier(trainer_class=kind, train_dataset=rows)
    found = findings(trainer, stage=batch)

    assert {one.code: one.severity for one in found.values()} == wanted


class Tabled(torch.nn.Module):
    def __init__(self, table: torch.nn.Embedding) -> None:
        super().__init__()
        self.table, self.head = table, torch.nn.Linear(6, 3)

    def forward(self, input_ids: Any, attention_mask: Any, labels: Any = None) -> Any:
        logits = self.head(self.table(input_ids).mean(dim=1))
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("given", "known", "wanted"),
    [
        ("vectors", 2, "empty_table_frozen"),
        ("vectors, padding_idx=0", 6, "table_stays_frozen"),
        ("vectors, freeze=True", 2, None),
        ("vectors, freeze=False", 2, None),
    ],
)
def test_a_table_that_stays_as_it_was_handed_over(
    given: str, known: int, wanted: str | None
) -> None:
    script = f"table = torch.nn.Embedding.from_pretrained({given})"
    vectors = torch.randn(len(tiny.tokenizer()), 6)
    vectors[:, known:] = 0
    names: dict[str, Any] = {"torch": torch, "vectors": vectors}
    exec(script, names)
    pipeline = TrainerPipeline(tiny.classifier(model=Tabled(names["table"])))

    view = View(pipeline.facts, Places(script), has_script=True)
    found, _ = judged("step", step.RULES, pipeline.step(), view)
    told = [(one.code, one.line) for one in found if "table" in one.code]
    assert told == ([(wanted, 1)] if wanted else [])


def test_a_plateau_that_begins_at_the_least_rate_it_may_have() -> None:
    def told(least: float) -> list[str]:
        args = tiny.arguments(
            lr_scheduler_type="reduce_lr_on_plateau",
            lr_scheduler_kwargs={"min_lr": least},
            learning_rate=1e-4,
            eval_strategy="epoch",
        )
        found = findings(tiny.classifier(args=args), stage=step)
        return [code for code in found if code.startswith("plateau")]

    assert told(1e-4) == ["plateau_has_no_room"]
    assert told(1e-6) == []
