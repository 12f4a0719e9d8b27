"""A diagnosis as lines of JSON, each written as soon as it is known: a kill leaves what was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from debugger.outcome import Event, Outcome, Point, StageEnded, StageName, StageStarted
from debugger.report import Gathering, Report, StageReport, stage_to_json
from debugger.words import Words


class Stream:
    """Told of each event of a run, it writes an object for what that makes known.

    `event` of an object is "stage_started", "point" (of a curve), "stage" (as in the one object of
    a whole run) or "outcome", the last one. `told` is what becomes of a stage before it is told.
    """

    def __init__(
        self,
        write: Callable[[dict[str, Any]], None],
        words: Words,
        told: Callable[[StageReport], StageReport],
    ) -> None:
        self._write, self._words, self._told = write, words, told
        self._gathering = Gathering()

    def show(self, event: Event) -> None:
        self._gathering.add(event)
        match event:
            case StageStarted(stage=name):
                self._write({"event": "stage_started", "stage": name})
            case Point():
                about = {"stage": event.stage, "series": event.series, "x": event.x, "y": event.y}
                self._write({"event": "point", **about})
            case StageEnded(stage=name):
                self._stage(self._gathering.stage(name))
            case Outcome() if self._gathering.report is not None:
                self.end(self._gathering.report)

    def end(self, report: Report) -> None:
        """The last lines: the stage that did not come to its end, if there is one, and how."""
        unfinished: StageName | None = self._gathering.unfinished
        if unfinished is not None:
            self._stage(report.stage(unfinished))
        whole = report.to_json(self._words)
        self._write({"event": "outcome", **{k: v for k, v in whole.items() if k != "stages"}})

    def _stage(self, stage: StageReport) -> None:
        self._write({"event": "stage", **stage_to_json(self._told(stage), self._words)})
