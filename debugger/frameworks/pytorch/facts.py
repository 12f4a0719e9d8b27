"""What is fixed once a Trainer is built: its task, its names, its tokenizer."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedTokenizerBase, Trainer

from debugger.pipelines.face import Facts
from debugger.pipelines.models import names_in, task_of, tokenizer_from

_COLLATORS_OF_HUGGING_FACE = "transformers.data.data_collator"


def facts_of(trainer: Trainer, class_names: tuple[str, ...] | None) -> Facts:
    model: Any = trainer.model
    config = getattr(model, "config", None)
    collator: Any = trainer.data_collator
    name = getattr(collator, "__name__", type(collator).__name__)
    home = getattr(collator, "__module__", "")
    return Facts(
        task=task_of(model, config),
        model_class=type(model).__name__,
        num_labels=getattr(config, "num_labels", None),
        label_names=class_names or names_in(config),
        device=str(next(model.parameters()).device),
        collator=name,
        pads=hasattr(collator, "tokenizer") and home == _COLLATORS_OF_HUGGING_FACE,
        main_input=getattr(model, "main_input_name", "input_ids"),
        batch_size=trainer.args.per_device_train_batch_size,
        pretrained=bool(getattr(config, "_name_or_path", "")),
        known_collator=home == _COLLATORS_OF_HUGGING_FACE,
    )


def tokenizer_of(trainer: Trainer) -> PreTrainedTokenizerBase | None:
    """The Trainer's own tokenizer, else the one that belongs to the model's checkpoint."""
    for holder, name in ((trainer, "processing_class"), (trainer.data_collator, "tokenizer")):
        found = getattr(holder, name, None)
        if isinstance(found, PreTrainedTokenizerBase):
            return found
    source = getattr(getattr(trainer.model, "config", None), "_name_or_path", "")
    if not source or getattr(trainer.model, "main_input_name", "input_ids") != "input_ids":
        return None
    return tokenizer_from(source)


def blocks_of(model: torch.nn.Module) -> dict[str, list[str]]:
    """Weights by the part of the model they belong to: embeddings, layer 0 ..., head."""
    prefix = getattr(model, "base_model_prefix", "")
    blocks: dict[str, list[str]] = {}
    for name, _ in model.named_parameters():
        blocks.setdefault(_block(name, prefix), []).append(name)
    return blocks


def head_of(model: torch.nn.Module) -> tuple[str, ...]:
    """The weights outside the pretrained body; none when the model has no such body."""
    prefix = getattr(model, "base_model_prefix", "")
    if not prefix or not hasattr(model, prefix):
        return ()
    return tuple(n for n, _ in model.named_parameters() if not n.startswith(f"{prefix}."))


def broken_weights(model: torch.nn.Module) -> tuple[str, ...]:
    """The weights that hold nan or infinity."""
    return tuple(name for name, w in model.named_parameters() if not _is_finite(w.detach()))


def _is_finite(weight: torch.Tensor) -> bool:
    """Either shows in the least and the largest number, found ten times as fast as by looking."""
    if weight.numel() and not weight.is_complex():
        weight = torch.stack(torch.aminmax(weight))
    return bool(torch.isfinite(weight).all())


def _block(name: str, prefix: str) -> str:
    parts = name.removeprefix(f"{prefix}.").split(".")
    for number, part in enumerate(parts[:-1]):
        if part.isdigit():
            return ".".join(parts[: number + 1])
    return parts[0]
