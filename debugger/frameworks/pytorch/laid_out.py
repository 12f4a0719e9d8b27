"""The loader of a loop by hand: how its items are laid out, and its rows by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import torch
from torch.utils.data import DataLoader

from debugger.failure import on_behalf
from debugger.frameworks.pytorch.by_hand import Form, leaves_of
from debugger.frameworks.pytorch.dealt import can_be_drawn_from, first_item
from debugger.frameworks.pytorch.tensors import LABEL, Seen, takes
from debugger.frameworks.pytorch.together import Together
from debugger.pipelines.rows import LABELS

JUDGES = ("val", "dev", "eval", "test", "holdout")
"""What the rows to be judged by are called, those first that the others are kept for."""
PAIR = 2
_IS_LABEL = re.compile(r"(.*_)?(labels?|targets?|y)", re.IGNORECASE).fullmatch


def form_of(item: Any, seen: Seen) -> Form | None:
    if isinstance(item, Mapping):
        found = [name for name in item if name in LABELS]
        found = found or [name for name in item if _IS_LABEL(str(name))]
        return Form(tuple(map(str, item)), None, found[0] if len(found) == 1 else None)
    parts = item if isinstance(item, (list, tuple)) else [item]
    if not parts:
        return None
    if any(isinstance(part, Mapping) for part in parts):
        return _of_nested(item, seen)
    read: dict[int, str] = {}
    for given in seen.asked:
        for name, value in given.items():
            for place, part in enumerate(parts):
                if _same(part, value):
                    read.setdefault(place, name)
    unread = [place for place in range(len(parts)) if place not in read]
    alone = not isinstance(seen.model, Together)  # of two models each may have been given one
    if len(parts) == PAIR and len(unread) == PAIR and alone:  # both were made anew on their way
        read, unread = {0: next(iter(takes(seen.model)), "inputs")}, [1]
    once = {name: place for place, name in reversed(read.items())}  # of a model asked again
    places = range(len(parts))
    names = [name if once.get(name := read.get(p, "")) == p else f"part_{p}" for p in places]
    if len(unread) == 1 and len(parts) > 1 and _serves(parts[unread[0]], seen):
        names[unread[0]] = LABEL
    kind = type(item)
    label = LABEL if LABEL in names else None
    if kind in (list, tuple):
        return Form(tuple(names), kind, label)
    if not isinstance(item, (list, tuple)):
        return Form(tuple(names), lambda some: some[0], label)
    return Form(tuple(names), lambda some: kind(*some), label)


def _of_nested(item: Any, seen: Seen) -> Form | None:
    """Some of its parts have parts by name, as what a tokenizer gives has beside labels."""
    keys = tuple(tuple(part) if isinstance(part, Mapping) else () for part in item)
    leaves = leaves_of(item, keys)
    inner = [name for some in keys for name in (some or ("",))]
    names = [name or f"part_{place}" for place, name in enumerate(inner)]
    if len(set(names)) < len(names) or not all(isinstance(one, torch.Tensor) for one in leaves):
        return None
    labels = [name for name in names if name in LABELS or _IS_LABEL(name)]
    if not labels:
        given = [value for one in seen.asked for value in one.values()]
        told = [v for one in given for v in (one.values() if isinstance(one, Mapping) else (one,))]
        places = [n for n, leaf in enumerate(leaves) if not any(_same(leaf, one) for one in told)]
        places = [n for n in places if not inner[n] and _serves(leaves[n], seen)]
        labels = [LABEL] if len(places) == 1 else []
        names = [LABEL if labels and n == places[0] else name for n, name in enumerate(names)]
    kind = type(item)

    def make(flat: list[Any]) -> Any:
        left = iter(flat)
        parts = [
            type(part)({name: next(left, None) for name in some}) if some else next(left, None)
            for part, some in zip(item, keys, strict=True)
        ]
        return kind(parts) if kind in (list, tuple) else kind(*parts)

    return Form(tuple(names), make, labels[0] if len(labels) == 1 else None, keys=keys)


def _serves(part: Any, seen: Seen) -> bool:
    """Whether a turn reads it; an autoencoder's loop gets labels too, and leaves them."""
    if not isinstance(part, torch.Tensor):
        return True
    return any(one.data_ptr() == part.data_ptr() for one in seen.handed.tensors)


def _same(part: Any, value: Any) -> bool:
    """Whether they are the same numbers in memory, whatever shape they were given."""
    if not isinstance(part, torch.Tensor) or not isinstance(value, torch.Tensor):
        return part is value
    return part.data_ptr() == value.data_ptr() and part.numel() == value.numel()


class _Row(dict[str, Any]):
    """A row by name, and as its data set gives it."""

    given: Any


class _Rows(torch.utils.data.Dataset[Any]):
    def __init__(self, rows: Any, names: tuple[str, ...]) -> None:
        self.rows, self.names = rows, names

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> Any:
        given = self.rows[place]
        parts = given if isinstance(given, (list, tuple)) else [given]
        same = len(parts) == len(self.names)
        names = self.names if same else [f"part_{place}" for place in range(len(parts))]
        row = _Row(zip(names, parts, strict=True))
        row.given = given
        return row


def rows_by_name(dataset: Any, form: Form) -> Any:
    return dataset if form.make is None else _Rows(dataset, form.names)


def collator_by_name(loader: DataLoader[Any], form: Form) -> Any:
    """Rows come by name, and the script's own collator gets them as they were."""
    collate: Any = loader.collate_fn
    if form.make is None:
        return collate

    def by_name(rows: list[Any]) -> dict[str, Any]:
        given = [row.given if isinstance(row, _Row) else row for row in rows]
        return form.fields(on_behalf(collate, given))

    by_name.__name__ = getattr(collate, "__name__", type(collate).__name__)
    return by_name


def held_beside(
    names: Mapping[str, Any], loader: DataLoader[Any], form: Form
) -> DataLoader[Any] | None:
    """The loader of the rows to be judged by, told by its name."""
    inner = {k: v for one in names.values() if type(one) is dict for k, v in one.items()}
    found = {
        str(name).lower(): one
        for name, one in {**inner, **names}.items()
        if isinstance(one, DataLoader) and one.dataset is not loader.dataset
        if can_be_drawn_from(one) and _alike(one.collate_fn, loader.collate_fn)
    }
    for kind in JUDGES:
        for name, one in found.items():
            if kind in name and _laid_out(one, form):
                return one
    return None


def _alike(one: Any, other: Any) -> bool:
    """Whether both lay rows out in the same way, as far as can be told."""
    return one is other or (not hasattr(one, "__code__") and type(one) is type(other))


def _laid_out(loader: DataLoader[Any], form: Form) -> bool:
    try:
        item = first_item(loader)
    except Exception:  # it is not asked yet, and may be of another kind
        return False
    if form.make is None:
        return isinstance(item, Mapping) and set(map(str, item)) == set(form.names)
    return not isinstance(item, Mapping) and form.fits(item)
