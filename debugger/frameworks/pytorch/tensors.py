"""Rows that a loop by hand takes out of whole tensors: which of its names hold them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from inspect import signature
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

LABEL = "labels"
MOST_PARTS, FEW_NUMBERS = 5, 8
_IS_LABEL = re.compile(r"(.*_)?(labels?|targets?|y)(_.*)?", re.IGNORECASE).fullmatch


@dataclass(frozen=True)
class Seen:
    """A turn of a loop: the model that was asked, with what, by the names under which its `forward`
    takes it, and all that torch was handed."""

    model: torch.nn.Module
    asked: list[dict[str, Any]]
    handed: Handed


def takes(model: torch.nn.Module) -> list[str]:
    return list(signature(model.forward).parameters)


class Handed(TorchFunctionMode):
    """While open: what torch was handed, and of what rows were picked out, the whole."""

    def __init__(self) -> None:
        super().__init__()
        self.tensors: list[torch.Tensor] = []
        self._picked: list[tuple[torch.Tensor, torch.Tensor]] = []

    def whole(self, some: torch.Tensor) -> torch.Tensor | None:
        return next((whole for made, whole in self._picked if made is some), None)

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = (*args, *(kwargs or {}).values())
        listed = [part for one in given if isinstance(one, list | tuple) for part in one]
        self.tensors += [one for one in (*given, *listed) if isinstance(one, torch.Tensor)]
        if type(func).__module__ == "torch._ops":  # an optimizer's note of its step never ends
            with torch._C.DisableTorchFunction():
                return func(*args, **(kwargs or {}))
        made = func(*args, **(kwargs or {}))
        picks = getattr(func, "__name__", "") in ("__getitem__", "index_select")
        if picks and isinstance(made, torch.Tensor):
            self._picked.append((made, args[0]))
        return made


class Columns(torch.utils.data.Dataset[Any]):
    """Tensors of as many rows each, by name. Where turns drew them `by_lot` each is here once, and
    nobody knows how often it is in what they were drawn from."""

    def __init__(self, tensors: Mapping[str, torch.Tensor], by_lot: bool = False) -> None:
        self.tensors, self.by_lot = tensors, by_lot

    @property
    def may_meet(self) -> bool:
        """Whether rows of any other set may be among them by nature: kinds, and few of them."""
        plain = [t for name, t in self.tensors.items() if name != LABEL]
        few = sum(tensor[0].numel() for tensor in plain) < FEW_NUMBERS
        return self.by_lot and few and not any(tensor.is_floating_point() for tensor in plain)

    def __len__(self) -> int:
        return min(map(len, self.tensors.values()))

    def __getitem__(self, place: int) -> dict[str, Any]:
        return {name: tensor[place] for name, tensor in self.tensors.items()}


def columns_of(seen: Seen, names: Mapping[str, Any], fewest: int) -> dict[str, torch.Tensor] | None:
    """The inputs, of `fewest` rows or more, and what a turn reads beside them: one is the labels,
    and of several the one that is called so. None where that is not told for sure."""
    tensors = {name: one for name, one in names.items() if _holds_rows(one)}
    dense = ({n: v for n, v in given.items() if _is_dense(v)} for given in seen.asked)
    first = next((one for one in dense if one), {})
    called_in, read = next(iter(first), "inputs"), list(first.values())
    begun = [t for t in tensors.values() if read and _begins(t, read[0]) and len(t) >= fewest]
    whole = seen.handed.whole(read[0]) if read else None
    picked = next((t for t in tensors.values() if t is whole), None)
    inputs = min(begun, key=len, default=picked)
    if inputs is None or len(seen.asked) != 1:
        return None
    used = {one.data_ptr() for one in seen.handed.tensors if _is_dense(one)}
    others = {
        name: one
        for name, one in tensors.items()
        if one is not inputs and len(one) == len(inputs) and one.data_ptr() in used
        if one.data_ptr() != inputs.data_ptr() and not is_order(one)
    }
    parts = list({id(one): one for one in others.values()}.values())
    called = {id(one) for name, one in others.items() if _IS_LABEL(name)}
    labels = parts if len(parts) == 1 else [one for one in parts if id(one) in called]
    if len(labels) > 1 or len(parts) > MOST_PARTS:
        return None
    label = next(iter(labels), None)
    rest = [one for one in parts if one is not label]
    columns = {called_in: inputs}
    if label is not None:
        columns[LABEL] = label
    return columns | {f"part_{n}": one for n, one in enumerate(rest)}


_SEVERAL = 2


def _is_dense(value: Any) -> bool:
    """With a place in memory: an adjacency of a graph may have none."""
    return isinstance(value, torch.Tensor) and value.layout == torch.strided


def _holds_rows(value: Any) -> bool:
    return _is_dense(value) and value.dim() > 0 and not value.requires_grad


def _begins(rows: torch.Tensor, some: torch.Tensor) -> bool:
    """Whether these are the first of those rows, in the same place of memory."""
    same = rows.data_ptr() == some.data_ptr() and rows.shape[1:] == some.shape[1:]
    return same and some.dim() > 0 and len(some) <= len(rows)


def orders_of(rows: int, names: Mapping[str, Any]) -> tuple[str, ...]:
    """What says in which order so many rows are taken."""
    return tuple(name for name, one in names.items() if is_order(one) and len(one) == rows)


def is_order(value: Any) -> bool:
    """Each of the numbers from 0 on, once."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "i":
        value = torch.as_tensor(value)
    if not isinstance(value, torch.Tensor) or value.dim() != 1 or len(value) < _SEVERAL:
        return False
    if value.is_floating_point() or value.is_complex() or value.dtype == torch.bool:
        return False
    return bool(torch.equal(value.sort().values.long().cpu(), torch.arange(len(value))))


def names_like(tensor: Any, names: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(name for name, one in names.items() if one is tensor)


def judged_by(
    known: Sequence[torch.Tensor], names: Mapping[str, Any], called: Sequence[str]
) -> tuple[torch.Tensor, ...] | None:
    """The same columns of other rows, by what they are called."""
    for kind in called:
        some = {n: one for n, one in names.items() if kind in n.lower() and _holds_rows(one)}
        found = [_called_like(one, some, names) for one in known]
        if all(one is not None for one in found):
            rows = [one for one in found if one is not None]
            if len(set(map(len, rows))) == 1 and len({id(one) for one in rows}) == len(rows):
                return tuple(rows)
    return None


def _called_like(
    one: torch.Tensor, some: Mapping[str, torch.Tensor], names: Mapping[str, Any]
) -> torch.Tensor | None:
    """Of others that are of its kind, the one whose name is most like its own."""
    own = next(iter(names_like(one, names)), "")
    fitting = {n: other for n, other in some.items() if other is not one and _alike(other, one)}
    nearest = max(fitting, key=lambda n: SequenceMatcher(None, own, n).ratio(), default="")
    return fitting.get(nearest)


def _alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape[1:] == other.shape[1:] and one.dtype == other.dtype
