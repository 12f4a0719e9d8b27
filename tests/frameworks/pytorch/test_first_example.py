"""The first example of a batch, followed: the same one in every stage, also where it fails."""

from __future__ import annotations

import re
from typing import Any

import pytest
from transformers import Trainer, default_data_collator

from debugger import diagnose
from debugger.report import Report
from tests import tiny


def piece(report: Report, stage: Any, code: str) -> dict[str, Any]:
    return next(one.data for one in report.stage(stage).evidence if one.code == code)


def facts(data: dict[str, Any]) -> dict[str, Any]:
    return {name["say"]: value for name, value in data["rows"]}


@pytest.mark.proof
def test_the_batch_and_the_model_see_the_same_example() -> None:
    trainer = tiny.classifier()
    report = diagnose(trainer)
    sample, answer = (
        piece(report, "batch", "example"),
        piece(report, "forward", "example_forward"),
    )
    row: Any = trainer.train_dataset[facts(sample)["training_row"]]  # type: ignore[index]
    real = [token for token, kept in zip(sample["tokens"], sample["mask"], strict=True) if kept]
    assert real == tiny.tokenizer().convert_ids_to_tokens(row["input_ids"])
    assert str(facts(sample)["label"]).startswith(str(row["label"]))
    assert facts(answer)["label"] == row["label"]
    assert len(facts(answer)["logits"]) == 3


def test_a_batch_that_fails_shows_the_rows_that_it_was_to_be_made_of() -> None:
    trainer = tiny.classifier(data_collator=default_data_collator)
    report = diagnose(trainer)
    said = piece(report, "batch", "traceback")["message"]
    expected, got = map(int, re.findall(r"length (\d+) at dim 1 \(got (\d+)\)", said)[0])
    lengths = piece(report, "batch", "collision")["lengths"]
    assert len(lengths) == trainer.args.per_device_train_batch_size
    assert lengths[0] == expected
    assert next(length for length in lengths if length != expected) == got
    assert len(piece(report, "batch", "example")["tokens"]) == expected


def test_a_text_that_no_tensor_can_hold_is_shown_as_it_was_handed_over() -> None:
    rows = tiny.pairs(48)
    words = rows.add_column("note", ["a note"] * len(rows))  # type: ignore[call-arg]
    args = tiny.arguments(remove_unused_columns=False)
    report = diagnose(tiny.classifier(train_dataset=words, args=args), stage="batch")
    assert report.stage("batch").outcome == "fail"
    handed = {row[0]: row[1:] for row in piece(report, "batch", "first_row")["rows"]}
    assert handed["note"] == ["str", "a note"]
    assert handed["input_ids"][0] == "list[int]"


def test_looking_at_a_batch_that_fails_leaves_the_collator_where_it_was() -> None:
    trainer: Trainer = tiny.classifier(data_collator=default_data_collator)
    diagnose(trainer, stage="batch")
    assert trainer.data_collator is default_data_collator


def test_rows_to_be_judged_are_the_same_ones_in_every_order() -> None:
    rows = tiny.pairs(48)
    plain, shuffled = (
        diagnose(tiny.classifier(train_dataset=one), stage="data").stage("data").measured
        for one in (rows, rows.shuffle(seed=3))
    )
    assert plain["train"]["judged"] == shuffled["train"]["judged"]
    assert len(plain["train"]["judged"]) == 4
    assert all(text and label[0] in "012" for text, label in plain["train"]["judged"])
