"""Rows of a data set as plain values: which, whose, and how two sets of them are compared."""

from __future__ import annotations

import hashlib
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from debugger.pipelines.batch import Sample
from debugger.pipelines.belonging import belonging_of
from debugger.pipelines.data import Data, Split
from debugger.pipelines.inputs import closes, padding_mask, read_of
from debugger.pipelines.targets import IGNORED, aims_of

SHOWN_ROWS = 4
MOST_SHOWN = (48, 48, 4, 2)
"""Of a list, of the lists in it, and so on."""
NEARLY_ALL = 0.9
LABELS = ("labels", "label", "label_ids")
BESIDE = " | "
"""Between the tokens of a row and the amounts that stand beside them, in what makes it itself."""

AMOUNTS = ("regression", "unknown")
"""Tasks with one number a row: nobody knows what those of whole numbers are."""


def is_hub(value: Any, *names: str) -> bool:
    """Whether this is of one of these classes of `datasets`, which a Trainer can do without."""
    datasets = sys.modules.get("datasets")
    return isinstance(value, tuple(getattr(datasets, name, ()) for name in names))


def class_names_of(dataset: Any) -> tuple[str, ...] | None:
    """The names of the classes, when the data set itself carries them."""
    features = dataset.features if is_hub(dataset, "Dataset") else {}
    for name in LABELS:
        feature: Any = features.get(name)
        if is_hub(feature, "ClassLabel"):
            return tuple(feature.names)
    return None


def spread(count: int, most: int) -> list[int]:
    """At most so many rows, evenly from all: the first ones of a sorted set are all alike."""
    rows = min(count, most)
    return [place * count // rows for place in range(rows)]


def real_lengths(ids: list[Any], mask: Sequence[Any] | None) -> Iterable[int]:
    if mask is None:
        return (len(row) for row in ids)
    return (sum(row) for row in mask)


def shares_by_weight(labels: Sequence[int], weights: Iterable[float]) -> dict[int, float]:
    """How much of the weight of all rows lies on those of each label."""
    made: dict[int, float] = defaultdict(float)
    for label, weight in zip(labels, weights, strict=True):
        made[label] += weight
    total = sum(made.values())
    return {label: one / total for label, one in made.items()} if total > 0 else {}


def flat(rows: list[Any] | None) -> list[Any] | None:
    """Rows of several sequences each, such as answers to choose from, as one sequence each."""
    if not rows or not rows[0] or not isinstance(rows[0][0], (list, tuple)):
        return rows
    return [[token for part in row for token in part] for row in rows]


def row_keys(
    columns: dict[str, list[Any]],
    ids: list[Any] | None,
    lengths: tuple[int, ...],
    label: str | None,
    by_texts: bool = True,
    kept: Sequence[str] = (),
) -> list[str]:
    """What makes two rows the same: their real tokens, and amounts beside those that are `kept`;
    else their texts, else all they hold.

    Where texts are words among numbers, as in a table, two rows differ by the numbers, too.
    """
    if ids:
        tokens = [repr(row[:real]) for row, real in zip(ids, lengths, strict=True)]
        shown = {n: v for n, v in columns.items() if n in kept and n not in (label, *LABELS)}
        beside = [column for column in shown.values() if _are_amounts(column)]
        if not beside or any(len(one) != len(tokens) for one in beside):
            return tokens
        both = zip(tokens, zip(*beside, strict=True), strict=True)
        return [f"{row}{BESIDE}{amounts!r}" for row, amounts in both]
    texts = {n: v for n, v in columns.items() if by_texts and v and isinstance(v[0], str)} or {
        n: v for n, v in columns.items() if n not in (label, "idx")
    }
    return [repr(row) for row in zip(*texts.values(), strict=True)] if texts else []


def _are_amounts(column: Sequence[Any]) -> bool:
    first = column[0] if len(column) else None
    while isinstance(first, list | tuple) and first:
        first = first[0]
    return isinstance(first, float)


def digest(rows: Sequence[str], labels: Sequence[Any]) -> str:
    """One short text for rows and their labels, whatever their order."""
    if not rows or not labels:
        return ""
    rows = sorted(f"{y}:{row}" for row, y in zip(rows, labels, strict=True))
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]


def overlap(data: Data) -> dict[str, Any]:
    """How far the evaluation rows are training rows, beside how far those repeat each other."""
    train, evaluation = data.train, data.eval
    known: dict[str, Any] = {
        "shared_rows": data.shared_rows,
        "picked_line": data.picked_line,
        "looked_at": 0 if evaluation is None else evaluation.looked_at,
    }
    if train is None:
        return known
    known["repeated"] = train.duplicates / max(1, train.looked_at)
    if evaluation is None:
        return known
    digest = evaluation.numbered_digest
    return {
        **known,
        "same_rows": bool(digest) and train.numbered_digest == digest,
        "scale": _scale(train.labels),
    }


def learned_from(data: Data) -> bool:
    """Whether the evaluation rows are training rows: who asks about those wants to see that."""
    return data.eval is not None and data.shared_rows >= NEARLY_ALL * max(1, data.eval.looked_at)


def _scale(labels: Sequence[Any]) -> tuple[float, float] | None:
    """Mean and deviation of amounts, one a row."""
    if len(labels) < SHOWN_ROWS or not all(isinstance(one, float) for one in labels):
        return None
    return float(np.mean(labels)), float(np.std(labels))


def token_sets(ids: list[Any] | None, tokenizer: Any) -> list[str]:
    """The tokens of each row, whatever the order of the sentences in it."""
    if not ids or tokenizer is None:
        return []
    special = set(tokenizer.all_special_ids)
    return [str(sorted(set(row) - special)) for row in ids]


def class_name(label: Any, names: tuple[str, ...]) -> str:
    inside = isinstance(label, int) and 0 <= label < len(names)
    return names[label].lower() if inside else str(label)


def sample(keys: Sequence[str], labels: Sequence[Any]) -> tuple[str, ...]:
    """The same sixteenth of the rows in every data set that holds them, with their labels."""
    rows = {f"{y}:{key}" for key, y in zip(keys, labels, strict=True)}
    marks = (hashlib.sha256(row.encode()).hexdigest()[:12] for row in rows)
    return tuple(sorted(mark for mark in marks if mark.startswith("0")))


@dataclass(frozen=True)
class Large:
    """What stands for a picture or a sound: how it begins and ends is no news to anybody."""

    type: str
    digest: str

    def __str__(self) -> str:
        return self.type


def type_of(value: Any) -> str:
    if isinstance(value, Large):
        return value.type
    if isinstance(value, (list, tuple)):
        return f"list[{type_of(value[0])}]" if len(value) else "list"
    return type(value).__name__


def short(value: Any, most: Sequence[int] = MOST_SHOWN) -> Any:
    """Of a list so many, and of the lists in it: three colours of a picture are 150,000 numbers."""
    if isinstance(value, (list, tuple)):
        here, *within = most
        return [short(item, within or most) for item in value[:here]]
    return value if isinstance(value, (int, float, bool, type(None))) else str(value)[:300]


def split_of(
    values: dict[str, list[Any]],
    ids: list[Any] | None,
    label: str | None,
    labels: Sequence[Any],
    tokenizer: Any,
    unread: Mapping[str, str] | None = None,
    by_texts: bool = True,
    gone: Mapping[str, list[Any]] | None = None,
    names: Sequence[str] = (),
    **known: Any,
) -> tuple[list[str], Split]:
    """What the `values` of a data set's columns say, and what makes each of its rows itself.

    `ids` are the tokens of each row; a pipeline tells the rest of a Split as `known`. `unread` are
    the types of columns that are too large to be read: without them no two rows can be compared.
    `gone` are columns that the rows once had, `names` what the model calls its classes.
    """
    beside = {**(gone or {}), **values}
    one_text = None if ids and ids[0] and isinstance(ids[0][0], (list, tuple)) else ids
    ids, mask = flat(ids), flat(values.get("attention_mask"))
    mask = padding_mask(ids, mask, tokenizer) if ids else None
    lengths = tuple(real_lengths(ids, mask)) if ids else ()
    keys = (
        []
        if unread and not ids
        else row_keys(values, ids, lengths, label, by_texts, known.get("kept", ()))
    )
    class_names = known["class_names"]
    named = [class_name(y, class_names) for y in labels] if class_names else []
    readable = ids[:SHOWN_ROWS] if ids and tokenizer else []
    shown = range(min(SHOWN_ROWS, known["looked_at"]))
    return keys, Split(
        **known,
        types={n: type_of(column[0]) for n, column in values.items() if len(column)}
        | dict(unread or {}),
        label_column=label,
        labels=tuple(labels),
        first_rows=tuple({name: short(v[row]) for name, v in values.items()} for row in shown),
        decoded=tuple(tokenizer.decode(row) for row in readable),
        tokens=tuple(tuple(tokenizer.convert_ids_to_tokens(row)) for row in readable),
        lengths=lengths,
        widths=tuple(len(row) for row in ids or ()),
        duplicates=len(keys) - len(set(keys)),
        digest=digest([str(row[1:9]) for row in ids or ()], labels),
        words=digest(token_sets(ids, tokenizer), labels),
        numbered_digest=digest(keys, labels),
        named_digest=digest(keys, named),
        bare_digest=digest(keys, [""] * len(labels)),
        sample=sample(keys, labels) if ids and labels else (),
        judged=_judged(keys, ids, lengths, labels, tokenizer) if ids and labels else (),
        read=read_of(beside, keys, ids, label, labels, class_names, tokenizer),
        aims=aims_of(beside, ids, labels, tokenizer),
        parts=belonging_of(beside, one_text, labels, tokenizer, names),
        target_lengths=_target_lengths(labels, tokenizer),
    )


def _target_lengths(labels: Sequence[Any], tokenizer: Any) -> tuple[int, ...]:
    """Of labels that are a sequence each, and no picture, without what fills them up."""
    if not labels or not all(isinstance(y, (list, tuple)) for y in labels):
        return ()
    if any(isinstance(one, (list, tuple, dict)) for y in labels for one in y[:1]):
        return ()
    filling = {IGNORED}
    if tokenizer is not None and not closes(tokenizer):
        filling.add(tokenizer.pad_token_id)
    return tuple(sum(one not in filling for one in y) for y in labels)


def sample_of(
    ids: Sequence[int],
    mask: Sequence[int] | None,
    label: Any,
    tokenizer: Any,
    texts: dict[str, str],
    place: int | None,
) -> Sample:
    """An example as a batch holds it, or as it was handed over to become part of one."""
    tokens = tokenizer.convert_ids_to_tokens(list(ids)) if tokenizer else map(str, ids)
    return Sample(tuple(tokens), tuple(mask or [1] * len(ids)), label, texts, place)


def place_of(ids: Sequence[int], mask: Sequence[int] | None, rows: Iterable[Any]) -> int | None:
    """Which of `rows` these tokens are, their filling left out."""
    wanted = [one for one, real in zip(ids, mask or [1] * len(ids), strict=True) if real]
    return next((place for place, row in enumerate(rows) if _begins(row, wanted)), None)


def _begins(row: Any, wanted: list[int]) -> bool:
    """Rows that `map` has padded already are longer than what is real of them."""
    return list(row[: len(wanted)]) == wanted and not any(row[len(wanted) :])


def _judged(
    keys: list[str],
    ids: list[Any],
    lengths: tuple[int, ...],
    labels: Sequence[Any],
    tokenizer: Any,
) -> tuple[tuple[str, Any], ...]:
    """Rows for a person to judge, chosen by what they hold: shuffling does not change which."""
    if tokenizer is None:
        return ()
    digests = [hashlib.sha256(key.encode()).hexdigest() for key in keys]
    chosen = sorted(range(len(keys)), key=digests.__getitem__)[:SHOWN_ROWS]
    return tuple((_read(ids[row][: lengths[row]], tokenizer), labels[row]) for row in chosen)


def _read(ids: list[int], tokenizer: Any) -> str:
    """The sentences of a row, apart."""
    parts = re.split("|".join(map(re.escape, tokenizer.all_special_tokens)), tokenizer.decode(ids))
    return " | ".join(part.strip() for part in parts if part.strip())


def one_of_each(labels: Sequence[Any], size: int) -> list[int]:
    """Rows for one batch, every class in turn: a batch of one class proves nothing."""
    by_label: dict[Any, list[int]] = {}
    for row, label in enumerate(labels):
        by_label.setdefault(label, []).append(row)
    turns = zip(*[(rows * size)[:size] for rows in by_label.values()], strict=True)
    return [row for turn in turns for row in turn][:size]


def label_range(looked_at: Sequence[Any], in_batch: Sequence[Any]) -> tuple[float, float] | None:
    """The lowest and the highest label of the rows looked at, -100 (ignored) left out."""
    labels = [y for y in looked_at if isinstance(y, (int, float)) and y != -100]
    labels = labels or [y for y in in_batch if y != -100]
    return (float(min(labels)), float(max(labels))) if labels else None
