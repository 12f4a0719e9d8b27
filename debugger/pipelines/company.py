"""What a loss of one's own makes of rows beside each other, and of other models that it asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FEWEST = 40


@dataclass(frozen=True)
class Teacher:
    """What another model that the loss asks says of training rows that have labels.

    It is right about a share of `as_it_is`, and about `anew` of them once its classes are numbered
    otherwise. `moved`: one of them, and what it would be then.
    """

    rows: int
    as_it_is: float
    anew: float
    majority: float
    moved: tuple[int, int] | None = None


@dataclass(frozen=True)
class Company:
    """`alone` is what the dearest of a few batches of one row costs, `together` what several rows
    do; both are None where batches have several anyway.
    """

    alone: float | None = None
    together: float | None = None
    teacher: Teacher | None = None


def teacher_of(counts: Mapping[tuple[int, int], int]) -> Teacher | None:
    """`counts` are rows by what the teacher said, and by their label."""
    rows = sum(counts.values())
    labels = sorted({label for _, label in counts})
    said = {one for one, _ in counts}
    if rows < FEWEST or len(labels) < 2:
        return None
    best = {one: max(labels, key=lambda label, at=one: counts.get((at, label), 0)) for one in said}
    whole = len(set(best.values())) == len(best) == len(labels)
    return Teacher(
        rows=rows,
        as_it_is=sum(count for (one, label), count in counts.items() if one == label) / rows,
        anew=sum(counts.get(pair, 0) for pair in best.items()) / rows if whole else 0.0,
        majority=max(sum(counts.get((o, label), 0) for o in said) for label in labels) / rows,
        moved=next((pair for pair in sorted(best.items()) if pair[0] != pair[1]), None),
    )
