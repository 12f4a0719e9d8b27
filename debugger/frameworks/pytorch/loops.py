"""Understands a loop that trains by hand, where its optimizer is about to take the first step."""

from __future__ import annotations

import ast
import contextlib
import math
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

import torch
from torch.optim.lr_scheduler import LambdaLR, LRScheduler, ReduceLROnPlateau
from transformers import TrainingArguments

from debugger.frameworks.pytorch.by_hand import LoopTrainer, Sampled, loss_of, mode_kept
from debugger.frameworks.pytorch.loop_batches import over_batches
from debugger.frameworks.pytorch.loop_rows import Found, over_loader, over_tensors, taken_back
from debugger.frameworks.pytorch.plan import schedule_before
from debugger.frameworks.pytorch.rows import count_of
from debugger.frameworks.pytorch.tensors import LABEL
from debugger.frameworks.pytorch.together import joined, learns_all
from debugger.frameworks.pytorch.untouched import Rng
from debugger.pipelines.by_hand import ByHand
from debugger.pipelines.turns import (
    all_names,
    comprehended,
    line_of,
    never_asks,
    running_frames,
    trees_of,
)
from debugger.pipelines.unfollowed import NotFollowed
from debugger.script import loops
from debugger.script.tracing import name_of


def trainer_of(optimizer: Any, heard: Sequence[str], last: Any = None) -> LoopTrainer:
    """To be called where the optimizer is about to step for the first time; `last` is the loader
    that was gone through last. Raises NotFollowed for a loop that is not understood."""
    frames = running_frames()
    try:
        return _understood(frames, optimizer, heard, last)
    except NotFollowed:
        raise
    except Exception:  # of what was never met before: the loop is not judged then
        raise NotFollowed("hand_written_loop") from None


def _understood(
    frames: list[FrameType], optimizer: Any, heard: Sequence[str], last: Any
) -> LoopTrainer:
    names = all_names(frames)
    optimizer, several = joined(optimizer, names, _stepped(frames))
    if comprehended(frames):
        raise NotFollowed("loop_in_one_line")
    found = over_loader(frames, optimizer, last) or _over_others(frames, optimizer, last)
    backwards = found.calls("backward")
    if len(backwards) > 1 and list(heard).count("b") > 1:
        raise NotFollowed("loop_of_losses", count=len(backwards))
    if several > 1 and (len(backwards) > 1 or not learns_all(optimizer, found.turn.model)):
        raise NotFollowed("loop_of_optimizers", count=several)
    return _made(found, frames, heard)


def _stepped(frames: list[FrameType]) -> Iterator[str]:
    """Names of what takes a step, by itself or by a scaler that is given it."""
    for call in loops.calls_in(trees_of(frames), "step"):
        owners = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        yield from map(name_of, [*owners, *call.args])


def _over_others(frames: list[FrameType], optimizer: Any, last: Any) -> Found:
    why = NotFollowed("loop_over_nothing")
    try:
        found = over_tensors(frames, optimizer)
    except NotFollowed as of_tensors:
        found, why = None, of_tensors
    found = found or over_batches(frames, optimizer, last)
    if found is None:
        raise why
    return found


def _made(found: Found, frames: list[FrameType], heard: Sequence[str]) -> LoopTrainer:
    turn, given, names = found.turn, found.given, all_names(frames)
    line = next((at for frame in frames if (at := line_of(frame)) is not None), None)
    by_hand = _observed(found, frames, heard, line)
    backwards = max(turn.counted.divides_by, by_hand.backwards - by_hand.zeroed)
    folder, skips_rest = tempfile.TemporaryDirectory(), _skips_rest(found)
    wants_training = turn.model.training and _wants_training(found)
    group = found.optimizer.param_groups[0]
    args = TrainingArguments(
        output_dir=folder.name,
        per_device_train_batch_size=given.size,
        per_device_eval_batch_size=given.held_size,
        num_train_epochs=found.epochs,
        max_steps=_steps(found, backwards),
        learning_rate=float(group.get("initial_lr", group["lr"])),
        weight_decay=float(group.get("weight_decay") or 0.0),
        lr_scheduler_type="constant",
        max_grad_norm=_clipped_at(found, names),
        gradient_accumulation_steps=backwards,
        dataloader_drop_last=given.drops_last or skips_rest,
        remove_unused_columns=False,
        label_names=[turn.form.label or LABEL],
        eval_strategy="no" if given.held is None else "epoch",
        report_to="none",
        use_cpu=next(turn.model.parameters()).device.type == "cpu",
    )
    made = given.kind(
        turn.model,
        args,
        data_collator=given.collate,
        train_dataset=given.rows,
        eval_dataset=given.held,
        optimizers=(found.optimizer, _schedule(found, names)),
    )
    made.turn, made.folder, made.by_hand = turn, folder, by_hand
    made.skips_rest, made.wants_training = skips_rest, wants_training
    first = max(float(group["lr"]) for group in found.optimizer.param_groups)
    if first < found.optimizer.defaults["lr"] and found.sets_rates:
        made.begins_at = first
        made.held_at(float(found.optimizer.defaults["lr"]))
    made.keeps_gradients = never_asks(r"zero_grad|\.grad\b")
    if isinstance(made, Sampled):
        made.sampler = given.sampler
    if backwards > 1:
        divides = turn.counted.divides_by == backwards or _divides(found, names, backwards)
        made.divided = backwards if divides else 1
        made.model_accepts_loss_kwargs = made.divided == 1  # who sums up divides nothing
    return made


def _skips_rest(found: Found) -> bool:
    """Whether the loop goes on without learning where a batch is smaller than others."""
    rest = (count_of(found.given.rows) or 0) % found.given.size
    if not rest:
        return False
    try:
        return _loss_of_some(found, rest) is None
    except Exception:  # of the script's: what it fails on is told by the stages
        return False


def _wants_training(found: Found) -> bool:
    """Whether the turn knows only what its model answers while it learns, as one that gives its
    features beside its scores then."""
    try:
        _loss_of_some(found, found.given.size, training=False)
        return False
    except Exception:  # see _skips_rest
        pass
    try:
        _loss_of_some(found, found.given.size)
    except Exception:
        return False
    return True


def _loss_of_some(found: Found, rows: int, training: bool = True) -> Any:
    turn, given, drawn = found.turn, found.given, Rng()
    places = range(min(rows, count_of(given.rows) or 0))
    try:
        with taken_back(turn.names, turn.optimizer), turn.counted.in_place():
            batch = given.collate([given.rows[place] for place in places])
            with mode_kept(turn.model, training):
                return loss_of(turn.code, turn.names, turn.form.put(batch))
    finally:
        drawn.restore()


def _steps(found: Found, backwards: int) -> int:
    """Where they are no whole number of epochs; else -1."""
    if float(found.epochs).is_integer():
        return -1
    return max(1, round(found.epochs * found.given.batches / backwards))


def _observed(
    found: Found, frames: list[FrameType], heard: Sequence[str], step: int | None
) -> ByHand:
    events, model, known = "".join(heard), found.turn.model, found.trees
    alone = len(known) == 1  # lines of a file beside the script have other numbers
    here = {call.lineno for call in found.calls("backward")}
    return ByHand(
        line=found.line,
        steps_at=step,
        training=model.training,
        differs=next((name for name, one in model.named_modules() if _differs(one)), ""),
        backwards=events.count("b"),
        zeroed=events.rpartition("z")[0].count("b"),
        never_eval=not any(loops.sets_mode(tree, training=False) for tree in known),
        stuck_at=loops.stuck_in_eval(known, found.epoch) if found.epoch and alone else None,
        broken_off=found.breaks_at if alone else None,
        batches=found.given.batches,
        made_anew=_made_anew(found) if alone else None,
        optimizer=type(found.optimizer).__name__,
        others=tuple(
            call.lineno
            for call in loops.calls_in(known, "backward")
            if alone and call.lineno not in here
        ),
    )


def _made_anew(found: Found) -> int | None:
    gathers = found.optimizer.defaults.get("momentum", 1)
    lines = (call.lineno for call in found.calls(type(found.optimizer).__name__))
    return min(lines, default=None) if gathers else None


def _differs(layer: torch.nn.Module) -> bool:
    """Whether it does otherwise while it learns."""
    if isinstance(layer, torch.nn.modules.dropout._DropoutNd):
        return layer.p > 0
    return isinstance(layer, torch.nn.modules.batchnorm._BatchNorm)


def _schedule(found: Found, names: Mapping[str, Any]) -> Any:
    """As the script moves it on: at each step, or else once an epoch."""
    owners = [c.func.value for c in found.calls("step") if isinstance(c.func, ast.Attribute)]
    stepped = set(map(name_of, owners))
    held: dict[int, tuple[Any, list[str]]] = {}
    for name, one in names.items():
        inner: Any = getattr(one, "scheduler", one)  # accelerate wraps one, and so may an object
        if isinstance(inner, LRScheduler) and not isinstance(inner, ReduceLROnPlateau):
            held.setdefault(id(inner), (inner, []))[1].append(name)
    for inner, known in held.values():
        if getattr(inner.optimizer, "optimizer", inner.optimizer) is not found.optimizer:
            continue
        if stepped & set(known):
            return inner
        if not any(map(found.sometimes, known)):
            return _once_an_epoch(inner, found)
    return LambdaLR(found.optimizer, lambda _: 1.0)


def _once_an_epoch(schedule: Any, found: Found) -> Any:
    copied, factors = schedule_before(schedule), []
    first = max(float(schedule.base_lrs[0]), 1e-30)
    with warnings.catch_warnings(), contextlib.suppress(Exception):  # where it is over
        warnings.simplefilter("ignore")  # it moves on without an optimizer
        for _ in range(math.ceil(found.epochs)):
            factors.append(float(copied.optimizer.param_groups[0]["lr"]) / first)
            copied.step()
    factors = factors or [1.0]
    steps = max(1, found.given.batches)
    return LambdaLR(found.optimizer, lambda step: factors[min(step // steps, len(factors) - 1)])


def _clipped_at(found: Found, names: Mapping[str, Any]) -> float:
    for call in found.calls("clip_grad_norm_"):
        told = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "max_norm")]
        value = loops.value_of(told[0], names) if told else None
        if isinstance(value, (int, float)):
            return float(value)
    return 0.0


def _divides(found: Found, names: Mapping[str, Any], by: int) -> bool:
    parts = [part for one in found.doing for part in ast.walk(one)]
    divisors = [
        part.right if isinstance(part, ast.BinOp) else part.value
        for part in parts
        if isinstance(part, ast.BinOp | ast.AugAssign) and isinstance(part.op, ast.Div)
    ]
    return any(loops.value_of(one, names) == by for one in divisors)
