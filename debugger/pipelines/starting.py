"""What stops a script where its training would start, and what is known of it then."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

from debugger.pipelines.forward import Earlier
from debugger.pipelines.unfollowed import Refused


class TrainingStarts(BaseException):
    """Raised instead of training. No `except Exception` of the learner's catches it."""


class Patience:
    """How long a loop of the script's own may train, from its first step on."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        """`seconds` is asked at that step: most scripts have no such loop."""
        self._seconds = seconds

    def ended(self) -> bool:
        return self._ends <= time.monotonic()

    @cached_property
    def granted(self) -> float:
        return self._seconds()

    @cached_property
    def _ends(self) -> float:
        return time.monotonic() + self.granted


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

    refused: Refused | None

    @property
    def trained(self) -> Any: ...
    @property
    def trainer_lines(self) -> tuple[int | None, ...]: ...
    @property
    def training_line(self) -> int | None: ...
    @property
    def rehearsed(self) -> Sequence[Rehearsal]: ...
    @property
    def earlier(self) -> Earlier | None: ...
