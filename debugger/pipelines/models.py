"""What the class and the config of a model say of its task, in either framework."""

from __future__ import annotations

from typing import Any

from transformers import AutoTokenizer, PreTrainedTokenizerBase

from debugger.pipelines.face import Task

_TASKS: tuple[tuple[str, Task], ...] = (
    ("ForTokenClassification", "tokens"),
    ("ForCausalLM", "causal_lm"),
    ("LMHeadModel", "causal_lm"),
    ("ForMaskedLM", "tokens"),
    ("ForConditionalGeneration", "seq2seq"),
    ("ForSequenceClassification", "classification"),
    ("ForImageClassification", "classification"),
    ("ForAudioClassification", "classification"),
    ("ForMultipleChoice", "unknown"),
)


def task_of(model: Any, config: Any) -> Task:
    name = type(model).__name__
    tasks: list[Task] = [task for ending, task in _TASKS if name.endswith(ending)]
    task = tasks[0] if tasks else "unknown"
    if task != "classification":
        return task
    if config.problem_type == "multi_label_classification":
        return "multilabel"
    return "regression" if config.problem_type == "regression" else "classification"


def names_in(config: Any) -> tuple[str, ...] | None:
    """Names the model itself carries; LABEL_0, LABEL_1 ... are nobody's names."""
    names = getattr(config, "id2label", None) or {}
    chosen = [str(names[number]) for number in sorted(names)]
    return None if all(name.startswith("LABEL_") for name in chosen) else tuple(chosen)


def tokenizer_from(checkpoint: str) -> PreTrainedTokenizerBase | None:
    """The tokenizer that belongs to a checkpoint, if it has one."""
    try:
        return AutoTokenizer.from_pretrained(checkpoint)
    except (OSError, ValueError, KeyError):
        return None
