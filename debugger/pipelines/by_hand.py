"""What a loop that trains by hand does around a step, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReadOnce:
    """A number by that name which a graph has read once, at a line, and which a loop changes."""

    name: str
    value: float
    line: int | None


@dataclass(frozen=True)
class ByHand:
    """The loop at `line`, whose optimizer steps at `steps_at`; `others` are lines at which another
    loop asks for gradients. `training` is the mode of the model while it learned, and `differs` the
    first of its layers that does otherwise in the other one. `never_eval`: no line sets that other
    mode; `stuck_at` is one that does in each epoch, where none sets it back. `backwards` came
    before the first step, and `zeroed` of them were set to zero again before it was taken.
    `unpenalised` is the first layer that asks for a penalty which the loop does not add to its
    loss, at `lost_at`. `asked_at` is where the model is asked. At `broken_off` the
    loop ends in its first turn of so many `batches`, and at `made_anew` each turn makes an
    optimizer that would gather something. `unreset`: a metric that tells, in each epoch, of all
    before it too, and the line where it does."""

    line: int | None
    steps_at: int | None
    training: bool
    differs: str
    backwards: int
    zeroed: int
    never_eval: bool = False
    stuck_at: int | None = None
    others: tuple[int, ...] = ()
    unpenalised: str = ""
    lost_at: int | None = None
    asked_at: int | None = None
    read_once: ReadOnce | None = None
    broken_off: int | None = None
    batches: int = 0
    made_anew: int | None = None
    optimizer: str = ""
    unreset: tuple[str, int] | None = None


@dataclass(frozen=True)
class Unsteady:
    """Asked twice about the same `rows`, as it learns, a model gives `changed` of them another
    answer: that of its `layer`."""

    layer: str
    rows: int
    changed: int
