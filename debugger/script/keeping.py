"""What a script clears away behind its training, in a `finally` or at the end of a `with`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any

from debugger.pipelines.starting import TrainingStarts
from debugger.script.alone import patch

_CLEARS = ((os, "remove"), (os, "unlink"), (os, "rmdir"), (shutil, "rmtree"))


@contextmanager
def kept_for_looking() -> Iterator[None]:
    """While open, a script that is stopped at its training clears nothing away on its way out: its
    rows may still be read from there. The folder of its run goes with all that is in it."""
    with ExitStack() as undo:
        for owner, name in _CLEARS:
            patch(undo, owner, name, _unless_stopped)
        yield


def _unless_stopped(clear: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(clear)
    def cleared(*args: Any, **given: Any) -> Any:
        stopped = isinstance(sys.exc_info()[1], TrainingStarts)
        return None if stopped else clear(*args, **given)

    return cleared
