"""The one face of whatever answers runs: on this machine, shared, or on others."""

from collections.abc import Collection, Iterator
from typing import Any, Protocol

from debugger.frameworks import NAMES
from debugger.outcome import Event
from debugger.run import Run

DIAGNOSIS = "debugger.diagnosis:perform"
"""What a run does, unless somebody measures or tries something else."""
WEIGHING = "debugger.weighing:perform"
"""What tries the weights that a run has left."""


class Answering(Protocol):
    """All that those need who ask for runs."""

    def events(self, run: Run) -> Iterator[Event]: ...
    def cancel(self, ticket: str) -> None: ...


class Engine(Answering, Protocol):
    """What holds processes: it is warmed, asked how it is, and closed."""

    def status(self) -> dict[str, Any]: ...
    def warm(self, wanted: Collection[str] = NAMES) -> None: ...
    def close(self) -> None: ...
