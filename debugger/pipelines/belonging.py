"""Do the parts of a row belong together: two texts, words and labels, a source and its target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from debugger.pipelines.targets import framing

MOST_ROWS = 400
FEWEST_ROWS = 60
MOST_WORDS = 60
SHUFFLES = 20
SHORTEST = 3
MOST_BEFORE = 3
"""Tokens before the words of a row: one that begins it, and what a script puts there itself."""
MOST_KNOWN = 0.7
FEWEST_BEFORE, NEARLY_ALL = 5, 0.9
_BEGINS, _GOES_ON = ("\u0120", "\u2581"), "##"
"""Marks of tokens: of one that begins a word, or of one that goes on with it."""


@dataclass(frozen=True)
class Belonging:
    """Of the `rows` looked at, `twice` say one text two times over.

    `by_words` of `split` rows that hold a word of several tokens give the labels of the words to
    the tokens one by one, though some stand elsewhere. Of `words` whose own label is known and is
    not the commonest, a share of `own` have one and the same label on a token of theirs. Of
    `pieces`, tokens that go on a word before one with another label, `of_next` have that label, if
    surely so.
    `related` is by how many standard deviations sources and targets go together better than when
    they are dealt out anew.
    """

    rows: int = 0
    twice: int = 0
    split: int = 0
    by_words: int = 0
    words: int = 0
    own: float = 1.0
    pieces: int = 0
    of_next: int = 0
    related: float | None = None


def belonging_of(
    values: Mapping[str, Sequence[Any]],
    ids: Sequence[Any] | None,
    labels: Sequence[Any],
    tokenizer: Any,
    names: Sequence[str] = (),
) -> Belonging:
    """`names` are what the classes are called: tags may be written in words."""
    if not ids or tokenizer is None or not ids[0] or not isinstance(ids[0][0], int):
        return Belonging()
    rows = ids[:MOST_ROWS]
    special = set(tokenizer.all_special_ids) - {getattr(tokenizer, "unk_token_id", None)}
    return Belonging(
        rows=len(rows),
        twice=sum(_is_twice(row, special) for row in rows),
        **_laid(_numbered(values, names), rows, labels, tokenizer),
        **_gone_on(rows, labels, tokenizer),
        related=_related(rows, labels, special),
    )


def _numbered(values: Mapping[str, Sequence[Any]], names: Sequence[str]) -> Mapping[str, Any]:
    """Columns of tags in words as the numbers that the model has for them."""
    number = {name: place for place, name in enumerate(names)}
    return {
        name: [[number[tag] for tag in row] for row in column]
        if _all_known(column, number)
        else column
        for name, column in values.items()
    }


def _all_known(column: Sequence[Any], number: Mapping[str, int]) -> bool:
    lists = bool(number) and len(column) > 0 and all(isinstance(row, list) for row in column)
    return lists and all(isinstance(tag, str) and tag in number for row in column for tag in row)


def _is_twice(row: Sequence[int], special: set[int]) -> bool:
    """The second may have been cut."""
    pieces: list[list[int]] = [[]]
    for one in row:
        if one in special:
            pieces.append([])
        else:
            pieces[-1].append(one)
    told = [piece for piece in pieces if piece]
    if len(told) == 1 and len(told[0]) >= 2 * SHORTEST:
        half = len(told[0]) // 2
        told = [told[0][:half], told[0][half:]]
    pairs = list(zip(told[::2], told[1::2], strict=False))
    says_more = all(len(set(first)) > 1 for first, _ in pairs)  # than one word, again and again
    return len(told) % 2 == 0 and says_more and bool(pairs) and all(_are_one(*p) for p in pairs)


def _are_one(first: list[int], second: list[int]) -> bool:
    shorter = min(len(first), len(second))
    return first == second or (shorter >= SHORTEST and first[:shorter] == second[:shorter])


@dataclass(frozen=True)
class _Tagged:
    """One row: the labels of its words, the word of each token, and the labels of the tokens."""

    own: list[int]
    words: list[int | None]
    given: list[int]

    @property
    def firsts(self) -> list[int]:
        return [self.words.index(word) for word in range(len(self.own)) if word in self.words]

    def is_by_words(self) -> bool | None:
        """None where both ways come to the same, as where every word is one token."""
        begin = self.firsts[0]
        if self.firsts == list(range(begin, begin + len(self.firsts))):
            return None
        one_by_one = self.given[begin : begin + len(self.own)]
        right = [self.given[at] for at in self.firsts if at < len(self.given)]
        laid, followed = (self.own[: len(one)] == one for one in (one_by_one, right))
        return None if laid and followed else laid

    def pairs(self) -> list[tuple[int, int | None]]:
        """The label of each word, and the first that one of its tokens has."""
        told: dict[int, list[int]] = {}
        for word, label in zip(self.words, self.given, strict=False):
            if word is not None:
                told.setdefault(word, []).extend([] if label == -100 else [label])
        return [(self.own[w], found[0] if found else None) for w, found in told.items()]


def _laid(
    values: Mapping[str, Sequence[Any]], ids: Sequence[Any], labels: Sequence[Any], tokenizer: Any
) -> dict[str, Any]:
    """Where words and their own labels are still known: to which tokens do those go?"""
    words, tags = _words_and_tags(values, labels)
    if words is None or tags is None or not getattr(tokenizer, "is_fast", False):
        laid = _one_for_each_word(ids, labels, tokenizer)
        return {"split": len(laid), "by_words": sum(laid)}
    rows: list[_Tagged] = []
    for row, tokens in enumerate(ids):
        again = tokenizer(list(words[row]), is_split_into_words=True, add_special_tokens=False)
        begins = _begins(list(tokens), again["input_ids"])
        if begins is None:
            continue
        known = [None] * begins + again.word_ids()[: len(tokens) - begins]
        made = _Tagged(list(tags[row]), known, list(labels[row]))
        if made.firsts:
            rows.append(made)
    by_words = [said for row in rows if (said := row.is_by_words()) is not None]
    pairs = [pair for row in rows for pair in row.pairs()]
    common = Counter(tag for tag, _ in pairs).most_common(1)
    rare = [pair for pair in pairs if pair[0] != common[0][0]]
    return {
        "split": len(by_words),
        "by_words": sum(by_words),
        "words": len(rare),
        "own": _purity(rare),
    }


def _begins(row: list[int], text: list[int]) -> int | None:
    """Where the text begins in the row, whose end may have been cut off."""
    for at in range(min(len(row), MOST_BEFORE + 1)):
        room = len(row) - at - 1
        if text and row[at : at + len(text)][:room] == text[:room]:
            return at
    return None


def _one_for_each_word(ids: Sequence[Any], labels: Sequence[Any], tokenizer: Any) -> list[bool]:
    """Of rows with words of several tokens, whether as many labels as there are words stand one
    after the other from the beginning on. By the marks of tokens: nobody knows the words."""
    found: list[bool] = []
    for places, firsts, given in _marked(ids, labels, tokenizer):
        at = [place for place, label in enumerate(given) if label != -100]
        one_by_one = bool(at) and at == list(range(at[0], at[0] + len(at)))
        found.append(one_by_one and at[0] <= places[0] and len(at) == len(firsts))
    return found


def _gone_on(ids: Sequence[Any], labels: Sequence[Any], tokenizer: Any) -> dict[str, int]:
    """What the tokens behind the first of a word are called. Some go on with the name, before
    whatever comes, and some call them nothing, before a name as well; nobody does both."""
    told: list[tuple[int, int, int]] = []
    for places, firsts, given in _marked(ids, labels, tokenizer):
        for at, after in pairwise(firsts):
            own, behind = given[places[at]], given[places[after]]
            told += [(own, behind, given[places[n]]) for n in range(at + 1, after)]
    told = [one for one in told if -100 not in one and one[0] != one[1]]
    common = Counter(one for own, behind, _ in told for one in (own, behind)).most_common(1)
    before: tuple[list[bool], list[bool]] = [], []
    for _, behind, label in told:
        before[behind == common[0][0]].append(label == behind)
    sure = all(len(n) >= FEWEST_BEFORE and sum(n) >= NEARLY_ALL * len(n) for n in before)
    return {"pieces": len(told), "of_next": sum(map(sum, before)) if sure else 0}


def _marked(
    ids: Sequence[Any], labels: Sequence[Any], tokenizer: Any
) -> Iterator[tuple[list[int], list[int], Sequence[int]]]:
    """Of rows with words of several tokens, told by their marks: the places of their tokens, which
    of those begin a word, and the labels."""
    special = framing(tokenizer)
    for row, given in zip(ids, labels, strict=False):
        if not isinstance(given, list | tuple) or len(given) != len(row):
            continue
        places = [place for place, one in enumerate(row) if one not in special]
        made = tokenizer.convert_ids_to_tokens([row[place] for place in places])
        firsts = _firsts_in([one or "" for one in made])
        if firsts is not None and firsts != list(range(len(firsts))):
            yield places, firsts, given


def _firsts_in(tokens: Sequence[str]) -> list[int] | None:
    """The places of tokens that begin a word, by their marks; None where none has any."""
    begins = next((m for m in _BEGINS if any(one.startswith(m) for one in tokens[1:])), None)
    if begins is not None:
        return [n for n, one in enumerate(tokens) if n == 0 or one.startswith(begins)]
    goes_on = [one.startswith(_GOES_ON) for one in tokens]
    return [n for n, on in enumerate(goes_on) if not on] if any(goes_on) else None


def _purity(pairs: list[tuple[int, int | None]]) -> float:
    """A script may well call a label otherwise, if it always does, and no two alike."""
    given: dict[int, Counter[int | None]] = {}
    for tag, label in pairs:
        given.setdefault(tag, Counter())[label] += label is not None
    called = [counts.most_common(1)[0] for counts in given.values()]
    same = sum(counts[tag] for tag, counts in given.items())
    renamed = sum(count for _, count in called)
    injective = len({label for label, _ in called}) == len(called)
    return max(same, renamed if injective else 0) / max(1, len(pairs))


def _words_and_tags(
    values: Mapping[str, Sequence[Any]], labels: Sequence[Any]
) -> tuple[Any | None, Any | None]:
    """A column of words, and one of numbers, as many, that knows all that the labels say."""
    if not labels or not isinstance(labels[0], list | tuple):
        return None, None
    said = {one for row in labels[:MOST_ROWS] for one in row if one != -100}
    lists = {n: c for n, c in values.items() if len(c) and isinstance(c[0], list) and c[0]}
    for words in lists.values():
        if not all(isinstance(one, str) for one in words[0]):
            continue
        for column in lists.values():
            as_many = all(len(a) == len(b) for a, b in zip(words, column, strict=True))
            if column is not labels and as_many and isinstance(column[0][0], int):
                known = {one for row in column[:MOST_ROWS] for one in row}
                if said <= known | {0} and len(known & said) >= MOST_KNOWN * len(known):
                    return words, column
    return None, None


def _related(ids: Sequence[Any], labels: Sequence[Any], special: set[int]) -> float | None:
    """Which words go with which, how long both are, and what is copied, against chance.

    None where the labels are not another text.
    """
    rows = list(zip(ids, labels, strict=False))
    if len(rows) < FEWEST_ROWS or not all(isinstance(y, list | tuple) for _, y in rows):
        return None
    here = [[one for one in row if one not in special] for row, _ in rows]
    there = [[one for one in y if one not in special and one != -100] for _, y in rows]
    if all(len(a) == len(b) for (a, b) in rows) or not all(here) or not all(there):
        return None
    sources, targets = _features(here), _features(there)
    own = [Counter(row) for row in here]
    others = [Counter(row) for row in there]

    def together(order: Any) -> tuple[float, float]:
        copied = sum((own[a] & others[b]).total() for a, b in enumerate(order))
        return float(((sources.T @ targets[order]) ** 2).sum()), float(copied)

    random = np.random.default_rng(0)
    found = np.array(together(np.arange(len(rows))))
    dealt = np.array([together(random.permutation(len(rows))) for _ in range(SHUFFLES)])
    spread = dealt.std(0)
    sure = [(f - m) / s for f, m, s in zip(found, dealt.mean(0), spread, strict=True) if s > 0]
    return max(sure, default=None)


def _features(rows: list[list[int]]) -> Any:
    """Which of the commonest words a row holds, and how long it is, each about its mean."""
    common = [w for w, _ in Counter(w for row in rows for w in set(row)).most_common(MOST_WORDS)]
    held = np.array([[word in row for word in common] + [len(row)] for row in map(list, rows)])
    made = held.astype(float) - held.mean(0)
    return made / np.maximum(made.std(0), 1e-9)
