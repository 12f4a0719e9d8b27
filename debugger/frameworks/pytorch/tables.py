"""The tables that a model looks numbers up in: its embeddings."""

from __future__ import annotations

from typing import Any

import torch
from transformers import Trainer

from debugger.frameworks.pytorch.batches import fields_of, is_tensor, with_loss
from debugger.pipelines.drawn import Outside


def outside(trainer: Trainer, batch: Any) -> Outside | None:
    """The first table that this batch asks for an entry that it has not, where there is one.

    A table of positions is handed the tokens and makes numbers of its own of them: what is looked
    up is heard where that is done.
    """
    model: Any = trainer.model
    tables = [(n, m) for n, m in model.named_modules() if isinstance(m, torch.nn.Embedding)]
    asked: list[tuple[str, torch.nn.Embedding, torch.Tensor]] = []
    look_up = torch.nn.functional.embedding

    def heard(numbers: Any, weight: Any, *args: Any, **kwargs: Any) -> Any:
        found = next(((n, m) for n, m in tables if m.weight is weight), None)
        if found and not asked and _is_beyond(numbers, len(weight)):
            asked.append((*found, numbers.detach()))
        return look_up(numbers, weight, *args, **kwargs)

    torch.nn.functional.embedding = heard
    try:
        with_loss(trainer, batch)
    except Exception:  # it is the failure that is looked into
        pass
    finally:
        torch.nn.functional.embedding = look_up
    if not asked:
        return None
    name, table, numbers = asked[0]
    size = table.num_embeddings
    return Outside(
        where=name,
        size=size,
        number=int(numbers.max()) if int(numbers.max()) >= size else int(numbers.min()),
        field=_field(batch, numbers),
        settings=_settings(model, size),
    )


def _is_beyond(numbers: Any, size: int) -> bool:
    if not is_tensor(numbers) or not numbers.numel():
        return False
    return int(numbers.min()) < 0 or int(numbers.max()) >= size


def _field(batch: Any, numbers: torch.Tensor) -> str:
    """What in the batch is just these numbers."""
    wanted = numbers.flatten().tolist()
    fields = fields_of(batch).items()
    return next((n for n, v in fields if is_tensor(v) and v.flatten().tolist() == wanted), "")


def _settings(model: Any, size: int) -> tuple[str, ...]:
    told = getattr(getattr(model, "config", None), "to_dict", dict)()
    return tuple(n for n, v in told.items() if isinstance(v, int) and v == size and v is not True)
