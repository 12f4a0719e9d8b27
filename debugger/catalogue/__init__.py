"""The catalogue: every scenario as documented, checked data. Light: it imports no framework."""

from debugger.catalogue.loading import every, find, load
from debugger.catalogue.scenario import (
    RECORDED,
    Cheat,
    Fix,
    NotThere,
    Scenario,
    ScenarioError,
    ScenarioWords,
)
from debugger.catalogue.translating import translated

__all__ = [
    "RECORDED",
    "Cheat",
    "Fix",
    "NotThere",
    "Scenario",
    "ScenarioError",
    "ScenarioWords",
    "every",
    "find",
    "load",
    "translated",
]
