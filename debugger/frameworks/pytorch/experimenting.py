"""Experiments on a Trainer: its own training with one thing changed, over the same few batches."""

from __future__ import annotations

import math
import random
import time
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.utils.data import RandomSampler
from transformers import Trainer
from transformers.trainer_callback import TrainerCallback

from debugger.frameworks.pytorch.facts import tokenizer_of
from debugger.frameworks.pytorch.forwarding import own_loss
from debugger.frameworks.pytorch.order import keeps_order
from debugger.frameworks.pytorch.parts import head_of
from debugger.frameworks.pytorch.plan import full_rate, steady
from debugger.frameworks.pytorch.rows import subset
from debugger.frameworks.pytorch.untouched import Rng, borrowed
from debugger.pipelines.facts import Facts
from debugger.pipelines.portions import (
    LONGEST_PLAN,
    MOST_WORDED,
    ONE_BATCH_STEPS,
    come_in_blocks,
    floor_of,
    is_whole,
    level_of,
    levelled,
    measured_of,
    narrowest_of,
    rows_for,
    size_for,
    spread_of,
    widest_of,
)
from debugger.pipelines.rows import LABELS
from debugger.pipelines.trying import Change, Conditions, Taken, Worded

HALVES = {torch.float16: "float16", torch.bfloat16: "bfloat16"}
_RATES = ("lr", "initial_lr", "max_lr", "min_lr")
"""What a schedule may keep with a group of weights, to go by."""


class TrainerLab:
    """See `trying.Lab`."""

    def __init__(self, trainer: Trainer, facts: Facts, labels: tuple[Any, ...]) -> None:
        self._trainer, self._facts, self._labels = trainer, facts, labels
        with borrowed(trainer, weights=True):
            self.conditions = _conditions(trainer, facts, labels)

    def take(self, change: Change, seed: int, one_batch: bool, until: float) -> Taken | None:
        trainer = self._trainer
        rows = self._rows(seed, one_batch)
        pace = _Pace(ONE_BATCH_STEPS if one_batch else self._size[1], until, change)
        with borrowed(trainer, pace, weights=True), _changed(trainer, self.conditions, change):
            if seed:
                _reseed(seed)
            trainer.train_dataset = subset(trainer.train_dataset, rows)
            try:
                drawn = Rng()
                batches = self._measured(len(rows))
                before = _loss(trainer, batches)
                drawn.restore()  # the steps draw what the script's own would
                trainer.train()
                after = _loss(trainer, batches)
            except Exception:  # a change that cannot be made here proves nothing
                return None
        if pace.late or before is None or after is None:
            return None
        return Taken(before, after, _floor(trainer, batches, self._facts), pace.batches)

    def worded(self) -> Worded:
        if self._facts.main_input != "input_ids" or self._facts.task != "classification":
            return Worded()
        dataset: Any = self._trainer.train_dataset
        count = min(len(dataset), len(self._labels), MOST_WORDED)
        places = [n * len(self._labels) // count for n in range(count)]
        with borrowed(self._trainer):
            rows = [dataset[place] for place in places]
        labels = [self._labels[place] for place in places]
        if not all("input_ids" in row for row in rows) or not all(map(is_whole, labels)):
            return Worded()
        return Worded(tuple(tuple(map(int, row["input_ids"])) for row in rows), tuple(labels))

    @property
    def _size(self) -> tuple[int, int]:
        return size_for(self.conditions.weights)

    def _rows(self, seed: int, one_batch: bool) -> list[int]:
        dataset: Any = self._trainer.train_dataset
        size = self._trainer.args.per_device_train_batch_size
        given = len(dataset), self._labels, size, self._size[0]
        return rows_for(*given, seed, one_batch)

    def _measured(self, count: int) -> list[dict[str, Any]]:
        trainer = self._trainer
        rows = subset(trainer.train_dataset, measured_of(count))
        return [dict(batch) for batch in trainer.get_eval_dataloader(rows)]


class _Pace(TrainerCallback):
    """Counts batches, whatever an update is made of, and holds the optimizer to the change."""

    def __init__(self, limit: int, until: float, change: Change) -> None:
        self.limit, self.until, self.change = limit, until, change
        self.batches, self.late = 0, False
        self.trainer: Any = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        optimizer = getattr(given["optimizer"], "optimizer", given["optimizer"])
        schedule = given["lr_scheduler"]
        if self.change.weight_decay:
            for group in optimizer.param_groups:
                group["weight_decay"] = 0.0
        if self.change.rate is not None:
            times = self.change.rate / (_peak(optimizer, schedule) or 1.0)
            for group in optimizer.param_groups:
                group |= {name: group[name] * times for name in _RATES if name in group}
            if hasattr(schedule, "base_lrs"):
                schedule.base_lrs = [rate * times for rate in schedule.base_lrs]
        if self.change.constant:
            self.trainer.lr_scheduler = steady(optimizer, partial(full_rate, schedule=schedule))

    def on_substep_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        self.batches += 1
        self.late = time.monotonic() > self.until
        if self.late or self.batches >= self.limit:
            control.should_training_stop = True
        return control

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        return self.on_substep_end(args, state, control)


def _conditions(trainer: Trainer, facts: Facts, labels: tuple[Any, ...]) -> Conditions:
    model: Any = trainer.model
    args: Any = trainer.args
    batches, updates = _plan(trainer)
    trainer.create_optimizer_and_scheduler(num_training_steps=updates)
    optimizer: Any = getattr(trainer.optimizer, "optimizer", trainer.optimizer)
    peak = _peak(optimizer, trainer.lr_scheduler)
    share = _rate_share(trainer.lr_scheduler, optimizer, updates)
    total = sum(weight.numel() for weight in model.parameters())
    frozen = sum(weight.numel() for weight in model.parameters() if not weight.requires_grad)
    head = _head_tensors(model)
    halves = {HALVES[w.dtype] for w in model.parameters() if w.dtype in HALVES}
    mixed = trainer.accelerator.mixed_precision
    batch = _a_batch(trainer)
    positions, wrong = _mask_against_padding(trainer, facts, batch)
    inputs = [field.numpy(force=True) for _, field in _of_fractions(trainer, batch)]
    return Conditions(
        optimizer=type(optimizer).__name__,
        rate=peak,
        momentum=max(float(g.get("momentum", 0.0)) for g in optimizer.param_groups),
        pretrained=facts.pretrained,
        weights=total,
        weight_decay=max(float(g.get("weight_decay", 0.0)) for g in optimizer.param_groups),
        dropout=_dropout(model),
        accumulation=args.gradient_accumulation_steps,
        batches=batches,
        updates=updates,
        by_epochs=args.max_steps <= 0,
        warm_up=args.get_warmup_steps(updates),
        rate_share=share,
        clipping=float(args.max_grad_norm or 0.0),
        half=next(iter(halves), "" if mixed in ("no", None) else str(mixed)),
        half_weights=bool(halves),
        frozen=frozen / total if total else 0.0,
        adapter=hasattr(model, "peft_config"),
        own_loss=own_loss(trainer),
        positions=positions,
        masked_wrongly=wrong,
        in_blocks=_in_blocks(trainer, labels),
        head=next(iter(head), ""),
        head_spread=spread_of(weight.cpu().numpy() for weight in head.values()),
        head_bias=_farthest(head),
        widest=widest_of(inputs),
        narrowest=narrowest_of(inputs),
        widest_label=widest_of(field.numpy(force=True) for _, field in _amounts(trainer, batch)),
    )


def _plan(trainer: Trainer) -> tuple[int, int]:
    """How many batches and how many updates the whole training has."""
    args: Any = trainer.args
    dataset: Any = trainer.train_dataset
    epoch = max(1, math.ceil(len(dataset) / args.train_batch_size))
    if args.max_steps > 0:
        return args.max_steps * args.gradient_accumulation_steps, args.max_steps
    updates = max(1, math.ceil(epoch / args.gradient_accumulation_steps))
    epochs = args.num_train_epochs
    return math.ceil(epoch * epochs), math.ceil(updates * epochs)


def _rate_share(schedule: Any, optimizer: Any, updates: int) -> float:
    """The schedule's mean over the plan against its peak: it is let run, and put back later."""
    peak = _peak(optimizer, schedule)
    if not peak or schedule is None or not hasattr(schedule, "base_lrs"):
        return 1.0
    rates = []
    for _ in range(min(updates, LONGEST_PLAN)):
        rates.append(max(float(group["lr"]) for group in optimizer.param_groups))
        optimizer._opt_called = True  # or it warns that nothing has been stepped
        schedule.step()
    return sum(rates) / len(rates) / peak


def _peak(optimizer: Any, schedule: Any) -> float:
    return max(full_rate(group, schedule) for group in optimizer.param_groups)


def _dropout(model: Any) -> float:
    """The highest chance: of a module, or of a number that the model's config holds."""
    config: Any = getattr(model, "config", None)
    told = config.to_dict().items() if hasattr(config, "to_dict") else ()
    values = [v for n, v in told if "drop" in n and "path" not in n and isinstance(v, float)]
    values += [m.p for m in model.modules() if isinstance(m, torch.nn.modules.dropout._DropoutNd)]
    return max(values, default=0.0)


def _in_blocks(trainer: Any, labels: tuple[Any, ...]) -> bool:
    """Whether nobody shuffles, and one label comes after the other."""
    return come_in_blocks(labels) and keeps_order(trainer)


def _head_tensors(model: Any) -> dict[str, Any]:
    named = dict(model.named_parameters())
    return {name: named[name].detach().float() for name in head_of(model)}


def _farthest(head: dict[str, Any]) -> float:
    biases = [float(b.abs().max()) for name, b in head.items() if name.endswith("bias")]
    return max(biases, default=0.0)


def _a_batch(trainer: Trainer) -> dict[str, Any]:
    try:
        return dict(next(iter(trainer.get_train_dataloader())))
    except Exception:  # the batch stage is where this is told
        return {}


def _mask_against_padding(trainer: Trainer, facts: Facts, batch: dict[str, Any]) -> tuple[int, int]:
    if facts.main_input != "input_ids":
        return 0, 0
    made = _made_anew(trainer, batch)
    ids, mask = batch.get("input_ids"), batch.get("attention_mask")
    if made is None or ids is None:
        return 0, 0
    given = torch.ones_like(ids) if mask is None else mask
    if given.shape != made.shape:
        return 0, 0
    return ids.numel(), int(((given != 0) != (made.to(given.device) != 0)).sum())


def _made_anew(trainer: Trainer, batch: dict[str, Any]) -> torch.Tensor | None:
    """A mask that covers the filling at either end, which may be a token that texts hold too."""
    ids = batch.get("input_ids")
    pad = getattr(tokenizer_of(trainer), "pad_token_id", None)
    if pad is None:
        pad = getattr(getattr(trainer.model, "config", None), "pad_token_id", None)
    if pad is None or not isinstance(ids, torch.Tensor) or ids.dim() != 2:
        return None
    real = (ids != pad).long()
    return ((real.cumsum(1) > 0) & (real.flip(1).cumsum(1).flip(1) > 0)).long()


@contextmanager
def _changed(trainer: Any, here: Conditions, change: Change) -> Iterator[None]:
    """Inside `borrowed`, which puts back what is set on the Trainer, its model and accelerator."""
    model, kept, groups = trainer.model, [], None
    args: dict[str, Any] = {"max_steps": here.updates}
    if change.every_batch:
        args |= {"gradient_accumulation_steps": 1, "max_steps": max(here.batches, here.updates)}
    if change.longer:
        args["max_steps"] = max(here.updates, size_for(here.weights)[1])
    if change.clipping:
        args["max_grad_norm"] = 0.0
    if change.precision:
        args |= {"fp16": False, "bf16": False}
        trainer.accelerator.native_amp = False
        tensors = (*model.parameters(), *model.buffers())
        kept = [(t, t.data) for t in tensors if t.dtype in HALVES]
        for tensor, data in kept:
            tensor.data = data.float()
    for name, value in args.items():
        object.__setattr__(trainer.args, name, value)
    if change.dropout:
        model.train = types.MethodType(_without_dropout, model)
    if change.thaw:
        groups = _thaw(trainer)
    if change.loss:
        trainer.compute_loss = types.MethodType(Trainer.compute_loss, trainer)
        trainer.compute_loss_func = None
    if change.mask:
        _mask_anew(trainer)
    if change.scaled:
        _scale(trainer, _of_fractions)
    if change.scaled_labels:
        _scale(trainer, _amounts)
    if change.shuffle:
        trainer._get_train_sampler = lambda *_: RandomSampler(trainer.train_dataset)
        trainer.get_train_dataloader = types.MethodType(Trainer.get_train_dataloader, trainer)
    if change.head:
        _make_head_anew(model)
    pace = next(c for c in trainer.callback_handler.callbacks if isinstance(c, _Pace))
    pace.trainer = trainer
    try:
        yield
    finally:
        for tensor, data in kept:
            tensor.data = data
        if groups is not None:
            trainer.optimizer.param_groups[:] = groups


def _without_dropout(model: Any, mode: bool = True) -> Any:
    """Dropout is not only a module: attention takes a number. What counts batches goes on."""
    type(model).train(model, False)
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            module.train(mode)
    return model


def _thaw(trainer: Any) -> list[Any] | None:
    """The groups that an optimizer of the script's own had before."""
    frozen = [weight for weight in trainer.model.parameters() if not weight.requires_grad]
    for weight in frozen:
        weight.requires_grad_(weight.is_floating_point())
    if trainer.optimizer is None:
        return None
    groups = list(trainer.optimizer.param_groups)
    held = {id(weight) for group in groups for weight in group["params"]}
    missing = [weight for weight in frozen if id(weight) not in held]
    if missing:
        trainer.optimizer.add_param_group({"params": missing})
    return groups


def _mask_anew(trainer: Any) -> None:
    collate = trainer.data_collator

    def collated(rows: Any) -> Any:
        batch = collate(rows)
        made = _made_anew(trainer, batch)
        if made is not None:
            batch["attention_mask"] = made
        return batch

    trainer.data_collator = collated


def _scale(trainer: Any, chosen: Callable[[Any, Any], list[tuple[str, torch.Tensor]]]) -> None:
    """By the numbers of the first batch, as a script would by those of its training rows."""
    collate, levels = trainer.data_collator, {}

    def collated(rows: Any) -> Any:
        batch = collate(rows)
        for name, field in chosen(trainer, batch):
            values = field.numpy(force=True)
            made = levelled(values, levels.setdefault(name, level_of(values)))
            batch[name] = torch.as_tensor(made, dtype=field.dtype)
        return batch

    trainer.data_collator = collated


def _of_fractions(trainer: Any, batch: Any) -> list[tuple[str, torch.Tensor]]:
    """The inputs of a batch that are no tokens, no masks and no labels."""
    found = _floats(trainer, batch, labels=False)
    return [(name, field) for name, field in found if "mask" not in name and field.numel()]


def _amounts(trainer: Any, batch: Any) -> list[tuple[str, torch.Tensor]]:
    """Labels that are one amount a row, each."""
    found = _floats(trainer, batch, labels=True)
    return [(name, field) for name, field in found if field.numel() == len(field)]


def _floats(trainer: Any, batch: Any, labels: bool) -> list[tuple[str, torch.Tensor]]:
    """The tensors of fractions among a batch's labels, or among all else."""
    held = batch.items() if isinstance(batch, Mapping) else ()
    called = {*LABELS, *(trainer.label_names or ())}
    return [
        (name, field)
        for name, field in held
        if (name in called) is labels
        if isinstance(field, torch.Tensor) and field.is_floating_point()
    ]


@torch.no_grad()
def _make_head_anew(model: Any) -> None:
    """As the model's own class makes one, else as its layers do."""
    names = head_of(model)
    own = {name.rpartition(".")[0] for name in names}
    for name, module in model.named_modules():
        if name in own and hasattr(module, "reset_parameters"):
            module.reset_parameters()
            module._is_hf_initialized = False
            getattr(model, "_init_weights", lambda _: None)(module)


def _reseed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


@torch.no_grad()
def _loss(trainer: Trainer, batches: list[dict[str, Any]]) -> float | None:
    """In eval mode: the model's own loss, or that of the script for a model that has none."""
    model: Any = trainer.model
    type(model).train(model, False)
    losses, weights = [], []
    for batch in batches:
        inputs = trainer._prepare_inputs(dict(batch))
        outputs = model(**inputs)
        loss = outputs.get("loss") if hasattr(outputs, "get") else None
        if loss is None:
            loss: Any = trainer.compute_loss(model, trainer._prepare_inputs(dict(batch)))
        losses.append(float(loss.float().mean()))
        weights.append(len(next(iter(batch.values()))))
    if not losses:
        return None
    return float(np.average(losses, weights=weights))


def _floor(trainer: Trainer, batches: list[dict[str, Any]], facts: Facts) -> float | None:
    """What it costs to know nothing of the inputs."""
    names = [name for name in trainer.label_names or ["labels"] if name in batches[0]]
    floors = []
    for name in names:
        given = [batch[name].cpu() for batch in batches]
        apart = facts.task == "multilabel" and given[0].is_floating_point()
        joined = torch.cat([one if apart else one.flatten() for one in given])
        whole = not joined.is_floating_point()
        floors.append(floor_of((joined if whole else joined.float()).numpy(), facts.task))
    known = [one for one in floors if one is not None]
    return sum(known) / len(known) if known else None
