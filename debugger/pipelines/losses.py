"""What a loss answers to outputs that somebody made up, as plain values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Form = Literal["classes", "many", "amounts"]
"""What labels are to a loss: one class a row or position, many yes or no, or amounts."""
SCALES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""How sure the made-up answers are: the difference between the label's output and the others."""
_ROWS_OF_THEM = 2
_ASIDE = 0.3
"""Of the labels lie below it: with as many above as below, distances draw nowhere."""
_TRIED = np.linspace(-6, 6, 25)
"""What is put before a last activation to see what comes out of it."""


@dataclass(frozen=True)
class Asked:
    """`even` is the loss where no answer is preferred, `right` and `wrong` where all of them are
    what the label says and what it does not, surer from one to the next.
    The last two are those of `SCALES`.

    `rows` are rows or positions that have a label, `cardinality` how many yes each of them holds.
    `pulls`: by label, how hard its rows are drawn to it, as a mean; `against` is the share of rows
    that are drawn away from it. `alike`: all rows are drawn alike, whatever their different labels.
    `labels_move`, `inputs_move`: whether the loss of the same outputs changes when labels, or all
    else that stands in the batch, change places. `ahead`: of a language model, the loss of being
    right about the token so many positions further on.
    `counts`: how often each label, or each yes, stands in the `counted` rows of the training set.
    `positive_weights`: how much harder a yes is drawn than a no, by output.
    `reach` is the lowest and the highest number that can come out, `wanted` that of the labels;
    `plain` says that the labels enter the loss as they are. `shares`: what comes out of a row adds
    up to 1. `dead` is the share of outputs that a ReLU has cut off to 0, None where none stands
    there. `spread`: each output is held against the number of the class, so nothing more was asked.
    `swapped` is the library's loss that this one is with labels and answers in each other's place.
    `in_turn` is what rows cost, and what they do, outputs and all, in the opposite order. `ends` is
    what amounts cost that are the labels themselves, and such as are far off, to either side.
    `fills` are labels that only stand at the end of rows, as what fills them up does.
    `undrawn` are rows of amounts that cost the same whatever is answered on their side of 0.
    """

    form: Form
    rows: int
    outputs: int
    logits_shape: tuple[int, ...]
    labels_shape: tuple[int, ...]
    even: float
    right: tuple[float, ...] = ()
    wrong: tuple[float, ...] = ()
    cardinality: tuple[int, ...] = ()
    pulls: dict[int, float] = field(default_factory=dict)
    against: float = 0.0
    alike: bool = False
    elsewhere: bool = False
    labels_move: bool = True
    inputs_move: bool = True
    ahead: dict[int, float] = field(default_factory=dict)
    reach: tuple[float, float] | None = None
    wanted: tuple[float, float] | None = None
    plain: bool = False
    positive_weights: dict[int, float] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    counted: int = 0
    shares: bool = False
    dead: float | None = None
    spread: bool = False
    swapped: str = ""
    in_turn: tuple[float, float] | None = None
    ends: tuple[float, float] | None = None
    undrawn: int = 0
    fills: tuple[int, ...] = ()


def number_among(labels: Any, answer_to: Callable[[float], float]) -> float | None:
    """What is to stand before a last activation for answers that lie between the labels."""
    aside, least, most = float(np.quantile(labels, _ASIDE)), labels.min(), labels.max()
    answers = {number: answer_to(number) for number in (aside, *_TRIED.tolist())}
    among = [number for number, answer in answers.items() if least < answer < most]
    return min(among, key=lambda number: abs(answers[number] - aside), default=None)


def fills(labels: Any) -> tuple[int, ...]:
    """The labels, of rows of them, that nothing else ever stands behind."""
    if labels.ndim < _ROWS_OF_THEM:
        return ()
    rows = labels.reshape(len(labels), -1)
    behind = (rows[:, :-1] != rows[:, 1:]) & (rows[:, :-1] >= 0)
    followed = {int(label) for label in rows[:, :-1][behind]}
    return tuple(sorted({int(label) for label in rows[:, -1]} - followed))


@dataclass(frozen=True)
class Squashed:
    """Probabilities of so many classes that a line gave to a loss which wants scores.

    Of one class each of them is a yes or a no by itself.
    """

    classes: int
    line: int | None

    @property
    def name(self) -> str:
        return "sigmoid" if self.classes == 1 else "softmax"

    @property
    def costs(self) -> dict[str, float]:
        """To be sure and right or wrong, and to guess."""
        if self.classes == 1:
            right, even = (_of_yes_and_no(yes, no) for yes, no in ((1, 0), (0.5, 0.5)))
            return {"right": right, "wrong": math.log(1 + math.e), "even": even}
        whole = math.log(math.e + self.classes - 1)
        return {"right": whole - 1, "wrong": whole, "even": math.log(self.classes)}


def _of_yes_and_no(yes: float, no: float) -> float:
    """What two rows cost on the mean, one of each, whose scores are these."""
    return (math.log(1 + math.exp(-yes)) + math.log(1 + math.exp(no))) / 2


@dataclass(frozen=True)
class Shared:
    """A line gave a loss that shares one whole among the classes rows of none or of several of
    them: this share of the rows, and the most that one has."""

    share: float
    most: int
    line: int | None


def counts_of(form: Form, all_labels: tuple[Any, ...]) -> dict[int, int]:
    rows = [row if isinstance(row, (list, tuple)) else [row] for row in all_labels]
    if form == "many":
        return dict(Counter(place for row in rows for place, yes in enumerate(row) if yes))
    if form == "classes":
        return dict(Counter(y for row in rows for y in row if isinstance(y, int) and y >= 0))
    return {}
