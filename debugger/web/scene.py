"""Everything a clinic page shows at one moment, as plain values, gathered from what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from debugger.asking.draft import Shorter
from debugger.catalogue import Cheat, Fix, Scenario
from debugger.judge import Judgement, judge, proven
from debugger.outcome import STAGES, Finding, StageName, Weighed
from debugger.report import Report, StageReport
from debugger.web.path import GoOn
from debugger.web.visit import (
    NOTHING_WRONG,
    Case,
    Visit,
    causes,
    is_typed,
    script_of,
    shuffled,
    stacked,
)


@dataclass(frozen=True)
class Busy:
    """A run that is going on: its stage, how far it is, or its place in the queue.

    `wait` is in how many seconds it leaves the queue, at least and at most, if that is known.
    `ended` says that the stage has its answer, and the run is on its way to the next or to its end.
    `again`: it was begun anew, for the machine that had it first is gone.
    """

    stage: StageName
    place: int = 0
    done: int = 0
    of: int = 0
    twin: bool = False
    ended: bool = False
    wait: tuple[int, int] | None = None
    again: bool = False


@dataclass(frozen=True)
class Provenance:
    """Where an answer came from.

    `recorded` names the device of a recording, `place` what it was made on before this app began.
    `refused` says why it stands in for a run on a GPU.
    """

    when: datetime
    shared: bool
    seconds: float
    device: str
    recorded: str = ""
    place: str = ""
    refused: Finding | None = None


@dataclass(frozen=True)
class Scene:
    """`turn` counts the drawings of this tab, `heard` is the number of its last press.

    `kept` is what the browser is to remember; of a demonstration, nothing. `broken` and `symptom`
    are about the script as it was found: what its stages showed, and what its author saw.
    `trainings` are those to compare at the end of a cure: "broken", "here", "twin" and other
    repairs by their changes. `beside` is what is known of the twin's stages, `twin_data` of its
    rows. `weighed` is what a typed script's training and its twin's were worth, where neither
    script runs. What runs `aside` belongs to no stage.
    `search` is how many shorter scripts were run, and the lines that are left; `shorter` what was
    found, `training` how that trains; `tried` how changes ended. `no_typing` says why nobody can
    type here, `asking` is the check that is being answered. `lent`: a GPU is lent for the symptom;
    `instead` is where that comes from, if none was. `turned_away` says why the clinic did not run
    what was asked for last.
    """

    scenario: Scenario
    catalogue: Sequence[Scenario]
    visit: Visit
    case: Case
    learner: str
    reports: dict[StageName, StageReport] = field(default_factory=dict)
    stale: frozenset[StageName] = frozenset()
    sources: dict[StageName, Provenance] = field(default_factory=dict)
    busy: Busy | None = None
    whole: Report | None = None
    twin: Report | None = None
    weighed: tuple[Weighed | None, Weighed | None] = (None, None)
    broken: dict[StageName, StageReport] = field(default_factory=dict)
    symptom: Report | None = None
    trainings: dict[str, StageReport] = field(default_factory=dict)
    twin_data: StageReport | None = None
    beside: dict[StageName, StageReport] = field(default_factory=dict)
    search: tuple[int, int] | None = None
    shorter: Shorter | None = None
    training: Report | None = None
    tried: dict[str, Report] = field(default_factory=dict)
    no_typing: Finding | None = None
    asking: str = ""
    lent: bool = False
    instead: Provenance | None = None
    note: str = ""
    turned_away: Finding | None = None
    caption: str = ""
    showing: bool = False
    aside: bool = False
    turn: int = 0
    heard: int = 0
    kept: str = ""
    go_on: GoOn = field(default_factory=GoOn)

    @property
    def occupied(self) -> bool:
        """Something runs, or is being demonstrated: nothing else can be started now."""
        return self.busy is not None or self.search is not None or self.showing

    @property
    def asked(self) -> bool:
        """The stage's question is still open, and its evidence folded until the learner speaks.

        It is about the script as it was found: over a changed one there is nothing to guess.
        """
        return not self.spoken(self.visit.stage)

    def spoken(self, stage: StageName) -> bool:
        """Whether the learner has answered that stage's question, or need not."""
        return stage in self.case.answers or bool(self.visit.changes) or self.visit.demo

    @cached_property
    def script(self) -> str:
        return script_of(self.scenario, self.visit.changes, self.case)

    @property
    def first_failing(self) -> StageName | None:
        failing = ("fail", "stopped")
        return next(
            (s for s in STAGES if s in self.reports and self.reports[s].outcome in failing), None
        )

    @property
    def shown(self) -> StageReport | None:
        """What is known of the stage that is looked at."""
        report = self.reports.get(self.visit.stage)
        if report is None or (report.outcome == "not run" and not report.curves):
            return None
        return report

    @property
    def blocked_by(self) -> StageName | None:
        """The earlier stage where the script stops, so that this one has nothing to look at."""
        failing = self.first_failing
        if failing is None or STAGES.index(failing) >= STAGES.index(self.visit.stage):
            return None
        return failing

    @property
    def ended_at(self) -> StageName | None:
        """The last stage of a run that came no further, for a reason that is not in the script."""
        reached: list[StageName] = [stage for stage in STAGES if stage in self.reports]
        ended = reached and self.reports[reached[-1]].outcome in ("unknown", "stopped")
        return reached[-1] if ended else None

    @property
    def open(self) -> bool:
        """Whether what the rules found may be shown: the learner has spoken, or asked for it."""
        return self.case.opened or self.case.sure is not None or bool(self.visit.changes)

    @cached_property
    def verdict(self) -> Judgement | None:
        if self.whole is None or self.twin is None:
            return None
        if not is_typed(self.visit.changes):
            return judge(self.whole, self.twin, self.scenario)
        try:
            found = judge(self.whole, self.twin, self.scenario)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            failed = self.whole.first_failing_stage  # what was measured is what its run says
            return Judgement(False, ("report_unreadable",), failed)
        return proven(found, *self.weighed, self.scenario)

    @property
    def cured(self) -> bool:
        verdict = self.verdict
        return verdict is not None and verdict.cured

    @property
    def unweighed(self) -> bool:
        """A typed script that passes all stages: what it has learned is still to be tried."""
        return self.verdict is not None and self.verdict.missing == ("weights_pending",)

    @property
    def left_alone(self) -> bool:
        """A healthy script that the learner has seen through: nothing to repair, and none done."""
        healthy = self.scenario.decoy and self.cured and not self.visit.changes
        return healthy and self.case.cause == NOTHING_WRONG and self.case.sure is not None

    @property
    def attempts(self) -> list[str]:
        """Other repairs that got as far as training, by their changes: see `Visit.variant`."""
        return [name for name in self.trainings if name not in ("broken", "here", "twin")]

    @property
    def askable(self) -> bool:
        """Whether there is evidence to say by what is wrong: a stage fails, or none does."""
        failing = self.first_failing
        return self.whole is not None if failing is None else self.spoken(failing)

    @property
    def causes(self) -> list[str]:
        return causes(self.scenario, self.catalogue, self.learner)

    @property
    def patches(self) -> list[Fix | Cheat]:
        return shuffled(self.scenario.patches, self.learner, self.scenario.id, "changes")

    def with_patch(self, patch_id: str) -> tuple[str, ...]:
        """The changes with this one on top; those it does not go together with give way."""
        return stacked(self.scenario, self.visit.changes, patch_id)

    @property
    def blamed(self) -> list[Finding]:
        """What the stages found, once it may be shown."""
        return [found for stage in STAGES if self.open for found in self.faults(stage)]

    def faults(self, stage: StageName) -> list[Finding]:
        report = self.reports.get(stage)
        found = report.findings if report else ()
        return [finding for finding in found if finding.severity != "note"]
