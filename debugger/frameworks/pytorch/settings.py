"""The arguments of a training, as they were given."""

from __future__ import annotations

import dataclasses
import difflib
import re
from typing import Any

from transformers import TrainingArguments

from debugger.outcome import Finding
from debugger.script.places import Places

ALIKE = 0.8
"""How much of two names is the same where the one is a slip for the other."""
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


def unknown_names(args: Any, places: Places) -> list[Finding]:
    """Fields that were set on the arguments by a name that these do not have, and nobody reads."""
    if not isinstance(args, TrainingArguments):
        return []
    fields = (one for one in dataclasses.fields(args) if not one.name.startswith("_"))
    known = {one.name: one.default for one in fields}
    found = []
    for name in vars(args):
        meant = None if name in known or name.startswith("_") else _meant(name, tuple(known))
        line = places.meant.set_in_vain(name) if meant is not None else None
        if meant is None or line is None or getattr(args, meant) != known[meant]:
            continue
        told = {"name": name, "meant": meant, "value": known[meant]}
        found.append(Finding("setting_unknown", "fault", "setup", line, told))
    return found


def _meant(name: str, known: tuple[str, ...]) -> str | None:
    """The setting that a name stands for: its initials, an end or a beginning of it, a slip."""
    initials = [one for one in known if "".join(w[0] for w in one.split("_")) == name]
    whole = [one for one in known if one.endswith(f"_{name}")]
    begun = [one for one in known if one.startswith(f"{name}_")]
    slips = difflib.get_close_matches(name, known, n=1, cutoff=ALIKE)
    return next(iter([*(initials if len(name) > 1 else []), *slips, *whole, *begun]), None)


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
