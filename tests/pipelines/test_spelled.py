"""Texts beside the numbers that were made of their words: plain values, and a real tokenizer."""

from __future__ import annotations

from debugger.pipelines.spelled import cased_of
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
