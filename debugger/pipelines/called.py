"""Whether callbacks can be called as a training calls them. A rehearsal calls none of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from debugger.failure import is_own, line_in

Given = tuple[int, tuple[str, ...]]
"""How many arguments come by their place, and the names of the others."""


@dataclass(frozen=True)
class Uncallable:
    """The first that a training stops at. Without an `event` it is no callback at all.

    `unmade`: a class, of which nothing has been made. `said` is what Python says of the event's
    arguments, `line` where the script defines it.
    """

    name: str
    unmade: bool = False
    event: str = ""
    said: str = ""
    line: int | None = None


def uncallable(callbacks: Iterable[Any], events: Mapping[str, Given]) -> Uncallable | None:
    return next(_uncallable(callbacks, events), None)


def _uncallable(callbacks: Iterable[Any], events: Mapping[str, Given]) -> Iterator[Uncallable]:
    for one in callbacks:
        name = one.__name__ if isinstance(one, type) else type(one).__name__
        if isinstance(one, type) or not all(
            callable(getattr(one, event, None)) for event in events
        ):
            yield Uncallable("None" if one is None else name, isinstance(one, type))
            continue
        for event, (placed, named) in events.items():
            method = getattr(one, event)
            if said := _refused(method, placed, named):
                yield Uncallable(name, event=event, said=said, line=_line_of(method))


def _line_of(method: Any) -> int | None:
    code = getattr(method, "__code__", None)
    if code is None or not is_own(code.co_filename):
        return None
    return line_in(code.co_filename, code.co_firstlineno)


def _refused(method: Any, placed: int, named: tuple[str, ...]) -> str:
    try:
        known = inspect.signature(method)
    except (TypeError, ValueError):  # some built-in functions do not tell what they take
        return ""
    try:
        known.bind(*(None,) * placed, **dict.fromkeys(named))
    except TypeError as error:
        return str(error)
    return ""
