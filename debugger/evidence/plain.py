"""Values and labels as a person reads them."""

import re
from collections.abc import Mapping
from typing import Any

from debugger.words import Words

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(value: Any) -> str:
    """A cell or a number as a person writes it: fractions with four digits, no None."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e9 else f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(plain(item) for item in value) + "]"
    return str(value)


def said(value: Any, table: str, words: Words) -> str:
    """A column or a cell: what `labelled` made is said in words, all else stands as it is."""
    if not isinstance(value, Mapping):
        return plain(value)
    numbers = {name: number for name, number in value.items() if name != "say"}
    return named(str(value.get("say")), table, words, **numbers)


def named(code: str, table: str, words: Words, **numbers: Any) -> str:
    """What a series, a mark, a column or a cell is called. A run may send a code nobody knows."""
    return words.say(table, code, **numbers) if words.has(table, code) else code


def span(data: Mapping[str, Any]) -> str:
    """What a tensor is: its type, its shape, its lowest and its highest number."""
    shape = " × ".join(str(size) for size in data["shape"]) or "1"
    return f"{data['dtype']} {shape}, {plain(data.get('low'))} … {plain(data.get('high'))}"


def clean(text: str) -> str:
    """`text` with its control characters made visible, so that they do nothing."""
    return CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text.expandtabs(4))
