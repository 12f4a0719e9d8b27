"""What became of the gradients of a few steps on their way, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reached:
    """`names` are those of the model's modules and weights. `unheard` heads answer, and nothing
    that is learned comes back to them. `dead` matrices hold zeros alone, and their gradient is 0
    and stays it, though no matrix beside them that holds others is cut off like that. `adapters`
    weights of adapters are to train, `adapted` of them get a gradient. `checkpointed`: the model
    works its activations out anew. Of the gradients that came, `thrown` were set to zero before an
    optimizer had `used` them, at the line `thrown_at`.
    """

    names: tuple[str, ...] = ()
    unheard: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()
    adapters: int = 0
    adapted: int = 0
    checkpointed: bool = False
    thrown: int = 0
    used: int = 0
    thrown_at: int | None = None
