"""What the class and the config of a model say of its task, in either framework."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from transformers import AutoTokenizer, PreTrainedTokenizerBase

from debugger.pipelines.facts import Task

_TABLES: tuple[tuple[str, Task], ...] = (
    ("SEQUENCE_CLASSIFICATION", "classification"),
    ("IMAGE_CLASSIFICATION", "classification"),
    ("AUDIO_CLASSIFICATION", "classification"),
    ("VIDEO_CLASSIFICATION", "classification"),
    ("TOKEN_CLASSIFICATION", "tokens"),
    ("AUDIO_FRAME_CLASSIFICATION", "tokens"),
    ("MULTIPLE_CHOICE", "multiple_choice"),
    ("QUESTION_ANSWERING", "spans"),
    ("DOCUMENT_QUESTION_ANSWERING", "spans"),
    ("SEQ_TO_SEQ_CAUSAL_LM", "seq2seq"),
    ("SPEECH_SEQ_2_SEQ", "seq2seq"),
    ("VISION_2_SEQ", "seq2seq"),
    ("IMAGE_TEXT_TO_TEXT", "seq2seq"),
    ("MASKED_LM", "masked_lm"),
    ("CAUSAL_LM", "causal_lm"),
)
"""Of transformers, in the order that they are asked in: Bart stands in four of them."""
_ENDINGS: tuple[tuple[str, Task], ...] = (
    ("ForTokenClassification", "tokens"),
    ("ForCausalLM", "causal_lm"),
    ("LMHeadModel", "causal_lm"),
    ("ForMaskedLM", "masked_lm"),
    ("ForConditionalGeneration", "seq2seq"),
    ("EncoderDecoderModel", "seq2seq"),
    ("ForSequenceClassification", "classification"),
    ("ForImageClassification", "classification"),
    ("ForAudioClassification", "classification"),
    ("ForMultipleChoice", "multiple_choice"),
    ("ForQuestionAnswering", "spans"),
)
"""Where no table knows the class: a model that a script or the hub brings along."""
CLASSES: tuple[Task, ...] = ("classification", "multilabel", "regression", "tokens")
"""Tasks in which `num_labels` says how many outputs there are."""


def task_of(model: Any, config: Any) -> Task:
    """What the class of a model, or one that it is made from, is made for."""
    names = [kind.__name__ for kind in type(model).__mro__]
    found: list[Task] = [one for name in names if (one := _task_named(name)) != "unknown"]
    task = found[0] if found else "unknown"
    if task == "seq2seq" and not getattr(config, "is_encoder_decoder", True):
        return "causal_lm"
    problem = getattr(config, "problem_type", None)
    if task == "classification" and problem == "multi_label_classification":
        return "multilabel"
    return "regression" if task == "classification" and problem == "regression" else task


@cache
def _task_named(name: str) -> Task:
    of_tensorflow = "TF" if name.startswith("TF") else ""
    home = "modeling_tf_auto" if of_tensorflow else "modeling_auto"
    tables = sys.modules.get(f"transformers.models.auto.{home}")
    prefix = f"{of_tensorflow}_" if of_tensorflow else ""
    for table, task in _TABLES:
        known = getattr(tables, f"{prefix}MODEL_FOR_{table}_MAPPING_NAMES", {})
        if any(name in ((one,) if isinstance(one, str) else one) for one in known.values()):
            return task
    found: list[Task] = [task for ending, task in _ENDINGS if name.endswith(ending)]
    return found[0] if found else "unknown"


def is_task_model(model: Any) -> bool:
    """Whether it has a head, and is no bare body."""
    return task_of(model, None) != "unknown"


def names_in(config: Any) -> tuple[str, ...] | None:
    """Names the model itself carries; LABEL_0, LABEL_1 ... are nobody's names."""
    names = getattr(config, "id2label", None) or {}
    chosen = [str(names[number]) for number in sorted(names)]
    return None if all(name.startswith("LABEL_") for name in chosen) else tuple(chosen)


def tokenizer_from(checkpoint: str, **given: Any) -> PreTrainedTokenizerBase | None:
    """The tokenizer that belongs to a checkpoint, if it has one."""
    try:
        return AutoTokenizer.from_pretrained(checkpoint, **given)
    except (OSError, ValueError, KeyError, TypeError):  # the last: a folder without a vocabulary
        return None
