"""What the run is going to do: read from the Trainer, its optimizer and its schedule."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch.optim.lr_scheduler import ExponentialLR, LambdaLR, OneCycleLR, ReduceLROnPlateau
from transformers import Trainer

from debugger.frameworks.pytorch.callbacks import thawed_in_vain
from debugger.frameworks.pytorch.loading import frozen_as_drawn
from debugger.frameworks.pytorch.parts import head_of
from debugger.pipelines.plan import Plan, Plateau, Rates, Still

NEARLY_ALL = 0.95
"""So much dropout leaves nothing, wherever it stands; before a head a half is common."""
MOST_STEPS = 2000
"""Points at which a schedule is looked at."""
STANDS_FOR_NOTHING, NO_FACTOR = 0.5, 0.05
"""A rate that nobody learns at, and less than any factor: together, the schedule is the rate."""
FAR_ON = sorted({int(1.1**power) for power in range(146)})
"""Steps up to a million: wherever a schedule is highest, one of them is within a tenth of it."""
_DECOUPLED = ("AdamW", "Adafactor", "Lion", "AdamW8bit", "NAdamW")


def schedule_before(scheduler: Any) -> Any:
    """A copy that has an optimizer of its own, to see where the schedule goes."""
    inner = getattr(scheduler, "scheduler", scheduler)
    optimizer = getattr(inner, "optimizer", None)
    if optimizer is None or not hasattr(inner, "last_epoch"):
        return None
    held = getattr(optimizer, "optimizer", optimizer)
    groups = [{**group, "params": []} for group in held.param_groups]
    stand_in = SimpleNamespace(param_groups=groups, defaults=held.defaults, step=lambda: None)
    try:
        return copy.deepcopy(inner, {id(optimizer): stand_in, id(held): stand_in})
    except Exception:  # a schedule that cannot be copied is not judged
        return None


def plan(
    trainer: Trainer,
    optimizer: Any,
    before: Any,
    steps: int,
    gradients: dict[str, float],
    callbacks: list[Any],
) -> Plan:
    """`before` is the schedule as it was before `steps` updates were taken."""
    args: Any = trainer.args
    model: Any = trainer.model
    groups = [] if optimizer is None else optimizer.param_groups
    group: dict[str, Any] = max(groups, key=lambda g: g.get("initial_lr", g["lr"]), default={})
    after: Any = getattr(trainer.lr_scheduler, "scheduler", trainer.lr_scheduler)
    moved = (after.last_epoch - before.last_epoch) / steps if before is not None and steps else 1.0
    names = {id(weight): name for name, weight in model.named_parameters()}
    peak = _base_rate(group, before)
    half, narrow = _half(model, peak)
    dropout_name, dropout = _dropout(model)
    frozen_name, frozen = frozen_as_drawn(model)
    return Plan(
        updates=trainer.state.max_steps,
        batches=_batches(trainer),
        epochs=float(args.num_train_epochs),
        accumulation=args.gradient_accumulation_steps,
        max_steps=max(0, args.max_steps),
        rates=_rates(
            before,
            groups.index(group) if group else 0,
            trainer.state.max_steps,
            moved,
            (_batches(trainer) or 0) / args.gradient_accumulation_steps,
        ),
        schedule_steps=moved,
        used=max(0, getattr(before, "last_epoch", 0)),
        weight_decay=max((float(g.get("weight_decay") or 0.0) for g in groups), default=0.0),
        decoupled=type(optimizer).__name__ in _DECOUPLED
        or bool(group.get("decoupled_weight_decay")),
        momentum=float(group.get("momentum") or 0.0),
        eps=_number(group.get("eps")),
        betas=group.get("betas"),
        gradient=gradients.get("typical"),
        arrived=gradients.get("arrived"),
        left=gradients.get("left"),
        clipping=float(args.max_grad_norm or 0.0),
        maximizes=any(g.get("maximize") for g in groups),
        held=_held(model, gradients.get("norm")),
        half=half,
        narrow=narrow,
        idle=tuple(
            names.get(id(weight), "")
            for g in groups
            if not g.get("initial_lr", g["lr"])
            for weight in g["params"]
            if weight.requires_grad
        ),
        dropout=dropout,
        dropout_name=dropout_name,
        frozen_new=frozen,
        frozen_new_name=frozen_name,
        ends_at=before.total_steps if isinstance(before, OneCycleLR) else None,
        plateau=_plateau(args, before),
        still=_still(model),
        no_room=_no_room(before),
        thawed=thawed_in_vain(trainer, callbacks, optimizer),
    )


@torch.no_grad()
def _still(model: torch.nn.Module) -> Still | None:
    tables = [
        one.weight
        for one in model.modules()
        if isinstance(one, (torch.nn.Embedding, torch.nn.EmbeddingBag))
        if not one.weight.requires_grad and one.num_embeddings > 2
    ]
    if not tables:
        return None
    table = max(tables, key=torch.Tensor.numel)
    empty = int((table == table[-1]).all(dim=0).sum())
    return Still(table.numel(), table.shape[1], empty)


def _no_room(schedule: Any) -> tuple[float, float] | None:
    if not isinstance(schedule, ReduceLROnPlateau):
        return None
    rates = [float(group["lr"]) for group in schedule.optimizer.param_groups]
    least = [float(one) for one in schedule.min_lrs]
    stuck = [(a, b) for a, b in zip(rates, least, strict=True) if 0 < a <= b]
    return max(stuck) if len(stuck) == len(rates) else None


def _plateau(args: Any, schedule: Any) -> Plateau | None:
    """The Trainer hands it the number that the best model is chosen by, which is the loss if none
    is named."""
    if not isinstance(schedule, ReduceLROnPlateau):
        return None
    name = args.metric_for_best_model or "loss"
    watched, better = name.removeprefix("eval_"), args.greater_is_better
    return Plateau(watched, schedule.mode == "max", int(schedule.patience), better)


def full_rate(group: dict[str, Any], schedule: Any) -> float:
    """Where a schedule climbs to a rate of its own, it keeps that beside the one it begins with."""
    return float(max(_base_rate(group, schedule), group.get("max_lr", 0.0)))


def _base_rate(group: dict[str, Any], schedule: Any) -> float:
    return float(group.get("initial_lr", group.get("lr", 0.0))) * _times(schedule)


def _times(schedule: Any) -> float:
    """Who gives the rate as 1 leaves all of it to the schedule, whose highest factor it is then."""
    inner: Any = getattr(schedule, "scheduler", schedule)
    if not isinstance(inner, LambdaLR) or min(inner.base_lrs) < STANDS_FOR_NOTHING:
        return 1.0
    try:
        highest = max(float(one(step)) for one in inner.lr_lambdas for step in FAR_ON)
    except Exception:  # the script's own, which may know the steps of its run and no others
        return 1.0
    return highest if 0 < highest < NO_FACTOR else 1.0


def steady(optimizer: Any, rate: Callable[[dict[str, Any]], float]) -> LambdaLR:
    """A schedule that leaves each group of weights at one rate."""
    for group in optimizer.param_groups:
        group["lr"] = group["initial_lr"] = rate(group)
    return LambdaLR(optimizer, lambda _: 1.0)


def _batches(trainer: Trainer) -> int | None:
    try:
        return len(trainer.get_train_dataloader())
    except (TypeError, ValueError):  # a stream has no length
        return None


def _rates(schedule: Any, group: int, updates: int, moved: float, in_epoch: float) -> Rates | None:
    if schedule is None or updates < 1 or moved <= 0:
        return None
    count = min(updates, MOST_STEPS)
    if isinstance(schedule, LambdaLR):
        used = max(0, schedule.last_epoch)
        at = [used + int(place * updates / count * moved) for place in range(count)]
        first = float(schedule.base_lrs[group])
        base = first * _times(schedule)
        rates = [first * float(schedule.lr_lambdas[group](place)) for place in at]
    elif updates <= MOST_STEPS and moved == 1.0:
        rates = _stepped(schedule, group, updates)
        base = float(schedule.optimizer.param_groups[group].get("initial_lr", max(rates or [0.0])))
    else:
        return None
    reached = max(rates, default=0.0)
    if not rates or not reached or not all(map(math.isfinite, rates)):
        return None
    top = next(n for n, rate in enumerate(rates) if rate >= (1 - 1e-6) * reached)
    falling = rates[top:]
    last = math.ceil((in_epoch - 1) * count / updates)
    return Rates(
        peak=max(base, reached),
        reached=reached,
        climbs=round(top * updates / count),
        total=sum(rates) * updates / count,
        nothing=sum(rate == 0 for rate in falling) / len(rates),
        little=sum(rate < 0.01 * reached for rate in falling) / len(rates),
        after_epoch=rates[last] if 0 < last < len(rates) else None,
        rhythm=_rhythm(schedule),
    )


def _rhythm(schedule: Any) -> int | None:
    return 1 if isinstance(schedule, ExponentialLR) else getattr(schedule, "step_size", None)


def _stepped(schedule: Any, group: int, updates: int) -> list[float]:
    rates = []
    try:
        for _ in range(updates):
            rates.append(float(schedule.optimizer.param_groups[group]["lr"]))
            schedule.step()
    except Exception:  # one that waits for a metric, or that is over
        return []
    return rates


def _held(model: torch.nn.Module, gradient: float | None) -> float | None:
    if not gradient:
        return None
    weights = [w.detach() for w in model.parameters() if w.requires_grad]
    return math.sqrt(sum(float(w.float().norm()) ** 2 for w in weights)) / gradient


def _half(model: torch.nn.Module, rate: float) -> tuple[str, float]:
    """Which type most of what trains has, where it is none of full precision."""
    weights = [w.detach() for w in model.parameters() if w.requires_grad]
    small = [w for w in weights if w.dtype in (torch.float16, torch.bfloat16)]
    total = sum(w.numel() for w in weights)
    if not total or 2 * sum(w.numel() for w in small) < total:
        return "", 0.0
    lost = sum(int((w + rate * torch.ones_like(w) == w).sum()) for w in small)
    return str(small[0].dtype).removeprefix("torch."), lost / total


def _dropout(model: torch.nn.Module) -> tuple[str, float]:
    """Attention takes its dropout as a number, so the config tells more than the modules."""
    head = {name.rpartition(".")[0] for name in head_of(model)}
    found = {
        name: float(module.p)
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Dropout) and head
        if module.p >= NEARLY_ALL or not _of_head(name, head)
    }
    config = getattr(model, "config", None)
    found |= {
        name: float(value)
        for name, value in getattr(config, "__dict__", {}).items()
        if ("dropout" in name or "pdrop" in name)
        and not any(word in name for word in ("classifier", "cls", "head", "summary", "layer"))
        and isinstance(value, float)
    }
    name = max(found, key=found.__getitem__, default="")
    return name, found.get(name, 0.0)


def _of_head(name: str, head: set[str]) -> bool:
    """A dropout that stands beside the head's own modules, such as `dropout` or `classifier.1`."""
    return "." not in name or any(name.split(".")[0] == one.split(".")[0] for one in head)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None
