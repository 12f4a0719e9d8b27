"""What luck alone could show: intervals for shares and means, and what guessing costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

Z = 1.96
"""An interval holds the truth in 19 of 20 cases."""


def interval(share: float, rows: int, z: float = Z) -> tuple[float, float]:
    """Where a share counted on so many rows may truly lie (Wilson); anywhere if on none."""
    if rows <= 0:
        return 0.0, 1.0
    weight = 1 + z * z / rows
    middle = (share + z * z / (2 * rows)) / weight
    half = z / weight * math.sqrt(share * (1 - share) / rows + z * z / (4 * rows * rows))
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_within(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and how far the true one may lie from it; infinitely far for a single value."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, math.inf
    spread = math.sqrt(sum((y - mean) ** 2 for y in values) / (len(values) - 1))
    return mean, Z * spread / math.sqrt(len(values))


def shares_of(labels: Iterable[Hashable]) -> tuple[float, ...]:
    counts = Counter(labels)
    return tuple(count / counts.total() for _, count in sorted(counts.items()))


def guessing_costs(shares: Iterable[float]) -> float:
    """The cross-entropy of whoever knows how common each class is, and nothing of the rows."""
    return -sum(share * math.log(share) for share in shares if share > 0)


def agreement(pairs: Mapping[tuple[int, int], int]) -> tuple[float, float, float]:
    """How often label and guess agree, how often they would if they had nothing to do with each
    other (with as many of each), and the spread of that."""
    rows = sum(pairs.values())
    labels: Counter[int] = Counter()
    guesses: Counter[int] = Counter()
    for (label, guess), count in pairs.items():
        labels[label] += count
        guesses[guess] += count
    right = sum(count for (label, guess), count in pairs.items() if label == guess) / rows
    by_luck = sum(labels[one] * guesses[one] for one in labels) / rows**2
    return right, by_luck, math.sqrt(by_luck * (1 - by_luck) / rows)
