"""`python -m debugger check ID`: proves one scenario as the tests do, all complaints at once."""

from __future__ import annotations

import time
from collections.abc import Callable

from debugger.catalogue.proof import ask, promises, seconds_of
from debugger.catalogue.runs import Runs
from debugger.catalogue.scenario import Scenario
from debugger.workers.engine import Answering

Tell = Callable[[int, int, float], None]
"""Gets how many promises were looked at, of how many, and about how many seconds are left."""


def prove(scenario: Scenario, engine: Answering, at_once: int, tell: Tell) -> list[str]:
    """Run everything that the scenario promises, `at_once` runs side by side: all complaints."""
    runs, found = Runs(engine, at_once), promises(scenario)
    asked = [(seconds_of(promise), ask(promise, runs)) for promise in found]
    left = sum(seconds for seconds, _ in asked) / at_once
    done, slower, started = 0.0, 1.0, time.monotonic()
    complaints: list[str] = []
    for number, (seconds, judged) in enumerate(asked):
        tell(number, len(asked), left * slower)
        complaints += judged()
        done, left = done + seconds / at_once, left - seconds / at_once
        slower = (time.monotonic() - started) / done
    return list(dict.fromkeys(complaints))
