"""What a few steps on one batch, and the first of the real training, came to."""

from __future__ import annotations

from dataclasses import dataclass, field

from debugger.failure import Failure
from debugger.pipelines.evaluate import Guesses
from debugger.pipelines.turning import Turned


@dataclass(frozen=True)
class Memory:
    """Twenty steps on one batch. `before` and `after` are accuracies, `quiet_losses` the losses
    then, without dropout.

    `labels` are the classes of its rows, `rate` is the learning rate that was held and `weights`
    how many weights the model has. `apart` is how far the outputs for its rows lay apart before the
    first step and after the last. `planned` are the steps of the script's own training.
    `out_of_time`: there were fewer, because they take so long. `held_to_labels`: an amount, or
    several labels, say what the answer to each row is to be.
    """

    losses: tuple[float, ...] = ()
    before: float | None = None
    after: float | None = None
    quiet_losses: tuple[float, float] | None = None
    labels: tuple[int, ...] = ()
    rows: int = 0
    rate: float | None = None
    weights: int = 0
    apart: tuple[float, float] | None = None
    planned: int | None = None
    out_of_time: bool = False
    held_to_labels: bool = False
    failure: Failure | None = None


@dataclass(frozen=True)
class Training:
    """The first steps of the real training. Accuracies are the clinic's own count.

    `warming_up` says that the learning rate was still climbing at the last step, `rates` what it
    was at each. `shares` are those of the classes in the training rows, which were gone through
    `epochs` times. `weights` is how many the model has. `out_of_time`: in a faster training the
    last step would not have been the last. `has_words`: rows of words were held against labels.
    `unturned` is what the same training would guess where no picture is turned at random; empty
    where nobody asked. `turned` is what it gets right of pictures that are turned by somebody; None
    where there are none, or nothing to doubt. `lagging` is how much of what the averages of a new
    batch normalisation began with is still in them.
    """

    losses: tuple[float, ...] = ()
    planned: int = 0
    accuracies: tuple[tuple[int, float], ...] = ()
    eval_losses: tuple[tuple[int, float], ...] = ()
    predicted: dict[str, int] = field(default_factory=dict)
    guesses: Guesses = field(default_factory=dict)
    majority: float | None = None
    classes: int | None = None
    eval_rows: int = 0
    warming_up: bool = False
    rates: tuple[float, ...] = ()
    shares: tuple[float, ...] = ()
    epochs: float | None = None
    weights: int = 0
    peak_learning_rate: float | None = None
    out_of_time: bool = False
    has_words: bool = False
    unturned: Guesses = field(default_factory=dict)
    turned: Turned | None = None
    lagging: float = 0.0
    failure: Failure | None = None
