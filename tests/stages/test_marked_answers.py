"""Answers in a text, and the tokens that are marked for them: whole scripts, looked at once."""

from __future__ import annotations

import pytest

from tests.stages.test_followed_rows import line, looked_at

SCRIPT = """
from datasets import Dataset
from transformers import BertForQuestionAnswering, Trainer, default_data_collator
from tests import tiny, tiny_kinds

words = tiny.tokenizer()
KNOWN = " ".join(tiny.WORDS[-5:])
texts, asked, said = [], [], []
for n, text in enumerate(tiny.sentences(48)):
    city = text.split()[n % 3]
    texts.append(text)
    asked.append(KNOWN)
    said.append({"text": [city], "answer_start": [text.index(city)]})
rows = Dataset.from_dict({"question": asked, "context": texts, "answers": said})


def place(batch):
    made = words(
        batch["question"], batch["context"],
        return_offsets_mapping=True, padding="max_length", max_length=32, truncation=True,
    )
    starts, ends = [], []
    for n, offsets in enumerate(made.pop("offset_mapping")):
        answer = batch["answers"][n]
        begin = answer["answer_start"][0]
        end = begin + len(answer["text"][0])
        inside = [
            at for at, (low, high) in enumerate(offsets)
            if made.sequence_ids(n)[at] == 1 and low < end and high > begin
        ] or [6]
        starts.append(inside[0])
        ends.append(inside[-1])
    made["start_positions"] = starts
    made["end_positions"] = ends
    return made


train = rows.map(place, batched=True, remove_columns=rows.column_names)
Trainer(
    model=BertForQuestionAnswering(tiny_kinds.config()),
    args=tiny.arguments(),
    train_dataset=train,
    data_collator=default_data_collator,
).train()
"""
FAULTS = [
    (
        "train = rows.map(",
        'rows = rows.map(lambda row: {"context": KNOWN + " " + row["context"]})\ntrain = rows.map(',
        "spans_of_other_text",
        "KNOWN + ",
    ),
    (
        '"answer_start": [text.index(city)]',
        '"answer_start": [text.index(city) + 6]',
        "spans_of_other_text",
        "+ 6]",
    ),
    (
        "at for at, (low",
        "at - 2 for at, (low",
        "spans_at_other_tokens",
        "starts.append(inside",
    ),
]


@pytest.mark.proof
def test_answers_at_their_tokens_are_left_alone() -> None:
    found = looked_at(SCRIPT)

    assert not {"spans_of_other_text", "spans_at_other_tokens"} & set(found)


@pytest.mark.some(1)
@pytest.mark.parametrize(("was", "became", "code", "at"), FAULTS)
def test_words_that_are_marked_and_are_no_answer(was: str, became: str, code: str, at: str) -> None:
    assert was in SCRIPT
    script = SCRIPT.replace(was, became)

    found = looked_at(script)

    assert found[code].severity == "fault"
    assert found[code].line == line(script, at)
