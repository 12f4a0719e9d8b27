"""The rules of the step on plain values."""

from __future__ import annotations

import pytest

from debugger.pipelines.face import Facts, Step
from debugger.script.places import Places
from debugger.stages.judging import View, fault, note
from debugger.stages.step import default_learning_rate, not_in_optimizer

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
