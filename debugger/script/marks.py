"""What can be said of a text before it runs: what is no Python, and names that nothing defines."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

from pyflakes import checker, messages

MOST_MARKS = 5


@dataclass(frozen=True)
class Mark:
    """A line and what is wrong with it: `said` is Python's own word, or the name."""

    line: int
    code: str
    said: str


def marked(text: str) -> list[Mark]:
    """The first marks of a text, in the order of its lines. Nothing of it is run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = checker.Checker(ast.parse(text), builtins={"__file__"}).messages
        except SyntaxError as error:
            return [Mark(error.lineno or 1, "no_python", error.msg)]
        except (ValueError, RecursionError, MemoryError) as error:
            return [Mark(1, "no_python", str(error) or type(error).__name__)]
    unknown = (messages.UndefinedName, messages.UndefinedLocal)
    marks = {(m.lineno, m.message_args[0]) for m in found if isinstance(m, unknown)}
    return [Mark(line, "no_such_name", name) for line, name in sorted(marks)][:MOST_MARKS]
