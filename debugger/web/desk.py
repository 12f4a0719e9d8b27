"""What one tab has open, and where its last runs ended."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from debugger.asking.draft import Shorter
from debugger.asking.shorten import Shortening
from debugger.outcome import Finding, StageName, Weighed
from debugger.report import Report, StageReport
from debugger.web.scene import Provenance
from debugger.web.times import stamp, this_moment
from debugger.web.visit import SYMPTOM, Record, Visit
from debugger.workers.engine import Asker
from debugger.workers.sharing import Flight


@dataclass(eq=False)
class Desk:
    """Mutable on purpose: a press and a run that is going on work on the same tab.

    `own` holds what nobody else is shown: how runs ended that were ended from outside. `weighed`
    is what typed scripts had learned, by their changes. `symptom`
    is how the whole script ended when this tab ran it, or what stands there `instead` of a run on
    a GPU that was not lent. What runs `aside` is no stage of the walk:
    the whole script, a longer training at the end of a cure, or the `search` for a `shorter`
    script, whose `training` is kept where it does not crash. `editor` is what the browser's editor
    holds, None while it is closed. `asking` is the check that is being answered. `turned_away` says
    why the clinic did not run what was asked for last. `now` is the server's clock. `name` is by
    what the engine tells this tab from others: made here, so that no browser can choose it.
    """

    visit: Visit = field(default_factory=Visit)
    record: Record = field(default_factory=Record)
    flights: list[Flight] = field(default_factory=list)
    shared: dict[tuple[str, StageName], bool] = field(default_factory=dict)
    own: dict[tuple[str, StageName], tuple[StageReport, Provenance]] = field(default_factory=dict)
    weighed: dict[str, Weighed] = field(default_factory=dict)
    symptom: Report | None = None
    instead: Provenance | None = None
    search: Shortening | None = None
    shorter: Shorter | None = None
    training: Report | None = None
    drawn: dict[str, str] = field(default_factory=dict)
    editor: str | None = None
    asking: str = ""
    turn: int = 0
    heard: int = 0
    wanted: str | None = None
    stopping: bool = False
    showing: bool = False
    aside: bool = False
    note: str = ""
    turned_away: Finding | None = None
    caption: str = ""
    now: Callable[[], datetime] = this_moment
    name: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def asker(self) -> Asker:
        return Asker(self.name)

    @property
    def busy(self) -> bool:
        return bool(self.flights) or self.showing

    def remember(self, **fields: object) -> None:
        """Keep this of the scenario, with the time and the place."""
        case, at = self.record.case(self.visit.scenario), stamp(self.now())
        if fields.get("solved") and not case.solved:
            fields["solved_at"] = at
        elif fields.get("solved") and case.afresh:
            fields |= {"again_at": at, "afresh": False}
        self.record = self.record.changed(self.visit.scenario, at=at, **fields, **self._place())

    def go_to(self, **fields: object) -> None:
        self.visit = replace(self.visit, **fields)  # type: ignore[arg-type]
        if self.visit.scenario in self.record.cases:  # who only looks around has begun nothing
            self.record = self.record.changed(self.visit.scenario, **self._place())

    def _place(self) -> dict[str, object]:
        stage = None if self.visit.panel == SYMPTOM else self.visit.stage
        return {"stage": stage, "changes": self.visit.changes}
