"""The batches that a loop by hand goes over where nobody keeps its rows: those of a list, what a
function of the script gives one after the other, or what each turn draws by itself."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import CodeType, FrameType
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, default_collate

from debugger.frameworks.pytorch.accelerated import Counted
from debugger.frameworks.pytorch.by_hand import Form, LoopTrainer, Turn, Unshuffled
from debugger.frameworks.pytorch.laid_out import JUDGES, can_be_drawn_from, first_item, form_of
from debugger.frameworks.pytorch.loop_rows import (
    Found,
    Given,
    Items,
    Taken,
    epochs_at,
    of_loader,
    of_tensors,
    seen_in,
    turn_of,
)
from debugger.frameworks.pytorch.tensors import Columns, Seen
from debugger.frameworks.pytorch.untouched import Rng
from debugger.pipelines.turns import all_names, loops_at, names_in, trees_of
from debugger.pipelines.unfollowed import NotFollowed
from debugger.script import batching, loops

MOST_ROWS, MOST_BYTES, SECONDS = 4096, 256 << 20, 3.0
SAME = 1e-5
Source = Callable[[], Iterable[Any]]
"""Gives the batches, one after the other, from the first one on."""


def over_batches(frames: list[FrameType], optimizer: Any, last: Any) -> Found | None:
    for place, frame in enumerate(frames):
        around, names = loops_at(frame), names_in(frame)
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

    def handed(self) -> Found | None:
        """Its items are the batches."""
        given = self.loop.given(self.names)
        if given is None or not loops.is_function_or_list(given, self.names):
            return None

        def source(node: ast.expr) -> Source:
            return lambda: loops.asked(node, all_names(self.frames)) or ()

        code, known = turn_of(self.loop), _kept(source(given))
        form = None if known is None else self._form(code, known.first, self.names)
        if known is None or form is None:
            return self._one_by_one(code, loops.asked(given, self.names))
        others = (
            source(one)
            for one in batching.calls_otherwise(given, self._trees, self.names, JUDGES)
            if isinstance(one, ast.expr)
        )
        again = _kept(source(given), most=1)
        by_lot = again is not None and not _equal(again.first, known.first)
        outer = self.around[1:]
        epochs = epochs_at(self.frames[self.place :], outer, known.batches)
        return self._found(code, self.names, form, known, by_lot, others, epochs)

    def _one_by_one(self, code: CodeType, rows: Any) -> Found | None:
        """Each turn takes one row, and makes of it what the model is asked."""
        if not isinstance(rows, list | tuple) or not rows:
            return None
        seen = seen_in(code, self.names, {loops.PUT: rows[0]}, self.optimizer)
        several = isinstance(rows[0], list | tuple)
        names = tuple(f"part_{place}" for place in range(len(rows[0]) if several else 1))
        make = type(rows[0]) if several else _only
        form = Form(names, None if isinstance(rows[0], dict) else make, None)
        given = Given(_Items(rows, form), _only, 1, kind=Unshuffled, batches=len(rows))
        epochs = epochs_at(self.frames[self.place :], self.around[1:], len(rows))
        turn = Turn(code, self.names, form, seen.model, Counted(self.names), self.optimizer)
        taken = Taken(code, self.names, self.frames, self.place, self.around)
        return taken.whole(turn, given, epochs)

    def drawn(self) -> Found | None:
        """It counts, and each turn draws its batch."""
        numbers = self.loop.numbers(self.names) or range(1)
        second = numbers[min(1, len(numbers) - 1)]  # much is done in the first turn only
        target = self.loop.node.target
        names = self.names | ({target.id: second} if isinstance(target, ast.Name) else {})
        stopped = _asks_first(turn_of(self.loop), {**names, loops.PUT: second})
        if stopped is None:
            return None
        line, there, given = stopped
        batches = {name for name, one in there.items() if _holds_rows(one)}
        cut = batching.cut(self.loop, line, batches)
        if cut is None:
            return None
        known = {name: there[name] for name in there if name not in (loops.PUT, "__builtins__")}
        around, turns = [cut.loop, *self.around[1:]], len(numbers)
        taken = Taken(turn_of(cut.loop), {**names, **known}, self.frames, self.place, around)
        item = _item(cut.names, there)
        if cut.takes_the_next and isinstance(self.last, DataLoader):
            return self._of_last(taken, item, turns)
        if len(cut.names) == 1 and _is_places(item):
            items = Items(item, size=len(item), turns=turns, orders=(loops.PUT,))
            return of_tensors(taken, items, self.optimizer)
        if not any(_same(part, one) for part in _parts(item) for one in given):
            return None
        return self._of_draws(taken, cut, item, numbers)

    def _of_last(self, taken: Taken, item: Any, turns: int) -> Found | None:
        """It takes the next item of a loader."""
        loader = self.last
        if not can_be_drawn_from(loader):
            raise NotFollowed("loop_of_stream")
        if not _alike(first_item(loader), item):
            return None
        epochs = epochs_at(self.frames[self.place :], self.around[1:], len(loader))
        return of_loader(taken, loader, self.optimizer, epochs * turns / len(loader))

    def _of_draws(self, taken: Taken, cut: batching.Cut, item: Any, numbers: range) -> Found | None:
        by_number = self.loop.node.target
        names = all_names(self.frames)

        def source(draws: list[ast.stmt]) -> Source:
            code = cut.drawing(draws)

            def items() -> Iterator[Any]:
                space = dict(names)
                for number in numbers:
                    if isinstance(by_number, ast.Name):
                        space[by_number.id] = number
                    exec(code, space)
                    yield _item(cut.names, space)

            return items

        known, form = _kept(source(cut.draws)), self._form(taken.code, item, taken.names)
        if known is None or form is None:
            return None
        whole = ast.Module(cut.draws, [])
        others = (
            source(one.body)
            for one in batching.calls_otherwise(whole, self._trees, names, JUDGES)
            if isinstance(one, ast.Module)
        )
        epochs = epochs_at(self.frames[self.place :], self.around[1:], len(numbers))
        return self._found(taken.code, taken.names, form, known, None, others, epochs, len(numbers))

    @property
    def _trees(self) -> list[ast.Module]:
        return trees_of(self.frames)

    def _form(self, code: CodeType, item: Any, names: dict[str, Any]) -> tuple[Form, Seen] | None:
        seen = seen_in(code, names, {loops.PUT: item}, self.optimizer)
        asked = [value for given in seen.asked for value in given.values()]
        if not any(_same(part, value) for part in _parts(item) for value in asked):
            return None
        form = form_of(item, seen)
        if form is None:
            raise NotFollowed("loop_of_nested_batches")
        return _as_given(form, item), seen

    def _found(
        self,
        code: CodeType,
        names: dict[str, Any],
        formed: tuple[Form, Seen],
        known: _Kept,
        by_lot: bool | None,
        others: Iterable[Source],
        epochs: float,
        turns: int = 0,
    ) -> Found | None:
        form, seen = formed
        rows = known.rows(form)
        if rows is None:
            return None
        if by_lot is None:  # where a row comes again, each turn draws its own
            once = _once(rows)
            by_lot = len(once) < len(rows) or known.batches < turns
            epochs = epochs * turns / -(-len(once) // known.size) if by_lot else epochs
            rows = once
        held = None
        for other in others:
            held_out = _kept(other)
            held = None if held_out is None or held_out.kind != known.kind else held_out.rows(form)
            if held is not None:
                held = _once(held)
                break
        given = Given(
            rows=rows,
            collate=default_collate,
            size=known.size,
            held=held,
            held_size=known.size,
            kind=LoopTrainer if by_lot else Unshuffled,
            batches=-(-len(rows) // known.size),
        )
        taken = Taken(code, names, self.frames, self.place, self.around)
        turn = Turn(code, names, form, seen.model, Counted(names), self.optimizer)
        return taken.whole(turn, given, epochs)


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


class _Asked(BaseException):
    """Ends a turn where it asks a model that learns."""

    def __init__(self, given: list[Any]) -> None:
        self.given = given


def _asks_first(
    code: CodeType, names: dict[str, Any]
) -> tuple[int, dict[str, Any], list[Any]] | None:
    """The line of a turn that asks the model, what the names hold there, and what it is given."""
    space, call = dict(names), torch.nn.Module.__call__

    def asked(module: torch.nn.Module, *given: Any, **named: Any) -> Any:
        if any(True for _ in module.parameters()):
            raise _Asked([*given, *named.values()])
        return call(module, *given, **named)

    torch.nn.Module.__call__ = asked  # type: ignore[method-assign]
    try:
        exec(code, space)
    except _Asked as ended:
        trace: Any = ended.__traceback__
        while trace is not None and trace.tb_frame.f_code is not code:
            trace = trace.tb_next
        return None if trace is None else (trace.tb_lineno, space, ended.given)
    except Exception as error:  # of the script's: its turn cannot be taken by itself
        raise NotFollowed.of_a_turn(error) from None
    finally:
        torch.nn.Module.__call__ = call  # type: ignore[method-assign]
    return None


@dataclass(frozen=True)
class _Kept:
    """The batches that were drawn, as their parts. `kind` tells what a batch is like."""

    first: Any
    parts: list[list[np.ndarray | torch.Tensor]]
    kind: tuple[Any, ...]

    @property
    def batches(self) -> int:
        return len(self.parts)

    @property
    def size(self) -> int:
        return len(self.parts[0][0])

    def rows(self, form: Form) -> Columns | None:
        """All of them, by name; None where the batches cannot be laid on each other."""
        sizes = {len(one[0]) for one in self.parts[:-1]}
        if len(sizes) > 1 or len(form.names) != len(self.parts[0]):
            return None
        columns = [[torch.as_tensor(part) for part in one] for one in zip(*self.parts, strict=True)]
        if any(len({part.shape[1:] for part in column}) > 1 for column in columns):
            return None
        whole = [torch.cat(column) for column in columns]
        return Columns(dict(zip(form.names, whole, strict=True)))


def _kept(source: Source, most: int | None = None) -> _Kept | None:
    """The first of the batches, as many as can be looked at; None of what are none."""
    found: list[list[Any]] = []
    first: Any = None
    rows, size, until = 0, 0, time.monotonic() + SECONDS
    try:
        for item in islice(source(), most):
            parts = _parts(item)
            if not parts or not all(_holds_rows(part) for part in parts):
                return None
            if len(set(map(len, parts))) > 1 or not len(parts[0]):
                return None
            first = item if first is None else first
            found.append(parts)
            rows += len(parts[0])
            size += sum(part.nbytes for part in parts)
            if rows >= MOST_ROWS or size >= MOST_BYTES or time.monotonic() > until:
                break
    except Exception:  # of the script's: what it gives cannot be had by itself
        return None
    return _Kept(first, found, _kind(first)) if found else None


def _kind(item: Any) -> tuple[Any, ...]:
    named = tuple(item) if isinstance(item, Mapping) else ()
    return (*named, *((str(part.dtype), tuple(part.shape[1:])) for part in _parts(item)))


def _parts(item: Any) -> list[Any]:
    if isinstance(item, Mapping):
        return list(item.values())
    return list(item) if isinstance(item, list | tuple) else [item]


def _item(names: tuple[str, ...], held: Mapping[str, Any]) -> Any:
    some = tuple(held[name] for name in names)
    return some[0] if len(some) == 1 else some


def _holds_rows(value: Any) -> bool:
    if isinstance(value, Mapping | tuple | list):
        parts = _parts(value)
        return bool(parts) and all(isinstance(one, torch.Tensor | np.ndarray) for one in parts)
    if isinstance(value, np.ndarray):
        return value.ndim > 0 and value.dtype.kind in "fiub"
    return isinstance(value, torch.Tensor) and value.dim() > 0 and not value.requires_grad


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
    pairs = list(zip(_parts(one), _parts(other), strict=False))
    return len(_parts(one)) == len(_parts(other)) and all(
        getattr(a, "shape", ())[1:] == getattr(b, "shape", ())[1:] for a, b in pairs
    )


def _equal(one: Any, other: Any) -> bool:
    pairs = list(zip(_parts(one), _parts(other), strict=False))
    return all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in pairs)


def _as_given(form: Form, item: Any) -> Form:
    """Parts that were arrays are given as such."""
    arrays = [isinstance(part, np.ndarray) for part in _parts(item)]
    if not any(arrays):
        return form
    names, make = form.names, form.make

    def made(parts: list[Any]) -> Any:
        own = [part.numpy() if a else part for part, a in zip(parts, arrays, strict=True)]
        return dict(zip(names, own, strict=True)) if make is None else make(own)

    return replace(form, make=made)


def _once(rows: Columns) -> Columns:
    """Each row that is among them, once."""
    seen: dict[bytes, int] = {}
    for place in range(len(rows)):
        mark = b"".join(part.numpy().tobytes() for part in rows[place].values())
        seen.setdefault(mark, place)
    chosen = list(seen.values())
    return Columns({name: tensor[chosen] for name, tensor in rows.tensors.items()})


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
        for other, kept in zip(self._torch, self._others, strict=True):
            other.set_state(kept)
