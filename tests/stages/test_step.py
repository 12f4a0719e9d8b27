"""The rules of the step on plain values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from debugger.pipelines.facts import Facts
from debugger.pipelines.step import Block, Step
from debugger.script.places import Places
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Verdict, View, fault, note
from debugger.stages.plan import steps_beyond_weights
from debugger.stages.step import (
    default_learning_rate,
    learning_rate_too_high,
    not_in_optimizer,
)

FACTS = Facts(
    task="classification",
    model_class="BertForSequenceClassification",
    num_labels=3,
    label_names=("no", "maybe", "yes"),
    device="cpu",
    collator="DataCollatorWithPadding",
    pads=True,
    main_input="input_ids",
    batch_size=8,
    pretrained=True,
    known_collator=True,
)


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("o = torch.optim.AdamW(w)\nTrainer(\n  model,\n  optimizers=(o, None),\n)", 1),
        ("o = AdamW(w)\nTrainer(model, optimizers=(o, None))", 1),
        ("o = mine(w)\nTrainer(model, optimizers=(o, None))", 2),
        ("Trainer(model)", None),
    ],
)
def test_weights_left_out_are_blamed_on_where_the_optimizer_was_made(
    script: str, line: int | None
) -> None:
    seen = Step(optimizer="AdamW", missing=("classifier.weight", "classifier.bias"))

    verdict = not_in_optimizer(seen, View(FACTS, Places(script), True))

    assert verdict == fault(line, count=2, first="classifier.weight")


@pytest.mark.parametrize(
    ("script", "rate", "expected"),
    [
        ("args = TrainingArguments('out')", 5e-5, note(1, rate=5e-5)),
        ("args = TrainingArguments('out')\nargs.learning_rate = 5e-5", 5e-5, None),
        ("args = TrainingArguments('out', learning_rate=5e-5)", 5e-5, None),
        ("args = TrainingArguments('out')\noptimizer = mine(1e-4)", 1e-4, None),
        ("args = TrainingArguments('out')", None, None),
    ],
)
def test_only_the_librarys_own_rate_that_nobody_wrote_is_called_a_default(
    script: str, rate: float | None, expected: object
) -> None:
    seen = Step(optimizer="AdamW", peak_learning_rate=rate)

    assert default_learning_rate(seen, View(FACTS, Places(script), True)) == expected


def test_an_argument_of_the_training_is_not_looked_for_behind_it() -> None:
    script = (
        "model.compile(optimizer='adam')\n"
        "model.fit(rows)\n"
        "other = Adam(learning_rate=5e-5)\n"
        "def main():\n"
        "    return Adam(lr=1)\n"
    )
    names = ("learning_rate", "lr", "optimizer")

    assert Places(script).argument(*names) == 3
    assert Places(script, 2).argument(*names) == 5
    assert Places(script, 2).argument("learning_rate") == 3
    assert Places(script, 5).argument(*names) == 3


def moved(rate: float, *updates: float, **more: Any) -> Any:
    """What is said of a new model whose blocks were moved by so many times their size."""
    blocks = tuple(Block(f"block {n}", 900, 900, 0.5, one) for n, one in enumerate(updates))
    seen = Step(blocks, 2, optimizer="Adam", peak_learning_rate=rate, trainable=9000)
    script = f"args = TrainingArguments('out',\n    learning_rate={rate})"
    facts = replace(FACTS, pretrained=more.pop("pretrained", False))
    return steps_beyond_weights(replace(seen, **more), View(facts, Places(script), True))


@pytest.mark.parametrize(
    ("rate", "updates", "severity"),
    [
        (1.0, (40.0, 30.0), "fault"),
        (0.2, (4.0, 3.0), "fault"),
        (0.2, (2.0, 1.5), "look"),
        (0.1, (9.0, 9.0), "look"),
        (0.05, (1.0, 0.2), "look"),
        (0.05, (0.9, 0.5), "look"),
    ],
)
def test_steps_as_large_as_the_weights_are_told_at_the_rate(
    rate: float, updates: tuple[float, ...], severity: str
) -> None:
    found = moved(rate, *updates)

    assert isinstance(found, Verdict)
    assert (found.severity, found.line, found.numbers["times"]) == (severity, 2, max(updates))


def test_steps_that_leave_something_of_the_weights_are_let_be() -> None:
    assert moved(0.03, 9.0, 9.0) is None
    assert moved(0.05, 0.9, 0.4, 0.4) is None
    assert moved(0.05, 4.0, 0.1, 0.1) is None  # the biases alone, which begin at nothing
    assert moved(0.05, 4.0, trainable=900) is None
    assert moved(0.05, 4.0, pretrained=True) == NOT_FOR_THIS_TASK
    assert moved(0.05, 4.0, optimizer="SGD") == NOT_FOR_THIS_TASK
    assert moved(0.05, 4.0, steps=1) == NOT_FOR_THIS_TASK


@pytest.mark.parametrize(
    ("task", "rate", "severity"),
    [("classification", 5e-4, "fault"), ("seq2seq", 5e-4, "look"), ("seq2seq", 5e-3, "fault")],
)
def test_what_writes_a_text_may_take_a_higher_rate(task: Any, rate: float, severity: str) -> None:
    seen = Step(optimizer="AdamW", peak_learning_rate=rate, total=20_000_000, trainable=20_000_000)
    found = learning_rate_too_high(seen, View(replace(FACTS, task=task), Places(""), False))

    assert isinstance(found, Verdict)
    assert found.severity == severity
    small = replace(seen, total=80_000, trainable=80_000)
    assert learning_rate_too_high(small, View(FACTS)) == CannotJudge("few_weights")


@pytest.mark.parametrize(("weights", "told"), [(22_000_000, False), (110_000_000, True)])
def test_a_small_model_is_tuned_at_a_higher_rate_than_a_large_one(weights: int, told: bool) -> None:
    seen = Step(optimizer="AdamW", peak_learning_rate=3e-4, total=weights, trainable=weights)
    found = learning_rate_too_high(seen, View(FACTS, Places(""), False))

    assert isinstance(found, Verdict) is told
