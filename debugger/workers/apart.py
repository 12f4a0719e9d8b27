"""A function in a process of its own, which leaves nothing behind in this one."""

import json
import os
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, NoReturn

MOST_ANSWERED = 1 << 16


def apart(work: Callable[[], Any]) -> Any:
    """Its answer, which must be plain data; None when it came to no end. What it prints is lost."""
    answer, end = os.pipe()
    pid = os.fork()
    if pid == 0:
        _tell(end, work, 1, 2)
    os.close(end)
    return _answer(pid, answer)


def ahead(channels: Iterable[int], begin: Callable[[], None]) -> Callable[[Callable[[], Any]], Any]:
    """`apart` for a process that may start none any more when it is needed.

    Two go on from here. One of them is heard on none of its `channels`, does the first thing that
    is to be done apart, and ends with it; the other waits for its answer.
    """
    answer, end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(answer)
        _silence(*channels)
        begin()
        return partial(_tell, end)
    os.close(end)
    told = cache(partial(_answer, pid, answer))
    return lambda _: told()


def _tell(end: int, work: Callable[[], Any], *silent: int) -> NoReturn:
    try:
        _silence(*silent)
        os.write(end, json.dumps(work()).encode())
    finally:
        os._exit(0)


def _answer(pid: int, answer: int) -> Any:
    """None where it is none: code that somebody typed may have had this pipe."""
    with open(answer, "rb") as told:
        raw = told.read(MOST_ANSWERED)
    os.waitpid(pid, 0)
    try:
        return json.loads(raw)
    except ValueError:
        return None


def _silence(*descriptors: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(nowhere, descriptor)
