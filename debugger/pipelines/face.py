"""The one face over a Trainer or a Keras model: what each stage asks it for.

Stages read the values that it answers with and nothing else, so rules are tested on plain values
and know no framework. Those of a stage stand in the module of its name, beside this one: those of
`overfit` and `train` in `training.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from debugger.outcome import Weighed
from debugger.pipelines.batch import Batch
from debugger.pipelines.data import Data
from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.facts import Facts
from debugger.pipelines.forward import Forward
from debugger.pipelines.step import Step
from debugger.pipelines.training import Memory, Training
from debugger.pipelines.trying import Lab

Emit = Callable[[str, float, float | None], None]
"""Called with a series, a step and a value while a training runs."""


class Pipeline(Protocol):
    """Every method leaves weights, optimizer, RNG states, batch order and modes as they were."""

    facts: Facts

    def untouched(self) -> AbstractContextManager[None]: ...
    def data(self) -> Data: ...
    def batch(self) -> Batch: ...
    def forward(self) -> Forward: ...
    def step(self) -> Step: ...
    def evaluate(self) -> Evaluate: ...
    def overfit(self, steps: int, emit: Emit, seconds: float | None = None) -> Memory: ...
    def train(self, steps: int, emit: Emit, seconds: float | None = None) -> Training: ...
    def leave(self, file: Path) -> None:
        """Where `train` is to write the weights that it ends with, before they are put back."""
        ...

    def weigh(self, file: Path) -> Weighed:
        """What the weights in that file know of the evaluation rows. The model keeps them."""
        ...

    def judged_by(self, owner: Any, rows: Any, labels: Any) -> Pipeline | None:
        """The same, with other rows to evaluate on, which `owner` is asked about once it is
        trained; None where they are no others, or none that an evaluation could be made of."""
        ...

    def lab(self) -> Lab | None:
        """Where experiments are made; None where none can be, as on rows that come as a stream."""
        ...
