"""One batch of a Trainer's own, what it holds, and what the model makes of it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sized
from contextlib import suppress
from typing import Any, TypeGuard

import numpy as np
import torch
from torch.nn import functional
from transformers import Trainer

from debugger.failure import failure_of_script, on_behalf
from debugger.pipelines.facts import Task
from debugger.pipelines.rows import LABELS
from debugger.pipelines.targets import IGNORED

MOST_TAGS = 64
"""What has more classes for a token than that writes it."""
SEEN_APART = 0.1
"""An amount that lies so far from a whole one was none."""
_NOT_SCORES = ("loss", "last_hidden_state", "pooler_output", "hidden_states")


def first_batch(trainer: Trainer) -> Any:
    """What its loader gives first."""
    return next(iter(trainer.get_train_dataloader()))


def with_loss(trainer: Trainer, batch: Any) -> tuple[torch.Tensor, Any]:
    """The Trainer's own loss, so that a `compute_loss` of somebody's own is what is looked at.

    In whichever mode the model is. `compute_loss` may take things out of what it is handed.
    """
    inputs = trainer._prepare_inputs(dict(batch) if isinstance(batch, Mapping) else batch)
    with torch.no_grad():
        ask: Any = trainer.compute_loss
        answer: Any = ask(trainer.model, inputs, return_outputs=True, **items_in(trainer, batch))
    return answer if isinstance(answer, tuple) else (answer, None)


def items_in(trainer: Any, batch: Any) -> dict[str, Any]:
    """What a training step hands to compute_loss beside the batch, where it takes that."""
    count = getattr(trainer, "_get_num_items_in_batch", None)
    if count is None or refuses_items(trainer) or not isinstance(batch, Mapping):
        return {}
    return {"num_items_in_batch": count([batch], trainer.args.device)}


def refuses_items(trainer: Any) -> bool:
    """A compute_loss of one's own without the argument that the library's training_step passes."""
    theirs = inspect.signature(type(trainer).compute_loss).parameters
    wanted = "num_items_in_batch"
    if wanted not in inspect.signature(Trainer.compute_loss).parameters:
        return False
    return wanted not in theirs and all(p.kind is not p.VAR_KEYWORD for p in theirs.values())


def task_in(trainer: Trainer) -> tuple[Task, int | None]:
    """What a model of nobody's knowing does with one batch, and for how many classes."""
    model: Any = trainer.model
    model.eval()
    try:
        batch = on_behalf(first_batch, trainer)
        loss, outputs = on_behalf(with_loss, trainer, batch)
        logits = logits_of(outputs)
    except Exception as error:  # the stages are where this is reported
        failure_of_script(error)
        return "unknown", None
    labels = labels_of(trainer, batch)
    if _tags(logits, labels, fields_of(batch).get("input_ids")):
        return "tokens", int(logits.shape[-1])
    return _task_between(logits, labels, loss)


def _tags(logits: Any, labels: Any, ids: Any) -> TypeGuard[torch.Tensor]:
    """Whether each token has a class of its own, which is not the token itself or the next one."""
    if logits is None or labels is None or not isinstance(ids, torch.Tensor) or logits.dim() != 3:
        return False
    if labels.is_floating_point() or labels.shape != logits.shape[:2] or ids.shape != labels.shape:
        return False
    counted, tags = labels != IGNORED, logits.shape[-1]
    if not counted.any() or not 1 < tags <= min(MOST_TAGS, int(ids.max())):
        return False
    here, ahead = (labels == ids)[counted], (labels[:, :-1] == ids[:, 1:])[counted[:, :-1]]
    return bool((labels[counted] < tags).all()) and not here.all() and not ahead.all()


def _task_between(
    logits: torch.Tensor | None, labels: torch.Tensor | None, loss: Any
) -> tuple[Task, Any]:
    if logits is None or labels is None or not logits.dim() or not labels.dim():
        return "unknown", None
    scores, wanted, whole = tuple(logits.shape), tuple(labels.shape), not labels.is_floating_point()
    if whole and len(scores) == 2 and wanted == scores[:1] and scores[1] > 1:
        inside = (
            int(labels.max()) < scores[1]
        )  # its loss was taken: a cross-entropy fails on others
        return ("classification", scores[1]) if inside else ("unknown", None)
    if not whole and len(scores) == 2 and wanted == scores and scores[1] > 1:
        asked = _asks_yes_or_no(logits, labels, loss)
        return ("multilabel", scores[1]) if asked else ("unknown", None)
    if not whole and wanted[:1] == scores[:1] and labels.numel() == logits.numel() == scores[0]:
        return "regression", 1
    return "unknown", None


def _asks_yes_or_no(logits: torch.Tensor, labels: torch.Tensor, loss: Any) -> bool:
    """Several labels of a row, else several amounts: by what the labels are, or by the loss."""
    if ((labels == 0) | (labels == 1)).all():
        return True
    wanted = labels.float()
    costs = [functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")]
    if logits.min() >= 0 and logits.max() <= 1 and wanted.min() >= 0 and wanted.max() <= 1:
        costs.append(functional.binary_cross_entropy(logits, wanted, reduction="none"))
    known = [value for cost in costs for value in (cost.mean(), cost.sum(), cost.sum(-1).mean())]
    return any(torch.isclose(torch.as_tensor(loss).float(), one, rtol=1e-3) for one in known)


def fields_of(batch: Any) -> dict[str, Any]:
    """The batch by name; a batch that is no mapping has numbers for names."""
    if isinstance(batch, Mapping):
        return dict(batch)
    parts = batch if isinstance(batch, (list, tuple)) else [batch]
    return {str(number): part for number, part in enumerate(parts)}


def rows_in(batch: Any) -> int:
    """How many examples there are in it: what its first tensor says."""
    return next((len(tensor) for tensor in _tensors(batch).values() if tensor.dim()), 0)


def first_features(trainer: Trainer) -> list[Any]:
    """What the first batch is made of: the same draw again, up to the collator."""
    collate: Any = trainer.data_collator
    taken: list[Any] = []

    def note(features: list[Any]) -> None:  # the loader asks for the second batch at once
        if not taken:
            taken.extend(features)

    trainer.data_collator = note  # type: ignore[assignment]
    try:
        with suppress(Exception):  # where a batch fails, that is reported elsewhere
            first_batch(trainer)
    finally:
        trainer.data_collator = collate
    return taken


def rows_lost(trainer: Trainer, batch: Any) -> int:
    """How many rows its collator was handed and left out: what it makes of the first one alone is
    as large."""
    size, rows = rows_in(batch), trainer.train_dataset
    if (
        not size
        or not isinstance(rows, Sized)
        or size >= min(trainer.args.train_batch_size, len(rows))
    ):
        return 0
    features, collate = first_features(trainer), trainer.data_collator
    if not features:
        return 0
    try:
        again, alone = collate(features), collate(features[:1])
    except Exception:  # the batch itself was made: this only asks about it
        return 0
    return len(features) - rows_in(again) if _shapes(alone) == _shapes(again) else 0


def fractions_lost(trainer: Trainer, batch: Any) -> tuple[float, float] | None:
    """An amount of a row, and what the batch has as its label, where all are cut to whole ones."""
    labels = labels_of(trainer, batch)
    if labels is None or labels.dim() not in (1, 2):
        return None
    made = [float(label) for label in labels.flatten()]
    if set(made) <= {0.0, 1.0} or not all(label.is_integer() for label in made):
        return None  # a yes or no may well be made of an amount
    features = [one for one in first_features(trainer) if isinstance(one, Mapping)]
    if len(features) != len(made):
        return None
    for name in features[0]:
        amounts = [_amount(row.get(name)) for row in features]
        if all(one is not None and abs(one - y) < 1 for one, y in zip(amounts, made, strict=True)):
            apart = [(abs(one - y), one, y) for one, y in zip(amounts, made, strict=True) if one]
            most = max(apart, default=(0.0, 0.0, 0.0))
            if most[0] > SEEN_APART:
                return most[1], most[2]
    return None


def _amount(value: Any) -> float | None:
    """A number that may have a fraction."""
    if isinstance(value, torch.Tensor | np.ndarray | np.generic) and np.size(value) == 1:
        value = value.item() if "float" in str(value.dtype) else None
    return value if isinstance(value, float) else None


def _shapes(batch: Any) -> dict[str, tuple[int, ...]]:
    return {name: tuple(one.shape) for name, one in _tensors(batch).items()}


def _tensors(batch: Any, within: str = "") -> dict[str, torch.Tensor]:
    """Those in parts of a part, too."""
    found: dict[str, torch.Tensor] = {}
    for name, value in fields_of(batch).items():
        if is_tensor(value):
            found[within + name] = value
        elif isinstance(value, Mapping | list | tuple):
            found |= _tensors(value, f"{within}{name}.")
    return found


def labels_of(trainer: Trainer, batch: Any) -> torch.Tensor | None:
    """The labels in a batch, whatever the model calls them; None where they are no one tensor."""
    fields = fields_of(batch)
    names = [*LABELS, *(trainer.label_names or ())]
    found = next((fields[name] for name in names if name in fields), None)
    return found if isinstance(found, torch.Tensor) else None


def logits_of(outputs: Any) -> torch.Tensor | None:
    """The scores that a model answers with: by name, or after the loss, as a Trainer takes them."""
    if isinstance(outputs, Mapping):
        logits = outputs.get("logits")
        if logits is None:
            rest = [v for n, v in outputs.items() if n not in _NOT_SCORES and is_tensor(v)]
            logits = rest[0] if len(rest) == 1 else None
    elif isinstance(outputs, (list, tuple)):
        rest = [value for value in outputs if is_tensor(value) and value.dim()]
        logits = rest[0] if rest else None
    else:
        logits = outputs if is_tensor(outputs) else getattr(outputs, "logits", None)
    return logits.detach().float() if isinstance(logits, torch.Tensor) else None


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)
