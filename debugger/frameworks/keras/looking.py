"""The data as `fit` is given it, and one batch as it enters the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Sized
from dataclasses import replace
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.failure import failure_of_script
from debugger.frameworks.keras import inputs
from debugger.frameworks.keras.bench import cost_of
from debugger.frameworks.keras.building import Fit, Source
from debugger.frameworks.keras.columns import (
    between,
    columns,
    cut_from_time,
    met_again,
    misfilled,
)
from debugger.frameworks.keras.facts import tokenizer_of
from debugger.frameworks.keras.reading import (
    Parts,
    Rows,
    Wide,
    classes_in,
    dense,
    leaves_out,
    parts_of,
)
from debugger.frameworks.keras.targets import spans_in
from debugger.pipelines.batch import Batch, Sample
from debugger.pipelines.data import Data, Entry, Field, Split
from debugger.pipelines.facts import Facts
from debugger.pipelines.plan import Order, of_one_label
from debugger.pipelines.rows import (
    SHOWN_ROWS,
    class_names_of,
    place_of,
    real_lengths,
    sample_of,
    shares_by_weight,
    split_of,
)
from debugger.pipelines.spelled import Short, cased_of, short_of, unsplit
from debugger.pipelines.targets import without_end

UNLIKE = 0.9
"""Of the rows of the first batch: where fewer differ, the data itself is of few kinds."""
BATCHES = 64
LABELS = ("label", "labels")
"""Columns that `prepare_tf_dataset` hands over as what is to be learned."""


def data(fit: Fit, facts: Facts, train: Rows, evaluation: Rows | None) -> Data:
    """A failure of the evaluation rows is the evaluate stage's to tell."""
    source = fit.source(fit.train)
    entry = None if train.batch is None else _entry(train.batch)
    if train.failure is not None or entry is None or train.batch is None:
        lengths = _lengths(source)
        return Data(None, None, entry=entry, lengths=lengths, failure=train.failure)
    tokenizer = tokenizer_of(fit)
    train_keys, train_split = _split(_weighed(train), source, facts, tokenizer)
    eval_keys, eval_split = [], None
    if evaluation is not None and evaluation.failure is None:
        eval_source = fit.source(fit.validation)
        eval_keys, eval_split = _split(_weighed(evaluation), eval_source, facts, tokenizer)
    seen = set(train_keys)
    return Data(
        train_split,
        eval_split,
        weighs=fit.class_weight is not None or train.batch.weights is not None,
        drawn=_drawn(fit, train_split),
        metrics=tuple(metric.name for metric in fit.model.compiled_metrics.metrics) or None,
        shared_rows=sum(key in seen for key in eval_keys),
        entry=entry,
        windows=cut_from_time(train),
        columns=columns(fit, train),
        eval_columns=columns(fit, evaluation),
        swapped=between(train, evaluation),
        met=met_again(train, evaluation),
        misfilled=misfilled(train),
        short=_short(fit, train),
        cased=_of_texts(fit, cased_of),
        unsplit=_of_texts(fit, unsplit),
        renumbered=fit.after.renumbered,
        refitted=fit.after.refitted,
        thrown_away=fit.after.thrown_away,
        unfelt=_unfelt(fit, train),
    )


def _unfelt(fit: Fit, rows: Rows) -> bool:
    """Whether rows whose labels are no finite number leave the loss one."""
    chosen = without_end(rows.labels)
    if not chosen or len(rows.labels) != rows.looked_at:
        return False
    parts = parts_of(rows.again(chosen))
    try:
        answer = fit.model(parts.x, training=False)
    except Exception as error:  # the next stages tell of it
        failure_of_script(error)
        return False
    cost = cost_of(fit.model, parts.y, answer)
    return cost is not None and math.isfinite(cost)


def _drawn(fit: Fit, split: Split | None) -> dict[int, float]:
    """How much of the loss each label makes up by its weight."""
    labels = [one for one in (() if split is None else split.labels) if isinstance(one, int)]
    weights = fit.class_weight or {}
    return shares_by_weight(labels, [weights.get(one, 1.0) for one in labels]) if weights else {}


def _of_texts(fit: Fit, told: Callable[[Sequence[str], Any], Any]) -> Any:
    """Of the texts that are most, which are hardly the names of classes."""
    texts = max(fit.after.texts, key=len, default=())
    return next(filter(None, (told(texts, one) for one in fit.after.tokenizers)), None)


def _short(fit: Fit, rows: Rows) -> Short | None:
    """Only of a model that looks its numbers up, as those of words."""
    looks_up = any(
        isinstance(one, tf_keras.layers.Embedding) for one in fit.model._flatten_layers()
    )
    ids = next(iter(rows.columns.values()), None)
    if not looks_up or len(rows.columns) != 1 or not ids or not _are_ids(ids[0]):
        return None
    found = (short_of(texts, ids) for texts in fit.after.texts if len(texts) == len(ids))
    return next(filter(None, found), None)


def _entry(batch: Parts) -> Entry:
    named = dict(batch.inputs)
    for place, value in enumerate(tf.nest.flatten(batch.y)):
        named["y" if batch.labels is not None else f"y_{place}"] = value
    fields = {name: _field(value) for name, value in named.items() if value is not None}
    return Entry(batch.names, fields, batch.inside)


def _field(value: Any) -> Field:
    array = dense(value)
    low, high = None, None
    if array.size and np.issubdtype(array.dtype, np.number):
        low, high = float(array.min()), float(array.max())
    return Field(tuple(array.shape), array.dtype.name, low, high)


def _lengths(source: Source | None) -> tuple[int, ...]:
    if source is None or "input_ids" not in source.dataset.column_names:
        return ()
    return tuple(len(row) for row in source.dataset["input_ids"] if isinstance(row, Sized))


def _weighed(rows: Rows) -> Rows:
    """Without those that weigh nothing, where one batch holds all: in a graph it has every node,
    and weights say which of them are learned from."""
    if rows.batch is None or rows.count != rows.looked_at or not leaves_out(rows.batch):
        return rows
    weights = dense(rows.batch.weights)
    if weights.shape != (rows.looked_at,):
        return rows
    kept = [place for place, weight in enumerate(weights) if weight]
    columns = {name: [row[n] for n in kept] for name, row in rows.columns.items()}
    labels = tuple(rows.labels[n] for n in kept) if len(rows.labels) == rows.looked_at else ()
    return replace(rows, columns=columns, labels=labels, count=len(kept))


def _split(
    rows: Rows, source: Source | None, facts: Facts, tokenizer: Any
) -> tuple[list[str], Split]:
    ids = rows.columns.get("input_ids")
    ids = ids if ids and facts.main_input == "input_ids" and _are_ids(ids[0]) else None
    # Rows that come one by one are taken apart: then no label belongs to any of them.
    labels = rows.labels if len(rows.labels) == rows.looked_at else ()
    label = None if rows.batch is None or not labels else rows.batch.inside or "y"
    names = (*rows.columns, *((label,) if label else ()))
    columns = tuple(source.dataset.column_names) if source else names
    asked = source.asked if source else frozenset[str]()
    keys, split = split_of(
        {**rows.columns, **spans_in(rows)},
        ids,
        label,
        labels,
        tokenizer,
        count=rows.count or rows.looked_at,
        looked_at=rows.looked_at,
        columns=columns,
        kept=tuple(n for n in columns if n in (*names, *asked) or (label and n in LABELS)),
        class_names=class_names_of(source.dataset) if source else None,
        texts=_texts(rows, source) if ids and tokenizer else (),
        by_texts=False,
    )
    wide = {n: v[0] for n, v in rows.columns.items() if v and isinstance(v[0], Wide)}
    types = {name: f"{row.dtype}{list(row.shape)}" for name, row in wide.items()}
    return keys, replace(split, types=split.types | types)


def _are_ids(row: Any) -> bool:
    return isinstance(row, list) and all(isinstance(one, int) for one in row)


def _texts(rows: Rows, source: Source | None) -> tuple[dict[str, str], ...]:
    """They stand in the Dataset behind, beside the same tokens."""
    if source is None or "input_ids" not in source.dataset.column_names:
        return ()
    behind: Any = source.dataset.with_format(None)
    places = {tuple(row): place for place, row in enumerate(behind["input_ids"])}
    ids, mask = rows.columns["input_ids"][:SHOWN_ROWS], rows.columns.get("attention_mask")
    found = [
        places.get(tuple(row[:real]))
        for row, real in zip(ids, real_lengths(ids, mask and mask[:SHOWN_ROWS]), strict=True)
    ]
    whole = [{} if place is None else behind[place] for place in found]
    return tuple({n: v for n, v in row.items() if isinstance(v, str)} for row in whole)


def _sample(fit: Fit, parts: Parts, labels: list[Any], facts: Facts) -> Sample | None:
    ids, mask = parts.inputs.get(facts.main_input), parts.inputs.get("attention_mask")
    if facts.main_input != "input_ids" or ids is None or len(ids.shape) != 2:
        return None
    source = fit.source(fit.train)
    first = dense(ids)[0].tolist()
    kept = None if mask is None else dense(mask)[0].tolist()
    place, texts = None, {}
    if source is not None and "input_ids" in source.dataset.column_names:
        behind: Any = source.dataset.with_format(None)
        place = place_of(first, kept, behind["input_ids"])
        whole = {} if place is None else behind[place]
        texts = {name: value for name, value in whole.items() if isinstance(value, str)}
    label = labels[0] if labels else None
    return sample_of(first, kept, label, tokenizer_of(fit), texts, place)


def _rows_of(mask: Any) -> tuple[tuple[int, ...], ...]:
    flat = mask is not None and len(mask.shape) == 2
    return tuple(tuple(row) for row in dense(mask).tolist()) if flat else ()


def order(train: Rows, facts: Facts) -> Order | None:
    """As the rows were read, and so as an epoch takes them."""
    size, labels = facts.batch_size, train.labels
    marks = _marks(train)
    if not size or not (labels or marks):
        return None
    rows = marks or labels
    drawn = len(rows[: size * BATCHES])
    distinct = _distinct(marks[: size * BATCHES], size) if marks else drawn
    single, by_chance = None, 0.0
    if facts.task == "classification" and labels:
        batches = [labels[start : start + size] for start in range(0, drawn, size)]
        single, by_chance = of_one_label(batches, labels)
    return Order(-(-drawn // size), drawn, distinct, train.looked_at, single, by_chance)


def _marks(train: Rows) -> list[int]:
    """What tells rows apart; none where they do not fall into arrays."""
    rows = zip(*train.leaves, strict=True) if train.leaves else ()
    return [hash(b"".join(leaf.tobytes() for leaf in row)) for row in rows]


def _distinct(marks: list[int], size: int) -> int:
    """Data of few different rows repeat themselves in a batch, too: they prove nothing."""
    first = marks[:size]
    return len(set(marks)) if len(set(first)) >= UNLIKE * len(first) else len(marks)


def batch(fit: Fit, train: Rows, facts: Facts) -> Batch:
    """The first batch; where none comes the data stage has said so."""
    parts = train.batch
    if parts is None:
        return Batch({}, failure=train.failure)
    mask = parts.inputs.get("attention_mask")
    entry = _entry(parts)
    labels = classes_in(parts.labels, train.how) if parts.labels is not None else []
    flat = all(isinstance(label, (int, float)) for label in labels)
    return Batch(
        fields=entry.fields,
        mask=_rows_of(mask),
        widths=_lengths(fit.source(fit.train)),
        labels=tuple(labels) if flat else (),
        sample=_sample(fit, parts, labels, facts),
        failure=train.failure,
        **inputs.seen_in(fit, parts, labels),
    )
