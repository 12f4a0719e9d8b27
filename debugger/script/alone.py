"""Worker processes need shared memory, which lies outside of every run's folder: do without."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any

_OF_WORKERS = ("prefetch_factor", "persistent_workers", "timeout", "multiprocessing_context")


@contextmanager
def alone() -> Iterator[None]:
    """While open, what a script gives to workers is done in this process, with the same result."""
    with ExitStack() as undo:
        if torch := sys.modules.get("torch"):
            _patch(undo, torch.Tensor, "share_memory_", _kept_to_itself)
        if data := sys.modules.get("torch.utils.data"):
            _patch(undo, data.DataLoader, "__init__", _without_workers)
        if datasets := sys.modules.get("datasets"):
            _patch(undo, datasets.Dataset, "map", _in_one_process)
        yield


def _patch(undo: ExitStack, owner: Any, name: str, made: Callable[[Any], Any]) -> None:
    before = getattr(owner, name)
    setattr(owner, name, made(before))
    undo.callback(setattr, owner, name, before)


def _without_workers(init: Any) -> Any:
    @wraps(init)
    def alone(self: Any, *args: Any, **given: Any) -> None:
        if given.get("num_workers"):
            given = {n: v for n, v in given.items() if n not in _OF_WORKERS} | {"num_workers": 0}
        init(self, *args, **given)

    return alone


def _kept_to_itself(share: Any) -> Any:
    """A streamed data set shares the number of its epoch with workers as soon as it is made."""

    @wraps(share)
    def alone(self: Any) -> Any:
        return self

    return alone


def _in_one_process(map_: Any) -> Any:
    @wraps(map_)
    def alone(self: Any, *args: Any, **given: Any) -> Any:
        return map_(self, *args, **given | ({"num_proc": None} if "num_proc" in given else {}))

    return alone
