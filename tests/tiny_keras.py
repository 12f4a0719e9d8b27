"""The smallest Keras models that can break: random ones, with batches of random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from transformers import BertConfig, TFBertForSequenceClassification

WORDS = 100
LENGTH = 6


def bert(**more: Any) -> Any:
    sizes: dict[str, Any] = {
        "vocab_size": WORDS,
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
        "num_labels": 3,
    }
    model = TFBertForSequenceClassification(BertConfig(**{**sizes, **more}))
    model({"input_ids": tf.ones((1, LENGTH), tf.int32)})
    return model


def batches(rows: int = 24, seed: int = 0, inside: bool = False, size: int = 4) -> Any:
    """Three classes in turn, and their labels beside the inputs, or inside."""
    random = np.random.RandomState(seed)
    labels = np.arange(rows) % 3
    inputs = {
        "input_ids": random.randint(5, WORDS, (rows, LENGTH)),
        "attention_mask": np.ones((rows, LENGTH), int),
    }
    parts: Any = {**inputs, "labels": labels} if inside else (inputs, labels)
    return tf.data.Dataset.from_tensor_slices(parts).batch(size)


def compiled(model: Any = None, **more: Any) -> Any:
    """A healthy three-class model; `more` replaces what a test wants broken."""
    model = model or bert()
    given: dict[str, Any] = {
        "optimizer": tf.keras.optimizers.Adam(1e-3),
        "loss": tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        "metrics": ["accuracy"],
    }
    given = {**given, **more}
    model.compile(**{name: value for name, value in given.items() if value is not None})
    return model
