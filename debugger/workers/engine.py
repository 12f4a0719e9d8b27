"""The one face of whatever answers runs: on this machine, shared, or on others."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, Self

from debugger.frameworks import NAMES
from debugger.outcome import Event
from debugger.run import Run

DIAGNOSIS = "debugger.diagnosis:perform"
"""What a run does, unless somebody measures or tries something else."""
WEIGHING = "debugger.weighing:perform"
"""What tries the weights that a run has left."""


@dataclass(eq=False)
class Asker:
    """Who wants a run, as far as whose turn it is goes; "" is somebody who is never met again.

    What is run `ahead` nobody has asked for. It becomes the run of the first one who does.
    """

    session: str = ""
    ahead: bool = False


class Answering(Protocol):
    """All that those need who ask for runs."""

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]: ...
    def cancel(self, ticket: str) -> None: ...


class Engine(Answering, Protocol):
    """What holds processes: it is warmed, asked how it is, drained and closed."""

    def status(self) -> dict[str, Any]: ...
    def warm(self, wanted: Collection[str] = NAMES) -> None: ...
    def drain(self, seconds: float) -> None: ...
    def close(self) -> None: ...


class Closing:
    """Closed at the end of a `with`, however that ends."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
