"""The rows that a loop by hand goes over: items of a loader, whole tensors, slices or places."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader

from debugger.failure import line_in
from debugger.frameworks.pytorch import together
from debugger.frameworks.pytorch.accelerated import Counted
from debugger.frameworks.pytorch.by_hand import Form, LoopTrainer, Turn, Unshuffled, loss_of
from debugger.frameworks.pytorch.dealt import (
    can_be_drawn_from,
    first_item,
    kind_of,
    sampler_of,
    size_of,
)
from debugger.frameworks.pytorch.laid_out import (
    JUDGES,
    PAIR,
    collator_by_name,
    form_of,
    held_beside,
    rows_by_name,
)
from debugger.frameworks.pytorch.tensors import (
    LABEL,
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
from debugger.pipelines.turns import (
    all_names,
    epochs_loop,
    epochs_of,
    fields_of,
    function_at,
    is_rate,
    loops_at,
    names_in,
    objects_of,
    trees_of,
)
from debugger.pipelines.unfollowed import NotFollowed
from debugger.script import loops


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
class Found:
    """`doing` is what the text of a turn is made of: the loop, and functions that it is in."""

    turn: Turn
    optimizer: Any
    given: Given
    epochs: float
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
        parts = (n for tree in self.trees for n in ast.walk(tree) if isinstance(n, ast.Subscript))
        return any(isinstance(n.ctx, ast.Store) and is_rate(n) for n in parts)

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


def over_loader(frames: list[FrameType], optimizer: Any, last: Any) -> Found | None:
    for place, frame in enumerate(frames):
        around = loops_at(frame)
        names = names_in(frame)
        for inner, loop in enumerate(around):
            loader = loop.goes_over(names, last)
            if not isinstance(loader, DataLoader):
                continue
            if not can_be_drawn_from(loader):
                raise NotFollowed("loop_of_stream")
            epochs = epochs_at(frames[place:], around[inner + 1 :], len(loader))
            for outer in around[inner:]:
                names = outer.later(names)
            turn = Taken(turn_of(loop), names, frames, place, around[inner:])
            return of_loader(turn, loader, optimizer, epochs)
    return None


def of_loader(taken: Taken, loader: DataLoader[Any], optimizer: Any, epochs: float) -> Found:
    item, names = first_item(loader), taken.names
    seen = seen_in(taken.code, names, {loops.PUT: item}, optimizer)
    if (form := form_of(item, seen)) is None:
        raise NotFollowed("loop_of_nested_batches")
    turn = Turn(taken.code, names, form, seen.model, Counted(names), optimizer)
    held, sampler = held_beside(all_names(taken.frames), loader, form), sampler_of(loader)
    given = Given(
        rows=rows_by_name(loader.dataset, form),
        collate=collator_by_name(loader, form),
        size=size_of(loader),
        held=None if held is None else rows_by_name(held.dataset, form),
        held_size=size_of(held or loader),
        drops_last=bool(getattr(loader.batch_sampler, "drop_last", loader.drop_last)),
        kind=kind_of(sampler),
        sampler=sampler,
        batches=len(loader),
    )
    return taken.whole(turn, given, epochs)


def over_tensors(frames: list[FrameType], optimizer: Any) -> Found | None:
    """All rows at once, or slices of them one after the other."""
    for place, frame in enumerate(frames):
        around = loops_at(frame)
        names = names_in(frame)
        if not around:
            continue
        items = _items_of(around[0], names)
        if items is None:
            return None
        taken = Taken(turn_of(around[0]), names, frames, place, around)
        return of_tensors(taken, items, optimizer)
    return None


def of_tensors(taken: Taken, items: Items, optimizer: Any) -> Found | None:
    names, loop = taken.names, taken.around[0]
    seen = seen_in(taken.code, names, {loops.PUT: items.first}, optimizer)
    known = columns_of(seen, names, items.rows)
    if known is None or (items.size and len(known) < PAIR):
        return None
    rows, fields = Columns(known), tuple(known)
    if not items.size and _takes_some(seen, rows):
        return None
    made = loop.makes()  # in the next turn these are others
    called = [tuple(n for n in names_like(t, names) if n not in made) for t in known.values()]
    if not all(called):
        return None
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
    epochs = epochs_at(taken.frames[taken.place :], taken.around[1:], given.batches)
    epochs *= items.turns / given.batches if items.turns else items.times
    turn = Turn(taken.code, names, form, seen.model, Counted(names), optimizer)
    return taken.whole(turn, given, epochs)


def _takes_some(seen: Seen, rows: Columns) -> bool:
    """Whether the model was asked about some of the rows alone, which each turn chooses."""
    asked = next(iter(seen.asked[0].values()), None)
    return isinstance(asked, torch.Tensor) and asked.dim() > 0 and len(asked) < len(rows)


@dataclass(frozen=True)
class Items:
    """What a loop goes over: numbers to count by, or which rows to take. In each turn that are
    `size` of `rows`; without a size all of them, so many `times`. Where each of so many `turns`
    draws its own, some come again before others."""

    first: Any
    rows: int = 0
    size: int = 0
    times: int = 1
    turns: int = 0
    orders: tuple[str, ...] = ()
    in_order: bool = False


def _items_of(loop: loops.Loop, names: dict[str, Any]) -> Items | None:
    if numbers := loop.numbers(names):
        if numbers.step > 1:
            return Items(numbers.start, numbers[-1] + 1, numbers.step)
        return Items(numbers[-1], times=len(numbers))
    places = _places(loop, names)
    if not places:
        return None
    whole = torch.cat(places)
    in_order = bool(torch.equal(whole, torch.arange(len(whole))))
    return Items(places[0], len(whole), len(places[0]), orders=(loops.PUT,), in_order=in_order)


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


def epochs_at(frames: list[FrameType], outer: list[loops.Loop], batches: int) -> float:
    """How often its rows are gone through."""
    epochs = epochs_of(frames, outer, batches)
    if epochs is None:
        raise NotFollowed("loop_that_waits")
    return epochs


def turn_of(loop: loops.Loop) -> CodeType:
    """What is done in a turn."""
    if loop.turn is None:
        raise NotFollowed("loop_that_returns")
    return loop.turn


@dataclass(frozen=True)
class Taken:
    """What is done in a turn, and where: in the first of the loops `around`, with these names."""

    code: CodeType
    names: dict[str, Any]
    frames: list[FrameType]
    place: int
    around: list[loops.Loop]

    def whole(self, turn: Turn, given: Given, epochs: float) -> Found:
        loop, *outer = self.around
        inner = self.frames[: self.place]
        functions = [one for frame in inner if (one := function_at(frame)) is not None]
        return Found(
            turn,
            turn.optimizer,
            given,
            epochs,
            [loop.node, *functions],
            line_in(loop.file, loop.node.lineno),
            epochs_loop(self.frames[self.place :], outer),
            loop.breaks_at,
            trees_of(self.frames),
        )


def seen_in(code: CodeType, names: dict[str, Any], put: Mapping[str, Any], optimizer: Any) -> Seen:
    """The model, and what goes into it in a turn."""
    asked: list[tuple[torch.nn.Module, dict[str, Any]]] = []
    learning: list[torch.nn.Module] = []
    depth, call = 0, torch.nn.Module.__call__

    def called(module: torch.nn.Module, *given: Any, **named: Any) -> Any:
        nonlocal depth
        if depth == 0:
            told = dict(zip(takes(module), given, strict=False)) | named
            asked.append((module, told))
            if torch.is_grad_enabled() and any(one.requires_grad for one in module.parameters()):
                learning.append(module)
        depth += 1
        try:
            return call(module, *given, **named)
        finally:
            depth -= 1

    torch.nn.Module.__call__ = called
    try:
        with taken_back(names, optimizer), Handed() as handed:
            loss = loss_of(code, names, put)
    except Exception as error:  # of the script's: its turn cannot be taken by itself
        raise NotFollowed.of_a_turn(error) from None
    finally:
        torch.nn.Module.__call__ = call
    with_weights = [one for one, _ in asked if any(True for _ in one.parameters())]
    models = {id(one): one for one in learning or with_weights}
    if loss is None:
        raise NotFollowed("hand_written_loop")
    if not models:
        raise NotFollowed("loop_without_model")
    if loss.numel() > 1:
        raise NotFollowed("loop_of_many_numbers", count=loss.numel())
    model = together.as_one(list(models.values()), names, optimizer)
    told = [given for one, given in asked if one is model]
    if not told:
        told = [given for one, given in asked if id(one) in models]
        told = [together.of_all(told)] if len(told) == len(models) else told
    return Seen(model, told, handed)


@contextlib.contextmanager
def taken_back(names: Mapping[str, Any], optimizer: Any) -> Iterator[None]:
    """A turn that is only tried leaves gradients, averages and modes as they were, also of a model
    that is a field of what has a name, and what fields count."""
    counted = Counted(names)
    known = (*names.values(), *(value for _, value in fields_of(names)))
    models = [one for one in known if isinstance(one, torch.nn.Module)]
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    grads = [(w, w.grad, None if w.grad is None else w.grad.clone()) for w in weights]
    buffers = [(buffer, buffer.clone()) for model in models for buffer in model.buffers()]
    modes = [(part, part.training) for model in models for part in model.modules()]
    counts = [
        (fields, {name: value for name, value in fields.items() if type(value) in (int, float)})
        for fields in objects_of(names)
    ]
    try:
        yield
    finally:
        for fields, numbers in counts:
            fields |= numbers
        with torch.no_grad():
            for weight, grad, saved in grads:
                weight.grad = grad if saved is None else grad.copy_(saved)
            for buffer, saved in buffers:
                buffer.copy_(saved)
        for part, training in modes:
            part.training = training
        counted.restore()
