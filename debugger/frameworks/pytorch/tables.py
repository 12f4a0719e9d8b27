"""The tables that a model looks numbers up in: its embeddings."""

from __future__ import annotations

from typing import Any

import torch
from transformers import Trainer

from debugger.frameworks.pytorch.batches import fields_of, is_tensor, with_loss
from debugger.pipelines.drawn import Outside


def outside(trainer: Trainer, batch: Any) -> Outside | None:
    """The first table that this batch asks for an entry that it has not, where there is one."""
    model: Any = trainer.model
    asked: list[tuple[str, torch.nn.Embedding, torch.Tensor]] = []

    def watch(name: str) -> Any:
        def hook(table: Any, given: Any) -> None:
            numbers: Any = given[0] if given else None
            if asked or not is_tensor(numbers) or not numbers.numel():
                return
            if int(numbers.min()) < 0 or int(numbers.max()) >= table.num_embeddings:
                asked.append((name, table, numbers.detach()))

        return hook

    tables = [(n, m) for n, m in model.named_modules() if isinstance(m, torch.nn.Embedding)]
    hooks = [table.register_forward_pre_hook(watch(name)) for name, table in tables]
    try:
        with_loss(trainer, batch)
    except Exception:  # it is the failure that is looked into
        pass
    finally:
        for hook in hooks:
            hook.remove()
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


def _field(batch: Any, numbers: torch.Tensor) -> str:
    """What in the batch is just these numbers."""
    wanted = numbers.flatten().tolist()
    fields = fields_of(batch).items()
    return next((n for n, v in fields if is_tensor(v) and v.flatten().tolist() == wanted), "")


def _settings(model: Any, size: int) -> tuple[str, ...]:
    told = getattr(getattr(model, "config", None), "to_dict", dict)()
    return tuple(n for n, v in told.items() if isinstance(v, int) and v == size and v is not True)
