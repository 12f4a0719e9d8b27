"""Two classes that a model takes for one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

FEWEST = 24
SURE, TAKEN = 0.8, 0.8
Guesses = Mapping[tuple[int, int], int]
Turn = Literal["axes", "upside down", "colours"]
"""What is done to a picture: height and width change places, its rows or its channels come in the
opposite order."""
DOUBTED, MOST_TURNED = 0.9, 128
"""A trained model that is less often right may have been given pictures of another make; and the
most that it is asked about."""


@dataclass(frozen=True)
class Turned:
    """What a trained model gets right of `rows` pictures to be judged by, as they come and turned:
    the best of all ways to turn them."""

    how: Turn
    rows: int
    as_it_is: float
    anew: float


def taken_for_one(guesses: Guesses) -> tuple[int, int] | None:
    """The two classes that are most often given for one another, and hardly for a third."""
    found: dict[tuple[int, int], float] = {}
    for pair in combinations(sorted({label for label, _ in guesses}), 2):
        asked = {at: rows for at, rows in guesses.items() if at[0] in pair}
        inside = sum(rows for (_, guess), rows in asked.items() if guess in pair)
        rows = sum(asked.values())
        if rows >= FEWEST and inside >= SURE * rows and told_apart(guesses, *pair) <= TAKEN:
            found[pair] = told_apart(guesses, *pair)
    return min(found, key=found.__getitem__, default=None)


def told_apart(guesses: Guesses, one: int, other: int) -> float:
    """The share of right answers among the rows of two classes."""
    rows = sum(n for (label, _), n in guesses.items() if label in (one, other))
    right = guesses.get((one, one), 0) + guesses.get((other, other), 0)
    return right / rows if rows else 0.0
