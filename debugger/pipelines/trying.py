"""What may be changed on a copy of a training, and what came of it, as plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Change:
    """What is set otherwise than in the script; without a field, the script as it stands.

    `constant`: the peak of its learning rate from the first step to the last. `weight_decay` and
    `clipping` stand for doing without. `longer`: past the end that is planned, where that comes
    early. `scaled`: each column of the inputs at mean 0 and deviation 1, and `scaled_labels` those
    of amounts. `loss` is the library's,
    `mask` made from the padding.
    """

    rate: float | None = None
    constant: bool = False
    every_batch: bool = False
    longer: bool = False
    weight_decay: bool = False
    dropout: bool = False
    clipping: bool = False
    precision: bool = False
    thaw: bool = False
    loss: bool = False
    mask: bool = False
    scaled: bool = False
    scaled_labels: bool = False
    shuffle: bool = False
    head: bool = False


@dataclass(frozen=True)
class Conditions:
    """What the training is set to, as measured.

    `batches` and `updates` are those of the whole training; `by_epochs`: fewer batches to an update
    make more updates. `rate_share` is the mean of the learning rate over all of it against its
    peak, `frozen` a share of the weights; `frozen_trained`: it may have been trained before.
    `head_spread` is how far the head's weights lie apart, `head_bias` the farthest of its biases
    from 0. `widest` is the farthest number of the inputs, `narrowest` the deviation of those of
    them that lie closest, `widest_label` the farthest amount among the labels. `half` names a type
    of 16 bits; `half_weights`: the weights themselves have it. Of `positions` in a batch the
    attention mask says something else than the padding at `masked_wrongly`. `in_blocks`: nobody
    shuffles, and one label comes after the other.
    """

    optimizer: str = ""
    rate: float | None = None
    momentum: float = 0.0
    pretrained: bool = False
    weights: int = 0
    weight_decay: float = 0.0
    dropout: float = 0.0
    accumulation: int = 1
    batches: int = 0
    updates: int = 0
    by_epochs: bool = True
    warm_up: int = 0
    rate_share: float = 1.0
    clipping: float = 0.0
    half: str = ""
    half_weights: bool = False
    frozen: float = 0.0
    frozen_trained: bool = False
    adapter: bool = False
    own_loss: bool = False
    positions: int = 0
    masked_wrongly: int = 0
    in_blocks: bool = False
    head: str = ""
    head_spread: float | None = None
    head_bias: float = 0.0
    widest: float = 0.0
    narrowest: float | None = None
    widest_label: float = 0.0


@dataclass(frozen=True)
class Taken:
    """The same few batches, as far as that: the loss on their rows before the first and after.

    It is the library's own loss where there is one, without dropout, so that all can be compared.
    `floor` is what it costs to know how common each label is and nothing of the inputs.
    """

    before: float
    after: float
    floor: float | None
    batches: int

    @property
    def learned(self) -> bool:
        """Well below what the labels alone give, or most of the way down to it."""
        if not math.isfinite(self.after):
            return False
        known = self._known
        down = self._far and self.before - self.after >= 0.6 * (self.before - known)
        return self.beats_guessing or (down and self.after <= 2 * known)

    @property
    def beats_guessing(self) -> bool:
        return self.after <= 0.85 * self._known

    @property
    def stuck(self) -> bool:
        """Surely not learned: between the two nothing is said, nor of a loss below 0."""
        if not math.isfinite(self.after):
            return True
        if self.below_nothing:
            return False
        known = self._known
        fallen = self._far and self.before - self.after > 0.25 * (self.before - known)
        return self.after > 3 * known or (self.after > 0.95 * known and not fallen)

    @property
    def below_nothing(self) -> bool:
        """How far such a loss may fall, nobody knows."""
        return min(self.before, self.after) < 0

    def better_than(self, other: Taken) -> bool:
        """Learned where the other is stuck, or come to half of its loss."""
        if self.below_nothing or other.below_nothing:
            return False
        return self.learned and (other.stuck or self.after <= 0.5 * other.after)

    @property
    def _known(self) -> float:
        return self.floor if self.floor is not None and self.floor > 1e-3 else self.before

    @property
    def _far(self) -> bool:
        return self.before > 1.3 * self._known


@dataclass(frozen=True)
class Worded:
    """Rows as the numbers of their tokens, beside their labels."""

    rows: tuple[tuple[int, ...], ...] = ()
    labels: tuple[int, ...] = ()


class Lab(Protocol):
    """Takes the steps. Whatever is changed, the pipeline is left as it was, to the bit."""

    conditions: Conditions

    def take(self, change: Change, seed: int, one_batch: bool, until: float) -> Taken | None:
        """None where it came to no end: time was up (of time.monotonic), or it failed."""
        ...

    def worded(self) -> Worded: ...
