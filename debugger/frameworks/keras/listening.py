"""Hears what the layers of a model are called with and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Call = Callable[..., Any]


@contextmanager
def calls_heard(layers: list[Any], hearing: Callable[[Any, Call], Call]) -> Iterator[None]:
    """While open, each layer answers through `hearing(layer, its own call)`."""
    try:
        for layer in layers:
            vars(layer)["call"] = hearing(layer, layer.call)
        yield
    finally:
        for layer in layers:
            vars(layer).pop("call", None)
