"""A check: a few lines of Python, answered over a script as it stands, as a prompt would."""

from __future__ import annotations

import ast
import linecache
import sys
from contextlib import suppress
from typing import Any

from debugger.failure import printed
from debugger.script.building import Stands

NAME = "<check>"


def answer(stands: Stands, check: str) -> bool:
    """Print what the check prints, and its values; whether it came to its end.

    An exception is printed as Python prints it. Where memory was refused it is raised again.
    """
    linecache.cache[NAME] = (len(check), None, check.splitlines(keepends=True), NAME)
    with stands.entered() as names:
        try:
            for statement in ast.parse(check, NAME).body:
                _at_the_prompt(statement, names)
        except MemoryError:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the answer
            with suppress(OSError, ValueError):  # the check may have closed it
                print(printed(error, NAME), end="", file=sys.__stderr__)
            return False
    return True


def _at_the_prompt(statement: ast.stmt, names: dict[str, Any]) -> None:
    """One statement; the value of an expression is printed, unless it is None."""
    sys.displayhook = sys.__displayhook__
    exec(compile(ast.Interactive([statement]), NAME, "single", dont_inherit=True), names)
