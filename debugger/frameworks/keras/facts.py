"""What is fixed once a Keras model is compiled: its task, its loss, its names, its tokenizer."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras
from transformers import PreTrainedTokenizerBase

from debugger.frameworks.keras.answering import Answer, Loss, outputs, task
from debugger.frameworks.keras.bench import named_weights
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.loading import was_loaded
from debugger.frameworks.keras.placing import last_layer, layers_at
from debugger.frameworks.keras.reading import Parts, size_of
from debugger.pipelines.facts import Compiled, Facts
from debugger.pipelines.models import names_in, tokenizer_from
from debugger.pipelines.rows import class_names_of

_TOLD = ("learning_rate", "beta_1", "beta_2", "epsilon", "momentum", "rho", "weight_decay")


def facts_of(fit: Fit, batch: Parts | None, loss: Loss, answer: Answer, loaded: bool) -> Facts:
    """`loaded`: the model had its weights before it saw a batch."""
    model = fit.model
    chosen = task(model, loss, batch, answer)
    config = getattr(model, "config", None)
    config = config if hasattr(config, "num_labels") else None
    source = fit.source(fit.train)
    collate = None if source is None else source.collate
    return Facts(
        task=chosen,
        model_class=type(model).__name__,
        num_labels=outputs(model, chosen, loss, answer),
        label_names=class_names_of(source.dataset if source else None) or names_in(config),
        device="cuda" if tf.config.list_physical_devices("GPU") else "cpu",
        collator=getattr(collate, "__name__", type(collate).__name__) if collate else "",
        # More than one row came through as a batch: whatever made it can pad.
        pads=hasattr(collate, "tokenizer") or size_of(batch) > 1,
        main_input=getattr(model, "main_input_name", "input_ids"),
        batch_size=size_of(batch),
        pretrained=loaded and was_loaded(model),
        known_collator=True,
        framework="keras",
        compiled=Compiled(
            strings=fit.strings,
            defaults=_defaults(fit),
            loss=loss.name,
            eagerly=bool(model._run_eagerly),
        ),
        layers_at=layers_at(model, fit.noted),
        last_layer=last_layer(model),
        cut_short=fit.cut_short,
        positions=getattr(config, "max_position_embeddings", None),
        by_hand=fit.by_hand is not None,
    )


def configured_like(fit: Fit) -> str:
    """Where a config and a tokenizer were loaded from, and no weights."""
    source = str(getattr(getattr(fit.model, "config", None), "_name_or_path", "") or "")
    tokenizer = tokenizer_of(fit) if source and not was_loaded(fit.model) else None
    return source if getattr(tokenizer, "name_or_path", "") == source else ""


def tokenizer_of(fit: Fit) -> PreTrainedTokenizerBase | None:
    """The collator's, else the one that belongs to the model's checkpoint."""
    source = fit.source(fit.train)
    found = getattr(source.collate, "tokenizer", None) if source else None
    if isinstance(found, PreTrainedTokenizerBase):
        return found
    checkpoint = getattr(fit.model, "name_or_path", "")
    if not checkpoint:
        return None
    return tokenizer_from(checkpoint)


def blocks_of(model: Any) -> dict[str, list[str]]:
    """Weights by the part of the model they belong to: embeddings, layer 0 ..., head."""
    blocks: dict[str, list[Any]] = {}
    for name in named_weights(model):
        blocks.setdefault(_block(name, model.name), []).append(name)
    return blocks


def head_of(model: Any) -> list[str]:
    """The weights outside the pretrained body; none when the model has no such body.

    Those that the library itself never trains (Marian's `final_logits_bias`) are nobody's head.
    """
    body = getattr(model, getattr(model, "base_model_prefix", "") or " ", None)
    if body is None:
        return []
    inside = {id(weight) for weight in body.weights}
    outside = {n: w for n, w in named_weights(model).items() if id(w) not in inside}
    return [name for name, weight in outside.items() if weight.trainable]


def _defaults(fit: Fit) -> dict[str, str]:
    """What a string leaves as it is: it names an optimizer or a loss, and nothing else."""
    left: dict[str, dict[str, Any]] = {}
    if "optimizer" in fit.strings and hasattr(fit.model.optimizer, "get_config"):
        made = fit.model.optimizer.get_config()
        left["optimizer"] = {name: made[name] for name in _TOLD if made.get(name) is not None}
    if isinstance(fit.model.loss, str) and (loss := _loss_named(fit.model.loss)) is not None:
        given = inspect.signature(loss).parameters.values()
        left["loss"] = {p.name: p.default for p in given if p.default is not p.empty}
    return {
        what: ", ".join(f"{name}={_short(value)}" for name, value in values.items())
        for what, values in left.items()
    }


def _loss_named(name: str) -> Any:
    try:
        return tf_keras.losses.get(name)
    except ValueError:
        return None


def _short(value: Any) -> str:
    return f"{float(value):g}" if isinstance(value, (float, np.floating)) else str(value)


def _block(name: str, model: str) -> str:
    parts = name.removeprefix(f"{model}/").split("/")
    if layer := re.search(r"/layer_?\._?(\d+)/", f"/{name}"):
        return f"layer {layer[1]}"
    return parts[1] if len(parts) > 2 else parts[0]
