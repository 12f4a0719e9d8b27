"""A batch is held against the rows that it was made of, whatever collator made it."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from datasets import Dataset
from transformers import BertConfig, BertForMultipleChoice, DataCollatorWithPadding, Trainer

from debugger import diagnose
from tests import tiny

PAD = DataCollatorWithPadding(tiny.tokenizer())


def codes(trainer: Trainer) -> set[str]:
    return {one.code for one in diagnose(trainer, stage="batch").findings}


def test_labels_in_an_order_of_their_own_are_told() -> None:
    def collate(rows: list[Any]) -> Any:
        batch = PAD(rows)
        batch["labels"] = batch["labels"].sort().values
        return batch

    assert "labels_of_other_rows" in codes(tiny.classifier(data_collator=collate))


def test_labels_that_are_called_otherwise_are_none_of_other_rows() -> None:
    def collate(rows: list[Any]) -> Any:
        batch = PAD(rows)
        batch["labels"] = (batch["labels"] + 1) % 3
        return batch

    assert "labels_of_other_rows" not in codes(tiny.classifier(data_collator=collate))
    assert "labels_of_other_rows" not in codes(tiny.classifier())


def test_a_collator_that_uses_its_rows_up_is_told_of_by_its_own_error() -> None:
    wanted = ["input_ids", "attention_mask", "label"]
    rows = [dict(row) for row in tiny.pairs(8).select_columns(wanted)]

    def collate(given: list[Any]) -> Any:
        labels = torch.tensor([row.pop("label") for row in given])
        return {**PAD(given), "labels": labels}

    whole = tiny.arguments(remove_unused_columns=False)
    trainer = tiny.classifier(args=whole, train_dataset=rows, data_collator=collate)
    report = diagnose(trainer, steps=1, experiments=False)
    assert "stage_unreadable" not in {one.code for one in report.findings}
    assert report.first_failing_stage == "forward"


def test_one_field_in_an_order_of_its_own_is_told_though_no_field_is_called_as_usual() -> None:
    def collate(rows: list[Any], turned: bool) -> Any:
        batch = PAD(rows)
        order = torch.arange(len(rows)).flip(0) if turned else torch.arange(len(rows))
        return {"asked": batch["input_ids"], "answer": batch["input_ids"].clone()[order]}

    for turned in (False, True):
        trainer = tiny.classifier(data_collator=partial(collate, turned=turned))
        assert ("rows_mixed" in codes(trainer)) is turned


def chooser(turned: bool, swapped: bool = False) -> Trainer:
    """Two answers to choose from in each row, all of one length."""

    def collate(rows: list[Any]) -> Any:
        if swapped:
            rows = [{**row, "input_ids": row["input_ids"][::-1]} for row in rows]
        flat = [{"input_ids": ids} for row in rows for ids in row["input_ids"]]
        labels = [row["label"] for row in rows]
        batch = PAD(flat)
        for name in ("input_ids", "attention_mask"):
            shape = (2, len(rows), -1) if turned else (len(rows), 2, -1)
            cut = batch[name].view(*shape)
            batch[name] = cut.transpose(0, 1).contiguous() if turned else cut
        return {**batch, "labels": torch.tensor(labels)}

    given = tiny.pairs(48)
    pairs = [given["input_ids"][n : n + 2] for n in range(0, 48, 2)]
    masks = [[[1] * len(ids) for ids in pair] for pair in pairs]
    rows = Dataset.from_dict(
        {"input_ids": pairs, "attention_mask": masks, "label": [n % 2 for n in range(24)]}
    )
    model = BertForMultipleChoice(BertConfig(vocab_size=len(tiny.WORDS) + 4, **tiny.SIZES))
    return tiny.classifier(
        model=model, train_dataset=rows, eval_dataset=rows, data_collator=collate
    )


def test_answers_that_were_mixed_with_those_of_other_rows_are_told() -> None:
    assert "rows_mixed" in codes(chooser(turned=True))
    assert "rows_mixed" not in codes(chooser(turned=False))


def test_answers_that_only_change_places_in_their_row_are_none_of_others() -> None:
    assert "rows_mixed" not in codes(chooser(turned=False, swapped=True))


def test_inputs_in_an_order_of_their_own_stand_beside_labels_of_other_rows() -> None:
    def collate(rows: list[Any], turned: bool) -> Any:
        batch = PAD(rows)
        order = batch["input_ids"].ne(0).sum(1).argsort(descending=True)
        order = order if turned else torch.arange(len(rows))
        return {"asked": batch["input_ids"][order], "labels": batch["labels"]}

    for turned in (False, True):
        trainer = tiny.classifier(data_collator=partial(collate, turned=turned))
        assert ("labels_of_other_rows" in codes(trainer)) is turned
        assert "rows_mixed" not in codes(trainer)
