"""Silent faults on tiny models: the one change that cures each is named, and no other."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import pytest
import torch
from datasets import Dataset
from torch.optim.lr_scheduler import OneCycleLR
from transformers import (
    BertForSequenceClassification,
    DataCollatorWithPadding,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    Trainer,
)

from debugger import diagnose
from debugger.experiments.trying import Explained, explained
from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from debugger.pipelines.trying import Change
from debugger.script.places import Places
from tests import tiny
from tests.frameworks.pytorch.test_untouched import everything


@cache
def sentences(count: int, seed: int = 0) -> Dataset:
    """Those with a dog in them against those with a cat; all begin alike."""
    draw = random.Random(seed)
    labels = [draw.randrange(2) for _ in range(count)]
    texts = []
    for label in labels:
        words = [draw.choice(tiny.WORDS[5:]) for _ in range(draw.randrange(3, 9))]
        words.insert(draw.randrange(len(words) + 1), ("dog", "cat")[label])
        texts.append(" ".join(["red", *words]))
    encoded: Any = tiny.tokenizer()(texts)
    columns = {name: encoded[name] for name in ("input_ids", "attention_mask")}
    return Dataset.from_dict({**columns, "label": labels})


def bert(**more: Any) -> BertForSequenceClassification:
    torch.manual_seed(0)
    return tiny.bert(num_labels=2, hidden_size=64, intermediate_size=64, **more)


def trainer(**more: Any) -> Trainer:
    """Healthy: it learns within a hundred steps. What TrainingArguments take goes there."""
    given: dict[str, Any] = {
        "model": more.pop("model", None) or bert(),
        "train_dataset": more.pop("train_dataset", None) or sentences(256),
        "eval_dataset": sentences(64, seed=1),
        "data_collator": more.pop("data_collator", None) or padded(),
        "compute_metrics": tiny.accuracy,
    }
    made = more.pop("made", Trainer)
    usual = {"learning_rate": 2e-3, "per_device_train_batch_size": 8}
    return made(**given, args=tiny.arguments(**{**usual, **more}))


def padded() -> Any:
    return DataCollatorWithPadding(tiny.tokenizer())


def seeing_nothing(rows: Any) -> Any:
    """A mask that hides every word but the first, which tells nothing."""
    batch = padded()(rows)
    mask = torch.zeros_like(batch["attention_mask"])
    mask[:, 0] = 1
    return {**batch, "attention_mask": mask}


def frozen() -> Trainer:
    model = bert()
    for weight in model.bert.parameters():
        weight.requires_grad_(False)
    return trainer(model=model)


def dead_head() -> Trainer:
    torch.manual_seed(0)
    sizes: dict[str, Any] = {
        "vocab_size": 15,
        "dim": 32,
        "n_layers": 1,
        "n_heads": 2,
        "hidden_dim": 32,
    }
    model = DistilBertForSequenceClassification(DistilBertConfig(**sizes))
    with torch.no_grad():
        model.pre_classifier.bias.fill_(-100.0)
    return trainer(model=model)


class Detached(Trainer):
    """The loss is counted on scores that are no longer of the model."""

    def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        scores = outputs.logits.detach() + 0 * outputs.logits
        loss = torch.nn.functional.cross_entropy(scores, labels)
        return (loss, outputs) if kwargs.get("return_outputs") else loss


class Volts(torch.utils.data.Dataset):
    """A few thousand millivolts each; a few hundred more or less tell the label."""

    def __init__(self, scale: float = 1.0, amounts: bool = False) -> None:
        drawn = torch.Generator().manual_seed(0)
        self.scale, self.amounts = scale, amounts
        self.rows = 4000 + 200 * torch.randn(256, 4, generator=drawn)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> dict[str, Any]:
        row = self.rows[place]
        if self.amounts:
            return {"inputs": (row - 4000) / 200, "labels": row.sum()}
        return {"inputs": row * self.scale, "labels": int(row.sum() > 16_000)}


class OfVolts(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.head = torch.nn.Linear(4, 32), torch.nn.Linear(32, 2)

    def forward(self, inputs: Any, labels: Any = None) -> dict[str, Any]:
        logits = self.head(torch.tanh(self.first(inputs)))
        if labels.is_floating_point():
            loss = torch.nn.functional.mse_loss(logits[:, 0], labels)
            return {"loss": loss, "logits": logits[:, 0]}
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


def measuring(rows: Volts) -> Trainer:
    torch.manual_seed(0)
    args = tiny.arguments(learning_rate=5e-3, per_device_train_batch_size=8)
    return Trainer(OfVolts(), args, train_dataset=rows)


class Unshuffled(Trainer):
    def _get_train_sampler(self, *_: Any, **__: Any) -> Any:
        return torch.utils.data.SequentialSampler(self.train_dataset)  # type: ignore[arg-type]


def high_dropout() -> Trainer:
    model = bert(hidden_dropout_prob=0.9, attention_probs_dropout_prob=0.9)
    return trainer(model=model)


def half() -> Trainer:
    """In bfloat16 a number near 1 moves by 1/128 at least: small steps are lost."""
    return trainer(
        model=torch.nn.Module.to(bert(), torch.bfloat16), learning_rate=1e-3, optim="sgd"
    )


FAULTS: dict[str, Callable[[], Trainer]] = {
    "cured_by_no_weight_decay": lambda: trainer(weight_decay=200.0),
    "cured_by_no_dropout": high_dropout,
    "cured_by_scaled_inputs": lambda: measuring(Volts()),
    "cured_by_spread_inputs": lambda: measuring(Volts(scale=1e-5)),
    "cured_by_scaled_labels": lambda: measuring(Volts(amounts=True)),
    "cured_by_update_every_batch": lambda: trainer(gradient_accumulation_steps=64),
    "cured_by_longer_training": lambda: trainer(max_steps=2),
    "cured_by_constant_rate": lambda: trainer(warmup_steps=10_000),
    "cured_by_usual_rate": lambda: trainer(learning_rate=1e-9),
    "cured_by_no_clipping": lambda: trainer(max_grad_norm=1e-9),
    "cured_by_library_loss": lambda: trainer(made=Detached),
    "cured_by_mask_from_padding": lambda: trainer(data_collator=seeing_nothing),
    "cured_by_thawing": frozen,
    "cured_by_shuffling": lambda: trainer(
        train_dataset=sentences(256).sort("label"), made=Unshuffled, learning_rate=1e-3
    ),
    "cured_by_fresh_head": dead_head,
}


def tried(on: Trainer) -> Explained:
    lab = TrainerPipeline(on).lab()
    assert lab is not None
    return explained(lab, "train", Places(""), lambda *_: None, seconds=600.0)


@pytest.mark.proof
@pytest.mark.parametrize(
    "code",
    [
        pytest.param(code, marks=() if code == "cured_by_no_dropout" else pytest.mark.proof)
        for code in FAULTS
    ],
)
def test_the_change_that_cures_a_silent_fault_is_named_and_no_other(code: str) -> None:
    told = tried(FAULTS[code]())

    assert [(cause.code, cause.severity) for cause in told.causes] == [(code, "fault")]
    numbers = told.causes[0].numbers
    assert max(numbers["after"], numbers["again"]) < 0.6
    assert numbers["stuck"] > 0.65


@pytest.mark.proof
def test_shuffled_labels_are_cured_by_nothing_and_have_nothing_to_do_with_the_words() -> None:
    draw = random.Random(1)
    labels = [draw.randrange(2) for _ in range(256)]
    rows = sentences(256).remove_columns("label").add_column("label", labels)

    told = tried(trainer(train_dataset=rows))

    assert told.causes == []
    found = {finding.code: finding.severity for finding in told.findings}
    assert found == {"none_cures": "note", "no_signal_in_words": "look"}


@pytest.mark.proof
def test_a_healthy_training_needs_no_experiment() -> None:
    told = tried(trainer())

    assert told.causes == []
    assert [finding.code for finding in told.findings] == ["learns_as_it_is"]


@pytest.mark.proof
def test_a_walk_asks_for_them_where_training_is_in_doubt_and_only_then() -> None:
    broken = diagnose(trainer(learning_rate=1e-9, num_train_epochs=8), stage="overfit")
    codes = [finding.code for finding in broken.stage("overfit").findings]
    assert codes == ["cured_by_usual_rate", "memorises_slowly"]
    assert "experiments" in {shown.code for shown in broken.stage("overfit").evidence}

    plain = diagnose(trainer(learning_rate=1e-9), stage="overfit", experiments=False)
    assert [finding.code for finding in plain.findings] == ["memorises_slowly"]

    healthy = diagnose(trainer(num_train_epochs=3), stage="train", steps=96)
    assert not {"experiments"} & {shown.code for shown in healthy.stage("train").evidence}


class Products(torch.utils.data.Dataset):
    def __init__(self) -> None:
        drawn = torch.Generator().manual_seed(0)
        self.rows = torch.randn(256, 4, generator=drawn)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> dict[str, Any]:
        row = self.rows[place]
        return {"inputs": row, "labels": 2 * row[0] + row[1] * row[2]}


class OfProducts(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        inner = torch.nn.Linear(4, 128), torch.nn.Tanh(), torch.nn.Linear(128, 128)
        self.net = torch.nn.Sequential(*inner, torch.nn.Tanh(), torch.nn.Linear(128, 1))

    def forward(self, inputs: Any, labels: Any = None) -> dict[str, Any]:
        logits = self.net(inputs)[:, 0]
        return {"loss": torch.nn.functional.mse_loss(logits, labels), "logits": logits}


@pytest.mark.proof
@pytest.mark.parametrize(("rate", "causes"), [(0.1, ["cured_by_usual_rate"]), (1e-3, [])])
def test_a_loss_that_falls_at_a_wild_rate_is_asked_about(rate: float, causes: list[str]) -> None:
    torch.manual_seed(0)
    args = tiny.arguments(learning_rate=rate, per_device_train_batch_size=8)
    rows = Products()
    asked = Trainer(OfProducts(), args, train_dataset=rows, eval_dataset=rows)

    told = diagnose(asked, stage="on", steps=96)

    losses = told.stage("train").measured["losses"]
    assert sum(losses[-10:]) / 10 < 0.7 * losses[0]
    slow = [one.code for one in told.stage("overfit").findings]
    assert slow == (["memorises_slowly"] if causes else [])
    assert [one.code for one in told.stage("train").findings if one.severity == "fault"] == causes


EVERYTHING = Change(
    rate=1e-4,
    constant=True,
    every_batch=True,
    longer=True,
    weight_decay=True,
    dropout=True,
    clipping=True,
    precision=True,
    thaw=True,
    loss=True,
    mask=True,
    scaled=True,
    scaled_labels=True,
    shuffle=True,
    head=True,
)
MADE: dict[str, Callable[[], Trainer]] = {
    "usual": trainer,
    "frozen": frozen,
    "own loss": lambda: trainer(made=Detached),
    "half": half,
    "language model": tiny.language_model,
    "tokens": tiny.token_classifier,
    "seq2seq": tiny.translator,
    "pictures": tiny.picture_classifier,
    "regression": tiny.regressor,
}


@pytest.mark.proof
@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("again", [False, True], ids=["new", "trained"])
def test_whatever_is_changed_the_trainer_is_left_bit_identical(kind: str, again: bool) -> None:
    made = MADE[kind]()
    if again and kind != "half":
        made.args.max_steps = 2
        made.train()
    before = {**everything(made), "types": _types(made)}
    lab = TrainerPipeline(made).lab()
    assert lab is not None

    taken = lab.take(EVERYTHING, 1, False, math.inf)

    assert taken is not None
    assert {**everything(made), "types": _types(made)} == before


def _types(trainer: Any) -> list[str]:
    return [str(weight.dtype) for weight in trainer.model.parameters()]


@pytest.mark.proof
def test_as_it_stands_the_steps_are_those_of_the_scripts_own_training() -> None:
    made = [trainer(train_dataset=sentences(96), num_train_epochs=4) for _ in range(2)]
    lab = TrainerPipeline(made[0]).lab()
    assert lab is not None

    torch.manual_seed(3)
    taken = lab.take(Change(), 0, False, math.inf)
    torch.manual_seed(3)
    made[1].train()

    rows: Any = sentences(96).select(sorted({n * 96 // 64 for n in range(64)}))
    assert taken is not None
    assert taken.batches == 48
    assert taken.after == pytest.approx(made[1].evaluate(rows)["eval_loss"], abs=1e-5)


class Noting(torch.optim.SGD):
    """Keeps the rate of each step, that of a copy's steps, too."""

    rates: ClassVar[list[float]] = []

    def step(self, closure: Any = None) -> Any:
        self.rates.append(self.param_groups[0]["lr"])
        return super().step(closure)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("change", "rates"),
    [
        (Change(), (0.02, 0.5)),
        (Change(constant=True), (0.5, 0.5)),
        (Change(rate=0.05), (0.002, 0.05)),
        (Change(rate=0.05, constant=True), (0.05, 0.05)),
    ],
    ids=["as it is", "constant", "a tenth", "a tenth, constant"],
)
def test_a_cycles_rate_is_taken_at_its_height(change: Change, rates: tuple[float, float]) -> None:
    model = bert()
    optimizer = Noting(model.parameters(), lr=0.001)
    Noting.rates.clear()
    cycle = OneCycleLR(optimizer, max_lr=0.5, total_steps=20, cycle_momentum=False)
    made = trainer(model=model, train_dataset=sentences(96), max_steps=20)
    made.optimizer, made.lr_scheduler = optimizer, cycle
    lab = TrainerPipeline(made).lab()
    assert lab is not None

    taken = lab.take(change, 0, False, math.inf)

    assert taken is not None
    assert (lab.conditions.rate, lab.conditions.rate_share) == (0.5, pytest.approx(0.5, abs=0.1))
    assert (Noting.rates[0], max(Noting.rates)) == pytest.approx(rates)
