"""The batches that a loop by hand goes over where nobody keeps its rows: those of a list, what a
function of the script gives one after the other, or what each turn draws by itself."""

from __future__ import annotations

import ast
import math
import time
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from itertools import chain, islice, repeat
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader

from debugger.frameworks.pytorch.accelerated import Counted
from debugger.frameworks.pytorch.by_hand import Form, LoopTrainer, Turn, Unshuffled
from debugger.frameworks.pytorch.dealt import can_be_drawn_from, first_item
from debugger.frameworks.pytorch.kept_batches import (
    Kept,
    Rows,
    Source,
    holds_rows,
    kept,
    parts_of,
)
from debugger.frameworks.pytorch.laid_out import JUDGES, form_of
from debugger.frameworks.pytorch.loop_rows import (
    Found,
    Given,
    Items,
    Taken,
    epochs_at,
    of_loader,
    of_tensors,
    seen_in,
    taken_back,
    turn_of,
)
from debugger.frameworks.pytorch.tensors import Handed
from debugger.frameworks.pytorch.untouched import Rng
from debugger.pipelines.turns import all_names, loops_at, names_in, trees_of
from debugger.pipelines.unfollowed import NotFollowed
from debugger.script import batching, loops

SAME = 1e-5
MOST_ITEMS, SECONDS, PAIR = 512, 3.0, 2


def over_batches(frames: list[FrameType], optimizer: Any, last: Any) -> Found | None:
    for place, frame in enumerate(frames):
        around, names = loops_at(frame), dict(ChainMap(*map(names_in, frames[place:])))
        for inner, loop in enumerate(around):
            at = _Place(frames, place, around[inner:], names, optimizer, last)
            with _drawn_back(names):
                found = at.handed() if loop.numbers(names) is None else at.drawn()
            if found is not None:
                return found
    return None


@dataclass(frozen=True)
class _Place:
    """A loop, and what is known there."""

    frames: list[FrameType]
    place: int
    around: list[loops.Loop]
    names: dict[str, Any]
    optimizer: Any
    last: Any

    @property
    def loop(self) -> loops.Loop:
        return self.around[0]

    @property
    def trees(self) -> list[ast.Module]:
        return trees_of(self.frames)

    def taken(self, loop: loops.Loop, names: dict[str, Any]) -> Taken:
        around = [loop, *self.around[1:]]
        return Taken(turn_of(loop), names, self.frames, self.place, around)

    def epochs(self, batches: int) -> float:
        return epochs_at(self.frames[self.place :], self.around[1:], batches)

    def handed(self) -> Found | None:
        """Its items are the batches."""
        given = self.loop.given(self.names)
        if given is None or not loops.is_function_or_list(given, self.names):
            return None

        def source(node: ast.AST) -> Source:
            names = all_names(self.frames)
            return lambda: loops.asked(node, names) or () if isinstance(node, ast.expr) else ()

        taken, known = self.taken(self.loop, self.names), kept(source(given))
        first = next(iter(source(given)()), None) if known is None else known.first
        asked = self._asks_first({**self.names, loops.PUT: first})
        if asked is None or self.loop.within(asked.line) is not None:
            return None
        if known is None or not asked.uses(first):
            return self._one_by_one(taken, loops.asked(given, self.names))
        epochs = self.epochs(known.batches)
        by_lot = _draws_by_lot(source(given))
        return self._found(taken, known, first, asked, given, source, lambda _: epochs, by_lot)

    def drawn(self) -> Found | None:
        """It counts, and each turn draws its batch."""
        numbers = self.loop.numbers(self.names) or range(1)
        second = numbers[min(1, len(numbers) - 1)]  # much is done in the first turn only
        target = self.loop.node.target
        names = self.loop.later(self.names)
        names |= {target.id: second} if isinstance(target, ast.Name) else {}
        asked = self._asks_first({**names, loops.PUT: second})
        if asked is None:
            return None
        if (within := self.loop.within(asked.line)) is not None:
            inner = loops.Loop(within, self.loop.file) if isinstance(within, ast.For) else None
            if inner is None or inner.numbers(asked.names) is None:
                return None
            return replace(self, around=[inner, *self.around]).drawn()
        batches = {name for name, one in asked.names.items() if holds_rows(one)}
        if (ahead := batching.ahead(self.loop, asked.line, batches)) is not None:
            return replace(self, around=[ahead, *self.around[1:]]).drawn()
        cut = batching.cut(self.loop, asked.line, batches)
        if cut is None:
            return None
        made = {k: v for k, v in asked.names.items() if k not in (loops.PUT, "__builtins__")}
        item, taken = _item(cut.names, asked.names), self.taken(cut.loop, {**names, **made})
        if cut.takes_the_next and isinstance(self.last, DataLoader):
            return self._of_last(cut, taken, item, len(numbers))
        if len(cut.names) == 1 and _is_places(item):
            items = Items(item, size=len(item), turns=len(numbers), orders=(loops.PUT,))
            return of_tensors(taken, items, self.optimizer)
        return self._of_draws(taken, cut, item, asked, numbers)

    def _asks_first(self, names: dict[str, Any]) -> _Asks | None:
        code, space, handed = turn_of(self.loop), dict(names), Handed()
        call = torch.nn.Module.__call__

        def asked(module: torch.nn.Module, *given: Any, **named: Any) -> Any:
            if any(True for _ in module.parameters()):
                raise _Asked([*given, *named.values()])
            return call(module, *given, **named)

        torch.nn.Module.__call__ = asked  # type: ignore[method-assign]
        try:
            with taken_back(names, self.optimizer), redirect_stdout(StringIO()), handed:
                exec(code, space)
        except _Asked as ended:
            trace: Any = ended.__traceback__
            while trace is not None and trace.tb_frame.f_code is not code:
                trace = trace.tb_next
            read = {one.data_ptr() for one in handed.tensors if one.layout == torch.strided}
            return None if trace is None else _Asks(trace.tb_lineno, space, ended.given, read)
        except Exception as error:  # of the script's: its turn cannot be taken by itself
            raise NotFollowed.of_a_turn(error) from None
        finally:
            torch.nn.Module.__call__ = call  # type: ignore[method-assign]
        return None

    def _of_last(self, cut: batching.Cut, taken: Taken, item: Any, turns: int) -> Found | None:
        """It takes the next item of a loader."""
        loader = self.last
        if not can_be_drawn_from(loader):
            raise NotFollowed("loop_of_stream")
        first = first_item(loader)
        if not _alike(first, item):
            return None
        if isinstance(item, torch.Tensor) and not isinstance(first, torch.Tensor):
            taken = self.taken(cut.out_of_one(), taken.names)
        epochs = self.epochs(len(loader)) * turns / len(loader)
        return of_loader(taken, loader, self.optimizer, epochs)

    def _of_draws(
        self, taken: Taken, cut: batching.Cut, item: Any, asked: _Asks, numbers: range
    ) -> Found | None:
        target, names, turns = self.loop.node.target, all_names(self.frames), len(numbers)
        counted = [target.id if isinstance(target, ast.Name) else "", self.loop.counter]
        counters, epochs = [name for name in counted if name], self.epochs(turns)

        def source(node: ast.AST, times: int = 1) -> Source:
            code = cut.drawing(node.body if isinstance(node, ast.Module) else [])

            def items() -> Iterator[Any]:
                space = dict(names)
                for number in chain.from_iterable(repeat(numbers, times)):
                    space |= dict.fromkeys(counters, number)
                    exec(code, space)
                    yield _item(cut.names, space)

            return items

        whole = ast.Module(cut.draws, [])
        by_lot = _draws_by_lot(source(whole))
        if by_lot:
            source = partial(source, times=math.ceil(epochs))
        known = kept(source(whole))
        if known is None:
            return self._one_by_one(taken, _some(source(whole)), turns)
        if not asked.uses(item):
            return None

        def passes(rows: int) -> float:
            return epochs * turns / -(-rows // known.size)

        return self._found(taken, known, item, asked, whole, source, passes, by_lot)

    def _one_by_one(self, taken: Taken, rows: Any, turns: int = 0) -> Found | None:
        """Each turn takes one row, and makes of it what the model is asked. Of what is drawn there
        are so many `turns`."""
        if not isinstance(rows, list | tuple) or not rows:
            return None
        seen = seen_in(taken.code, taken.names, {loops.PUT: rows[0]}, self.optimizer)
        several = isinstance(rows[0], list | tuple)
        names = tuple(f"part_{place}" for place in range(len(rows[0]) if several else 1))
        make = type(rows[0]) if several else _only
        form = Form(names, None if isinstance(rows[0], dict) else make, None)
        mixed = bool(turns) or batching.shuffles(self.trees, self.loop.node.iter)
        kind = LoopTrainer if mixed else Unshuffled
        given = Given(_Items(rows, form), _only, 1, kind=kind, batches=len(rows))
        epochs = self.epochs(turns or len(rows)) * (turns / len(rows) if turns else 1)
        turn = Turn(taken.code, taken.names, form, seen.model, Counted(taken.names), self.optimizer)
        return taken.whole(turn, given, epochs)

    def _found(
        self,
        taken: Taken,
        known: Kept,
        item: Any,
        asked: _Asks,
        given: ast.AST,
        source: Callable[[ast.AST], Source],
        epochs: Callable[[int], float],
        by_lot: bool,
    ) -> Found | None:
        """`epochs` are those of so many rows."""
        seen = seen_in(taken.code, taken.names, {loops.PUT: item}, self.optimizer)
        form = _in_parts(item) if asked.joins(item) else form_of(item, seen)
        if form is None:
            raise NotFollowed("loop_of_nested_batches")
        rows = known.rows(form.names)
        if rows is None:
            return None
        once = by_lot and isinstance(given, ast.Module)  # one pass of a function holds all rows
        rows = rows.once() if once else rows
        held = self._held(known, form, given, source)
        count = len(rows.columns)
        laid = Given(
            rows=rows.columns,
            collate=rows.collate,
            size=known.size,
            held=None if held is None else (held.once() if once else held).columns,
            held_size=known.size,
            kind=LoopTrainer if by_lot or batching.shuffles(self.trees, given) else Unshuffled,
            batches=-(-count // known.size),
        )
        names = taken.names
        form = _as_given(form, item)
        turn = Turn(taken.code, names, form, seen.model, Counted(names), self.optimizer)
        return replace(taken, around=self.around).whole(turn, laid, epochs(count))

    def _held(
        self, known: Kept, form: Form, given: ast.AST, source: Callable[[ast.AST], Source]
    ) -> Rows | None:
        """The rows to be judged by: what the script asks for elsewhere in the same way."""
        for other in batching.calls_otherwise(given, self.trees, all_names(self.frames), JUDGES):
            held = kept(source(other))
            rows = None if held is None or held.kind != known.kind else held.rows(form.names)
            if rows is not None:
                return rows
        return None


def _only(some: Sequence[Any]) -> Any:
    return some[0]


class _Items(torch.utils.data.Dataset[Any]):
    """Rows that are no tensors, by the names of their parts."""

    def __init__(self, rows: Sequence[Any], form: Form) -> None:
        self._rows, self._form = rows, form

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> dict[str, Any]:
        return self._form.fields(self._rows[place])


def _some(source: Source) -> list[Any]:
    """Each that comes once."""
    found, until = dict[str, Any](), time.monotonic() + SECONDS
    try:
        for item in islice(source(), MOST_ITEMS):
            parts = [one.tolist() if holds_rows(one) else one for one in parts_of(item)]
            found.setdefault(repr(parts), item)
            if time.monotonic() > until:
                break
    except Exception:  # of the script's: what it gives cannot be had by itself
        return []
    return list(found.values())


@dataclass(frozen=True)
class _Asks:
    """Where a turn first asks a model that learns: the line, what the names hold there, what the
    model is given, and what torch was handed on the way."""

    line: int
    names: dict[str, Any]
    given: list[Any]
    handed: set[int]

    def uses(self, item: Any) -> bool:
        """Whether the model is given what is made of a part of the batch."""
        parts = parts_of(item)
        return any(self._reads(part) or _same(part, one) for part in parts for one in self.given)

    def joins(self, item: Any) -> bool:
        """Whether all of the batch is what it is given, and no part is a label."""
        parts = parts_of(item)
        return len(parts) >= PAIR and all(map(self._reads, parts))

    def _reads(self, part: Any) -> bool:
        return isinstance(part, torch.Tensor) and part.data_ptr() in self.handed


class _Asked(BaseException):
    """Ends a turn where it asks a model that learns."""

    def __init__(self, given: list[Any]) -> None:
        self.given = given


def _item(names: tuple[str, ...], held: Mapping[str, Any]) -> Any:
    some = tuple(held[name] for name in names)
    return some[0] if len(some) == 1 else some


def _is_places(value: Any) -> bool:
    """Numbers of rows, rather than rows."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.dtype.kind in "iu"
    whole = isinstance(value, torch.Tensor) and not value.is_floating_point()
    return whole and value.dim() == 1 and value.dtype != torch.bool


def _same(part: Any, value: Any) -> bool:
    """Whether a part of a batch is what a model was given, also if it was made a tensor first."""
    if not isinstance(part, torch.Tensor | np.ndarray) or not isinstance(value, torch.Tensor):
        return False
    own, other = torch.as_tensor(part), value.detach()
    if own.numel() != other.numel() or not own.numel():
        return False
    return torch.allclose(own.reshape(-1).double(), other.reshape(-1).double(), rtol=SAME)


def _alike(one: Any, other: Any) -> bool:
    """Whether both are laid out in the same way."""
    if isinstance(one, Mapping) or isinstance(other, Mapping):
        named = isinstance(one, Mapping) and isinstance(other, Mapping)
        return named and set(one) == set(other)
    pairs = list(zip(parts_of(one), parts_of(other), strict=False))
    return len(parts_of(one)) == len(parts_of(other)) and all(
        getattr(a, "shape", ())[1:] == getattr(b, "shape", ())[1:] for a, b in pairs
    )


def _draws_by_lot(source: Source) -> bool:
    """Whether it begins with another batch each time."""
    one, other = kept(source, most=1), kept(source, most=1)
    return one is not None and other is not None and not _equal(one.first, other.first)


def _equal(one: Any, other: Any) -> bool:
    pairs = list(zip(parts_of(one), parts_of(other), strict=False))
    return all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in pairs)


def _in_parts(item: Any) -> Form | None:
    kind = type(item)
    if kind not in (list, tuple):
        return None
    return Form(tuple(f"part_{place}" for place in range(len(item))), kind, None)


def _as_given(form: Form, item: Any) -> Form:
    """Parts that were arrays are given as such."""
    arrays = [isinstance(part, np.ndarray) for part in parts_of(item)]
    if not any(arrays):
        return form
    names, make = form.names, form.make

    def made(parts: list[Any]) -> Any:
        own = [part.numpy() if a else part for part, a in zip(parts, arrays, strict=True)]
        return dict(zip(names, own, strict=True)) if make is None else make(own)

    return replace(form, make=made)


class _drawn_back:
    """Afterwards whatever draws by lot goes on as if nothing had been drawn."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        values = list(names.values())
        self._numpy = [one for one in values if isinstance(one, np.random.Generator)]
        self._torch = [one for one in values if isinstance(one, torch.Generator)]

    def __enter__(self) -> None:
        self._all = Rng()
        self._states = [one.bit_generator.state for one in self._numpy]
        self._others = [one.get_state() for one in self._torch]

    def __exit__(self, *_: object) -> None:
        self._all.restore()
        for one, state in zip(self._numpy, self._states, strict=True):
            one.bit_generator.state = state
        for other, state in zip(self._torch, self._others, strict=True):
            other.set_state(state)
