"""Texts that stand in a script, and the rows of numbers that it has made of their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

FEWEST_ROWS = 20
ALIKE = 0.9
FEWEST_WORDS, SEVERAL = 8, 4
MOSTLY_LETTERS = 0.9
MOST_SHOWN = 24
MOST_TEXTS = 200
_ROUND = ".,;:!?()\"'"


@dataclass(frozen=True)
class Short:
    """Of `words` in a typical text the first `width` are read, which is the share `kept`."""

    width: int
    words: int
    kept: float


@dataclass(frozen=True)
class Cased:
    """Of `words` looked at, so many `unknown` ones are known in small letters, as `example` is.

    `lowered`: the vocabulary has them as they are written, and the tokenizer makes them small.
    `line` is the one that tokenizes them, where another one brings texts to small letters first.
    """

    unknown: int
    words: int
    example: str
    lowered: bool = False
    line: int | None = None


def cased_at(texts: Mapping[int | None, tuple[Sequence[str], Any]]) -> Cased | None:
    """Of texts, with their tokenizer, by the line that calls it: those with the most such words."""
    found = {line: cased_of(*given) for line, given in texts.items()}
    loud = {line: one for line, one in found.items() if one is not None}
    if not loud:
        return None
    line = max(loud, key=lambda line: loud[line].unknown / loud[line].words)
    calm = [texts[line][0] for line, one in found.items() if one is None]
    apart = any(sum(len(text.split()) for text in some) >= FEWEST_ROWS for some in calm)
    return replace(loud[line], line=line) if apart else loud[line]


def cased_of(texts: Sequence[str], tokenizer: Any) -> Cased | None:
    """Of a tokenizer that knows whole words; one of pieces, or of bytes, has hardly any unknown."""
    unknown = getattr(tokenizer, "unk_token_id", None)
    words = [word.strip(_ROUND) for text in texts[:MOST_TEXTS] for word in text.split()]
    if unknown is None or len(words) < FEWEST_ROWS:
        return None
    vocabulary, special = tokenizer.get_vocab(), {*getattr(tokenizer, "all_special_tokens", ())}
    loud = [
        word
        for word in words
        if (word in vocabulary) != (word.lower() in vocabulary) and word not in special
    ]
    read = {word: tokenizer(word, add_special_tokens=False)["input_ids"] for word in set(loud)}
    lost = [word for word in loud if unknown in read[word]]
    small = [word for word in lost if word not in vocabulary]
    lowered = [word for word in lost if word in vocabulary]
    found = max(small, lowered, key=len)
    return Cased(len(found), len(words), found[0], found is lowered) if found else None


@dataclass(frozen=True)
class Unsplit:
    """So many texts of typically so many words, nearly each of which is one token."""

    texts: int
    words: int


def unsplit(texts: Sequence[str], tokenizer: Any) -> Unsplit | None:
    """Of a tokenizer that takes a whole text for one word."""
    said = [text for text in texts[:MOST_TEXTS] if len(text.split()) >= SEVERAL]
    if len(said) < FEWEST_ROWS:
        return None
    made = tokenizer(said, add_special_tokens=False)["input_ids"]
    if sum(len(one) <= 1 for one in made) < ALIKE * len(said):
        return None
    return Unsplit(len(said), int(median(len(text.split()) for text in said)))


def short_of(texts: Sequence[str], rows: Sequence[Any]) -> Short | None:
    """Where rows of one number a word hold the first words of these texts, in whatever order: how
    often the numbers come in a place tells that they are those words."""
    width = len(rows[0]) if rows and isinstance(rows[0], list) else 0
    if not width or len(texts) != len(rows) or len(rows) < FEWEST_ROWS:
        return None
    words = [text.lower().split() for text in texts]
    counts = [len(said) for said in words]
    if any(len(row) != width for row in rows):
        return None
    width = _filled(counts, rows) or width
    if median(counts) <= width:
        return None
    said = Counter(one[0] for one in words if one)
    read = Counter(row[0] for row in rows)
    pairs = zip(sorted(said.values()), sorted(read.values()), strict=False)
    if len(said) != len(read) or sum(min(pair) for pair in pairs) < ALIKE * len(rows):
        return None
    return Short(width, int(median(counts)), median(min(1.0, width / max(1, n)) for n in counts))


def _filled(counts: Sequence[int], rows: Sequence[Any]) -> int | None:
    """How many places are ever filled, where all behind them is 0 and texts go on."""
    read = [sum(1 for number in row if number) for row in rows]
    most = max(read)
    as_told = all(many == min(most, count) for many, count in zip(read, counts, strict=True))
    return most if as_told and most else None


def fallen_apart(texts: Sequence[str]) -> str:
    """How the first of some texts begins, where nearly all words in all of them are one letter.

    Capitals are left out, which may stand for something each: amino acids, grades, chess moves.
    """
    words = [word for text in texts for word in text.split()]
    letters = [word for word in words if len(word) == 1 and word.islower()]
    if len(words) < FEWEST_WORDS * max(1, len(texts)) or not texts:
        return ""
    return texts[0][:MOST_SHOWN].strip() if len(letters) >= MOSTLY_LETTERS * len(words) else ""
