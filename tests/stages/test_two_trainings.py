"""With two trainings in one script, lines speak of the one that is looked at."""

from __future__ import annotations

import pytest

from debugger.script.places import Places

TRAINERS = """\
first = TrainingArguments(
    learning_rate=1e-9,
    weight_decay=0.1,
)
trainer = Trainer(model, first, train_dataset=rows)
trainer.train()
second = TrainingArguments(
    learning_rate=5e-5,
)
trainer = Trainer(model, second, train_dataset=rows)
trainer.train()
"""
INLINE = """\
for_head = {"max_steps": 10}
Trainer(model, TrainingArguments(learning_rate=1e-3)).train()
Trainer(model, TrainingArguments(learning_rate=1e-5)).train()
"""
FITS = """\
model = build()
model.compile(optimizer=Adam(learning_rate=1e-3, clipnorm=1.0), loss="mse")
model.fit(rows, epochs=3)
slow = Adam(
    learning_rate=1e-5,
)
model.compile(optimizer=slow, loss="mae")
model.fit(rows, epochs=2)
"""
FUNCTIONS = """\
def first():
    args = TrainingArguments(learning_rate=1e-3)
    trainer = Trainer(model, args)
    trainer.train()
def second():
    args = TrainingArguments(learning_rate=1e-5)
    trainer = Trainer(model, args)
    trainer.train()
first()
second()
"""


@pytest.mark.parametrize(
    ("text", "training", "name", "line"),
    [
        (TRAINERS, 6, "learning_rate", 2),
        (TRAINERS, 11, "learning_rate", 8),
        (TRAINERS, 6, "weight_decay", 3),
        (TRAINERS, 11, "weight_decay", None),
        (INLINE, 2, "learning_rate", 2),
        (INLINE, 3, "learning_rate", 3),
        (FITS, 3, "learning_rate", 2),
        (FITS, 8, "learning_rate", 5),
        (FITS, 8, "loss", 7),
        (FITS, 8, "clipnorm", None),
        (FITS, 8, "epochs", 8),
        (FUNCTIONS, 4, "learning_rate", 2),
        (FUNCTIONS, 8, "learning_rate", 6),
        (FUNCTIONS, None, "learning_rate", 2),
    ],
)
def test_the_argument_is_that_of_the_training_that_is_looked_at(
    text: str, training: int | None, name: str, line: int | None
) -> None:
    assert Places(text, training).argument(name) == line


def test_a_name_that_only_the_other_training_knows_is_not_looked_up_there() -> None:
    assert Places(TRAINERS, 11).argument("weight_decay", "learning_rate") == 8


def test_what_both_trainings_share_belongs_to_each() -> None:
    shared = TRAINERS.replace("second = TrainingArguments(\n    learning_rate=5e-5,\n)\n", "")
    shared = shared.replace("second", "first")

    assert Places(shared, 6).argument("learning_rate") == 2
    assert Places(shared, 8).argument("learning_rate") == 2


def test_what_a_function_does_after_it_trained_comes_last() -> None:
    text = """\
def run():
    trainer = made()
    trainer.train()
    report(weight_decay=0.3)
def made():
    if True:
        return Trainer(args=TrainingArguments(weight_decay=0.1))
run()
"""
    assert Places(text, 3).argument("weight_decay") == 7
    assert Places(text).argument("weight_decay") == 4
