"""In which order a run tells its story: one that is told in another order was made up."""

from __future__ import annotations

import time
from math import isfinite

from debugger.outcome import (
    STAGES,
    Ending,
    Event,
    Found,
    Outcome,
    Point,
    Progress,
    Shown,
    StageEnded,
    StageName,
    StageStarted,
    worst,
)
from debugger.run import ALL, WALK, Run
from debugger.workers import telling

TRAINING = ("overfit", "train")
LATE = 10.0
"""So many seconds after it was said a busy machine may hear it."""


class OutOfOrder(Exception):
    """What was told cannot have happened as it was told."""


class Order:
    """Follows the stages of one run; raises OutOfOrder at what an honest run never says.

    A stage begins and ends once, in the order of the stages; what is said is said of the stage that
    is going on; it cannot have taken longer than it took; and the outcome comes when all that was
    asked for has ended, and says no other thing than those endings do.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._going_on: StageName | None = None
        self._since = time.monotonic()
        self._endings: dict[StageName, Ending] = {}
        self._series: set[str] = set()

    def follow(self, event: Event) -> None:
        self._can_be_told(event)
        match event:
            case StageStarted(stage=stage):
                if self._going_on is not None:
                    raise OutOfOrder(f"{stage} began before {self._going_on} had ended")
                self._comes_next(stage)
                self._going_on, self._since = stage, time.monotonic()
            case StageEnded(stage=stage):
                self._ends(event)
            case Progress() | Point():
                self._is_going_on(event.stage)
            case Shown(evidence=told) | Found(finding=told):
                self._is_going_on(told.stage)
            case Outcome():
                self._is_over(event)
            case _:
                pass

    def _can_be_told(self, event: Event) -> None:
        if isinstance(event, Point):  # there are thousands of them, of a few curves
            if event.series in self._series and isfinite(event.x) and isfinite(event.y or 0.0):
                return
            self._series.add(event.series)
        try:
            telling.check(event, self._run.framework)
        except telling.Untellable as error:
            raise OutOfOrder(str(error)) from error

    def _comes_next(self, stage: StageName) -> None:
        reached = [STAGES.index(name) for name in self._endings]
        if STAGES.index(stage) <= max(reached, default=-1):
            raise OutOfOrder(f"{stage} came after a later stage")

    def _ends(self, event: StageEnded) -> None:
        if event.outcome == "not run" and self._going_on is None:
            self._comes_next(event.stage)
        else:
            self._is_going_on(event.stage)
            if event.seconds > time.monotonic() - self._since + LATE:
                raise OutOfOrder(f"{event.stage} says that it took {event.seconds:.1f} s")
        self._endings[event.stage] = event.outcome
        self._going_on = None

    def _is_going_on(self, stage: StageName) -> None:
        if stage != self._going_on:
            raise OutOfOrder(f"something of {stage} was told during {self._going_on}")

    def _is_over(self, outcome: Outcome) -> None:
        if self._going_on is not None:
            raise OutOfOrder(f"the outcome came during {self._going_on}")
        endings: list[Ending] = [one for one in self._endings.values() if one != "not run"]
        if outcome.finding is not None or outcome.outcome != worst(endings):
            raise OutOfOrder(f"the outcome is {outcome.outcome}, after {endings}")
        if outcome.outcome in ("pass", "look") and not self._wanted() <= self._endings.keys():
            raise OutOfOrder(f"{sorted(self._wanted() - self._endings.keys())} never ended")

    def _wanted(self) -> set[StageName]:
        """What a run must have gone through in which no stage failed."""
        asked = self._run.stage
        if asked in (WALK, ALL):
            return {name for name in STAGES if self._run.steps or name not in TRAINING}
        # Who asks for ON also ends where going on would explain nothing.
        return {name for name in STAGES if name in ("setup", asked)}
