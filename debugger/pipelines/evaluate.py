"""What the evaluate stage sees: what reaches the metric, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from debugger.failure import Failure
from debugger.pipelines.by_hand import Unsteady
from debugger.pipelines.columns import Column
from debugger.pipelines.held import Held
from debugger.pipelines.printed import Printed
from debugger.pipelines.trials import Trials

Guesses = dict[tuple[int, int], int]
"""How many rows of a label, the first number, were given which class, the second."""


@dataclass(frozen=True)
class Evaluate:
    """`given` is what compute_metrics was handed; `into_metric` what it handed on. `decoded`:
    whether it made words of tokens without the special ones, and at which line. `written` is the
    most that the evaluation lets a model write, `least` what it makes it write, its end counted,
    `wanted` how long the labels are; `loss` is that of the few rows, and `smoothing` what its
    labels are smoothed by. `least_gain`: an early stopping counts no smaller one; it `waits` for
    so many evaluations, with so many steps between two of them, of so many in an epoch.
    `impatient`: the number at whose first standstill one stops that nobody told how long to wait.
    `asks_in_vain`: answers are to be generated, and this Trainer never does. `lacks` is what a row
    to train on holds, and a row to evaluate on does not.

    `evaluations` is how often the training itself evaluates in its `steps`; None: nobody can tell.
    `repeated` is the share of training rows that stood there before; `same_rows`: both sets are one
    and the same; `scale`: mean and deviation of amounts that are learned. The metric was tried
    on rows that hold `tried_classes`. `parts` is how many arrays the answers are. `strays_at`:
    of answers that are all right, that line of the metric makes something else. `held` is what
    answers are held against by hand, once the training is over, and `anew` the line that makes
    another model then, which is asked; and whether the trained one is asked too. `printed` are
    the numbers that are printed then, and `asked_swapped` columns of what the model is asked
    about then that stand at the place of another one; `asked_scale` is what it learned from,
    beside what it is asked about. `met_before`: so many rows that it is asked about are all
    ones that it learned from, and others stand unasked under that name. `loses`: what a
    compute_loss of one's own gives for outputs, where the Trainer takes the first of it for the
    loss, and it is none. `reach` is the least and the most that an answer can be, where its
    last activation says so. `untested`: the model trains by a step of its own, and no loss is
    evaluated. `fails_later` is what Python will say at a line behind the training, and
    `left_out` is what gives too few rows there: a class of the script's own, or the argument by
    which rows that fill no batch go. `unknown_key` is looked up in the history, which has
    others, at a line. `label_names` are those of several labels a row, as the Trainer puts them
    together, and `other_order` one in which the metric could take them apart, where this one
    fails. `dropout` is the largest of any layer. `watched_in_vain` is a callback, the number
    that it goes by, which no epoch ends with, and those that there are. `stops_on_bad`: the
    class and the event of a callback that ends the training at bad numbers, and not at perfect
    ones. `untold`: what is probably the label, and the Trainer takes for none. `unfilled` are rows
    of a last batch that is dropped because it is not full. `unsteady`: a loop of the script's own
    judges the model as it learns, and the answers are others each time.
    """

    rows: int = 0
    label_names: tuple[str, ...] = ()
    other_order: tuple[str, ...] = ()
    dropout: float = 0.0
    stops_on_bad: tuple[str, str] | None = None
    strategy: str = ""
    steps: int | None = None
    evaluations: int | None = None
    train_names: tuple[str, ...] | None = None
    eval_names: tuple[str, ...] | None = None
    model_names: tuple[str, ...] | None = None
    has_metric: bool = False
    called: bool = False
    unfilled: int = 0
    unsteady: Unsteady | None = None
    untold: str = ""
    given: dict[str, tuple[int, ...]] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    written: int | None = None
    least: int | None = None
    loss: float | None = None
    smoothing: float = 0.0
    least_gain: float = 0.0
    waits: tuple[int, int, int] | None = None
    impatient: str = ""
    asks_in_vain: bool = False
    wanted: tuple[int, ...] = ()
    into_metric: tuple[dict[str, Any], ...] = ()
    decoded: tuple[tuple[bool, int | None], ...] = ()
    guesses: Guesses = field(default_factory=dict)
    real: dict[str, float] = field(default_factory=dict)
    constant: dict[str, float] | None = None
    perfect: dict[str, float] | None = None
    best_metric: str | None = None
    greater_is_better: bool | None = None
    best_by: str = ""
    trials: Trials | None = None
    known_metrics: tuple[str, ...] = ()
    shared_rows: int = 0
    picked_line: int | None = None
    repeated: float = 0.0
    same_rows: bool = False
    scale: tuple[float, float] | None = None
    tried_classes: int | None = None
    parts: int = 1
    strays_at: int | None = None
    loses: str = ""
    eval_rows: int | None = None
    looked_at: int = 0
    num_labels: int | None = None
    held: tuple[Held, ...] = ()
    anew: tuple[int, bool] | None = None
    printed: tuple[Printed, ...] = ()
    asked_swapped: tuple[tuple[int, int], ...] = ()
    asked_scale: tuple[Column, Column] | None = None
    met_before: tuple[int, str] | None = None
    reach: tuple[float, float] | None = None
    untested: bool = False
    fails_later: tuple[str, int] | None = None
    left_out: str = ""
    unknown_key: tuple[str, str, int] | None = None
    watched_in_vain: tuple[str, str, str] | None = None
    failure: Failure | None = None
