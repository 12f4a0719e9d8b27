"""Whether a collator keeps rows together: a batch held against the rows that it was made of."""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any

import torch
from transformers import Trainer, default_data_collator

from debugger.failure import failure_of_script
from debugger.frameworks.pytorch.batches import fields_of, first_batch, labels_of
from debugger.pipelines.batch import Mixed
from debugger.pipelines.data import Data
from debugger.pipelines.rows import LABELS

FEWEST = 4
"""Rows of a batch; fewer may have one label by chance."""
_OF_THE_LIBRARY = (default_data_collator,)


def mixed(trainer: Trainer, data: Data) -> Mixed | None:
    return _against_the_set(trainer, data) or _against_each_alone(trainer)


def _against_each_alone(trainer: Trainer) -> Mixed | None:
    """A batch held against what the same collator makes of its rows one by one: it may put one
    field of them into another order, and not the others."""
    own: Any = trainer.data_collator
    if type(own).__module__.startswith("transformers.") or own in _OF_THE_LIBRARY:
        return None
    try:
        own = copy.deepcopy(own)  # it may draw lots by a generator of its own
    except Exception:  # what cannot be copied is left alone
        return None
    kept: list[Any] = []

    def heard(rows: Any) -> Any:
        kept.append(copy.deepcopy(rows))
        return own(rows)

    trainer.data_collator = heard
    try:
        batch = fields_of(first_batch(trainer))
        alone = [fields_of(own(copy.deepcopy([row]))) for row in kept[0]]
    except Exception as error:  # one that wants several rows, or that fails: told elsewhere
        failure_of_script(error)
        return None
    rows, straight = len(alone), set[str]()
    stood: dict[str, list[int]] = {}  # by field in another order, where each of its rows stood
    for name, value in batch.items():
        if not isinstance(value, torch.Tensor) or value.dim() < 1 or len(value) != rows:
            continue
        here: list[Any] = [one.get(name) for one in alone]
        if not all(isinstance(one, torch.Tensor) and len(one) == 1 for one in here):
            continue
        alike = [[_begins(whole, one[0]) for one in here] for whole in value]
        if all(map(all, alike)):
            continue  # nothing tells its rows apart
        if all(alike[place][place] for place in range(rows)):
            straight.add(name)
        elif all(map(any, alike)):
            stood[name] = [n if row[n] else row.index(True) for n, row in enumerate(alike)]
    if not straight or not stood:
        return None
    labels = {*LABELS, *trainer.label_names}
    moved = {name: sum(n != place for n, place in enumerate(at)) for name, at in stood.items()}
    most = max(moved, key=moved.__getitem__)
    if stood.keys() <= labels:
        return Mixed(rows, labels=moved[most])
    if straight <= labels:
        own = [one[next(iter(straight))] for one in alone]
        pairs = zip(own, (own[place] for place in stood[most]), strict=True)
        return Mixed(rows, labels=sum(not torch.equal(here, there) for here, there in pairs))
    return Mixed(rows, parts=moved[most])


def _begins(whole: torch.Tensor, one: torch.Tensor) -> bool:
    """Whether a row of a batch is that one, maybe filled up to the longest."""
    if whole.dim() != one.dim() or whole.dtype != one.dtype:
        return False
    if not whole.dim():
        return bool(whole == one)
    shown = whole[tuple(slice(0, size) for size in one.shape)]
    return shown.shape == one.shape and bool(torch.equal(shown, one))


def _against_the_set(trainer: Trainer, data: Data) -> Mixed | None:
    """None where rows of the batch are no rows of the set, as where a collator hides words."""
    if not data.keys or data.train is None:
        return None
    try:
        batch = first_batch(trainer)
    except Exception:  # a collator that uses its rows up fails in the next stage, and is told there
        return None
    fields = fields_of(batch)
    ids, mask = fields.get("input_ids"), fields.get("attention_mask")
    if not isinstance(ids, torch.Tensor) or not isinstance(mask, torch.Tensor):
        return None
    if ids.shape != mask.shape or ids.dim() not in (2, 3) or ids.is_floating_point():
        return None
    rows = [_parts(one, shown) for one, shown in zip(ids.tolist(), mask.tolist(), strict=True)]
    keys = [repr([token for part in row for token in part]) for row in rows]
    known = set(data.keys)
    strange = [row for row, key in zip(rows, keys, strict=True) if key not in known]
    if strange:
        if ids.dim() == 3 and all(_is_mixed(row, data.keys) for row in strange):
            return Mixed(len(rows), parts=len(strange))
        judged = set(data.eval_keys) - known
        foreign = sum(key in judged for key in keys)
        return Mixed(len(rows), foreign=foreign) if foreign else None
    labels = labels_of(trainer, batch)
    return Mixed(
        len(rows), labels=_relabelled(keys, labels, data), levelled=_levelled(keys, labels, data)
    )


def _parts(ids: Any, mask: Any) -> list[list[int]]:
    several = ids and isinstance(ids[0], list)
    pairs = zip(ids, mask, strict=True) if several else [(ids, mask)]
    return [[one for one, shown in zip(row, seen, strict=True) if shown] for row, seen in pairs]


def _is_mixed(row: list[list[int]], keys: tuple[str, ...]) -> bool:
    """Each part stands in a training row, and all of them in none, in whatever order."""
    of_part = [{n for n, key in enumerate(keys) if repr(one)[1:-1] in key} for one in row]
    return all(of_part) and not set.intersection(*of_part)


def _relabelled(keys: list[str], labels: torch.Tensor | None, data: Data) -> int:
    """Rows whose label is another one. A collator may call them otherwise, if always alike."""
    own = _own_labels(data)
    if labels is None or labels.dim() != 1 or not own:
        return 0
    pairs = [(own[key], given) for key, given in zip(keys, labels.tolist(), strict=True)]
    called: dict[Any, set[Any]] = defaultdict(set)
    for known, given in pairs:
        for one in known:
            called[one].add(given)
    if all(len(names) == 1 for names in called.values()):
        return 0
    return sum(given not in known for known, given in pairs)


def _levelled(keys: list[str], labels: torch.Tensor | None, data: Data) -> int | None:
    """The label of all rows of a batch, where the rows that it was made of have several."""
    if labels is None or labels.dim() != 1 or labels.is_floating_point() or len(labels) < FEWEST:
        return None
    own, given = _own_labels(data), set(labels.tolist())
    kinds = {label for key in keys for label in own[key]}
    return given.pop() if len(given) == 1 and len(kinds) > 1 else None


def _own_labels(data: Data) -> dict[str, set[Any]]:
    own: dict[str, set[Any]] = defaultdict(set)
    for key, label in zip(data.keys, data.train.labels if data.train else (), strict=False):
        if isinstance(label, int | float | str):
            own[key].add(label)
    return own
