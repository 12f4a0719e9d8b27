"""The data as the Trainer holds it, and one batch as its collator makes it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import torch
from transformers import PreTrainedTokenizerBase, Trainer

from debugger.failure import failure_of
from debugger.frameworks.pytorch.evaluating import metric_names
from debugger.frameworks.pytorch.forwarding import own_loss
from debugger.pipelines.face import Batch, Data, Facts, Field, Sample, Split
from debugger.pipelines.rows import (
    LABELS,
    SHOWN_ROWS,
    class_names_of,
    is_hub,
    place_of,
    sample_of,
    split_of,
)

MOST_ROWS = 5000
MOST_PICTURES = 200


def data(trainer: Trainer, facts: Facts, tokenizer: PreTrainedTokenizerBase | None) -> Data:
    train, evaluation = trainer.train_dataset, trainer.eval_dataset
    if isinstance(evaluation, dict) and not is_hub(evaluation, "DatasetDict"):
        evaluation = next(iter(evaluation.values()), None)
    if isinstance(train, dict):
        return Data(None, None, is_dataset_dict=True)
    if is_hub(train, "IterableDataset") or isinstance(train, torch.utils.data.IterableDataset):
        return Data(None, None, streamed=True)
    try:
        train_keys, train_split = _split(trainer, train, facts, tokenizer)
        eval_keys, eval_split = _split(trainer, evaluation, facts, tokenizer)
    except Exception as error:
        return Data(None, None, failure=failure_of(error))
    seen = set(train_keys)
    return Data(
        train_split,
        eval_split,
        weighs=own_loss(trainer) or _own_sampler(trainer) or _own_model(trainer),
        metrics=metric_names(trainer, () if train_split is None else train_split.labels, facts),
        shared_rows=sum(key in seen for key in eval_keys),
    )


def _own_sampler(trainer: Trainer) -> bool:
    """Whether somebody else than the Trainer picks the rows of a batch."""
    names = ("_get_train_sampler", "get_train_dataloader")
    return any(getattr(type(trainer), name) is not getattr(Trainer, name) for name in names)


def _own_model(trainer: Trainer) -> bool:
    return not type(trainer.model).__module__.startswith("transformers.")


def _split(
    trainer: Trainer, dataset: Any, facts: Facts, tokenizer: Any
) -> tuple[list[str], Split | None]:
    if dataset is None or isinstance(dataset, dict) or is_hub(dataset, "IterableDataset"):
        return [], None
    values = _columns(dataset, facts.main_input)
    columns = tuple(dataset.column_names if _is_table(dataset, facts.main_input) else values)
    kept = _kept(trainer, columns)
    label = next((name for name in LABELS if name in kept and name in columns), None)
    looked_at = len(next(iter(values.values()), ()))
    first = range(min(SHOWN_ROWS, looked_at))
    return split_of(
        values,
        values.get(facts.main_input) if facts.main_input == "input_ids" else None,
        label,
        values.get(label, []) if label else [],
        tokenizer,
        count=len(dataset),
        looked_at=looked_at,
        columns=columns,
        kept=kept,
        class_names=class_names_of(dataset),
        texts=tuple({n: v[i] for n, v in values.items() if isinstance(v[i], str)} for i in first),
        few_valued=_few_valued(values, kept),
    )


def _columns(dataset: Any, main_input: str) -> dict[str, list[Any]]:
    """The first rows, column by column, as Python values; pictures and sounds are left out.

    Rows that code makes one at a time are read as far as reading a row is cheap.
    """
    most = min(len(dataset), MOST_ROWS if main_input == "input_ids" else MOST_PICTURES)
    if _is_table(dataset, main_input):
        rows = dataset.with_format(None).select(range(min(len(dataset), MOST_ROWS)))
        cheap = [
            name
            for name, feature in rows.features.items()
            if main_input == "input_ids" or getattr(feature, "dtype", None) in ("int64", "string")
        ]
        return rows.select_columns(cheap)[:]
    made: list[Any] = [dataset[number] for number in range(most)]
    if not made or not isinstance(made[0], Mapping):
        return {}
    return {name: [_plain(row[name]) for row in made] for name in made[0] if _in_all(made, name)}


def _is_table(dataset: Any, main_input: str) -> bool:
    """Whether the model reads its columns as they stand. Transformed pictures are too large to."""
    if not is_hub(dataset, "Dataset"):
        return False
    return main_input != "input_ids" or not _transforms(dataset)


def _transforms(dataset: Any) -> bool:
    """Whether `set_transform` or `with_transform` makes its rows when they are asked for."""
    return dataset.format["type"] == "custom"


def _in_all(rows: list[Mapping[str, Any]], name: str) -> bool:
    return all(name in row for row in rows)


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


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
        made = next(iter(trainer.get_train_dataloader()))
    except Exception as error:
        return Batch({}, widths=widths, text_fields=_texts(trainer), failure=failure_of(error))
    tensors = {name: value for name, value in made.items() if isinstance(value, torch.Tensor)}
    mask = tensors.get("attention_mask")
    labels = tensors.get("labels")
    counted, padded = _counted_padding(mask, labels)
    return Batch(
        fields={name: _field(tensor) for name, tensor in tensors.items()},
        mask=tuple(tuple(row) for row in mask.tolist())
        if mask is not None and mask.dim() == 2
        else (),
        widths=widths,
        labels=tuple(labels.tolist()) if labels is not None and labels.dim() == 1 else (),
        text_fields=_texts(trainer),
        counted_padding=counted,
        padded_positions=padded,
        sample=_first_of(tensors, trainer, facts, tokenizer),
    )


def handed(trainer: Trainer, facts: Facts, tokenizer: Any) -> dict[str, Any]:
    """What a batch that failed was to be made of: the same draw again, up to the collator."""
    rows: list[Mapping[str, Any]] = []

    def note(features: list[Any]) -> None:  # the loader asks for the second batch at once
        if not rows:
            rows.extend(one for one in features if isinstance(one, Mapping))

    trainer.data_collator = note  # type: ignore[assignment]
    with suppress(Exception):  # the collator's own failure is the one that is reported
        next(iter(trainer.get_train_dataloader()))
    if not rows:
        return {}
    lengths = {
        name: tuple(len(row[name]) for row in rows)
        for name, value in rows[0].items()
        if isinstance(value, list) and _in_all(list(rows), name)
    }
    first = {name: _plain(value) for name, value in rows[0].items()}
    ids = first.get(facts.main_input)
    sample = None if not isinstance(ids, list) else _sample(first, trainer, facts, tokenizer)
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
        place = place_of(ids, mask, known.select(range(min(len(known), MOST_ROWS)))["input_ids"])
        whole = {} if place is None else known[place]
        texts = {name: value for name, value in whole.items() if isinstance(value, str)}
    label = next((row[name] for name in LABELS if name in row), None)
    return sample_of(ids, mask, label, tokenizer, texts, place)


def _texts(trainer: Trainer) -> tuple[str, ...]:
    """The columns of text that reach the collator."""
    dataset: Any = trainer.train_dataset
    if is_hub(dataset, "Dataset") and _transforms(dataset):
        return ()
    features = getattr(dataset, "features", None) or {}
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
