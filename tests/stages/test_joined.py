"""Two texts that become one, with a word of both where they meet."""

from __future__ import annotations

import pandas as pd
import pytest
from datasets import Dataset

from debugger.pipelines.data import Data
from debugger.script.places import Places
from debugger.stages.judging import Verdict, View
from debugger.stages.texts import joined_without_space
from tests.stages.cases.seen import SPLIT
from tests.stages.test_step import FACTS

JOINED = "def words(row):\n    return split(row['title'] + row['body'])"
ROWS = {"title": ["My printer"] * 30, "body": ["It stands still"] * 30}


def told(script: str, rows: dict[str, list[str]] = ROWS, kind: type = pd.DataFrame) -> bool:
    table = Dataset.from_dict(rows) if kind is Dataset else kind(rows)
    view = View(FACTS, Places(script), True, {"rows": table})
    return isinstance(joined_without_space(Data(SPLIT, None), view), Verdict)


def test_the_word_that_nobody_wrote_is_found_in_any_table() -> None:
    assert told(JOINED)
    assert told(JOINED, kind=Dataset)
    assert told("words = f\"{row['title']}{row['body']}\"")


@pytest.mark.parametrize(
    "script",
    [
        JOINED.replace(" + ", " + ' ' + "),
        "words = f\"{row['title']} {row['body']}\"",
        JOINED.replace("'body'", "'place'"),
        "both = split(row['title'], row['body'])",
    ],
)
def test_what_stands_between_them_keeps_words_apart(script: str) -> None:
    assert not told(script)


@pytest.mark.parametrize("column", ["title", "body"])
def test_texts_that_bring_their_own_space_or_hold_no_words_are_let_be(column: str) -> None:
    spaced = {name: [f" {text} " for text in texts] for name, texts in ROWS.items()}
    assert not told(JOINED, {**ROWS, column: spaced[column]})
    assert not told(JOINED, {"title": ["img"] * 30, "body": ["0017"] * 30})
