"""Standard output: for people as wide as their terminal, for programs as JSON."""

import os
import sys
from shutil import get_terminal_size
from typing import Any

from pydantic_core import to_json


def say(text: str) -> None:
    """Print for people. A reader who has seen enough (`| head`) is no error."""
    sys.stdout.reconfigure(errors="replace")  # pyright: ignore[reportAttributeAccessIssue]
    _write(text)


def say_line(value: Any) -> None:
    """An object of JSON on a line of its own, on its way at once."""
    sys.stdout.reconfigure(encoding="utf-8")  # pyright: ignore[reportAttributeAccessIssue]
    _write(to_json(value, inf_nan_mode="null").decode() + "\n")


def say_json(value: Any) -> None:
    sys.stdout.reconfigure(encoding="utf-8")  # pyright: ignore[reportAttributeAccessIssue]
    _write(to_json(value, indent=2, inf_nan_mode="null").decode() + "\n")


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def width() -> int:
    return min(get_terminal_size((100, 24)).columns, 120)


def coloured(stream: Any) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
