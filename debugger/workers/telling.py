"""What a run says, before anybody is told: only what can be said in words, and in numbers."""

from __future__ import annotations

import math
import re
from textwrap import indent

from debugger.evidence import html
from debugger.evidence import text as lines
from debugger.outcome import Event, Evidence, Found, Outcome, Point, Shown, StageEnded
from debugger.words import Words

MOST_LOGGED, WIDTH = 20_000, 80
_MEASURED = ("steps", "accuracy", "majority", "gradient")
"""What pages say of a stage besides its evidence."""
_UNSEEN = re.compile(r"[^\n\t -~\u00a0-\u2027\u202f-\u2065\u2070-\ufefe\uff00-\ufffd]")


class Untellable(ValueError):
    """No page could show this, and no honest run says it."""


def check(event: Event, framework: str) -> None:
    """Raise Untellable where a page, or a judge, would stumble over what this says."""
    try:
        match event:
            case Found(finding=finding):
                Words().of(framework).finding(finding)
            case Shown(evidence=evidence):
                _show(evidence, framework)
            case Point(series=series, x=x, y=y):
                _show_point(series, x, y or 0.0, framework)
            case StageEnded(seconds=seconds, measured=measured):
                _are_numbers(seconds, *(measured.get(name) or 0 for name in _MEASURED))
            case Outcome(seconds=seconds):
                _are_numbers(seconds)
            case _:
                pass
    except Exception as error:  # whatever a page would stumble over
        raise Untellable(f"{type(event).__name__} cannot be told: {error!r:.200}") from error


def _are_numbers(*told: object) -> None:
    for one in told:
        if not isinstance(one, int | float) or not 0 <= one < math.inf:
            raise ValueError("no time, and no count, is like that")


def _show(evidence: Evidence, framework: str) -> None:
    words = Words().of(framework)
    html.shown(evidence, words, beside_script=True)
    list(lines.shown(evidence, words, WIDTH))


def _show_point(series: str, x: float, y: float, framework: str) -> None:
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError("that is nowhere on a curve")
    html.chart({"series": {series: [[x, y]]}, "marks": {}}, Words().of(framework))


def logged(said: str) -> str:
    """For the host's log: the end of it, where no line could be taken for one of the clinic's."""
    return indent(_UNSEEN.sub("?", said[-MOST_LOGGED:]), "| ", lambda _: True)
