"""What a framework tells of itself. Nothing outside its folder knows it by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any, Protocol, cast

from debugger.failure import Failure
from debugger.outcome import Evidence, Finding, StageName
from debugger.pipelines.face import Pipeline
from debugger.pipelines.starting import Built
from debugger.script.places import Places


@dataclass(frozen=True)
class Cells:
    """A notebook's: `assets` comes first, `train` last, with its number of steps; `looks` between.

    `packages` is what they need where the clinic is not installed.
    """

    assets: str
    looks: Mapping[StageName, str]
    train: str
    packages: tuple[str, ...]


class Home(Protocol):
    """The module that imports the libraries; loaded in processes that run scripts, nowhere else."""

    def stopped_at_training(
        self,
        rehearsed: int,
        steps: int,
        cut_off: Callable[[], None] | None,
        by_hand: Callable[[], float],
    ) -> AbstractContextManager[Built]: ...
    def in_place_of(
        self, built: Built, failure: Failure | None, places: Places
    ) -> AbstractContextManager[Finding] | None: ...
    def pipeline(self, trained: Any, earlier: Any = None) -> Pipeline: ...
    def has_cuda(self) -> bool: ...
    def at_setup(self, built: Built, places: Places) -> tuple[list[Finding], list[Evidence]]: ...


@dataclass(frozen=True)
class Framework:
    """Light: what imports a library stands in `home`, under a name.

    `shows` tells it by the names that a script imports; `takes` by what was handed to `diagnose`,
    and answers with what its pipeline is made of, or None. `needs` are the modules without which
    nothing of it runs, `versions` the distributions that a report names, `preload` what its warm
    process imports, `assets` the module that its scenarios take theirs from. A run of it may use
    `memory` times what others may. `nothing` is the finding where a script ends without a training,
    `healthy` any scenario whose twin is the plain healthy script. `snippets` are the few lines that
    show a learner the same evidence, by its code. `wants` are versions that it lives with, looked
    at once its warm process has died. Its sentences stand beside, in `<language>.toml`.
    """

    name: str
    shows: Callable[[frozenset[str]], bool]
    takes: Callable[[Any, Any, Any], Any]
    needs: tuple[str, ...]
    versions: tuple[str, ...]
    environment: Mapping[str, str]
    preload: tuple[str, ...]
    assets: str
    home: str
    nothing: str
    healthy: str
    snippets: Mapping[str, str]
    cells: Cells
    wants: Mapping[str, str]
    memory: float = 1.0
    experiments: bool = False
    """Whether its pipelines have a lab."""
    waits: tuple[str, ...] = ()
    """The devices on which building takes so long that who has built something is worth keeping."""

    def load(self) -> Home:
        return cast(Home, import_module(self.home))

    @property
    def installed(self) -> bool:
        """Whether this machine can run it. Nothing is imported to tell."""
        return all(map(find_spec, self.needs))

    def found_versions(self) -> dict[str, str]:
        found = {}
        for name in self.versions:
            try:
                found[name] = metadata.version(name)
            except metadata.PackageNotFoundError:
                continue
        return found
