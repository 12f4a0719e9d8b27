"""How the weights of a model were drawn, before anything was learned: as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Drawn:
    """Of the `matrices` of a model that came from no checkpoint, `alike` hold the same numbers in
    every row, `same` first; `wide` are drawn far wider than layers of their width want, `widest`
    first of them. `spread` is the deviation of that one, `usual` what keeps numbers at their size.
    """

    matrices: int
    alike: int = 0
    same: str = ""
    wide: int = 0
    widest: str = ""
    spread: float = 0.0
    usual: float = 0.0


@dataclass(frozen=True)
class Redrawn:
    """Of `tensors` that came out of a checkpoint, `moved` hold other numbers now, a `share` of all
    its weights. `by_lot`: these have nothing to do with those that were loaded, and the scales of
    norms were not learned anywhere else, as those of another checkpoint would be.
    """

    tensors: int
    moved: int
    share: float
    by_lot: bool


@dataclass(frozen=True)
class Unfitting:
    """Of the `known` tensors that a checkpoint has for a model, `tensors` have another shape there
    than the model wants: the first is `name`, and `wanted` the shape that it has in the model; none
    leaves both empty."""

    name: str
    tensors: int
    known: int
    wanted: tuple[int, ...]


@dataclass(frozen=True)
class Outside:
    """A table of a model that was asked for an entry that it has not.

    `where` is its name, `size` how many entries it has, `number` the one asked for. `field` is what
    in the batch asks so, and `settings` the names under which the config holds that very size.
    """

    where: str
    size: int
    number: int
    field: str = ""
    settings: tuple[str, ...] = ()
