"""A model of several outputs: what the loss of each asks, and the labels that it is given."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

MOST_HEADS = 5


@dataclass(frozen=True)
class Given:
    """The labels of one output in a batch: how many numbers a row has, and what they are."""

    width: int
    low: float
    high: float
    whole: bool
    one_hot: bool = False


@dataclass(frozen=True)
class Head:
    """`asks` is how its loss counts, "" where it has none; `weight` that of its loss. `outputs`
    numbers come out for a row, and `given` is None where no label reaches it."""

    name: str
    asks: str
    outputs: int
    weight: float = 1.0
    given: Given | None = None

    def takes(self, labels: Given | None) -> bool:
        """Whether its loss can make anything of such labels. Of an unknown loss nobody can tell."""
        if labels is None or self.asks == "":
            return True
        if self.asks == "numbers":
            inside = labels.low >= 0 and labels.high < self.outputs
            return labels.width == 1 and labels.whole and inside
        if self.asks == "each":
            return labels.width == self.outputs and 0 <= labels.low <= labels.high <= 1
        if self.asks == "vectors":
            return labels.width == self.outputs and labels.one_hot
        return labels.width == self.outputs if self.asks == "amounts" else True


def other_way(heads: tuple[Head, ...]) -> dict[str, str]:
    """Which output's labels each one would have to get for all of them to fit; empty where they
    fit as they are, or in no order."""
    given = [one.given for one in heads]
    if not 1 < len(heads) <= MOST_HEADS or all(one.takes(one.given) for one in heads):
        return {}
    if any(one is None for one in given):
        return {}
    for order in permutations(range(len(heads))):
        if all(one.takes(given[at]) for one, at in zip(heads, order, strict=True)):
            moved = zip(heads, order, strict=True)
            return {one.name: heads[at].name for one, at in moved if heads[at] is not one}
    return {}
