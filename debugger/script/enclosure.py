"""What surrounds a script while it runs, and what it is told when it reaches through it."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from debugger.script.alone import alone

Refusal = Literal["writes_outside", "shares_memory", "not_reached"]
_SAID = re.compile(
    r"permission denied|os error 13\b|errno = 13\b|readonly database|unable to open database file",
    re.IGNORECASE,
)
_NOT_REACHED = {
    "socket.gaierror",
    "requests.exceptions.ConnectionError",
    "httpx.ConnectError",
    "httpx.ConnectTimeout",
    "huggingface_hub.errors.OfflineModeIsEnabled",
    "huggingface_hub.errors.LocalEntryNotFoundError",
}
"""What libraries raise where there is no network, by name: their own modules may not be loaded."""
_SHARED = re.compile(r"/multiprocess(?:ing)?/synchronize\.py$")


@dataclass(frozen=True)
class Enclosure:
    """Where it is `walled` the kernel refuses it every change outside its run's own folder.

    `seen_at` is where the script finds itself, if not where it stands. After `cut_off` it, and what
    it starts, reach no other machine. `apart` calls a function where it leaves nothing behind, and
    gives its answer (plain data), or None if it came to no end. `weights` is the file in which a
    training leaves what it has learned, or in which that is to be found. `make_own` turns what it
    finds in its working folder into copies that it may change, and says whether there was any.
    """

    walled: bool = False
    seen_at: str | None = None
    cut_off: Callable[[], None] = lambda: None
    apart: Callable[[Callable[[], Any]], Any] = lambda work: work()
    weights: Path | None = None
    make_own: Callable[[], bool] = lambda: False

    @property
    def onward(self) -> Callable[[], None] | None:
        """What to do before a script is run past a training; None where it never is."""
        return self.cut_off if self.walled else None

    def kept_alone(self) -> AbstractContextManager[None]:
        """While open, nothing asks for shared memory where the kernel would refuse it."""
        return alone() if self.walled else nullcontext()


OPEN = Enclosure()


def refusal(error: BaseException) -> Refusal | None:
    """What the wall refused when it raised this, or that another machine was asked for something
    and none answered; None where the script would fail by itself."""
    for one in _chain(error):
        if _is_of_shared_memory(one):
            return "shares_memory"
        refused = isinstance(one, OSError) and one.errno in (errno.EACCES, errno.EXDEV)
        if (refused or _SAID.search(str(one))) and not _is_true(one):
            return "writes_outside"
    return "not_reached" if any(map(_is_of_network, _chain(error))) else None


def may_be_made(path: str) -> bool:
    """Whether this user may change that file, or make it, as far as its folder's mode tells."""
    path = os.path.abspath(path)
    while not os.path.exists(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return os.access(path, os.W_OK)


def _is_true(error: BaseException) -> bool:
    """Whether plain Python would have been refused it too."""
    paths = (getattr(error, "filename", None), getattr(error, "filename2", None))
    named = [os.fsdecode(path) for path in paths if isinstance(path, str | bytes)]
    return not all(map(may_be_made, named))


def _is_of_network(error: BaseException) -> bool:
    """A connection that another machine refuses or ends is a ConnectionError with its own name."""
    if type(error) is ConnectionError:
        return True
    names = {f"{made.__module__}.{made.__qualname__}" for made in type(error).__mro__}
    return bool(names & _NOT_REACHED)


def _is_of_shared_memory(error: BaseException) -> bool:
    trace = error.__traceback__
    while trace is not None:
        if isinstance(error, OSError) and _SHARED.search(trace.tb_frame.f_code.co_filename):
            return True
        trace = trace.tb_next
    return "shared memory" in str(error) and "denied" in str(error)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
