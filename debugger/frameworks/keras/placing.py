"""Where the layers of a model were made, noted while they were, and which is the last of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from debugger.failure import own_line

Noted = list[tuple[Any, int | None]]


def noting(noted: Noted, begin: Callable[[Any], None]) -> Callable[[Any], None]:
    """`begin`, which every layer asks of itself first, that also keeps the script's line."""

    @wraps(begin)
    def begun(self: Any) -> None:
        noted.append((self, own_line()))
        begin(self)

    return begun


def layers_at(model: Any, noted: Iterable[tuple[Any, int | None]]) -> dict[str, tuple[str, int]]:
    """By the name of each layer its class and its line. Those that a wrapper or a model has made
    stand at the line of that."""
    inside = {id(one) for one in model._flatten_layers()}
    return {
        str(layer.name): (type(layer).__name__, line)
        for layer, line in noted
        if id(layer) in inside and line is not None
    }


def last_layer(model: Any) -> str:
    """The layer that the answer comes from; "" where it may be one of several."""
    names = getattr(model, "output_names", None) or []
    if len(names) == 1:
        return str(names[0])
    ends = [one.name for one in model._flatten_layers() if hasattr(one, "activation")]
    return "" if names or not ends else str(ends[-1])
