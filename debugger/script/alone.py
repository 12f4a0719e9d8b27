"""Worker processes need shared memory, which lies outside of every run's folder: do without."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from multiprocessing.context import BaseContext
from multiprocessing.pool import Pool, ThreadPool
from multiprocessing.queues import SimpleQueue
from typing import Any

_OF_WORKERS = ("prefetch_factor", "persistent_workers", "timeout", "multiprocessing_context")


@contextmanager
def alone() -> Iterator[None]:
    """While open, what a script gives to workers is done in this process, with the same result."""
    with ExitStack() as undo:
        if torch := sys.modules.get("torch"):
            patch(undo, torch.Tensor, "share_memory_", _kept_to_itself)
        if data := sys.modules.get("torch.utils.data"):
            patch(undo, data.DataLoader, "__init__", _without_workers)
        if datasets := sys.modules.get("datasets"):
            patch(undo, datasets.Dataset, "map", _in_one_process)
        if joblib := sys.modules.get("joblib"):
            patch(undo, joblib.Parallel, "__init__", _one_by_one)
        patch(undo, ThreadPool, "__init__", _with_locks_of_threads)
        patch(undo, multiprocessing, "Pool", lambda _: _threads_for_processes)
        patch(undo, BaseContext, "Pool", lambda _: _asked_of_context)
        patch(undo, concurrent.futures, "ProcessPoolExecutor", lambda _: _Executor)
        yield


def patch(undo: ExitStack, owner: Any, name: str, made: Callable[[Any], Any]) -> None:
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


class _OfThreads:
    """What a pool of threads asks its context for: it takes locks that processes could share."""

    Lock = staticmethod(threading.Lock)

    def SimpleQueue(self) -> Any:
        return SimpleQueue(ctx=self)


def _with_locks_of_threads(init: Any) -> Any:
    @wraps(init)
    def alone(
        self: Any, processes: Any = None, initializer: Any = None, initargs: Any = ()
    ) -> None:
        Pool.__init__(self, processes, initializer, initargs, context=_OfThreads())

    return alone


def _threads_for_processes(
    processes: Any = None,
    initializer: Any = None,
    initargs: Any = (),
    maxtasksperchild: Any = None,
) -> Any:
    return ThreadPool(processes, initializer, initargs)


def _asked_of_context(_: BaseContext, *args: Any, **given: Any) -> Any:
    return _threads_for_processes(*args, **given)


class _Executor(concurrent.futures.ThreadPoolExecutor):
    """Of threads, with the arguments of one of processes."""

    def __init__(
        self,
        max_workers: Any = None,
        mp_context: Any = None,
        initializer: Any = None,
        initargs: Any = (),
        **_: Any,
    ) -> None:
        super().__init__(max_workers, "", initializer, initargs)


def _one_by_one(init: Any) -> Any:
    @wraps(init)
    def alone(self: Any, *args: Any, **given: Any) -> None:
        more = {name: one for name, one in given.items() if name not in ("n_jobs", "backend")}
        init(self, 1, None, *args[2:], **more)

    return alone


def _in_one_process(map_: Any) -> Any:
    @wraps(map_)
    def alone(self: Any, *args: Any, **given: Any) -> Any:
        return map_(self, *args, **given | ({"num_proc": None} if "num_proc" in given else {}))

    return alone
