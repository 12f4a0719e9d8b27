"""A folder for each framework, and a line for it here: everything else stands in its folder."""

from functools import lru_cache

from debugger.frameworks.framework import Framework
from debugger.frameworks.keras import KERAS
from debugger.frameworks.pytorch import PYTORCH
from debugger.script.imports import imported

FRAMEWORKS: tuple[Framework, ...] = (PYTORCH, KERAS)
"""Asked in this order. The first is that of a script which shows none."""
NAMES = tuple(framework.name for framework in FRAMEWORKS)

__all__ = ["FRAMEWORKS", "NAMES", "Framework", "called", "installed", "of"]


def called(name: str) -> Framework:
    return next(framework for framework in FRAMEWORKS if framework.name == name)


def installed(name: str) -> bool:
    """Whether this machine can run it."""
    return called(name).installed


@lru_cache(maxsize=256)
def of(script: str) -> Framework:
    """The one that a script wants around it, told from its text alone."""
    names = imported(script)
    shown = (framework for framework in FRAMEWORKS if framework.shows(names))
    return next(shown, FRAMEWORKS[0])
