"""What a batch of a Trainer feeds the model, and whether the padding in it is felt."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from transformers import Trainer

from debugger.frameworks.pytorch.batches import fields_of, is_tensor
from debugger.frameworks.pytorch.forwarding import own_loss
from debugger.frameworks.pytorch.rows import first_set, is_stream, subset
from debugger.pipelines.facts import Facts
from debugger.pipelines.inputs import (
    SMALLEST,
    Padding,
    Signal,
    clash_of,
    closes,
    filling,
    padding_of,
    signal_of,
)
from debugger.pipelines.models import tokenizer_from
from debugger.pipelines.targets import Targets, ends_of, targets_of

FELT = 1e-4
EVAL_ROWS = 8
_SIGNALS = ("pixel_values", "input_values", "input_features")
PICTURES = 4
"""Axes of a batch that has channels."""


def seen_in(
    trainer: Trainer, made: Mapping[str, torch.Tensor], facts: Facts, tokenizer: Any
) -> dict[str, Any]:
    """Of a batch that was made: its padding, its signal and its targets."""
    signal = _signal(trainer, made, facts)
    signals = {} if signal is None else {"signal": signal, "eval_signal": _of_eval(trainer, facts)}
    ids = made.get("input_ids")
    if ids is None or ids.dim() != 2 or not ids.numel() or ids.is_floating_point():
        return signals
    filled = _filling(trainer, ids, tokenizer)
    return {
        **signals,
        "padding": None if filled is None else _padding(trainer, made, filled, tokenizer),
        "targets": _targets(trainer, made, filled, tokenizer),
    }


def dropped_from(columns: tuple[str, ...], kept: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in columns if name not in kept)


def named_in(code: Any, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that a function's own text reads: by subscript, or with get or pop.

    One that is popped and thrown away is not read.
    """
    with suppress(Exception):  # code that has no text, such as that of a compiled function
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
        thrown = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        read = {
            name
            for node in ast.walk(tree)
            if id(node) not in thrown and (name := _reads(node)) is not None
        }
        return tuple(name for name in columns if name in read)
    return ()


def clash(trainer: Trainer, ids: Any, tokenizer: Any, facts: Facts) -> dict[str, Any]:
    """The same ids to the tokenizer of the script, and to the one of the checkpoint.

    Only weights that were loaded have learned what an id means.
    """
    source = getattr(getattr(trainer.model, "config", None), "_name_or_path", "")
    if not ids or tokenizer is None or not source or tokenizer.name_or_path == source:
        return {}
    if not facts.pretrained or not ids[0] or not isinstance(ids[0][0], int):
        return {}
    other = tokenizer_from(source, local_files_only=True)
    return {} if other is None else clash_of(ids, tokenizer, other)


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy()


def _padding(
    trainer: Trainer, made: Mapping[str, torch.Tensor], filled: np.ndarray, tokenizer: Any
) -> Padding | None:
    mask = made.get("attention_mask")
    if mask is not None and mask.shape != made["input_ids"].shape:
        return None
    told = padding_of(None if mask is None else _array(mask), filled)
    generates = bool(getattr(trainer.args, "predict_with_generate", False))
    config = getattr(trainer.model, "config", None)
    writes_on = generates and not getattr(config, "is_encoder_decoder", False)
    pads = getattr(tokenizer, "pad_token_id", None), getattr(config, "pad_token_id", None)
    unlike = told.filled and None not in pads and pads[0] != pads[1]
    more: dict[str, Any] = {"generates": writes_on}
    if told.open and _takes_mask(trainer.model):
        mask = torch.as_tensor(~filled)
        more["felt"] = _moved(trainer, made, filled, {"attention_mask": mask}, pads[1])
    if unlike:
        more |= {"taken_for": pads, "missed": _moved(trainer, made, filled, {}, pads[0])}
    return Padding(**{**vars(told), **more})


def _takes_mask(model: Any) -> bool:
    known = inspect.signature(model.forward).parameters
    return "attention_mask" in known or hasattr(model, "base_model")


def _moved(
    trainer: Trainer,
    made: Mapping[str, torch.Tensor],
    filled: np.ndarray,
    other: dict[str, torch.Tensor],
    pad: int | None,
) -> bool | None:
    """Whether the model answers otherwise to these other inputs, or where its config has another
    padding token, its dropout switched off."""
    model: Any = trainer.model
    model.eval()
    inputs: Any = trainer._prepare_inputs(dict(made))
    changed = {**inputs, **{name: v.to(inputs["input_ids"]) for name, v in other.items()}}
    config: Any = getattr(model, "config", None)
    own = getattr(config, "pad_token_id", None)
    try:
        with torch.no_grad():
            before = _answer(model(**inputs))
            if pad != own:
                config.pad_token_id = pad
            after = _answer(model(**changed))
    except Exception:  # what the script's own batch runs into is told by the next stage
        return None
    finally:
        if pad != own:
            config.pad_token_id = own
    if before is None or after is None:
        return None
    if before.dim() == 3 and before.shape[:2] == filled.shape:
        real = torch.as_tensor(~filled, device=before.device)
        before, after = before[real], after[real]
    return bool((before - after).abs().max() > FELT * before.std().clamp_min(1e-6))


def _answer(outputs: Any) -> torch.Tensor | None:
    for name in ("logits", "start_logits", "last_hidden_state"):
        found = getattr(outputs, name, None)
        if isinstance(found, torch.Tensor):
            return found.detach().float()
    return None


def _signal(trainer: Trainer, made: Mapping[str, torch.Tensor], facts: Facts) -> Signal | None:
    found = [name for name in (facts.main_input, *_SIGNALS) if _is_signal(made.get(name))]
    if not found:
        return None
    labels = made.get("labels")
    different = 0 if labels is None or labels.dim() != 1 else len(set(labels.tolist()))
    processor = getattr(trainer, "processing_class", None)
    normalises = getattr(processor, "do_normalize", None)
    values = made[found[0]].detach().float().cpu().numpy()
    small = values.ndim < PICTURES and min(values.shape[1:], default=0) < SMALLEST
    kind = "features" if small and found[0] not in _SIGNALS else ""
    return signal_of(found[0], values, different, normalises, kind)


def _of_eval(trainer: Trainer, facts: Facts) -> Signal | None:
    rows = first_set(trainer.eval_dataset)
    if rows is None or is_stream(rows):
        return None
    try:
        batch = next(iter(trainer.get_eval_dataloader(subset(rows, EVAL_ROWS))))
    except Exception:  # the evaluate stage is where this is told
        return None
    tensors = {name: value for name, value in fields_of(batch).items() if is_tensor(value)}
    return _signal(trainer, tensors, facts)


def _is_signal(tensor: Any) -> bool:
    return isinstance(tensor, torch.Tensor) and tensor.is_floating_point() and tensor.numel() > 0


def _targets(
    trainer: Trainer, made: Mapping[str, torch.Tensor], filled: np.ndarray | None, tokenizer: Any
) -> Targets | None:
    labels = made.get("labels")
    if labels is None or labels.dim() != 2 or labels.is_floating_point() or not labels.numel():
        return None
    decoder = made.get("decoder_input_ids")
    told = targets_of(
        _array(made["input_ids"]),
        _array(labels),
        None if filled is None else ~filled,
        None if decoder is None else _array(decoder),
        tokenizer,
    )
    config = getattr(trainer.model, "config", None)
    two_texts = bool(getattr(config, "is_encoder_decoder", False))
    if two_texts and tokenizer is not None:
        generates = bool(getattr(trainer.args, "predict_with_generate", False))
        told = replace(told, generates=generates, **ends_of(_array(labels), tokenizer))
    alike = labels.shape == made["input_ids"].shape and not two_texts
    if filled is None or alike or own_loss(trainer):
        return told
    over = _filling(trainer, labels, tokenizer)
    return replace(told, filled=0 if over is None else int(over.sum()))


def _filling(trainer: Trainer, rows: torch.Tensor, tokenizer: Any) -> np.ndarray | None:
    """The padding token is the tokenizer's; where that is out of sight, the model's own."""
    knows = tokenizer or getattr(trainer.model, "config", None)
    pad = getattr(knows, "pad_token_id", None)
    return None if pad is None else filling(_array(rows), pad, closes(knows))


def _reads(node: ast.AST) -> str | None:
    key: ast.AST | None = None
    if isinstance(node, ast.Subscript):
        key = node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        key = node.args[0] if node.func.attr in ("get", "pop") else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
