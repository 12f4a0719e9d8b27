"""A finished run as one value: the command line prints it, the judge reads it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from debugger.outcome import (
    STAGES,
    Ending,
    Event,
    Evidence,
    Finding,
    Found,
    NotRun,
    Outcome,
    Point,
    Restarted,
    Shown,
    StageEnded,
    StageName,
    StageStarted,
    Weighed,
    worst,
)
from debugger.words import Words


@dataclass(frozen=True)
class StageReport:
    stage: StageName
    outcome: Ending = "not run"
    seconds: float = 0.0
    findings: tuple[Finding, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    not_run: tuple[NotRun, ...] = ()
    measured: dict[str, Any] = field(default_factory=dict)
    curves: dict[str, tuple[tuple[float, float | None], ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    outcome: Ending
    stages: tuple[StageReport, ...]
    device: str = "cpu"
    seconds: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)
    framework: str = ""
    language: str = "en"
    """What it speaks where nobody asks for another: when it is printed, or shown by a notebook."""
    weighed: Weighed | None = None
    """What its training was worth where the script does not run, if that was asked for."""

    @property
    def first_failing_stage(self) -> StageName | None:
        """The first stage with a fault, or where time, memory or the process ended."""
        return next((s.stage for s in self.stages if s.outcome in ("fail", "stopped")), None)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for stage in self.stages for finding in stage.findings)

    def stage(self, name: StageName) -> StageReport:
        return next(stage for stage in self.stages if stage.stage == name)

    def to_json(self, words: Words | None = None) -> dict[str, Any]:
        """The object of the command line's contract, sentences filled in."""
        words = (words or Words(self.language)).of(self.framework)
        return {
            "outcome": self.outcome,
            "first_failing_stage": self.first_failing_stage,
            "stages": [stage_to_json(stage, words) for stage in self.stages],
            "device": self.device,
            "framework": self.framework or None,
            "versions": self.versions,
        }


def gather(events: Iterable[Event]) -> Report:
    """The report of a whole stream, up to and with its outcome."""
    gathering = Gathering()
    for event in events:
        gathering.add(event)
        if gathering.report is not None:
            return gathering.report
    raise ValueError("a run ended without an outcome")


class Gathering:
    """A report that grows with its run: what is known of it can be asked for at any time."""

    def __init__(self) -> None:
        self.report: Report | None = None
        self._begin()

    def _begin(self) -> None:
        self._weighed: Weighed | None = None
        self._stages: dict[StageName, StageReport] = {name: StageReport(name) for name in STAGES}
        self._running: StageName = "setup"
        self._ended: set[StageName] = set()

    def add(self, event: Event) -> None:
        stages = self._stages
        match event:
            case Restarted():
                self._begin()
            case StageStarted(stage=name):
                self._running = name
            case Shown(evidence=evidence):
                _add(stages, evidence.stage, evidence=(evidence,))
            case Found(finding=finding):
                _add(stages, finding.stage, findings=(finding,))
            case Point():
                curves = dict(stages[event.stage].curves)
                curves[event.series] = (*curves.get(event.series, ()), (event.x, event.y))
                stages[event.stage] = replace(stages[event.stage], curves=curves)
            case StageEnded(stage=name):
                self._ended.add(name)
                stages[name] = replace(
                    stages[name],
                    outcome=event.outcome,
                    seconds=event.seconds,
                    not_run=event.not_run,
                    measured=event.measured,
                )
            case Weighed():
                self._weighed = event
            case Outcome(finding=finding):
                if finding is not None:
                    _add(stages, self._running, findings=(finding,))
                    stages[self._running] = replace(stages[self._running], outcome=event.outcome)
                self.report = Report(
                    event.outcome,
                    tuple(stages.values()),
                    event.device,
                    event.seconds,
                    event.versions,
                    event.framework,
                    weighed=self._weighed,
                )

    def stage(self, name: StageName) -> StageReport:
        return self._stages[name]

    @property
    def unfinished(self) -> StageName | None:
        """The stage in which the run was ended from outside, or is now."""
        return None if self._running in self._ended else self._running

    def so_far(self, device: str, seconds: float, framework: str) -> Report | None:
        """What is known of a run that is ended here; None where no stage has come to an end."""
        if not self._ended:
            return None
        stages = dict(self._stages)
        if self.unfinished is not None:
            stages[self.unfinished] = replace(stages[self.unfinished], outcome="stopped")
        endings: list[Ending] = [stage.outcome for stage in stages.values()]
        outcome = worst([*endings, "stopped"])
        return Report(outcome, tuple(stages.values()), device, seconds, framework=framework)


def _add(stages: dict[StageName, StageReport], name: StageName, **more: tuple[Any, ...]) -> None:
    fields = {key: (*getattr(stages[name], key), *items) for key, items in more.items()}
    stages[name] = replace(stages[name], **fields)


def stage_to_json(stage: StageReport, words: Words) -> dict[str, Any]:
    findings = [_finding_to_json(finding, words) for finding in stage.findings]
    return {
        "stage": stage.stage,
        "outcome": stage.outcome,
        "seconds": round(stage.seconds, 3),
        "findings": findings,
        "evidence": [asdict(evidence) for evidence in stage.evidence],
        "not_run": [asdict(rule) for rule in stage.not_run],
        "measured": stage.measured,
        "curves": stage.curves,
    }


def _finding_to_json(finding: Finding, words: Words) -> dict[str, Any]:
    """`cell` is told of a notebook alone, and `file` of a line that is none of the script's."""
    told = {**asdict(finding), "message": words.finding(finding)}
    return {n: v for n, v in told.items() if v is not None or n not in ("cell", "file")}
