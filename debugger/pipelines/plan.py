"""What a training is going to do, known before it does it: as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from debugger.pipelines.within import Clipped, Steered, Thawed

ADAMS = ("Adam", "AdamW", "AdamWeightDecay", "NAdam", "Nadam", "RAdam", "Adamax", "RMSprop")
"""Optimizers whose steps are about as long as the learning rate, whatever the gradient."""


@dataclass(frozen=True)
class Rates:
    """The learning rate at every update of the run, as the schedule has it.

    `reached` is the highest, and `peak` what it would be without a schedule; `climbs` counts the
    updates before it stops rising. `total` is the sum of all. `nothing` is the share of updates,
    after the highest, at a rate of 0, `little` at less than a hundredth of it.
    `after_epoch` is that of the last update of the first epoch, and `rhythm` how many updates the
    schedule waits before it lowers the rate again, where it says so.
    """

    peak: float
    reached: float
    climbs: int
    total: float
    nothing: float
    little: float
    after_epoch: float | None = None
    rhythm: int | None = None


@dataclass(frozen=True)
class Plateau:
    """A schedule that waits for a number that stands still: which, and whether it is to rise.

    `greater_is_better` is what the arguments say of it."""

    name: str
    rises: bool
    patience: int
    greater_is_better: bool | None = None


@dataclass(frozen=True)
class Still:
    """A table of vectors that is frozen, and how many of its columns hold one number all the way
    down: there is nothing in them yet."""

    weights: int
    columns: int
    empty: int


@dataclass(frozen=True)
class Plan:
    """`updates` are the steps of the optimizer in the whole run, 0 where nobody can tell;
    `batches` are those of one epoch.

    `schedule_steps`: how far the schedule went in one update, and `used`, how far before the first,
    in a training that came before. `gradient` is the size of a typical
    number in the gradient that the optimizer gets, 0 left out. `arrived` is the norm of the first
    gradient before it is clipped, `left` the share of it that the optimizer gets, and `clipping`
    the norm that the arguments allow. `maximizes`: the optimizer climbs. `held` is the norm of the
    weights over that of the gradient. `narrow` is the share of weights of which a step at the full
    rate is lost in rounding; `half` the type of weights that are not whole. `idle` are weights at
    rate 0.
    `dropout` is the largest in the model, before its head, and `head_dropout` that of what comes
    after. `frozen_new` weights are never trained, here or before; most are in `frozen_new_name`.
    `begins_at` is the epoch that is counted on from, `clipped` how gradients are cut, and `steered`
    what a callback makes of the learning rate, where that is known ahead. `ends_at` is the step
    that its schedule refuses to go beyond. `held_batches` are all there are for the `asked_steps`;
    None where they do not come to an end. `plateau` is a schedule that goes by a number of the
    evaluation, `no_float` a callback's schedule and the epoch that it gives no fraction for.
    `still` is the largest table of vectors that is frozen. `no_room`: a plateau's schedule may not
    go below the second of these rates, and the first is what the optimizer was given. `thawed` are
    weights that begin to train on the way, and that the optimizer does not hold.
    """

    updates: int
    batches: int | None = None
    epochs: float = 0.0
    accumulation: int = 1
    max_steps: int = 0
    rates: Rates | None = None
    schedule_steps: float = 1.0
    used: int = 0
    weight_decay: float = 0.0
    decoupled: bool = True
    momentum: float = 0.0
    eps: float | None = None
    betas: tuple[float, float] | None = None
    gradient: float | None = None
    arrived: float | None = None
    left: float | None = None
    clipping: float = 0.0
    maximizes: bool = False
    held: float | None = None
    half: str = ""
    narrow: float = 0.0
    idle: tuple[str, ...] = ()
    dropout: float = 0.0
    dropout_name: str = ""
    head_dropout: float = 0.0
    head_dropout_name: str = ""
    frozen_new: int = 0
    frozen_new_name: str = ""
    begins_at: int = 0
    clipped: Clipped | None = None
    steered: Steered | None = None
    no_float: tuple[str, int] | None = None
    ends_at: int | None = None
    held_batches: int | None = None
    asked_steps: int = 0
    plateau: Plateau | None = None
    still: Still | None = None
    no_room: tuple[float, float] | None = None
    thawed: Thawed | None = None


@dataclass(frozen=True)
class Order:
    """The rows of the first `batches` of an epoch: `distinct` of `drawn`, out of `rows`.

    `single` is the share of batches with one label only; `by_chance` what a shuffle would give.
    `weighed` are the weights that rows are drawn by, where they are fewer than the rows.
    A sampler draws `asked` rows an epoch, into batches of `size`.
    """

    batches: int
    drawn: int
    distinct: int
    rows: int
    single: float | None = None
    by_chance: float = 0.0
    weighed: int | None = None
    asked: int | None = None
    size: int = 1


def of_one_label(
    batches: Sequence[Sequence[Any]], labels: Sequence[Any]
) -> tuple[float | None, float]:
    """The share of batches whose labels are all one, and what a shuffle would give.

    `labels` are those of all rows. None where too few batches hold classes.
    """
    full = [
        batch for batch in batches if len(batch) >= 4 and all(isinstance(y, int) for y in batch)
    ]
    if len(full) < 4:
        return None, 0.0
    counts = Counter(y for y in labels if isinstance(y, int))
    size = min(map(len, full))
    by_chance = sum((count / len(labels)) ** size for count in counts.values())
    return sum(len(set(batch)) == 1 for batch in full) / len(full), by_chance
