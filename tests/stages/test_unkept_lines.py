"""What is made and kept nowhere, and what only looks like it."""

from __future__ import annotations

import pytest

from debugger.script.places import Places

LOST = [
    'rows = load()\nrows.rename_column("stars", "label")',
    'rows = load_dataset("csv")\nrows.shuffle(seed=1)',
    'rows = DatasetDict(parts)\nrows["train"].filter(lambda row: row["label"] >= 0)',
    "def clean(text):\n    text.lower()\n    return text",
]
KEPT = [
    'rows = load()\nrows = rows.rename_column("stars", "label")',
    "rows = [3, 1, 2]\nrows.sort()",
    "random.shuffle(rows)",
    'pool.map(save, rows)\nplt.title("loss")\nos.replace(here, there)',
    "def encode(row):\n    return tokenizer(row)\nrows = rows.map(encode)",
    "def save(row):\n    row.write()\nexecutor.map(save)\npool.map(save, rows)",
]


@pytest.mark.parametrize("text", LOST)
def test_a_result_that_nobody_keeps(text: str) -> None:
    found = Places(text).unkept.thrown_away()
    assert found is not None
    assert found[0] == 2


@pytest.mark.parametrize("text", KEPT)
def test_nothing_is_lost(text: str) -> None:
    assert Places(text).unkept.thrown_away() is None
    assert Places(text).unkept.mute_map() is None


def test_a_function_for_map_that_gives_nothing_back() -> None:
    text = "def encode(row):\n    tokenizer(row['text'])\nrows = rows.map(encode, batched=True)"
    assert Places(text).unkept.mute_map() == (2, "encode")


def test_the_columns_of_a_table_are_listed_where_their_names_are_written_down() -> None:
    text = """names = ["age", "rooms", "price"]
shown = table[["age", "rooms"]]
x = table[names]"""
    assert Places(text).putting_columns() == 1


def test_what_only_one_of_two_is_brought_to_another_scale_by() -> None:
    text = """def measure(given):
    wanted = np.expm1(given.label_ids)
    said = given.predictions.clip(min=0)
    return {"mae": mean_absolute_error(wanted, said)}
Trainer(compute_metrics=measure)"""
    assert Places(text).handed.left_as_it_was("compute_metrics") == 3
    sound = text.replace("given.predictions", "np.expm1(given.predictions)")
    assert Places(sound).handed.left_as_it_was("compute_metrics") is None
