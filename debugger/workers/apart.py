"""A function in a process of its own, which leaves nothing behind in this one."""

import json
import os
from collections.abc import Callable
from typing import Any


def apart(work: Callable[[], Any]) -> Any:
    """Its answer, which must be plain data; None when it came to no end. What it prints is lost."""
    answer, end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            silence = os.open(os.devnull, os.O_WRONLY)
            for descriptor in (1, 2):
                os.dup2(silence, descriptor)
            os.write(end, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(end)
    with open(answer, "rb") as told:
        raw = told.read()
    os.waitpid(pid, 0)
    return json.loads(raw) if raw else None
