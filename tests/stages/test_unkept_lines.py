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
