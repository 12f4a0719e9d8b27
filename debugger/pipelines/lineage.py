"""How the rows of a data set came about: what each call of the script's made of which other set.

A column that `map` took away is often what a row has to be judged by, and the call that changed the
labels is the line to blame.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any

from debugger.failure import on_behalf, own_line

MOST_CALLS = 200
MOST_ROWS, FEWEST_ROWS = 500, 8
_PICK = ("filter", "select", "shuffle", "sort", "train_test_split", "take", "skip", "shard")
_KEEP = (
    *("map", "add_column", "rename_column", "rename_columns", "remove_columns", "select_columns"),
    *("cast", "cast_column", "class_encode_column", "with_format", "with_transform", "flatten"),
    *("align_labels_with_mapping", "flatten_indices"),
)
_LARGE = ("Image", "Audio", "Video", "Pdf")


@dataclass(frozen=True)
class Origin:
    """`picked` are the places of the rows that `select` was asked for."""

    call: str
    line: int | None
    before: Any
    after: Any
    picked: Sequence[int] | None = None


@dataclass(frozen=True)
class Made:
    """What one call did to the labels: the share of the commonest one, before and after it."""

    call: str
    line: int | None
    rows: tuple[int, int]
    kinds: tuple[int, int]
    commonest: tuple[float, float]


@dataclass(frozen=True)
class Disorder:
    """Of the `rows` of a call so many hold the tokens of their text in another order."""

    rows: int
    moved: int


_made: dict[int, Origin] = {}
"""By the id of the set that came out, which is held so that no other can have it."""


@contextmanager
def rows_followed() -> Iterator[None]:
    """While open, every call that makes a data set of another is noted."""
    _made.clear()
    kind: Any = getattr(sys.modules.get("datasets"), "Dataset", None)
    before = (
        {} if kind is None else {n: getattr(kind, n) for n in (*_PICK, *_KEEP) if n in dir(kind)}
    )
    busy: list[str] = []
    for name, method in before.items():
        setattr(kind, name, _noted(name, method, busy))
    try:
        yield
    finally:
        for name, method in before.items():
            setattr(kind, name, method)


def _noted(name: str, method: Any, busy: list[str]) -> Any:
    @wraps(method)
    def noted(self: Any, *given: Any, **named: Any) -> Any:
        if busy or len(_made) >= MOST_CALLS:
            return on_behalf(method, self, *given, **named)
        line, picked = own_line(), named.get("indices", given[0] if given else None)
        busy.append(name)
        try:
            answer = on_behalf(method, self, *given, **named)
        finally:
            busy.pop()
        places = picked if name == "select" and isinstance(picked, list | range) else None
        for made in answer.values() if isinstance(answer, dict) else (answer,):
            if made is not self:
                _made[id(made)] = Origin(name, line, self, made, places)
        return answer

    return noted


def origins(dataset: Any) -> Iterator[Origin]:
    """From the last call back to the first."""
    while (origin := _made.get(id(dataset))) is not None and origin.after is dataset:
        yield origin
        dataset = origin.before


def taken_away(
    dataset: Any, count: int, there: Collection[Sequence[Any]] = ()
) -> dict[str, list[Any]]:
    """Columns of its first rows that calls left out on the way, row by row.

    What has another name now is not gone: `there` are the columns that the rows still have.
    """
    found: dict[str, list[Any]] = {}
    places: Any = range(min(count, len(dataset)))
    for origin in origins(dataset):
        with suppress(Exception):  # a set that was closed or deleted since: then it tells nothing
            places = _places(origin, places)
            if places is None:
                return found
            before = origin.before.with_format(None)
            names = [
                n for n in before.column_names if n not in found and n not in dataset.column_names
            ]
            small = [n for n in names if type(before.features[n]).__name__ not in _LARGE]
            if small:
                rows = before.select_columns(small).select(places)[:]
                same = [*there, *found.values()]
                found |= {name: column for name, column in rows.items() if column not in same}
            continue
        return found
    return found


def _places(origin: Origin, places: Sequence[int]) -> list[int] | None:
    """Where rows stood before a call; None where nobody can tell."""
    before, after = origin.before, origin.after
    if origin.call in _KEEP:
        return list(places) if len(before) == len(after) else None
    if origin.picked is not None:
        return [origin.picked[place] for place in places]
    if before.data.num_rows != after.data.num_rows:
        return None
    stood, stand = _physical(before), _physical(after)
    where = {row: place for place, row in enumerate(stood)}
    return [where[stand[place]] for place in places]


def _physical(dataset: Any) -> Sequence[int]:
    if dataset._indices is None:
        return range(len(dataset))
    return dataset._indices.column(0).to_pylist()


def history(dataset: Any, label: str | None, most: int) -> tuple[Made, ...]:
    """What each call did to the labels, the last first; also under the name they had before."""
    told: list[Made] = []
    for origin in origins(dataset) if label else ():
        with suppress(Exception):  # see taken_away
            here = _values(origin.after, label, most)
            label = _named_before(origin, label, here, most)
            there = _values(origin.before, label, most)
            if label is None or not here or not there:
                break
            told.append(
                Made(
                    origin.call,
                    origin.line,
                    (len(origin.before), len(origin.after)),
                    (len(set(there)), len(set(here))),
                    (_commonest(there), _commonest(here)),
                )
            )
            continue
        break
    return tuple(told)


def disorder(dataset: Any) -> Disorder | None:
    """Whether a call that cut or joined rows of tokens left the tokens in their order."""
    for origin in origins(dataset):
        with suppress(Exception):  # see taken_away
            if origin.call != "map" or "input_ids" not in origin.before.column_names:
                continue
            before, after = (
                one.with_format(None).select_columns(["input_ids"])[:MOST_ROWS]["input_ids"]
                for one in (origin.before, origin.after)
            )
            flat, at, moved = [one for row in before for one in row], 0, 0
            for rows, row in enumerate(after):
                stood = flat[at : at + len(row)]
                at += len(row)
                if sorted(stood) != sorted(row):
                    return Disorder(rows, moved) if rows >= FEWEST_ROWS else None
                moved += stood != row
            return Disorder(len(after), moved)
    return None


def unlabelled_at(dataset: Any, names: Collection[str]) -> int | None:
    """The line of the last call that the columns of these names went into, and not out of."""
    for origin in origins(dataset):
        with suppress(Exception):  # see taken_away
            here, there = (set(one.column_names) for one in (origin.after, origin.before))
            if there & set(names) and not here & set(names):
                return origin.line
    return None


def relabelled_at(dataset: Any, label: str | None, most: int) -> int | None:
    """The line of the last call that gave rows other labels, or their first ones."""
    for origin in origins(dataset) if label else ():
        with suppress(Exception):  # see taken_away
            here = _values(origin.after, label, most)
            label = _named_before(origin, label, here, most)
            same = origin.call in _PICK or here == _values(origin.before, label, most)
            if label is None or not same:
                return origin.line
            continue
        break
    return None


def picked_from(train: Any, other: Any) -> int | None:
    """The line that picked the other set out of rows that the training set came from, too.

    What one call splits in two shares no row.
    """
    sources = {id(train), *(id(origin.before) for origin in origins(train))}
    for origin in origins(other):
        if id(origin.before) in sources and origin.call in _PICK:
            return None if origin.call == "train_test_split" else origin.line
    return None


def _named_before(origin: Origin, label: str | None, here: list[Any], most: int) -> str | None:
    """The same column, or the one whose values it took over."""
    names = origin.before.column_names
    if label in names:
        return label
    if origin.call not in _KEEP or len(origin.before) != len(origin.after):
        return None
    return next((name for name in names if _values(origin.before, name, most) == here), None)


def _values(dataset: Any, name: str | None, most: int) -> list[Any]:
    """The labels of its first rows, where they are of a kind that can be counted."""
    if name is None or type(dataset.features[name]).__name__ in _LARGE:
        return []
    rows = dataset.with_format(None).select_columns([name])[:most][name]
    return rows if all(isinstance(one, int | str | float) for one in rows) else []


def _commonest(values: list[Any]) -> float:
    return max(Counter(values).values()) / len(values)
