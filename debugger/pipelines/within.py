"""What a model does inside to what it is given, and how its parts begin: as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scaled:
    """The lowest and the highest number of a batch, and what the first layer with weights gets."""

    name: str
    low: float
    high: float
    inner_low: float
    inner_high: float


@dataclass(frozen=True)
class Unadapted:
    """A layer that is to bring its input to one scale and has never seen any, and the ends of what
    comes through it as it is."""

    layer: str
    low: float
    high: float


@dataclass(frozen=True)
class Levelled:
    """A layer that brings all columns of its input to one scale together, and hears one
    number of each. `drowned` of its `columns` come out no more than `spread` wide, the widest one
    `widest`."""

    layer: str
    columns: int
    drowned: int
    spread: float
    widest: float


@dataclass(frozen=True)
class Looked:
    """What an embedding that `knows` so many words is asked for: `distinct` numbers in rows that
    are `width` long. `fractions`: some of them are no whole numbers. `scattered`: a 0 stands
    between others, and not only where a row is filled up."""

    layer: str
    knows: int
    low: float
    high: float
    distinct: int
    width: int
    fractions: bool
    scattered: bool = False


@dataclass(frozen=True)
class Faded:
    """How much weaker the gradient is at the first weights than at the last, number by number,
    and how many layers between them squash what they are given."""

    first: str
    last: str
    share: float
    squashing: int


@dataclass(frozen=True)
class Penalty:
    """What the weights of `layer` and others add to the loss: `cost`, beside the `loss` of the
    labels. `times` as hard as those the penalty draws at the weights that it is about."""

    layer: str
    cost: float
    loss: float
    times: float


@dataclass(frozen=True)
class Alike:
    """A layer whose `units` all have the same weights, `value` before the first step."""

    layer: str
    units: int
    value: float


@dataclass(frozen=True)
class Norm:
    """The averages of a batch normalisation, of which `left` is still what they began with when the
    training is over. What they say then lies `off` from the middle of the batches, in spreads of
    those, and is `wide` times as wide."""

    layer: str
    momentum: float
    left: float
    off: float
    wide: float


@dataclass(frozen=True)
class Clipped:
    """How an optimizer cuts gradients: the argument and its number, and how large a typical number
    in them is before and after."""

    name: str
    at: float
    before: float
    after: float


@dataclass(frozen=True)
class Thawed:
    """A callback that lets frozen weights train from an epoch on, which the optimizer, made before,
    does not hold; `name` is the first of them."""

    callback: str
    epoch: int
    weights: int
    name: str


@dataclass(frozen=True)
class Steered:
    """A callback's learning rates: the highest, what the optimizer was given, their sum; those of
    the epochs, one after the other, and the function that gives them. `afresh` are the rates that
    it gives where it is handed what the optimizer was given, in each epoch."""

    callback: str
    highest: float
    asked: float
    total: float
    rates: tuple[float, ...] = ()
    function: str = ""
    afresh: tuple[float, ...] = ()
