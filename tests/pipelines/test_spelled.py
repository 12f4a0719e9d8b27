"""Texts beside the numbers that were made of their words: plain values, and a real tokenizer."""

from __future__ import annotations

from typing import Any

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace, WhitespaceSplit
from tokenizers.trainers import WordLevelTrainer
from transformers import PreTrainedTokenizerFast

from debugger.pipelines.spelled import cased_at, cased_of, unsplit
from tests import tiny

WORDS = [word for word in tiny.WORDS if word.isalpha()][:4]


def test_words_that_are_unknown_for_their_capitals_alone() -> None:
    small = [" ".join(WORDS)] * 9
    loud = [" ".join(WORDS).upper() + "!"] * 3

    found = cased_of(small + loud, tiny.tokenizer())

    assert found is not None
    assert (found.unknown, found.words, found.example) == (12, 48, WORDS[0].upper())
    assert cased_of(small + ["Zxqv Qwzx"] * 3, tiny.tokenizer()) is None
    assert cased_of(loud, tiny.tokenizer()) is None  # too few to say


def test_of_two_lines_that_tokenize_the_one_that_leaves_the_capitals_is_known() -> None:
    small = [" ".join(WORDS)] * 9
    loud = [one.upper() for one in small]

    found = cased_at({7: (small, tiny.tokenizer()), 8: (loud, tiny.tokenizer())})
    alone = cased_at({7: (["yes"], tiny.tokenizer()), 8: (loud, tiny.tokenizer())})

    assert found is not None
    assert (found.line, found.unknown, found.words) == (8, 36, 36)
    assert alone is not None
    assert alone.line is None  # what is right about texts, nobody has seen here
    assert cased_at({7: (small, tiny.tokenizer())}) is None


def test_words_that_are_unknown_because_they_are_made_small() -> None:
    known = Tokenizer(WordLevel({"[UNK]": 0, "Goal": 1, "Corner": 2, "by": 3}, unk_token="[UNK]"))
    known.pre_tokenizer = Whitespace()
    late = PreTrainedTokenizerFast(tokenizer_object=known, unk_token="[UNK]")
    texts = ["Goal by by Corner"] * 9
    assert cased_of(texts, late) is None

    known.normalizer = Lowercase()
    late = PreTrainedTokenizerFast(tokenizer_object=known, unk_token="[UNK]")
    found = cased_of(texts, late)

    assert found is not None
    assert (found.lowered, found.unknown, found.words) == (True, 18, 36)
    assert cased_of(["[UNK] by by by"] * 9, late) is None  # which stands for what is unknown


def of_words(splits: Any) -> PreTrainedTokenizerFast:
    """A tokenizer that learned its words from the texts, as it splits them, if it does."""
    inner = Tokenizer(WordLevel(unk_token="[UNK]"))
    if splits is not None:
        inner.pre_tokenizer = splits
    inner.train_from_iterator(TEXTS, WordLevelTrainer(special_tokens=["[UNK]", "[PAD]"]))
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, unk_token="[UNK]", pad_token="[PAD]", model_max_length=32
    )


TEXTS = [text for text in tiny.sentences(80) if len(text.split()) > 3]


@pytest.mark.parametrize(
    ("splits", "whole"),
    [(None, True), (Whitespace(), False), (WhitespaceSplit(), False)],
)
def test_a_tokenizer_that_nobody_told_where_words_end(splits: Any, whole: bool) -> None:
    found = unsplit(TEXTS, of_words(splits))

    assert (found is not None) == whole
    assert found is None or (found.texts, found.words) == (len(TEXTS), 5)
    assert unsplit([text.split()[0] for text in TEXTS], of_words(splits)) is None


def test_texts_of_which_no_word_is_known_are_not_taken_whole() -> None:
    assert unsplit([text.upper() for text in TEXTS], of_words(Whitespace())) is None
    assert unsplit(TEXTS[:9], of_words(None)) is None  # too few to say
