"""Understands a loop that trains by hand, where its optimizer is about to take the first step."""

from __future__ import annotations

import ast
import contextlib
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import numpy as np
import torch
from torch.optim.lr_scheduler import LambdaLR, LRScheduler, ReduceLROnPlateau
from torch.utils.data import DataLoader
from transformers import TrainingArguments

from debugger.failure import first_line, line_in
from debugger.frameworks.pytorch.accelerated import Counted
from debugger.frameworks.pytorch.by_hand import (
    Form,
    LoopTrainer,
    Sampled,
    Turn,
    Unshuffled,
    loss_of,
)
from debugger.frameworks.pytorch.laid_out import (
    JUDGES,
    LABEL,
    PAIR,
    can_be_drawn_from,
    collator_by_name,
    first_item,
    form_of,
    held_beside,
    kind_of,
    rows_by_name,
    sampler_of,
    size_of,
)
from debugger.frameworks.pytorch.plan import schedule_before
from debugger.frameworks.pytorch.tensors import (
    Columns,
    Handed,
    Seen,
    columns_of,
    is_order,
    judged_by,
    names_like,
    orders_of,
    takes,
)
from debugger.frameworks.pytorch.untouched import Rng
from debugger.pipelines.by_hand import ByHand
from debugger.pipelines.turns import (
    all_names,
    comprehended,
    epochs_loop,
    epochs_of,
    function_at,
    line_of,
    loops_at,
    names_in,
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
    _alone(optimizer, all_names(frames))
    if comprehended(frames):
        raise NotFollowed("loop_in_one_line")
    found = _over_loader(frames, optimizer, last) or _over_tensors(frames, optimizer)
    if found is None:
        raise NotFollowed("loop_over_nothing")
    backwards = found.calls("backward")
    if len(backwards) > 1 and list(heard).count("b") > 1:
        raise NotFollowed("loop_of_losses", count=len(backwards))
    return _made(found, frames, heard)


def _alone(optimizer: Any, names: Mapping[str, Any]) -> None:
    """No other weights are learned by an optimizer of their own."""
    others = {id(one): one for one in names.values() if isinstance(one, torch.optim.Optimizer)}
    learned = {_learned_by(one) for one in (optimizer, *others.values())}
    if len(learned) > 1:
        raise NotFollowed("loop_of_optimizers", count=len(learned))


def _learned_by(optimizer: Any) -> frozenset[int]:
    return frozenset(id(w) for group in optimizer.param_groups for w in group["params"])


@dataclass(frozen=True)
class Given:
    """The rows that a loop goes over, and how; `held` are those to be judged by."""

    rows: Any
    collate: Any
    size: int
    held: Any = None
    held_size: int = 1
    drops_last: bool = False
    kind: type[LoopTrainer] = Unshuffled
    sampler: Any = None
    batches: int = 1


@dataclass(frozen=True)
class _Found:
    """`doing` is what the text of a turn is made of: the loop, and functions that it is in."""

    turn: Turn
    optimizer: Any
    given: Given
    epochs: int
    doing: list[ast.AST]
    line: int | None
    epoch: ast.For | None
    breaks_at: int | None
    trees: list[ast.Module]

    def calls(self, name: str) -> list[ast.Call]:
        return loops.calls_in(self.doing, name)

    @property
    def sets_rates(self) -> bool:
        """Whether a line writes the rate into a group of weights: `group["lr"] = rate`."""
        stores = (n for tree in self.trees for n in ast.walk(tree) if isinstance(n, ast.Subscript))
        return any(
            isinstance(n.ctx, ast.Store)
            and isinstance(n.slice, ast.Constant)
            and n.slice.value == "lr"
            for n in stores
        )

    def sometimes(self, schedule: str) -> bool:
        """Whether a schedule moves on only if something is so, and not in a phase by its name."""
        for fork in (n for tree in self.trees for n in ast.walk(tree) if isinstance(n, ast.If)):
            moves = any(
                isinstance(part, ast.Call) and ast.unparse(part.func) == f"{schedule}.step"
                for part in ast.walk(fork)
            )
            named = isinstance(fork.test, ast.Compare) and isinstance(fork.test.ops[0], ast.Eq)
            if moves and not named and isinstance(fork.test, ast.Compare | ast.BoolOp):
                return True
        return False


def _over_loader(frames: list[FrameType], optimizer: Any, last: Any) -> _Found | None:
    for place, frame in enumerate(frames):
        around = loops_at(frame)
        names = names_in(frame)
        for inner, loop in enumerate(around):
            loader = loop.goes_over(names, last)
            if not isinstance(loader, DataLoader):
                continue
            epochs, code = _counted(loop, frames[place:], around[inner + 1 :])
            if not can_be_drawn_from(loader):
                raise NotFollowed("loop_of_stream")
            item = first_item(loader)
            seen = _seen(code, names, {loops.PUT: item}, optimizer)
            if (form := form_of(item, seen)) is None:
                raise NotFollowed("loop_of_nested_batches")
            turn = Turn(code, names, form, seen.model, Counted(names), optimizer)
            held = held_beside(all_names(frames), loader, form)
            given = Given(
                rows=rows_by_name(loader.dataset, form),
                collate=collator_by_name(loader, form),
                size=size_of(loader),
                held=None if held is None else rows_by_name(held.dataset, form),
                held_size=size_of(held or loader),
                drops_last=bool(getattr(loader.batch_sampler, "drop_last", loader.drop_last)),
                kind=kind_of(sampler_of(loader)),
                sampler=sampler_of(loader),
                batches=len(loader),
            )
            return _whole(turn, optimizer, given, epochs, frames, place, around[inner:])
    return None


def _over_tensors(frames: list[FrameType], optimizer: Any) -> _Found | None:
    """All rows at once, or slices of them one after the other."""
    for place, frame in enumerate(frames):
        around = loops_at(frame)
        names = names_in(frame)
        if not around:
            continue
        loop, items = around[0], _items_of(around[0], names)
        if items is None:
            return None
        epochs, code = _counted(loop, frames[place:], around[1:])
        seen = _seen(code, names, {loops.PUT: items.first}, optimizer)
        known = columns_of(seen, names, items.rows)
        if known is None or (items.size and len(known) < PAIR):
            return None
        made = loop.makes()  # in the next turn these are others
        called = [tuple(n for n in names_like(t, names) if n not in made) for t in known.values()]
        if not all(called):
            return None
        rows, fields = Columns(known), tuple(known)
        orders = (*orders_of(len(rows), names), *items.orders)
        label = LABEL if LABEL in known else None
        form = Form(fields, tuple, label, tuple(called), items.first, orders)
        size = items.size or len(rows)
        held = judged_by(list(known.values()), names, JUDGES)
        given = Given(
            rows=rows,
            collate=torch.utils.data.default_collate,
            size=size,
            held=None if held is None else Columns(dict(zip(fields, held, strict=True))),
            held_size=size,
            kind=LoopTrainer if orders and not items.in_order else Unshuffled,
            batches=-(-len(rows) // size),
        )
        times = epochs * items.times
        turn = Turn(code, names, form, seen.model, Counted(names), optimizer)
        return _whole(turn, optimizer, given, times, frames, place, around)
    return None


@dataclass(frozen=True)
class _Items:
    """What a loop goes over: numbers to count by, or which rows to take. In each turn that are
    `size` of `rows`; without a size all of them, so many `times`."""

    first: Any
    rows: int = 0
    size: int = 0
    times: int = 1
    orders: tuple[str, ...] = ()
    in_order: bool = False


def _items_of(loop: loops.Loop, names: dict[str, Any]) -> _Items | None:
    if numbers := loop.numbers(names):
        if numbers.step > 1:
            return _Items(numbers.start, numbers[-1] + 1, numbers.step)
        return _Items(numbers[-1], times=len(numbers))
    places = _places(loop, names)
    if not places:
        return None
    whole = torch.cat(places)
    in_order = bool(torch.equal(whole, torch.arange(len(whole))))
    return _Items(places[0], len(whole), len(places[0]), orders=(loops.PUT,), in_order=in_order)


def _places(loop: loops.Loop, names: dict[str, Any]) -> list[torch.Tensor]:
    """Those of the rows that each turn takes, where all rows were dealt out to turns."""
    drawn = Rng()
    try:
        given = loop.parts(names)
    finally:
        drawn.restore()
    parts = [torch.as_tensor(part) for part in given or () if isinstance(part, _OF_PLACES)]
    whole = [one.cpu().long() for one in parts if one.dim() == 1 and not one.is_floating_point()]
    if not whole or len(whole) < len(given) or not is_order(torch.cat(whole)):
        return []
    return whole


_OF_PLACES = (torch.Tensor, np.ndarray)


def _counted(
    loop: loops.Loop, frames: list[FrameType], outer: list[loops.Loop]
) -> tuple[int, CodeType]:
    """How often its rows are gone through, and what is done in a turn."""
    epochs, code = epochs_of(frames, outer), loop.turn
    if epochs is None:
        raise NotFollowed("loop_that_waits")
    if code is None:
        raise NotFollowed("loop_that_returns")
    return epochs, code


def _whole(
    turn: Turn,
    optimizer: Any,
    given: Given,
    epochs: int,
    frames: list[FrameType],
    place: int,
    around: list[loops.Loop],
) -> _Found:
    loop, *outer = around
    functions = [one for frame in frames[:place] if (one := function_at(frame)) is not None]
    return _Found(
        turn,
        optimizer,
        given,
        epochs,
        [loop.node, *functions],
        line_in(loop.file, loop.node.lineno),
        epochs_loop(frames[place:], outer),
        loop.breaks_at,
        trees_of(frames),
    )


def _made(found: _Found, frames: list[FrameType], heard: Sequence[str]) -> LoopTrainer:
    turn, given, names = found.turn, found.given, all_names(frames)
    line = next((at for frame in frames if (at := line_of(frame)) is not None), None)
    by_hand = _observed(found, frames, heard, line)
    backwards = max(turn.counted.divides_by, by_hand.backwards - by_hand.zeroed)
    folder = tempfile.TemporaryDirectory()
    group = found.optimizer.param_groups[0]
    args = TrainingArguments(
        output_dir=folder.name,
        per_device_train_batch_size=given.size,
        per_device_eval_batch_size=given.held_size,
        num_train_epochs=found.epochs,
        learning_rate=float(group.get("initial_lr", group["lr"])),
        weight_decay=float(group.get("weight_decay") or 0.0),
        lr_scheduler_type="constant",
        max_grad_norm=_clipped_at(found, names),
        gradient_accumulation_steps=backwards,
        dataloader_drop_last=given.drops_last,
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


def _observed(
    found: _Found, frames: list[FrameType], heard: Sequence[str], step: int | None
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


def _made_anew(found: _Found) -> int | None:
    gathers = found.optimizer.defaults.get("momentum", 1)
    lines = (call.lineno for call in found.calls(type(found.optimizer).__name__))
    return min(lines, default=None) if gathers else None


def _differs(layer: torch.nn.Module) -> bool:
    """Whether it does otherwise while it learns."""
    if isinstance(layer, torch.nn.modules.dropout._DropoutNd):
        return layer.p > 0
    return isinstance(layer, torch.nn.modules.batchnorm._BatchNorm)


def _seen(code: CodeType, names: dict[str, Any], put: Mapping[str, Any], optimizer: Any) -> Seen:
    """The model, and what goes into it in a turn."""
    asked: list[tuple[torch.nn.Module, dict[str, Any]]] = []
    depth, call = 0, torch.nn.Module.__call__

    def called(module: torch.nn.Module, *given: Any, **named: Any) -> Any:
        nonlocal depth
        if depth == 0:
            asked.append((module, dict(zip(takes(module), given, strict=False)) | named))
        depth += 1
        try:
            return call(module, *given, **named)
        finally:
            depth -= 1

    torch.nn.Module.__call__ = called
    try:
        with _taken_back(names, optimizer), Handed() as handed:
            loss = loss_of(code, names, put)
    except Exception as error:  # of the script's: its turn cannot be taken by itself
        said = {"exception": type(error).__name__, "said": first_line(str(error))}
        raise NotFollowed("loop_of_no_turns", **said) from None
    finally:
        torch.nn.Module.__call__ = call
    models = {id(one): one for one, _ in asked if any(True for _ in one.parameters())}
    if loss is None or not models:
        raise NotFollowed("hand_written_loop")
    if loss.numel() > 1:
        raise NotFollowed("loop_of_many_numbers", count=loss.numel())
    if len(models) > 1:
        known = ((*names_like(one, names), type(one).__name__)[0] for one in models.values())
        raise NotFollowed("loop_of_models", count=len(models), names=", ".join(known))
    (model,) = models.values()
    return Seen(model, [given for one, given in asked if one is model], handed)


@contextlib.contextmanager
def _taken_back(names: Mapping[str, Any], optimizer: Any) -> Iterator[None]:
    """A turn that is only tried leaves gradients and averages as they were."""
    counted = Counted(names)
    models = [one for one in names.values() if isinstance(one, torch.nn.Module)]
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    grads = [(w, w.grad, None if w.grad is None else w.grad.clone()) for w in weights]
    buffers = [(buffer, buffer.clone()) for model in models for buffer in model.buffers()]
    modes = [(part, part.training) for model in models for part in model.modules()]
    try:
        yield
    finally:
        with torch.no_grad():
            for weight, grad, saved in grads:
                weight.grad = grad if saved is None else grad.copy_(saved)
            for buffer, saved in buffers:
                buffer.copy_(saved)
        for part, training in modes:
            part.training = training
        counted.restore()


def _schedule(found: _Found, names: Mapping[str, Any]) -> Any:
    """As the script moves it on: at each step, or else once an epoch."""
    for name, one in names.items():
        inner: Any = getattr(one, "scheduler", one)
        if not isinstance(inner, LRScheduler) or isinstance(inner, ReduceLROnPlateau):
            continue
        if getattr(inner.optimizer, "optimizer", inner.optimizer) is not found.optimizer:
            continue
        calls = found.calls("step")
        owners = (c.func.value for c in calls if isinstance(c.func, ast.Attribute))
        if any(name_of(owner) == name for owner in owners):
            return inner
        if not found.sometimes(name):
            return _once_an_epoch(inner, found)
    return LambdaLR(found.optimizer, lambda _: 1.0)


def _once_an_epoch(schedule: Any, found: _Found) -> Any:
    copied, factors = schedule_before(schedule), []
    first = max(float(schedule.base_lrs[0]), 1e-30)
    with warnings.catch_warnings(), contextlib.suppress(Exception):  # where it is over
        warnings.simplefilter("ignore")  # it moves on without an optimizer
        for _ in range(found.epochs):
            factors.append(float(copied.optimizer.param_groups[0]["lr"]) / first)
            copied.step()
    factors = factors or [1.0]
    steps = max(1, found.given.batches)
    return LambdaLR(found.optimizer, lambda step: factors[min(step // steps, len(factors) - 1)])


def _clipped_at(found: _Found, names: Mapping[str, Any]) -> float:
    for call in found.calls("clip_grad_norm_"):
        told = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "max_norm")]
        value = loops.value_of(told[0], names) if told else None
        if isinstance(value, (int, float)):
            return float(value)
    return 0.0


def _divides(found: _Found, names: Mapping[str, Any], by: int) -> bool:
    parts = [part for one in found.doing for part in ast.walk(one)]
    divisors = [
        part.right if isinstance(part, ast.BinOp) else part.value
        for part in parts
        if isinstance(part, ast.BinOp | ast.AugAssign) and isinstance(part.op, ast.Div)
    ]
    return any(loops.value_of(one, names) == by for one in divisors)
