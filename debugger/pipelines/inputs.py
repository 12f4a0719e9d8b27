"""What goes into the model: what padding and mask say of each other, and what the tokens say."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from debugger.pipelines.jumbled import Jumbled, jumbled

MOST_COUNTED = 500
MOST_READ = 40
MOST_WORDS = 50
MOST_FIRSTS = 20
TELLING = 12
SMALLEST = 8
"""Pixels that a side of a picture has at least."""
"""So many letters tell a text from others."""
NEARLY_ALL_SAID = 0.9


@dataclass(frozen=True)
class Padding:
    """A batch's filling as its ids show it: the padding token at either end of a row.

    Of `filled` positions the mask lets `open` ones through, and of `real` ones it hides `hidden`.
    `felt`: whether other answers come out once the filling is masked; None where nobody asked.
    `side` is where the filling stands, `generates` whether the evaluation writes on from there.
    `taken_for`: the token that fills rows up, and the other one that the model's config takes for
    filling; `missed`, whether other answers come out once the config is told. `empty` of `of` rows
    are nothing but filling.
    """

    filled: int
    open: int
    real: int
    hidden: int
    has_mask: bool
    rows: int = 0
    side: str = ""
    generates: bool = False
    felt: bool | None = None
    taken_for: tuple[int, int] | None = None
    missed: bool | None = None
    empty: int = 0
    of: int = 0


@dataclass(frozen=True)
class Signal:
    """Pictures, sounds or features of a batch. `at_ends`: the share of the two extreme values.

    `normalises`: what the processor of the script would do to them; None where there is none.
    `kind` is the name that a model of transformers would know them by, or "features". `levels` is
    how many different numbers a row has, as a median, `distinct` how many different rows there are.
    """

    name: str
    low: float
    high: float
    deviation: float
    rows: int
    identical: bool
    at_ends: float
    labels: int = 0
    normalises: bool | None = None
    mean: float = 0.0
    kind: str = ""
    levels: int = 0
    jumbled: Jumbled | None = None
    distinct: int = 0


@dataclass(frozen=True)
class Read:
    """What the tokens of the rows looked at say, beside what else the rows hold.

    `unknown` of `pieces` tokens are the unknown one, `target_unknown` of `target_pieces` of those
    that are to be written, where a row's labels are a sequence. `bare`: the tokens that the
    tokenizer puts around a text, where no row has any of them. `inputs` are the different ones
    among `rows`, and `contradicting` rows stand there again with another label, so that no answers
    are right more often than in a share of `ceiling`; `majority` is the commonest label's. `kept`
    is the share of its text that a row still says, `limit` the longest row, `says` the column that
    the tokens spell out in place of a text.
    `lost` are the columns whose text is not there, while another of the same row is, by share.
    `spelled` is what a column of words beside the labels calls them, `told` the share of rows that
    hold the name of their label, `told_others` of those that hold another's. `clash` is an id that
    is another token to the checkpoint, `clashing` the share of such ids. `firsts`: how often a row
    begins with a token. `strange`: the share of rows that say another row's text, by its column.
    """

    rows: int = 0
    pieces: int = 0
    unknown: int = 0
    target_pieces: int = 0
    target_unknown: int = 0
    bare: tuple[str, ...] = ()
    inputs: int = 0
    contradicting: int = 0
    ceiling: float = 1.0
    majority: float = 0.0
    kept: tuple[float, ...] = ()
    limit: int = 0
    lost: dict[str, float] = field(default_factory=dict)
    says: str | None = None
    spelled: dict[str, str] = field(default_factory=dict)
    spelled_in: str | None = None
    told: float = 0.0
    told_others: float = 0.0
    clashing: float | None = None
    clash: tuple[int, str, str] | None = None
    firsts: dict[str, float] = field(default_factory=dict)
    strange: dict[str, float] = field(default_factory=dict)


def filling(ids: np.ndarray, pad: int, closes: bool) -> np.ndarray:
    """Where a row is filled up. Where the padding token also `closes` a text, one is the text's."""
    is_pad = ids == pad
    right = np.flip(np.cumprod(np.flip(is_pad, 1), 1), 1).astype(bool)
    left = np.cumprod(is_pad, 1).astype(bool)
    if closes:
        right[:, 1:] &= right[:, :-1]
        right[:, 0] = False
        left[:, :-1] &= left[:, 1:]
        left[:, -1] = False
    return left | right


def closes(tokenizer: Any) -> bool:
    """Whether the padding token has another part to play at an end of a text."""
    others = ("eos_token_id", "sep_token_id", "bos_token_id", "cls_token_id")
    return tokenizer.pad_token_id in [getattr(tokenizer, name, None) for name in others]


def padding_mask(
    ids: Sequence[Any] | None, mask: Sequence[Any] | None, tokenizer: Any
) -> Sequence[Any] | None:
    """What a mask would say of rows that are filled up alike, where theirs says nothing."""
    if mask is not None and not (_is_flat(mask[0]) and all(map(all, mask))):
        return mask
    pad = getattr(tokenizer, "pad_token_id", None)
    if not ids or pad is None or not _is_flat(ids[0]) or len({len(row) for row in ids}) > 1:
        return mask
    filled = filling(np.asarray(ids), pad, closes(tokenizer))
    return (~filled).astype(int).tolist() if filled.any() else mask


def padding_of(mask: np.ndarray | None, filled: np.ndarray) -> Padding:
    shown = np.ones_like(filled) if mask is None else mask != 0
    return Padding(
        filled=int(filled.sum()),
        open=int((filled & shown).sum()),
        real=int((~filled).sum()),
        hidden=int((~filled & ~shown).sum()),
        has_mask=mask is not None,
        rows=int(filled.any(1).sum()),
        empty=int(filled.all(1).sum()),
        of=len(filled),
        side="right" if filled[:, -1].any() else "left" if filled.any() else "",
    )


def signal_of(
    name: str, values: np.ndarray, labels: int, normalises: bool | None, kind: str = ""
) -> Signal:
    low, high = float(values.min()), float(values.max())
    return Signal(
        name=name,
        low=low,
        high=high,
        deviation=float(values.std()),
        rows=len(values),
        identical=bool((values == values[:1]).all()),
        at_ends=float(((values == low) | (values == high)).mean()),
        labels=labels,
        normalises=normalises,
        mean=float(values.mean()),
        kind=kind or name,
        levels=int(np.median([len(np.unique(row)) for row in values[:MOST_READ]])),
        jumbled=jumbled(values[:MOST_READ]),
        distinct=len({row.tobytes() for row in values}),
    )


def read_of(
    values: Mapping[str, Sequence[Any]],
    keys: Sequence[str],
    ids: Sequence[Any] | None,
    label: str | None,
    labels: Sequence[Any],
    names: tuple[str, ...] | None,
    tokenizer: Any,
) -> Read:
    """`keys` make each row itself, `ids` are its tokens, where it is made of tokens."""
    plain = [y for y in labels if isinstance(y, (int, str))]
    column, spelled = _spelled(values, label, plain if len(plain) == len(labels) else [])
    known: dict[str, Any] = {"spelled": spelled, "spelled_in": column}
    if ids and tokenizer is not None and len(keys) == len(ids):
        known["strange"] = _strange(ids, values, column, tokenizer)
    if not ids or len(keys) != len(ids) or not _is_flat(ids[0]):
        return Read(**known)
    known |= {
        "rows": len(keys),
        "inputs": len(set(keys)),
        **(_contradicting(keys, plain) if plain and len(plain) == len(keys) else {}),
    }
    if tokenizer is None:
        return Read(**known)
    called = spelled or {str(number): name for number, name in enumerate(names or ())}
    chosen = _some(len(ids), MOST_READ)
    decoded = [tokenizer.decode(list(ids[row]), skip_special_tokens=True) for row in chosen]
    said = [_letters(text) for text in decoded]
    texts = {name: [values[name][row] for row in chosen] for name in _texts(values, column)}
    told, others = _told(
        decoded,
        [str(plain[row]) for row in chosen] if len(plain) == len(ids) else [],
        called,
    )
    return Read(
        **known,
        **_unknown(ids, tokenizer),
        **_unknown_targets(labels, tokenizer),
        bare=_bare(ids, tokenizer),
        firsts=_firsts(ids, tokenizer),
        kept=_kept(said, texts),
        lost=_lost(said, texts),
        limit=max(len(row) for row in ids),
        says=_says(said, chosen, values, label, column, called),
        told=told,
        told_others=others,
    )


def clash_of(ids: Sequence[Any], tokenizer: Any, other: Any) -> dict[str, Any]:
    """How many of the tokens that the rows hold are other ones to the checkpoint's tokenizer."""
    used = sorted({one for row in _some(len(ids), MOST_READ) for one in ids[row]})
    used = [one for one in used if one not in tokenizer.all_special_ids and one < len(tokenizer)]
    here = tokenizer.convert_ids_to_tokens(used)
    there = [other.convert_ids_to_tokens(one) if one < len(other) else None for one in used]
    wrong = [trio for trio in zip(used, here, there, strict=True) if trio[1] != trio[2]]
    if not used:
        return {}
    clash = (wrong[0][0], str(wrong[0][1]), str(wrong[0][2])) if wrong else None
    return {"clashing": len(wrong) / len(used), "clash": clash}


def _is_flat(row: Sequence[Any]) -> bool:
    return len(row) > 0 and isinstance(row[0], int)


def _some(count: int, most: int) -> list[int]:
    """At most so many rows, evenly from all."""
    rows = min(count, most)
    return [place * count // rows for place in range(rows)]


def _unknown(ids: Sequence[Any], tokenizer: Any) -> dict[str, Any]:
    """A vocabulary of bytes has no unknown token, and lends its name to the end of a text."""
    unknown = getattr(tokenizer, "unk_token_id", None)
    special = set(tokenizer.all_special_ids)
    ends = (tokenizer.eos_token_id, tokenizer.bos_token_id, tokenizer.pad_token_id)
    if unknown is None or unknown in ends:
        return {}
    tokens = [one for row in _some(len(ids), MOST_COUNTED) for one in ids[row]]
    found = tokens.count(unknown)
    return {"unknown": found, "pieces": found + sum(one not in special for one in tokens)}


def _bare(ids: Sequence[Any], tokenizer: Any) -> tuple[str, ...]:
    if not tokenizer.num_special_tokens_to_add():
        return ()
    names = ("cls_token", "bos_token", "sep_token", "eos_token")
    around = {getattr(tokenizer, f"{name}_id", None): getattr(tokenizer, name) for name in names}
    known = {number: str(token) for number, token in around.items() if number is not None}
    if any(number in known for row in ids for number in row):
        return ()
    return tuple(known.values())


def _firsts(ids: Sequence[Any], tokenizer: Any) -> dict[str, float]:
    """The tokens that rows begin with, those that stand around a text left out."""
    special = set(tokenizer.all_special_ids)
    rows = [ids[row] for row in _some(len(ids), MOST_COUNTED)]
    found = Counter(next((one for one in row if one not in special), None) for row in rows)
    known = [(one, count) for one, count in found.most_common(MOST_FIRSTS) if one is not None]
    return {str(tokenizer.convert_ids_to_tokens(one)): count / len(rows) for one, count in known}


def _strange(
    ids: Sequence[Any], values: Mapping[str, Sequence[Any]], left_out: str | None, tokenizer: Any
) -> dict[str, float]:
    """By column of text, how many rows say what stands there in another row, and not their own.
    A name that a row's own text mentions may well stand in a column of another."""
    chosen = _some(len(ids), MOST_READ)
    said = [_said(ids[row], tokenizer) for row in chosen]
    columns = {
        name: [_letters(str(text)) for text in column[: len(ids)]]
        for name, column in values.items()
        if name != left_out and len(column) >= len(ids) and isinstance(column[0], str)
    }
    own = [[column[row] for column in columns.values()] for row in chosen]
    known = [_is_told_by(texts, heard) for texts, heard in zip(own, said, strict=True)]
    shares: dict[str, float] = {}
    for name, column in columns.items():
        begun = [text[:TELLING] for text in column]
        others = {text for text in begun if len(text) >= TELLING // 2}
        if len(others) < 2:
            continue
        strange = sum(
            not is_known and begun[row] not in heard and any(text in heard for text in others)
            for row, heard, is_known in zip(chosen, said, known, strict=True)
        )
        shares[name] = strange / len(chosen)
    return shares


def _is_told_by(texts: Sequence[str], heard: str) -> bool:
    """Whether a row's own texts, as far as they begin in it, make nearly all that it says."""
    length = sum(len(text) for text in texts if text and text[:TELLING] in heard)
    return length >= NEARLY_ALL_SAID * len(heard)


def _said(row: Any, tokenizer: Any) -> str:
    """What the tokens of a row say, in letters: of one text, or of each of several."""
    texts = [row] if _is_flat(row) else row
    if not all(isinstance(one, (list, tuple)) and (not one or _is_flat(one)) for one in texts):
        return ""
    return "".join(_letters(tokenizer.decode(list(t), skip_special_tokens=True)) for t in texts)


def _unknown_targets(labels: Sequence[Any], tokenizer: Any) -> dict[str, Any]:
    rows = [y for y in labels if isinstance(y, (list, tuple)) and all(type(n) is int for n in y)]
    if not rows or len(rows) < len(labels):
        return {}
    found = _unknown([[one for one in row if one >= 0] for row in rows], tokenizer)
    return {f"target_{name}": count for name, count in found.items()}


def _contradicting(keys: Sequence[str], labels: Sequence[Any]) -> dict[str, Any]:
    given: dict[str, Counter[Any]] = defaultdict(Counter)
    for key, label in zip(keys, labels, strict=True):
        given[key][label] += 1
    best = sum(max(counts.values()) for counts in given.values())
    return {
        "contradicting": sum(len(given[key]) > 1 for key in keys),
        "ceiling": best / len(keys),
        "majority": max(Counter(labels).values()) / len(keys),
    }


def _texts(values: Mapping[str, Sequence[Any]], left_out: str | None) -> list[str]:
    """Columns of text whose rows are not the same few ones."""
    return [
        name
        for name, column in values.items()
        if name != left_out
        and len(column)
        and all(isinstance(text, str) for text in column)
        and len(set(column)) > min(MOST_WORDS, len(column) // 2)
    ]


def _kept(said: list[str], texts: dict[str, list[str]]) -> tuple[float, ...]:
    """Of texts whose beginning is there: what the tokens say of all of them, in letters. A text
    that stands in another one, or was copied, is read once."""
    kept = []
    for place, heard in enumerate(said):
        written = {_letters(column[place]) for column in texts.values()}
        found = [text for text in written if _begins_in(heard, text) or _begins_with(text, heard)]
        read = [text for text in found if not any(text in one and text != one for one in found)]
        if read:
            kept.append(min(1.0, len(heard) / len("".join(read))))
    return tuple(kept)


def _lost(said: list[str], texts: dict[str, list[str]]) -> dict[str, float]:
    """For each column of text the share of rows that say another one, and not this.

    A row that only quotes a text, as a report does its title, tells nothing of that.
    """
    told = {name: [_letters(text) for text in column] for name, column in texts.items()}
    lost: dict[str, float] = {}
    for name, column in told.items():
        others = [other for one, other in told.items() if one != name]
        rows = [row for row, text in enumerate(column) if not _quoted(text, others, row)]
        gone = [
            any(_begins_in(said[row], other[row]) for other in others)
            and not _begins_in(said[row], column[row])
            for row in rows
        ]
        if others and rows:
            lost[name] = sum(gone) / len(rows)
    return lost


def _quoted(text: str, others: list[list[str]], row: int) -> bool:
    return bool(text) and any(text[:12] in other[row] for other in others)


def _begins_in(heard: str, text: str) -> bool:
    return bool(text) and (text[:12] in heard or (len(heard) > 3 and text.startswith(heard)))


def _begins_with(text: str, heard: str) -> bool:
    return bool(heard) and text.startswith(heard)


def _says(
    said: list[str],
    rows: list[int],
    values: Mapping[str, Sequence[Any]],
    label: str | None,
    spelled_in: str | None,
    called: dict[str, str],
) -> str | None:
    """The column of labels or of numbers that the tokens spell out, and nothing else."""
    for name in dict.fromkeys(n for n in (label, spelled_in, "idx", "id", "index") if n):
        column = values.get(name)
        if column is None or not all(isinstance(column[row], (int, str)) for row in rows):
            continue
        wanted = [str(column[row]) for row in rows]
        spelled = [_letters(called.get(one, one)) for one in wanted]
        plain = [_letters(one) for one in wanted]
        if len(set(said)) > 1 and (said in (plain, spelled)):
            return name
    return None


def _spelled(
    values: Mapping[str, Sequence[Any]], label: str | None, labels: Sequence[Any]
) -> tuple[str | None, dict[str, str]]:
    """A column of words that goes with the labels, word by number."""
    if not labels or len(set(labels)) < 2:
        return None, {}
    for name, column in values.items():
        if name == label or len(column) != len(labels) or not isinstance(column[0], str):
            continue
        pairs = set(zip(map(str, labels), map(str, column), strict=True))
        numbers, words = {one for one, _ in pairs}, {word for _, word in pairs}
        if len(pairs) == len(numbers) == len(words) <= min(MOST_WORDS, len(labels) // 2):
            return name, dict(pairs)
    return None, {}


def _told(texts: list[str], labels: list[str], called: dict[str, str]) -> tuple[float, float]:
    """How many texts hold the name of their own label, and how many the name of another."""
    names = {label: name.lower() for label, name in called.items() if len(name) > 1}
    if not labels or len(set(labels)) < 2 or not set(labels) <= set(names):
        return 0.0, 0.0
    own = others = 0
    for text, label in zip(texts, labels, strict=True):
        words = re.sub(r"[\W_]+", " ", f" {text.lower()} ")
        held = {one for one, name in names.items() if f" {_spaced(name)} " in words}
        own += label in held
        others += bool(held - {label})
    return own / len(texts), others / len(texts)


def _spaced(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name).strip()


def _letters(text: str) -> str:
    """Letters and digits alone: tokenizers change case, accents and spaces."""
    bare = text.lower()
    if not bare.isascii():
        spelled_out = unicodedata.normalize("NFKD", bare)
        bare = "".join(one for one in spelled_out if not unicodedata.combining(one))
    return re.sub(r"[\W_]+", "", bare)
