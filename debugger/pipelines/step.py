"""What the step stage sees: what the first steps did to the weights."""

from __future__ import annotations

from dataclasses import dataclass

from debugger.failure import Failure
from debugger.pipelines.by_hand import ByHand
from debugger.pipelines.called import Uncallable
from debugger.pipelines.phases import Phases
from debugger.pipelines.plan import Plan
from debugger.pipelines.reached import Reached
from debugger.pipelines.within import Alike, Faded, Norm


@dataclass(frozen=True)
class Decay:
    """A schedule that falls for so many steps, and how many the training has."""

    name: str
    steps: int
    planned: int
    examples: int


@dataclass(frozen=True)
class Block:
    """A named group of weights and what the first steps did to it."""

    name: str
    weights: int
    trainable: int
    gradient: float | None
    update: float | None


@dataclass(frozen=True)
class Step:
    """`peak_learning_rate` is that of the pretrained weights; a new head may have its own.

    `schedule` is what changes the learning rate, of Keras, as `decay` is; `last_learning_rate` is
    what it leaves at the end of the training. `head_frozen`: its weights are new ones too.
    `refused` is what a callback of the library says before the first step, by the name of its
    class, `uncallable` one that the training itself would stop at. `idle`: the training began and
    ended, and took no step; `switched_off`: the script has switched all gradients off where it
    trains. `resumes_from` is where it is to go on from a checkpoint, and there is none. `adapter`:
    one is trained. `body_trainable` are the trained weights that belong neither to the head nor to
    an adapter; None where nobody counted them.
    """

    blocks: tuple[Block, ...] = ()
    steps: int = 0
    optimizer: str = ""
    learning_rates: tuple[float, ...] = ()
    peak_learning_rate: float | None = None
    head_learning_rate: float | None = None
    trainable: int = 0
    total: int = 0
    head: tuple[str, ...] = ()
    head_frozen: bool = False
    adapter: bool = False
    body_trainable: int | None = None
    missing: tuple[str, ...] = ()
    leftover_gradient: float | None = None
    nan_after: tuple[str, ...] = ()
    decay: Decay | None = None
    schedule: str = ""
    last_learning_rate: float | None = None
    refused: tuple[str, str] | None = None
    uncallable: Uncallable | None = None
    idle: bool = False
    switched_off: bool = False
    resumes_from: str = ""
    plan: Plan | None = None
    alike: tuple[Alike, ...] = ()
    norms: tuple[Norm, ...] = ()
    faded: Faded | None = None
    reached: Reached | None = None
    by_hand: ByHand | None = None
    phases: Phases | None = None
    failure: Failure | None = None
