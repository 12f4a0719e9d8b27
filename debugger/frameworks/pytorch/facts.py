"""What is fixed once a Trainer is built: its task, its names, its tokenizer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from inspect import signature
from itertools import islice
from typing import Any

import torch
from transformers import PreTrainedTokenizerBase, Trainer

from debugger.failure import failure_of_script, on_behalf
from debugger.frameworks.pytorch.batches import (
    fields_of,
    labels_of,
    task_in,
    with_loss,
)
from debugger.frameworks.pytorch.loading import is_pretrained, the_one_used, tokenized_at
from debugger.frameworks.pytorch.losses import is_own, takes_beyond
from debugger.frameworks.pytorch.parts import is_of_library
from debugger.frameworks.pytorch.rows import count_of, is_stream
from debugger.frameworks.pytorch.untouched import borrowed
from debugger.pipelines.facts import Facts, Task
from debugger.pipelines.models import CLASSES, names_in, task_of, tokenizer_from
from debugger.pipelines.rows import LABELS, is_hub

LOOKED_AT, IGNORED = 64, -100
BATCHES_TRIED, SECONDS_TRIED = 16, 1.0
_COLLATORS_OF_HUGGING_FACE = "transformers.data.data_collator"


def facts_of(trainer: Trainer, class_names: tuple[str, ...] | None) -> Facts:
    model: Any = trainer.model
    config = getattr(model, "config", None)
    collator: Any = trainer.data_collator
    name = getattr(collator, "__name__", type(collator).__name__)
    home = getattr(collator, "__module__", "")
    task, classes = task_of(model, config), getattr(config, "num_labels", None)
    if task == "unknown" or (task in CLASSES and not is_of_library(model)):
        with borrowed(trainer):
            found, counted = task_in(trainer)
        task, classes = (found, counted) if found != "unknown" else (task, classes)
    elif task == "classification":
        task = _by_labels(trainer, classes)
    if task in ("classification", "tokens") and classes and _takes_others(trainer, classes):
        task, classes = "unknown", None
    return Facts(
        task=task,
        model_class=type(model).__name__,
        num_labels=classes if task in CLASSES or task == "unknown" else None,
        label_names=class_names or names_in(config),
        device=str(next((w.device for w in model.parameters()), trainer.args.device)),
        collator=name,
        pads=hasattr(collator, "tokenizer") and home == _COLLATORS_OF_HUGGING_FACE,
        main_input=_main_input(trainer),
        batch_size=trainer.args.per_device_train_batch_size,
        pretrained=is_pretrained(model),
        known_collator=home == _COLLATORS_OF_HUGGING_FACE,
        by_hand=hasattr(trainer, "by_hand"),
        tokenized_at=tokenized_at(trainer),
        targets_tokenized_at=tokenized_at(trainer, lambda: first_tokens(trainer, "labels"))
        if task == "seq2seq"
        else None,
        positions=getattr(config, "max_position_embeddings", None),
    )


def configured_like(trainer: Trainer) -> str:
    """Where a config and a tokenizer were loaded from, and no weights."""
    model: Any = trainer.model
    source = str(getattr(getattr(model, "config", None), "_name_or_path", "") or "")
    own = getattr(trainer, "processing_class", None) or getattr(
        trainer.data_collator, "tokenizer", 0
    )
    same = source and getattr(own, "name_or_path", "") == source
    return source if same and not is_pretrained(model) else ""


def _takes_others(trainer: Trainer, classes: int) -> bool:
    """Whether a label is the number of no output, and a loss of the script's own asks for it all
    the same: one of thresholds, say. A cross-entropy fails on it."""
    if not is_own(trainer):
        return False
    with borrowed(trainer):
        try:
            batch = on_behalf(_first_beyond, trainer, classes)
            if batch is None:
                return False
            labels = labels_of(trainer, batch)
            name = next(name for name, field in fields_of(batch).items() if field is labels)
            loss = on_behalf(with_loss, trainer, batch)[0]
            return bool(torch.isfinite(loss).all()) and takes_beyond(trainer, batch, name)
        except Exception as error:  # the stages are where this is reported
            failure_of_script(error)
            return False


def _first_beyond(trainer: Trainer, classes: int) -> Any:
    """The first batch with a label that is the number of no output, where one comes soon."""
    started = time.monotonic()
    for batch in islice(trainer.get_train_dataloader(), BATCHES_TRIED):
        labels = labels_of(trainer, batch)
        if labels is None or labels.is_floating_point():
            break
        if int(labels.max()) >= classes:
            return batch
        if time.monotonic() - started > SECONDS_TRIED:
            break
    return None


def _by_labels(trainer: Trainer, classes: int | None) -> Task:
    """What transformers makes of labels where no problem type was given: it asks them too."""
    rows = trainer.train_dataset
    if not is_hub(rows, "Dataset"):
        return "classification"
    known: Any = rows
    name = next((n for n in LABELS if n in known.column_names), None)
    labels = known.with_format(None)[:LOOKED_AT][name] if name else []
    if labels and all(isinstance(one, list) and len(one) == classes for one in labels):
        return "multilabel"
    fractions = [one for one in labels if isinstance(one, float) and not one.is_integer()]
    return "regression" if fractions and classes == 1 else "classification"


def _main_input(trainer: Trainer) -> str:
    """What the model reads: a model of one's own, the first that its `forward` takes."""
    model: Any = trainer.model
    said = getattr(model, "main_input_name", None)
    if isinstance(said, str) and said:
        return said
    taken = [
        name for name in signature(model.forward).parameters if name not in trainer.label_names
    ]
    rows = getattr(trainer.train_dataset, "column_names", None) or taken
    return next(
        (name for name in ("input_ids", *taken) if name in taken and name in rows), "input_ids"
    )


def tokenizer_of(trainer: Trainer) -> PreTrainedTokenizerBase | None:
    """The Trainer's own, else the one that was seen at work, else that of the checkpoint."""
    for holder, name in ((trainer, "processing_class"), (trainer.data_collator, "tokenizer")):
        found = getattr(holder, name, None)
        if isinstance(found, PreTrainedTokenizerBase):
            return found
    if _main_input(trainer) != "input_ids":
        return None
    source = getattr(getattr(trainer.model, "config", None), "_name_or_path", "")
    used = the_one_used(trainer, lambda: first_tokens(trainer, "input_ids"))
    return used or (tokenizer_from(source) if source else None)


def first_tokens(trainer: Trainer, name: str, among: Any = None) -> list[Any]:
    """What the first rows, of the training if no others are given, hold under that name, without
    what the loss ignores."""
    rows: Any = trainer.train_dataset if among is None else among
    if is_stream(rows) or not count_of(rows):
        return []
    with borrowed(trainer):
        try:
            some = [rows[place] for place in range(min(LOOKED_AT, len(rows)))]
        except Exception as error:  # rows that cannot be read are told of by the data stage
            failure_of_script(error)
            return []
    held = [one[name] for one in some if isinstance(one, Mapping) and name in one]
    plain = [one.tolist() if hasattr(one, "tolist") else one for one in held]
    return [[n for n in one if n != IGNORED] for one in plain if isinstance(one, list)]


def broken_weights(model: torch.nn.Module) -> tuple[str, ...]:
    """The weights that hold nan or infinity."""
    return tuple(name for name, w in model.named_parameters() if not _is_finite(w.detach()))


def _is_finite(weight: torch.Tensor) -> bool:
    """Either shows in the least and the largest number, found ten times as fast as by looking."""
    if weight.numel() and not weight.is_complex():
        weight = torch.stack(torch.aminmax(weight))
    return bool(torch.isfinite(weight).all())
