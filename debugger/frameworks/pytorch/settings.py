"""The arguments of a training, as they were given."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from debugger.outcome import Finding
from debugger.script.places import Places

_OBJECTS = ("data_collator", "train_dataset", "eval_dataset", "compute_metrics")


def texts_for_numbers(args: Any, places: Places) -> list[Finding]:
    """Settings that are to be numbers, and hold the text of one."""
    fields = dataclasses.fields(args) if dataclasses.is_dataclass(args) else ()
    given = [(one.name, getattr(args, one.name, None)) for one in fields if _is_number(one.type)]
    return [
        Finding(
            "setting_is_text",
            "fault",
            "setup",
            places.spelled(name, value),
            {"name": name, "text": value, "number": _read(value)},
        )
        for name, value in given
        if isinstance(value, str) and _read(value) is not None
    ]


def never_begun(trainer: Any, places: Places) -> list[Finding]:
    """A Trainer of the script's own whose `__init__` does not call the library's."""
    if trainer is None or hasattr(trainer, "callback_handler"):
        return []
    line = places.behind.parent_left_out(type(trainer).__name__)
    return [Finding("parent_not_begun", "fault", "setup", line, {"name": "__init__"})]


def classes_for_objects(trainer: Any, places: Places) -> list[Finding]:
    """What is to be an object, and is the class that makes them."""
    given = [(name, getattr(trainer, name, None)) for name in _OBJECTS]
    return [
        Finding(
            "class_for_object",
            "fault",
            "setup",
            places.argument(name),
            {"name": name, "kind": one.__name__},
        )
        for name, one in given
        if isinstance(one, type)
    ]


def _is_number(kind: Any) -> bool:
    said = str(kind)
    return re.search(r"\b(float|int)\b", said) is not None and "str" not in said


def _read(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
