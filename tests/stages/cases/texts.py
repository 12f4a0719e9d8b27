"""Cases of the rules in stages/texts.py."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from debugger.pipelines.data import Data
from debugger.pipelines.spelled import Unsplit
from debugger.stages import texts
from tests.stages.cases.seen import SPLIT, Case, of_rows, of_script
from tests.stages.cases.tokens import of_tokens

CASES = [
    of_rows(
        texts.text_cut,
        {"lengths": (5, 6, 7, 8) * 10},
        {"length": 8, "rows": 20},
        lengths=(5, 6, 8, 8) * 10,
    ),
    of_rows(
        texts.filled_far,
        {"widths": (40,) * 40},
        {"width": 128, "longest": 8, "rows": 40, "times": 16},
        lengths=(5, 6, 7, 8) * 10,
        widths=(128,) * 40,
    ),
    Case(
        texts.words_numbered_twice,
        Data(SPLIT, None, renumbered=("words", 7)),
        {"renumbered": None},
        says={"name": "words"},
    ),
    Case(
        texts.words_not_split,
        Data(SPLIT, None, unsplit=Unsplit(200, 20)),
        {"unsplit": None},
        script="tok = Tokenizer(WordLevel())",
        says={"texts": 200, "words": 20},
    ),
    of_tokens(texts.identical_rows, {"inputs": 2}, {"rows": 40}, inputs=1),
    of_tokens(texts.contradicting_labels, {"contradicting": 7}, {"rows": 8}, contradicting=8),
    of_tokens(
        texts.text_mostly_cut,
        {"kept": (0.7,) * 40},
        {"kept": 0.2, "length": 8},
        kept=(0.2,) * 40,
        limit=8,
    ),
    Case(
        texts.letters_for_words,
        Data(SPLIT, None, spelled_out="w e  h a d"),
        {"spelled_out": ""},
        says={"text": "w e  h a d"},
    ),
    of_tokens(
        texts.second_sentence_cut,
        {"lost": {"b": 0.4}},
        {"gone": "b", "share": 0.6},
        lost={"a": 0.0, "b": 0.6},
    ),
    of_tokens(texts.label_in_text, {"told_others": 0.5}, {"share": 1.0}, told=1.0),
    replace(
        of_script(
            texts.joined_without_space,
            "def words(row):\n    return split(row['title'] + row['body'])",
            first="title",
            second="body",
            word="printerIt",
        ),
        names={"rows": pd.DataFrame({"title": ["My printer"] * 30, "body": ["It stands"] * 30})},
    ),
]
