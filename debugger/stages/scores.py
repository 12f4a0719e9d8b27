"""A metric's numbers: what they are called, and where the script makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from debugger.pipelines.trials import HIGHER_IS_BETTER, Trials
from debugger.stages.judging import CannotJudge, View, found_in

NEARLY_RIGHT = 0.999
SHARES = ("accuracy", "f1", "precision", "recall", "exact_match")
"""What a number is called that is a share of what is right."""
NOT_TRIED = CannotJudge("metric_not_tried")
GIVEN_AS = ("compute_metrics", "metric_fn")
_T = TypeVar("_T")


def metric_line(view: View, name: str = "") -> int | None:
    """Where the script makes the number of that name, else where it returns its numbers."""
    places = view.places
    answers = (places.handed.answer(one, name) for one in GIVEN_AS)
    return next(filter(None, answers), None) or places.fits.compiled("metrics")


def in_metric(find: Callable[..., _T | None], *what: Any, **more: Any) -> _T | None:
    """What is looked for in the function that measures, however it is handed over."""
    return found_in(GIVEN_AS, find, *what, **more)


def first(tried: Trials) -> str | None:
    """A number that is higher where answers are better, by its name."""
    names = (n for n in tried.perfect if any(word in n.lower() for word in HIGHER_IS_BETTER))
    return next(names, None)


def share(value: float) -> float:
    return value / 100 if value > 1 else value
