"""What a script did to its rows before its Trainer saw them: whole scripts, looked at once."""

from __future__ import annotations

import pytest

from debugger.diagnosis import perform
from debugger.outcome import Event, Finding
from debugger.report import gather
from debugger.run import Run

SCRIPT = """
from datasets import Dataset
from transformers import DataCollatorWithPadding, Trainer
from tests import tiny

words = tiny.tokenizer()
half = tiny.sentences(64)
rows = Dataset.from_dict({
    "premise": half, "hypothesis": half[::-1], "same": [n % 3 for n in range(64)]
})


def encode(batch):
    made = words(batch["premise"], batch["hypothesis"])
    made["labels"] = batch["same"]
    return made


def prepare(rows):
    return rows.map(encode, batched=True, remove_columns=rows.column_names)


train = prepare(rows.select(range(40)))
held = prepare(rows.select(range(40, 64)))
Trainer(
    model=tiny.bert(),
    args=tiny.arguments(),
    train_dataset=train,
    eval_dataset=held,
    data_collator=lambda rows: words.pad(rows, return_tensors="pt"),
).train()
"""


def looked_at(script: str, stage: str = "data") -> dict[str, Finding]:
    events: list[Event] = []
    perform(Run(script, stage=stage), events.append)  # type: ignore[arg-type]
    return {one.code: one for one in gather(events).findings if one.severity != "note"}


def line(script: str, holding: str) -> int:
    return next(n for n, text in enumerate(script.splitlines(), 1) if holding in text)


def test_a_healthy_script_is_told_nothing() -> None:
    assert looked_at(SCRIPT) == {}


@pytest.mark.parametrize(
    ("was", "became", "code", "at"),
    [
        (
            'words(batch["premise"], batch["hypothesis"])',
            'words(batch["premise"])',
            "second_sentence_dropped",
            "made = words(",
        ),
        (
            'words(batch["premise"], batch["hypothesis"])',
            'words(batch["premise"], batch["premise"])',
            "text_given_twice",
            "made = words(",
        ),
        (
            "train = prepare(rows.select(range(40)))",
            'train = prepare(rows.filter(lambda row: row["same"] == 1))',
            "one_class",
            "train = prepare(",
        ),
        (
            "held = prepare(rows.select(range(40, 64)))",
            "held = prepare(rows).select(range(24))\\ntrain = prepare(rows)",
            "leak",
            "eval_dataset=held",
        ),
    ],
)
def test_what_happened_to_columns_that_are_gone(was: str, became: str, code: str, at: str) -> None:
    assert was in SCRIPT
    script = SCRIPT.replace(was, became.replace("\\n", "\n"))
    found = looked_at(script)
    if code == "leak":  # all of the rows: the evaluate stage says so
        found, code = looked_at(script, "evaluate"), "eval_set_is_train_set"
    assert code in found
    assert found[code].line == line(script, at)


LOST = [
    (
        'data_collator=lambda rows: words.pad(rows, return_tensors="pt"),',
        "data_collator=DataCollatorWithPadding(words),",
        "held = prepare(rows.select(range(40, 64)))",
        'held = prepare(rows.select(range(40, 64)))\ntrain.set_format(columns=["input_ids"])',
        "labels_left_by_format",
        'columns=["input_ids"]',
    ),
    (
        'data_collator=lambda rows: words.pad(rows, return_tensors="pt"),',
        "data_collator=DataCollatorWithPadding(words),",
        "held = prepare(rows.select(range(40, 64)))",
        'held = prepare(rows.select(range(40, 64)))\ntrain = train.remove_columns("labels")',
        "labels_missing",
        "remove_columns(",
    ),
]


@pytest.mark.parametrize(("was", "is_now", "before", "became", "code", "at"), LOST)
def test_labels_that_were_lost_on_the_way_are_told_where(
    was: str, is_now: str, before: str, became: str, code: str, at: str
) -> None:
    script = SCRIPT.replace(was, is_now).replace(before, became)
    found = looked_at(script)
    assert found[code].severity == "fault"
    assert found[code].line == line(script, at if "columns=[" in at else "train = train.")


def test_labels_of_the_evaluation_that_are_numbered_otherwise() -> None:
    told = SCRIPT.replace("range(64)]", "range(200)]").replace("sentences(64)", "sentences(200)")
    told = told.replace("n % 3 for n", "int(n % 4 > 0) for n")  # one word tells it
    told = told.replace(', batch["hypothesis"])', ")")
    told = told.replace("range(40, 64)", "range(100, 200)").replace("range(40)", "range(100)")
    turned = "held = held.map(lambda row: {'labels': 1 - row['labels']})"
    script = told.replace("Trainer(\n", turned + "\nTrainer(\n")

    found = looked_at(script)["eval_numbered_otherwise"]

    assert found.line == line(script, "held = held.map")
    assert found.numbers["moved"] == 2
    assert "eval_numbered_otherwise" not in looked_at(told)


def test_rows_that_were_picked_out_of_the_training_rows_are_told_where() -> None:
    script = SCRIPT.replace(
        "held = prepare(rows.select(range(40, 64)))", "held = train.select(range(9))"
    )
    found = looked_at(script, "evaluate")["eval_set_is_train_set"]
    assert found.line == line(script, "held = train.select")
