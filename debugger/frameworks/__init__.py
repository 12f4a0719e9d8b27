"""A folder for each framework, and a line for it here: everything else stands in its folder."""

from functools import lru_cache
from pathlib import Path

from debugger.frameworks.framework import Framework
from debugger.frameworks.keras import KERAS
from debugger.frameworks.pytorch import PYTORCH
from debugger.script.imports import imported
from debugger.script.sources import sources_of

FRAMEWORKS: tuple[Framework, ...] = (PYTORCH, KERAS)
"""Asked in this order. The first is that of a script which shows none."""
NAMES = tuple(framework.name for framework in FRAMEWORKS)

__all__ = ["FRAMEWORKS", "NAMES", "Framework", "called", "installed", "of"]


def called(name: str) -> Framework:
    return next(framework for framework in FRAMEWORKS if framework.name == name)


def installed(name: str) -> bool:
    """Whether this machine can run it."""
    return called(name).installed


def of(script: str, filename: str = "") -> Framework:
    """The one that a script wants around it, told from its text; where that shows none, from the
    files beside it that it imports, if it stands on disk."""
    return _shown(_imported(script)) or _beside(script, filename) or FRAMEWORKS[0]


def _shown(names: frozenset[str]) -> Framework | None:
    return next((framework for framework in FRAMEWORKS if framework.shows(names)), None)


def _beside(script: str, filename: str) -> Framework | None:
    if not filename or not Path(filename).is_file():
        return None
    helpers = sources_of(script, filename).helpers
    return _shown(frozenset().union(*(_imported(one.text) for one in helpers)))


_imported = lru_cache(maxsize=256)(imported)
