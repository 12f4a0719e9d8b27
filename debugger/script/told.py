"""Which setting a library's message is about, where it tells its value and not its line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from debugger.script.tracing import Tracing, name_of

_NUMBERS = r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w]|\.\d)"
_COMMON = 8
"""Numbers up to there stand in too many places to be known by themselves."""
_SHORT = 3
TELLING = 8
"""So long is the name of a setting that it stands in no message by chance."""


@dataclass(frozen=True)
class _Given:
    name: str
    value: object
    line: int
    here: bool
    of_config: bool


def told(said: str, calls: Sequence[ast.Call], tracing: Tracing, line: int | None) -> int | None:
    """The line of a keyword argument whose value stands in what is said: a word in quotes, a
    switch by its name, a number beside the name of its setting. The call at a line comes first."""
    given = list(_given(calls, tracing, line))
    texts = [one for one in given if isinstance(one.value, str) and _place(one.value, said) >= 0]
    if texts:
        return min(texts, key=lambda one: (_place(str(one.value), said), not one.here)).line
    flags = [one for one in given if one.value is True and len(one.name) >= TELLING]
    if told_of := [one for one in flags if re.search(rf"\b{one.name}\b", said)]:
        return told_of[0].line
    numbers = {float(number) for number in re.findall(_NUMBERS, said)}
    known = [one for one in given if _is_number(one.value) and float(str(one.value)) in numbers]
    named = [one for one in known if _names(one.name, said)]
    rare = [one for one in known if one.of_config and abs(float(str(one.value))) > _COMMON]
    alone = rare if len({one.value for one in rare}) == len(rare) == 1 else []
    return next((one.line for one in (*named, *alone)), None)


def _given(calls: Sequence[ast.Call], tracing: Tracing, line: int | None) -> Iterator[_Given]:
    for call in calls:
        here = line is not None and call.lineno <= line <= (call.end_lineno or call.lineno)
        for keyword in call.keywords:
            held = tracing.constant(keyword.value)
            if keyword.arg is not None and held is not None:
                config = name_of(call.func).endswith("Config")
                yield _Given(keyword.arg, held.value, held.lineno, here, config)


def _place(text: str, said: str) -> int:
    """Where it stands in quotes, or says what is said to be no such thing; or -1."""
    if len(text) < _SHORT:
        return -1
    found = re.search(rf"^{re.escape(text)} is |['\"`]{re.escape(text)}['\"`]", said)
    return found.start() if found else -1


def _names(name: str, said: str) -> bool:
    """Whether a setting is called by its name, or by the last two words of it."""
    words = said.lower().replace("_", " ")
    parts = [part for part in name.lower().split("_") if len(part) >= _SHORT]
    if len(parts) < 2:
        return bool(parts) and re.search(rf"\b{parts[0]}\b", words) is not None
    return all(part in words for part in parts) or " ".join(parts[-2:]) in words


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
