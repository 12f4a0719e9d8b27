"""What the loss is asked for: labels beside the tokens that they belong to."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

IGNORED = -100
MOST_ALIGNED = 200
PARTS = 10
FEW = 4
"""Rows that are asked about."""
_FRAMING = ("cls", "sep", "bos", "eos", "pad")


@dataclass(frozen=True)
class Targets:
    """The labels of a batch, one for each token. `same` of the counted ones are the token at
    their place, `beside` of them the one before or behind it; None where tokens and labels are of
    different shapes.

    `only` is the one number that all labels are which count.

    `ends` closing tokens stand in the texts, and `ends_counted` of them are learned; `masked`
    tokens are hidden from the model. `decoder_same` of the labels are what the decoder reads.
    `filled` labels are padding, and not marked as such. Of `texts` answers, told
    where the tokenizer ends every text with a token of its own, `ended` end so. `generates`: the
    evaluation writes answers, until such a token comes. `ends_ignored`: that token is the padding,
    too, and every row ends in a label that is not learned. `alike` are the commonest label among
    the counted ones at tokens that the model reads and that are others, and how often it is there.
    """

    counted: int
    ignored: int
    same: float | None = None
    beside: float | None = None
    only: int | None = None
    masked: int = 0
    ends: int = 0
    ends_counted: int = 0
    decoder_same: float | None = None
    filled: int = 0
    texts: int = 0
    ended: int = 0
    generates: bool = False
    ends_ignored: bool = False
    alike: tuple[int, int] | None = None


@dataclass(frozen=True)
class Spans:
    """Answers as places of tokens. `absent` ones point at the first token; `of_one` other token
    is what begins and ends at the same place. `in_question`: they stand in the first of two texts,
    which is shorter than the second."""

    rows: int
    absent: int
    outside: int
    reversed: int
    of_one: int = 0
    in_question: int = 0


@dataclass(frozen=True)
class Aligned:
    """Labels of tokens in the rows looked at: how many rows have another number of labels.

    Of rows that begin and end with a token of no text, `first` and `last` give that token a label,
    `first_word` and `last_word` the one beside it. `agree` is how well the labels go with those of
    the words, standing as they are and moved to the left and to the right by one.
    """

    rows: int
    unequal: int = 0
    framed: int = 0
    first: int = 0
    last: int = 0
    first_word: int = 0
    last_word: int = 0
    agree: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Aims:
    """What the labels of the rows looked at are: `not_finite` of `amounts` are no number.

    `beyond` is a value of a vector of yes and no that is neither. `quantiles`: the amounts of one
    for each row, from the least to the most in even steps.
    """

    amounts: int = 0
    not_finite: int = 0
    beyond: float | None = None
    quantiles: tuple[float, ...] = ()
    spans: Spans | None = None
    aligned: Aligned | None = None


def targets_of(
    ids: np.ndarray,
    labels: np.ndarray,
    real: np.ndarray | None,
    decoder: np.ndarray | None,
    tokenizer: Any,
) -> Targets:
    counted = labels != IGNORED
    known: dict[str, Any] = {
        "counted": int(counted.sum()),
        "ignored": int((~counted).sum()),
        "masked": _number_of(ids, getattr(tokenizer, "mask_token_id", None)),
    }
    if len(found := np.unique(labels[counted])) == 1:
        known["only"] = int(found[0])
    if decoder is not None and decoder.shape == labels.shape and counted.any():
        known["decoder_same"] = float((decoder == labels)[counted].mean())
    if ids.shape != labels.shape:
        return Targets(**known)
    if real is not None:
        counted = counted & real
    if counted.any():
        known["same"] = float((ids == labels)[counted].mean())
        known["alike"] = _alike(labels[counted & (ids != labels) & _read(ids, tokenizer)])
        moved = (np.roll(ids, by, axis=-1) == labels for by in (-1, 1))
        known["beside"] = max(float(alike[counted].mean()) for alike in moved)
    end = getattr(tokenizer, "eos_token_id", None)
    if end is not None and real is not None:
        ends = (ids == end) & real
        if end == getattr(tokenizer, "pad_token_id", None):
            ends &= ~_fills(ids == end)
        known |= {"ends": int(ends.sum()), "ends_counted": int((ends & counted).sum())}
    return Targets(**known)


def _fills(there: np.ndarray) -> np.ndarray:
    """Where more than one in turn begin or end a row: padding, whatever the mask says of it."""
    closing = np.flip(np.logical_and.accumulate(np.flip(there, -1), axis=-1), -1)
    opening = np.logical_and.accumulate(there, axis=-1)
    closing &= closing.sum(axis=-1, keepdims=True) > 1
    opening &= opening.sum(axis=-1, keepdims=True) > 1
    return closing | opening


def ends_of(labels: np.ndarray, tokenizer: Any) -> dict[str, Any]:
    """How many answers there are, and how many end as the tokenizer itself ends a text."""
    unknown = getattr(tokenizer, "unk_token_id", None)
    closing = set(getattr(tokenizer, "all_special_ids", ())) - {unknown}
    usual = tokenizer("a")["input_ids"] if closing else []
    if not usual or usual[-1] not in closing:
        return {}
    pad = tokenizer.pad_token_id
    rows = [
        [y for y in row if y not in (IGNORED, pad) or y == usual[-1]] for row in labels.tolist()
    ]
    told = [row for row in rows if row]
    return {
        "texts": len(told),
        "ended": sum(row[-1] in closing for row in told),
        "ends_ignored": pad == usual[-1] and bool((labels[:, -1] == IGNORED).all()),
    }


def without_end(labels: Sequence[Any]) -> list[int]:
    """Where the first labels stand that are no finite number, or hold one that is none, and where
    as many others do. None where all are numbers."""
    each = (y if isinstance(y, (list, tuple)) else (y,) for y in labels)
    lost = [any(isinstance(y, float) and not math.isfinite(y) for y in row) for row in each]
    chosen, others = ([n for n, one in enumerate(lost) if one is so][:FEW] for so in (True, False))
    return [*chosen, *others] if chosen else []


def aims_of(
    values: Mapping[str, Sequence[Any]],
    ids: Sequence[Any] | None,
    labels: Sequence[Any],
    tokenizer: Any,
) -> Aims:
    flat = [y for row in labels for y in (row if isinstance(row, (list, tuple)) else [row])]
    amounts = [y for y in flat if isinstance(y, float)]
    return Aims(
        amounts=len(amounts),
        not_finite=sum(not math.isfinite(y) for y in amounts),
        beyond=next((y for y in amounts if math.isfinite(y) and y not in (0.0, 1.0)), None),
        quantiles=_quantiles(labels),
        spans=_spans(values, ids),
        aligned=_aligned(values, ids, labels, tokenizer),
    )


def _quantiles(labels: Sequence[Any]) -> tuple[float, ...]:
    one_each = [y for y in labels if isinstance(y, float) and math.isfinite(y)]
    if not one_each or len(one_each) != len(labels):
        return ()
    return tuple(map(float, np.quantile(one_each, np.linspace(0, 1, PARTS + 1))))


def _read(ids: np.ndarray, tokenizer: Any) -> np.ndarray:
    """The tokens that are not hidden from the model."""
    hidden = getattr(tokenizer, "mask_token_id", None)
    return np.ones_like(ids, dtype=bool) if hidden is None else ids != hidden


def _alike(labels: np.ndarray) -> tuple[int, int] | None:
    found, counts = np.unique(labels, return_counts=True)
    return (int(found[counts.argmax()]), int(counts.max())) if len(found) else None


def _number_of(ids: np.ndarray, token: int | None) -> int:
    return 0 if token is None else int((ids == token).sum())


def _spans(values: Mapping[str, Sequence[Any]], ids: Sequence[Any] | None) -> Spans | None:
    starts, ends = values.get("start_positions"), values.get("end_positions")
    if not ids or starts is None or ends is None or not len(starts) == len(ends) == len(ids):
        return None
    places = [(a, b) for a, b in zip(starts, ends, strict=True) if _is_int(a) and _is_int(b)]
    if len(places) != len(ids):
        return None
    return Spans(
        rows=len(places),
        absent=sum(a == b == 0 for a, b in places),
        outside=sum(max(a, b) >= len(row) for (a, b), row in zip(places, ids, strict=True)),
        reversed=sum(b < a for a, b in places),
        of_one=sum(a == b != 0 for a, b in places),
        in_question=_in_question(places, values.get("token_type_ids")),
    )


def _in_question(places: list[tuple[int, int]], types: Sequence[Any] | None) -> int:
    if types is None or len(types) != len(places):
        return 0
    count = 0
    for (start, _), kinds in zip(places, types, strict=True):
        if isinstance(kinds, (list, tuple)) and 1 in kinds:
            first = list(kinds).index(1)
            count += 0 < start < first < sum(kinds)
    return count


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _aligned(
    values: Mapping[str, Sequence[Any]],
    ids: Sequence[Any] | None,
    labels: Sequence[Any],
    tokenizer: Any,
) -> Aligned | None:
    rows = [y for y in labels if isinstance(y, (list, tuple)) and all(map(_is_int, y))]
    if not ids or not rows or not len(rows) == len(labels) == len(ids):
        return None
    unequal = sum(len(y) != len(row) for y, row in zip(rows, ids, strict=True))
    if tokenizer is None or unequal:
        return Aligned(len(rows), unequal)
    special = framing(tokenizer)
    frames = [found for row in range(len(ids)) if (found := _frame(ids[row], special))]
    chosen = [y for row, y in enumerate(rows) if _frame(ids[row], special)]
    counts = Counter(
        name
        for (first, last), y in zip(frames, chosen, strict=True)
        for name, place in (
            ("first", first - 1),
            ("first_word", first),
            ("last_word", last),
            ("last", last + 1),
        )
        if y[place] != IGNORED
    )
    agree = _agreement(values, ids, rows, tokenizer)
    return Aligned(len(rows), unequal, len(frames), agree=agree, **counts)


def framing(tokenizer: Any) -> set[int]:
    """Special tokens that are no words; others that people add may well be some."""
    found = (getattr(tokenizer, f"{name}_token_id", None) for name in _FRAMING)
    return {one for one in found if one is not None}


def _frame(row: Sequence[int], special: set[int]) -> tuple[int, int] | None:
    """The first and the last token of the text, where one of another kind stands on either side."""
    places = [place for place, one in enumerate(row) if one not in special]
    if len(places) < 2 or places[0] == 0 or places[-1] == len(row) - 1:
        return None
    return places[0], places[-1]


def _agreement(
    values: Mapping[str, Sequence[Any]],
    ids: Sequence[Any],
    labels: Sequence[Any],
    tokenizer: Any,
) -> tuple[float, float, float] | None:
    """Where the words and their own labels are still beside the tokens: they are aligned anew."""
    words, tags = _words_and_tags(values)
    if not words or not getattr(tokenizer, "is_fast", False):
        return None
    pairs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in range(min(len(ids), MOST_ALIGNED)):
        again = tokenizer(list(words[row]), is_split_into_words=True)
        tokens = _unpadded(list(ids[row]), tokenizer.pad_token_id)
        if again["input_ids"][: len(tokens) - 1] != tokens[:-1]:
            return None
        seen: int | None = None
        for place, word in enumerate(again.word_ids()[: len(tokens) - 1]):
            if word is not None and word != seen:
                for moved in (0, -1, 1):
                    if 0 <= place + moved < len(tokens):
                        pairs[moved].append((tags[row][word], labels[row][place + moved]))
            seen = word
    common = Counter(tag for tag, _ in pairs[0]).most_common(1)
    if len({tag for tag, _ in pairs[0]}) < 2:
        return None
    found = [_purity([p for p in pairs[moved] if p[0] != common[0][0]]) for moved in (0, -1, 1)]
    return found[0], found[1], found[2]


def _unpadded(row: list[int], pad: int | None) -> list[int]:
    while row and row[-1] == pad:
        row.pop()
    return row


def _words_and_tags(values: Mapping[str, Sequence[Any]]) -> tuple[Any, Any]:
    """A column of lists of words, and one of lists of numbers as long, that is not the labels."""
    lists = {n: c for n, c in values.items() if len(c) and isinstance(c[0], list) and c[0]}
    words = {n: c for n, c in lists.items() if all(isinstance(one, str) for one in c[0])}
    for tokens in words.values():
        for name, column in lists.items():
            own = name in ("labels", "label", "input_ids", "attention_mask", "token_type_ids")
            as_long = all(len(a) == len(b) for a, b in zip(tokens, column, strict=True))
            if not own and as_long and all(map(_is_int, column[0])):
                return tokens, column
    return None, None


def _purity(pairs: list[tuple[int, int]]) -> float:
    """How many agree, whatever number a label was given: each word's label with its commonest."""
    given: dict[int, Counter[int]] = defaultdict(Counter)
    for tag, label in pairs:
        given[tag][label] += 1
    kept = {
        tag: [n for label, n in found.items() if label != IGNORED] for tag, found in given.items()
    }
    return sum(max(counts, default=0) for counts in kept.values()) / max(1, len(pairs))
