"""What stops a script where its training would start, and what is known of it then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from debugger.pipelines.face import Earlier


class TrainingStarts(BaseException):
    """Raised instead of training. No `except Exception` of the learner's catches it."""


class Rehearsal(Protocol):
    """An earlier training, of which a few steps were run."""

    @property
    def line(self) -> int | None: ...
    @property
    def steps(self) -> int: ...
    @property
    def planned(self) -> int: ...


class Built(Protocol):
    """What a script has built so far. `trained` is what its pipeline is made of, if there is one.

    `refused` is the code of a finding and a line: a training that the clinic cannot look into.
    """

    @property
    def trained(self) -> Any: ...
    @property
    def trainer_lines(self) -> tuple[int | None, ...]: ...
    @property
    def training_line(self) -> int | None: ...
    @property
    def refused(self) -> tuple[str, int | None] | None: ...
    @property
    def rehearsed(self) -> Sequence[Rehearsal]: ...
    @property
    def earlier(self) -> Earlier | None: ...
