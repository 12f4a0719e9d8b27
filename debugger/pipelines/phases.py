"""What a training takes over from those before it, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Unseen:
    """Since a training at a line so many weights were thawed, and so many frozen, and the model was
    not compiled again: it goes on with those that it knew."""

    line: int | None
    thawed: int
    frozen: int


@dataclass(frozen=True)
class Phases:
    """`compiled_at` is the line that compiled the model last. `ignored`: the optimizer was told a
    rate under a name that it takes and does not go by, at a line."""

    compiled_at: int | None = None
    unseen: Unseen | None = None
    ignored: tuple[float, int | None] | None = None
