"""The data as the Trainer holds it, and one batch as its collator makes it."""

from __future__ import annotations

import hashlib
import math
import re
import time
from collections import UserDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase, Trainer

from debugger.failure import failure_of_script, on_behalf
from debugger.frameworks.pytorch import inputs, tensors
from debugger.frameworks.pytorch.batches import (
    fields_of,
    first_batch,
    first_features,
    fractions_lost,
    is_tensor,
    labels_of,
    rows_lost,
    with_loss,
)
from debugger.frameworks.pytorch.columns import (
    across_of,
    arrays_of,
    between,
    columns_of,
    gaps_of,
    kinds_of,
)
from debugger.frameworks.pytorch.evaluating import metric_names
from debugger.frameworks.pytorch.forwarding import own_loss
from debugger.frameworks.pytorch.loading import begun_late, tokenized_by_line, tokenized_texts
from debugger.frameworks.pytorch.parts import is_of_library
from debugger.frameworks.pytorch.rows import (
    count_of,
    drawn_anew,
    drawn_shares,
    first_set,
    is_stream,
    own_sampler,
    subset,
)
from debugger.frameworks.pytorch.untouched import borrowed
from debugger.pipelines.answers import answers_of
from debugger.pipelines.batch import Batch, Sample
from debugger.pipelines.columns import Columns
from debugger.pipelines.data import Data, Field, Split
from debugger.pipelines.facts import Facts
from debugger.pipelines.lineage import (
    disorder,
    history,
    picked_from,
    relabelled_at,
    taken_away,
    unlabelled_at,
)
from debugger.pipelines.rows import (
    AMOUNTS,
    BESIDE,
    LABELS,
    SHOWN_ROWS,
    Large,
    class_names_of,
    is_hub,
    place_of,
    sample_of,
    split_of,
    spread,
    type_of,
)
from debugger.pipelines.sounds import sounds_of
from debugger.pipelines.spelled import cased_at, fallen_apart, unsplit
from debugger.pipelines.targets import without_end
from debugger.pipelines.trying import Worded
from debugger.pipelines.windows import met_in

MOST_ROWS = 5000
FEW = 4
MOST_WORDED = 1000
FEWEST_PICTURES, MOST_PICTURES = 200, 1000
TRIED_FIRST, SECONDS = 16, 1.0
MOST_NUMBERS = 4096
"""In one field of one row; there is no reading more."""
_MEDIA = ("Image", "Audio", "Video", "Pdf")


def data(trainer: Trainer, facts: Facts, tokenizer: PreTrainedTokenizerBase | None) -> Data:
    train, evaluation = trainer.train_dataset, trainer.eval_dataset
    model: Any = trainer.model
    if not is_hub(evaluation, "DatasetDict"):
        evaluation = first_set(evaluation)
    if isinstance(train, dict):
        return Data(None, None, is_dataset_dict=True)
    if is_stream(train):
        return Data(None, None, streamed=True)
    try:
        here = _split(trainer, train, facts, tokenizer)
        there = _split(trainer, evaluation, facts, tokenizer)
    except Exception as error:
        rows: Any = train
        held = tuple(rows.column_names) if is_hub(rows, "Dataset") else ()
        return Data(None, None, held=held, failure=failure_of_script(error))
    worded = _worded(here)
    labels = here.split.labels if here.split else ()
    places = _places(count_of(train) or 0, len(labels)) if labels else []
    answers = labels if facts.task == "seq2seq" else ()
    return Data(
        here.split,
        there.split,
        weighs=own_loss(trainer) or own_sampler(trainer) or not is_of_library(model),
        drawn=drawn_shares(trainer, labels, places),
        metrics=metric_names(trainer, labels, facts),
        shared_rows=_shared(train, here, there),
        keys=tuple(here.keys),
        eval_keys=tuple(there.keys),
        picked_line=picked_from(train, evaluation),
        both=(worded, _worded(there)),
        worded=worded,
        columns=here.columns,
        eval_columns=there.columns,
        swapped=between(here.arrays, there.arrays),
        met=met_in(here.arrays, there.arrays),
        spelled_out=fallen_apart(tokenized_texts(trainer)),
        cased=cased_at(tokenized_by_line(trainer)),
        unsplit=None if tokenizer is None else unsplit(tokenized_texts(trainer), tokenizer),
        late=begun_late(trainer, answers),
        drawn_anew=(drawn_anew(train), drawn_anew(evaluation)),
        unfelt=_unfelt(trainer, [places[n] for n in without_end(labels)]),
    )


def _shared(train: Any, here: _Read, there: _Read) -> int:
    """How many of the rows to be judged by are among those that are learned from."""
    if isinstance(train, tensors.Columns) and train.may_meet:
        return 0
    return sum(map(set(here.keys).__contains__, there.keys))


def _unfelt(trainer: Trainer, chosen: list[int]) -> bool:
    """Whether rows whose labels are no finite number leave the loss one."""
    if not chosen:
        return False
    try:
        with borrowed(trainer):
            rows: Any = subset(trainer.train_dataset, chosen)
            batches = on_behalf(list, trainer.get_eval_dataloader(rows))
            losses = [on_behalf(with_loss, trainer, batch)[0] for batch in batches]
    except Exception as error:  # the next stages tell of it
        failure_of_script(error)
        return False
    return bool(losses) and all(bool(torch.isfinite(loss).all()) for loss in losses)


@dataclass(frozen=True)
class _Read:
    """What makes each row of a data set itself, what they say, and their numbers."""

    keys: list[str] = field(default_factory=list)
    split: Split | None = None
    columns: Columns | None = None
    arrays: dict[str, Any] = field(default_factory=dict)


def _worded(read: _Read) -> Worded:
    """The rows as the numbers of their tokens, which are what makes each of them itself."""
    keys, split = read.keys, read.split
    labels = () if split is None else split.labels
    if split is None or not split.lengths or not all(isinstance(y, int) for y in labels):
        return Worded()
    if not labels or len(labels) != len(keys):
        return Worded()
    texts = (key.partition(BESIDE)[0] for key in keys[:MOST_WORDED])
    rows = (tuple(map(int, re.findall(r"-?\d+", text))) for text in texts)
    return Worded(tuple(rows), labels[:MOST_WORDED])


def _split(trainer: Trainer, dataset: Any, facts: Facts, tokenizer: Any) -> _Read:
    if dataset is None or isinstance(dataset, dict) or is_stream(dataset):
        return _Read()
    table = _is_table(dataset, facts.main_input)
    values, unread = _read(dataset) if table else (_made(dataset, facts.main_input), {})
    columns = tuple(dataset.column_names if table else values)
    kept = _kept(trainer, columns)
    if table and _transforms(dataset) and len(dataset):
        kept += tuple(n for n in on_behalf(dataset.__getitem__, 0) if n not in columns)
    called = (*LABELS, *(trainer.label_names or ()))
    label = next((name for name in called if name in kept and name in columns), None)
    if len(columns) > 1 and set(columns) <= set(trainer.label_names or ()):
        label = None  # a loss of pairs, say, which are what it is asked about, too
    looked_at = len(next(iter(values.values()), ()))
    first = range(min(SHOWN_ROWS, looked_at))
    ids = values.get(facts.main_input) if facts.main_input == "input_ids" else None
    gone = taken_away(dataset, looked_at, list(values.values())) if table else {}
    keys, split = split_of(
        values,
        ids if ids and _are_tokens(ids[0]) else None,
        label,
        values.get(label, []) if label else [],
        tokenizer,
        unread,
        gone=gone,
        names=facts.label_names or (),
        made=history(dataset, label, looked_at) if table else (),
        disorder=disorder(dataset) if table else None,
        answers=answers_of(values | gone, ids, tokenizer, dataset) if table else None,
        hidden=_hidden(dataset),
        relabelled_at=relabelled_at(dataset, label, looked_at) if table else None,
        sounds=sounds_of(values | gone, facts.main_input),
        counted=_counted(dataset),
        uncounted=_uncounted(dataset),
        unlabelled_at=unlabelled_at(dataset, LABELS) if table and label is None else None,
        count=len(dataset),
        looked_at=looked_at,
        columns=columns,
        kept=kept,
        class_names=class_names_of(dataset),
        texts=tuple(
            {n: v[i] for n, v in (values | gone).items() if isinstance(v[i], str)} for i in first
        ),
        few_valued=_few_valued(values, kept),
    )
    clash = inputs.clash(trainer, ids, tokenizer, facts)
    if split.read is not None and clash:
        split = replace(split, read=replace(split.read, **clash))
    arrays = arrays_of(values, kept, label)
    labels = values.get(label, ()) if label else ()
    gaps = gaps_of(values, kept, label, arrays)
    found = columns_of(arrays, labels, gaps)
    kinds, over = kinds_of(values, kept, label), across_of(values, kept, label)
    if kinds or over is not None:
        found = replace(found or Columns(), same=kinds, across=over)
    return _Read(keys, split, found, arrays)


def _counted(dataset: Any) -> tuple[str, int] | None:
    """A dictionary of columns in a data set of one's own whose keys are as many as its rows."""
    if is_hub(dataset, "Dataset") or not hasattr(dataset, "__dict__"):
        return None
    for name, held in vars(dataset).items():
        if not isinstance(held, Mapping | UserDict) or len(held) != len(dataset):
            continue
        lengths = set(map(_length, held.values()))
        if len(lengths) == 1 and (rows := lengths.pop()) > 2 * len(dataset):
            return name, rows
    return None


def _uncounted(dataset: Any) -> tuple[str, int] | None:
    """Something of a data set of one's own that is longer than it, to whose last row it goes."""
    if is_hub(dataset, "Dataset") or not hasattr(dataset, "__dict__"):
        return None
    for name, held in vars(dataset).items():
        if isinstance(held, str | Mapping | UserDict):
            continue
        rows = _length(held)
        if rows > len(dataset) and _gives(dataset, rows - 1):
            return None if _gives(dataset, rows) else (name, rows)
    return None


def _length(held: Any) -> int:
    """0 where there is none. What is sparse has a `__len__` that fails, and so has a number."""
    try:
        return len(held)
    except TypeError:
        return 0


def _gives(dataset: Any, place: int) -> bool:
    try:
        return bool(on_behalf(dataset.__getitem__, place))
    except Exception as error:
        failure_of_script(error)
        return False


def _hidden(dataset: Any) -> tuple[str, ...]:
    """The columns that `set_format` or `with_format` leaves out of each row."""
    if not is_hub(dataset, "Dataset") or dataset.format["output_all_columns"]:
        return ()
    given = dataset.format["columns"]
    return tuple(name for name in dataset.column_names if name not in given)


def _read(dataset: Any) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """The first rows, column by column, as Python values; and the types of what is left out."""
    rows = dataset.with_format(None).select(range(min(len(dataset), MOST_ROWS)))
    media = {n: type(f).__name__ for n, f in rows.features.items() if type(f).__name__ in _MEDIA}
    first = rows.select_columns([n for n in rows.column_names if n not in media])[:1]
    large = {n: type_of(v[0]) for n, v in first.items() if v and _leaves(v[0]) > MOST_NUMBERS}
    unread = media | large
    return rows.select_columns([n for n in rows.column_names if n not in unread])[:], unread


def _leaves(value: Any) -> int:
    """About how many numbers it holds."""
    if not isinstance(value, (list, tuple)):
        return 1
    return len(value) * _leaves(value[0]) if value else 0


def _made(dataset: Any, main_input: str) -> dict[str, list[Any]]:
    """Rows that code makes one at a time, read as far as that is cheap."""
    most = MOST_ROWS if main_input == "input_ids" else _cheaply_read(dataset)
    places = _places(len(dataset), most)
    made: list[Any] = [_fields(on_behalf(dataset.__getitem__, place)) for place in places]
    if not made or not isinstance(made[0], Mapping):
        return {}
    return {name: [_plain(row[name]) for row in made] for name in made[0] if _in_all(made, name)}


def _cheaply_read(dataset: Any) -> int:
    """How many rows are read in about a second; pictures may have to be opened and turned."""
    began, tried = time.monotonic(), min(len(dataset), TRIED_FIRST)
    for place in range(tried):
        on_behalf(dataset.__getitem__, place)
    rows = tried * SECONDS / max(time.monotonic() - began, 1e-6)
    return max(FEWEST_PICTURES, min(MOST_PICTURES, int(rows)))


def _places(count: int, most: int) -> list[int]:
    """The first rows, and some evenly from all others: rows are often sorted by their class."""
    first = count if count <= most else most * 3 // 4
    return [*range(first), *(first + place for place in spread(count - first, most - first))]


def _fields(row: Any) -> Any:
    """A collator takes the attributes of a row that is no mapping."""
    return vars(row) if not isinstance(row, Mapping) and hasattr(row, "__dict__") else row


def _is_table(dataset: Any, main_input: str) -> bool:
    """Whether the model reads its columns as they stand. Transformed pictures are too large to."""
    if not is_hub(dataset, "Dataset"):
        return False
    return main_input != "input_ids" or not _transforms(dataset)


def _transforms(dataset: Any) -> bool:
    """Whether `set_transform` or `with_transform` makes its rows when they are asked for."""
    return is_hub(dataset, "Dataset") and dataset.format["type"] == "custom"


def _in_all(rows: list[Mapping[str, Any]], name: str) -> bool:
    return all(name in row for row in rows)


def _are_tokens(row: Any) -> bool:
    """A sequence of whole numbers, or several of them."""
    while isinstance(row, (list, tuple)) and row and isinstance(row[0], (list, tuple)):
        row = row[0]
    return isinstance(row, (list, tuple)) and all(isinstance(token, int) for token in row[:1])


def _plain(value: Any) -> Any:
    if not hasattr(value, "tolist"):
        return value
    if math.prod(value.shape) <= MOST_NUMBERS:
        return value.tolist()
    numbers = np.ascontiguousarray(value.numpy(force=True) if is_tensor(value) else value)
    size = "x".join(map(str, value.shape))
    return Large(f"{numbers.dtype}[{size}]", hashlib.sha256(numbers.tobytes()).hexdigest()[:16])


def _kept(trainer: Trainer, names: tuple[str, ...]) -> tuple[str, ...]:
    if not trainer.args.remove_unused_columns:
        return names
    trainer._set_signature_columns_if_needed()
    signature: Any = trainer._signature_columns
    return tuple(name for name in names if name in signature)


def _few_valued(columns: dict[str, list[Any]], kept: tuple[str, ...]) -> dict[str, int]:
    """Columns that nobody keeps and that hold a handful of values: a label under another name."""
    few = {}
    for name, values in columns.items():
        if name in kept or not values or not isinstance(values[0], (int, str)):
            continue
        distinct = len(set(values))
        if 2 <= distinct <= min(20, len(values) // 3):
            few[name] = distinct
    return few


def batch(trainer: Trainer, widths: tuple[int, ...], facts: Facts, tokenizer: Any) -> Batch:
    """The first batch of the Trainer's own data loader. `widths`: of the rows, filling included."""
    try:
        made = on_behalf(first_batch, trainer)
    except Exception as error:
        texts, failure = _texts(trainer), failure_of_script(error)
        left_out = dropped_of_rows(trainer)
        return Batch({}, widths=widths, text_fields=texts, dropped=left_out, failure=failure)
    tensors = {name: value for name, value in fields_of(made).items() if is_tensor(value)}
    mask = tensors.get("attention_mask")
    labels = labels_of(trainer, made)
    two_texts = bool(getattr(getattr(trainer.model, "config", None), "is_encoder_decoder", False))
    counted, padded = (0, 0) if two_texts else _counted_padding(mask, labels)
    told = inputs.seen_in(trainer, tensors, facts, tokenizer)
    return Batch(
        **told,
        fields={name: _field(tensor) for name, tensor in tensors.items()},
        mask=tuple(tuple(row) for row in mask.tolist())
        if mask is not None and mask.dim() == 2
        else (),
        widths=widths,
        labels=tuple(labels.tolist()) if labels is not None and labels.dim() == 1 else (),
        text_fields=_texts(trainer),
        counted_padding=counted,
        padded_positions=padded,
        same_tokens=_same_tokens(tensors, labels, facts),
        lost=rows_lost(trainer, made),
        cut=fractions_lost(trainer, made) if facts.task in AMOUNTS else None,
        sample=_first_of(tensors, trainer, facts, tokenizer),
    )


def _same_tokens(tensors: dict[str, torch.Tensor], labels: Any, facts: Facts) -> int:
    """How many different labels stand beside rows that hold the same tokens, all of them."""
    ids = tensors.get("input_ids")
    if ids is None or facts.main_input != "input_ids" or ids.dim() != 2 or len(ids) < FEW:
        return 0
    if labels is None or labels.dim() != 1 or bool((ids != ids[:1]).any()):
        return 0
    return len(set(labels.tolist()))


def handed(trainer: Trainer, facts: Facts, tokenizer: Any) -> dict[str, Any]:
    """What a batch that failed was to be made of: the same draw again, up to the collator."""
    rows = [one for one in first_features(trainer) if isinstance(one, Mapping)]
    if not rows:
        return {}
    lengths = {
        name: tuple(len(row[name]) for row in rows)
        for name, value in rows[0].items()
        if isinstance(value, list) and _in_all(rows, name)
    }
    first = {name: _plain(value) for name, value in rows[0].items()}
    ids = first.get(facts.main_input)
    known = isinstance(ids, list) and bool(ids) and isinstance(ids[0], int)
    sample = _sample(first, trainer, facts, tokenizer) if known else None
    return {"handed": lengths, "first_row": first, "sample": sample}


def _first_of(
    tensors: dict[str, torch.Tensor], trainer: Trainer, facts: Facts, tokenizer: Any
) -> Sample | None:
    ids = tensors.get(facts.main_input)
    if facts.main_input != "input_ids" or ids is None or ids.dim() != 2 or not len(ids):
        return None
    first = {name: tensor[0].tolist() for name, tensor in tensors.items() if tensor.dim()}
    return _sample(first, trainer, facts, tokenizer)


def _sample(row: Mapping[str, Any], trainer: Trainer, facts: Facts, tokenizer: Any) -> Sample:
    ids, mask = row[facts.main_input], row.get("attention_mask")
    dataset: Any = trainer.train_dataset
    place, texts = None, {}
    if is_hub(dataset, "Dataset") and "input_ids" in dataset.column_names:
        known = dataset.with_format(None)
        rows = known.select(range(min(len(known), MOST_ROWS)))["input_ids"]
        place = place_of(ids, mask, rows)
        whole = {} if place is None else known[place]
        texts = {name: value for name, value in whole.items() if isinstance(value, str)}
    label = next((row[name] for name in LABELS if name in row), None)
    return sample_of(ids, mask, label, tokenizer, texts, place)


def dropped(trainer: Trainer) -> tuple[str, ...]:
    """The columns of the training set that the Trainer hands to nobody."""
    dataset: Any = trainer.train_dataset
    columns = tuple(dataset.column_names) if is_hub(dataset, "Dataset") else ()
    return inputs.dropped_from(columns, _kept(trainer, columns))


def dropped_of_rows(trainer: Trainer) -> tuple[str, ...]:
    """The same; also of rows that a data set of the script's own makes one by one."""
    dataset: Any = trainer.train_dataset
    if is_hub(dataset, "Dataset"):
        return dropped(trainer)
    if type(trainer).get_train_dataloader is not Trainer.get_train_dataloader:
        return ()
    row: Any = None
    with suppress(Exception):  # what rows fail on is told by the data stage
        row = dataset[0] if hasattr(dataset, "__getitem__") else None
    columns = tuple(map(str, row)) if isinstance(row, Mapping) else ()
    return inputs.dropped_from(columns, _kept(trainer, columns))


def _texts(trainer: Trainer) -> tuple[str, ...]:
    """The columns of text that reach the collator."""
    dataset: Any = trainer.train_dataset
    if _transforms(dataset):
        return ()
    features = dataset.features if is_hub(dataset, "Dataset") else {}
    kept = _kept(trainer, tuple(features))
    return tuple(name for name in kept if getattr(features[name], "dtype", None) == "string")


def _counted_padding(mask: Any, labels: Any) -> tuple[int, int]:
    """Of the padded positions, how many the loss would count."""
    if mask is None or labels is None or labels.shape != mask.shape:
        return 0, 0
    padded = mask == 0
    return int((padded & (labels != -100)).sum()), int(padded.sum())


def _field(tensor: torch.Tensor) -> Field:
    values = tensor.float() if tensor.numel() else torch.zeros(1)
    low, high = float(values.min()), float(values.max())
    return Field(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), low, high)
