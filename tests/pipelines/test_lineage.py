"""How rows came about is followed through the calls of a script, and told row by row."""

from __future__ import annotations

from typing import Any

import pytest
from datasets import Dataset

from debugger.pipelines.lineage import disorder, history, rows_followed, taken_away

TEXTS = [f"text {number}" for number in range(20)]
LABELS = [number % 2 for number in range(20)]


def raw() -> Dataset:
    return Dataset.from_dict({"text": TEXTS, "stars": LABELS})


def encoded(rows: Dataset) -> Dataset:
    def encode(row: dict[str, Any]) -> dict[str, Any]:
        return {"input_ids": [int(row["text"].split()[1])], "labels": row["stars"]}

    return rows.map(encode, remove_columns=rows.column_names)


@pytest.mark.parametrize(
    "prepared",
    [
        lambda rows: encoded(rows),
        lambda rows: encoded(rows).shuffle(seed=3),
        lambda rows: encoded(rows.shuffle(seed=3)),
        lambda rows: encoded(rows).select([7, 3, 5]),
        lambda rows: encoded(rows).select(range(4, 9)),
        lambda rows: encoded(rows).filter(lambda row: row["input_ids"][0] % 3 == 0),
        lambda rows: encoded(rows).train_test_split(test_size=5, seed=1)["test"],
        lambda rows: encoded(rows.shuffle(seed=1).select([9, 2, 4])).rename_column("labels", "y"),
        lambda rows: encoded(rows).shuffle(seed=1).sort("labels", reverse=True),
    ],
)
def test_a_column_that_was_taken_away_is_found_again_row_by_row(prepared: Any) -> None:
    with rows_followed():
        rows = prepared(raw())

    texts = taken_away(rows, len(rows))["text"]
    assert texts == [f"text {ids[0]}" for ids in rows["input_ids"][:]]


def test_a_column_that_has_another_name_now_is_not_gone() -> None:
    with rows_followed():
        rows = raw().rename_column("text", "source").map(lambda row: {"input_ids": [1]})
        fewer = rows.remove_columns("source")

    assert taken_away(rows, 20, [rows["source"][:], rows["stars"][:]]) == {}
    assert taken_away(fewer, 20, [fewer["stars"][:]]) == {"source": TEXTS}


def test_rows_that_were_joined_have_no_text_of_their_own() -> None:
    with rows_followed():
        rows = raw().map(
            lambda batch: {"input_ids": [[1], [2]]}, batched=True, remove_columns=["text", "stars"]
        )

    assert taken_away(rows, 2) == {}


def test_nothing_is_known_of_rows_that_nobody_followed() -> None:
    assert taken_away(encoded(raw()), 20) == {}
    assert history(encoded(raw()), "labels", 20) == ()


def test_the_call_that_left_one_label_is_known_under_the_name_it_had_then() -> None:
    with rows_followed():
        rows = encoded(raw().filter(lambda row: row["stars"] == 1))

    narrowed = [one.call for one in history(rows, "labels", 20) if one.kinds == (2, 1)]
    assert narrowed == ["filter"]


def tokens() -> Dataset:
    return Dataset.from_dict({"input_ids": [[n, n + 1, n + 2, n + 3] for n in range(0, 80, 4)]})


def joined(rows: Dataset, turned: bool) -> Dataset:
    def join(batch: dict[str, Any]) -> dict[str, Any]:
        flat = [one for row in batch["input_ids"] for one in row]
        blocks = [flat[at : at + 8] for at in range(0, len(flat), 8)]
        return {"input_ids": [block[::-1] for block in blocks] if turned else blocks}

    return rows.map(join, batched=True)


@pytest.mark.parametrize(("turned", "moved"), [(True, 10), (False, 0)])
def test_blocks_are_held_against_the_text_that_they_were_cut_from(turned: bool, moved: int) -> None:
    with rows_followed():
        rows = joined(tokens(), turned)

    found = disorder(rows)
    assert found is not None
    assert (found.rows, found.moved) == (10, moved)
