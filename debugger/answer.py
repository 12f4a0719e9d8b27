"""What came of a check, gathered from the events of its run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from debugger.outcome import Ending, Event, Evidence, Finding, Outcome, Shown, Standing, Stop

MOST = 12_000
"""Characters of an answer, whatever a run sends."""


@dataclass(frozen=True)
class Answer:
    """`text` is what was printed, or its beginning; then `left_out` bytes lie before its `end`.

    `at` and `line` tell where the script stood; None where it never came to stand. `finding` says
    what ended the run from outside, with the `outcome` stopped, unknown or fail.
    """

    outcome: Ending
    text: str = ""
    left_out: int = 0
    end: str = ""
    at: Stop | None = None
    line: int | None = None
    finding: Finding | None = None
    seconds: float = 0.0


def answer_of(events: Iterable[Event]) -> Answer:
    """What a run with a check came to. The last answer counts: the one that the server read."""
    at, line, data = None, None, {}
    for event in events:
        match event:
            case Standing():
                at, line = event.at, event.line
            case Shown(evidence=Evidence(code="answer", data=told)):
                data = told
            case Outcome():
                return Answer(
                    event.outcome,
                    text=_text(data, "text"),
                    left_out=_count(data),
                    end=_text(data, "end"),
                    at=at,
                    line=line,
                    finding=event.finding,
                    seconds=event.seconds,
                )
    raise ValueError("a run ended without an outcome")


def _text(data: dict[str, Any], name: str) -> str:
    return str(data.get(name, ""))[:MOST]


def _count(data: dict[str, Any]) -> int:
    found = data.get("left_out")
    return found if isinstance(found, int) else 0
