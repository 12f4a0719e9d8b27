"""Sounds in rows beside what they were made of: were they brought to one rate?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

MOST_ROWS = 24
SHORTEST = 32
ALIKE = 0.99
_RATE = ("rate", "sr", "hz", "fs")


@dataclass(frozen=True)
class Sounds:
    """`rates` are those that a column tells, the rarest first; `raw` is the share of rows that hold
    a sound just as it came, but for its loudness."""

    rates: tuple[int, ...]
    raw: float


def sounds_of(values: Mapping[str, Sequence[Any]], name: str) -> Sounds | None:
    """`values` are columns of the same rows, also those that calls left out on the way."""
    heard = values.get(name)
    rates = next((c for n, c in values.items() if _is_rate(n, c)), None)
    if heard is None or rates is None:
        return None
    waves = next((c for n, c in values.items() if n != name and _is_wave(c)), None)
    rows = min(len(heard), len(rates), len(waves or ()), MOST_ROWS)
    if waves is None or not rows or not _is_wave(heard):
        return None
    raw = sum(_begins_alike(heard[row], waves[row]) for row in range(rows)) / rows
    return Sounds(tuple(sorted(set(rates), key=list(rates).count)), raw)


def _is_rate(name: str, column: Sequence[Any]) -> bool:
    named = any(part in _RATE for part in name.lower().replace("-", "_").split("_"))
    whole = bool(len(column)) and all(type(one) is int for one in column)
    return named and whole and 1000 <= min(column) <= max(column) <= 400_000


def _is_wave(column: Sequence[Any]) -> bool:
    first = column[0] if len(column) else None
    if not isinstance(first, list | tuple) or len(first) < SHORTEST:
        return False
    return isinstance(first[0], float)


def _begins_alike(one: Sequence[float], other: Sequence[float]) -> bool:
    count = min(len(one), len(other))
    pair = np.asarray([one[:count], other[:count]], dtype=float)
    if count < SHORTEST or not pair.std(axis=1).all():
        return False
    return float(np.corrcoef(pair)[0, 1]) > ALIKE
