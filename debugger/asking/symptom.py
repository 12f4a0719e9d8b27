"""What a shorter script must still show: how it crashes, or what is found in it where it runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from debugger.asking.paths import without_paths
from debugger.failure import first_line
from debugger.outcome import StageName
from debugger.report import Report, StageReport
from debugger.run import WALK, Run
from debugger.stages import TRAINING
from debugger.stages.train import steps_for

FEW_STEPS = 2
NOT_ITS_OWN = (
    "cancelled",
    "out_of_time",
    "stage_out_of_time",
    "killed",
    "queue_full",
    "server_stops",
    "disk_full",
    "cluster_gone",
    "node_died",
    "too_much_output",
    "too_many_events",
    "arguments_refused",
    "exits_early",
    "asks_for_input",
)
"""Findings that nobody else can help with: the clinic's limits, and what its author meant to do."""
_TRAINS = re.compile(r"\.(?:train|fit)\(")
_VARIES = re.compile(r"0x[0-9a-fA-F]+|_?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


@dataclass(frozen=True)
class Symptom:
    """A crash has an exception and the first line of its message; what only runs wrong a code.

    `codes` are those of the faults: with a crash, all that its stage may find. `notes` are what the
    setup remarks: a shorter script that gives reason for others, such as that it never trains, is
    another script. `steps` are those that show it; `trains`: a call in its text starts a training.
    """

    stage: StageName
    exception: str = ""
    message: str = ""
    codes: frozenset[str] = frozenset()
    notes: frozenset[str] = frozenset()
    steps: int = FEW_STEPS
    trains: bool = False

    def possible(self, script: str) -> bool:
        """Whether what shows in a training can show: it has to be started."""
        return self.stage == "setup" or not self.trains or bool(_TRAINS.search(script))

    def runs(self, whole: Run) -> tuple[Run, ...]:
        """Those that show it, the cheapest first. What only runs wrong must not crash later."""
        alone = replace(whole, stage=self.stage, steps=self.steps)
        if self.stage in TRAINING or self.stage == "setup":
            return (alone,)
        looked = alone if self.exception else replace(whole, stage=WALK, steps=0)
        return looked, replace(whole, stage="train", steps=FEW_STEPS)

    def shown_by(self, report: Report, run: Run) -> bool:
        """Whether one of its runs shows it; of the training behind it, whether it goes on."""
        if not _remarks(report) <= self.notes:
            return False
        crash = crash_of(report)
        if run.stage == "train" and self.stage != "train":
            return crash is None and report.outcome != "stopped"
        if self.exception:
            if crash is None or crash[0].stage != self.stage:
                return False
            same = _said(crash[1]) == (self.exception, self.message)
            return same and _codes(report, self.stage) <= self.codes
        failing = report.first_failing_stage
        codes = _codes(report, self.stage)
        same = self.codes <= codes if self.codes else not codes
        return same and failing in (None, self.stage)

    def as_quickly(self, quick: Report, whole: Run) -> Symptom:
        """What to look for in runs as short as the one that gave this report of the whole script.

        TensorFlow says it otherwise where it need not go on for long. Without a crash in it, runs
        have to be as long as the whole one.
        """
        (run,) = self.runs(whole)
        if self.shown_by(quick, run):
            return self
        other = crashed(quick, whole.script)
        if other is None or other.stage != self.stage:
            return replace(self, steps=whole.steps)
        return replace(other, steps=self.steps)


def whole_run(run: Run) -> Run:
    """The script as its author runs it, as far as shows how its training begins."""
    return replace(run, stage="train", steps=steps_for("train", 0))


def crashed(report: Report, script: str) -> Symptom | None:
    """The symptom of a script that an exception ends."""
    crash = crash_of(report)
    if crash is None or _codes(report, crash[0].stage) & set(NOT_ITS_OWN):
        return None
    stage, data = crash
    exception, message = _said(data)
    done = max((int(x) for points in stage.curves.values() for x, _ in points), default=0)
    steps, trains = max(FEW_STEPS, done + 1), bool(_TRAINS.search(script))
    codes = _codes(report, stage.stage)
    return Symptom(stage.stage, exception, message, codes, _remarks(report), steps, trains)


def runs_wrong(walked: Report, script: str, steps: int) -> Symptom | None:
    """The symptom of one that runs, and in which a walk through the stages finds a fault."""
    stage = walked.first_failing_stage
    if stage is None:
        return None
    faults = [f.code for f in walked.stage(stage).findings if f.severity == "fault"]
    if not faults or set(faults) & set(NOT_ITS_OWN):
        return None
    trains = bool(_TRAINS.search(script))
    return Symptom(
        stage, codes=frozenset(faults[:1]), notes=_remarks(walked), steps=steps, trains=trains
    )


def only_runs(report: Report, script: str, steps: int) -> Symptom:
    """That of one in which nothing is found: it trains, and nothing is found in that."""
    trains = bool(_TRAINS.search(script))
    return Symptom("train", notes=_remarks(report), steps=steps, trains=trains)


def crash_of(report: Report) -> tuple[StageReport, dict[str, Any]] | None:
    """The stage that an exception ended, and its traceback."""
    for stage in report.stages:
        for evidence in stage.evidence if stage.outcome in ("fail", "stopped") else ():
            if evidence.kind == "traceback":
                return stage, evidence.data
    return None


def _said(data: dict[str, Any]) -> tuple[str, str]:
    return data["exception"], _VARIES.sub("", without_paths(first_line(data["message"])))


def _codes(report: Report, stage: StageName) -> frozenset[str]:
    findings: Sequence[Any] = report.stage(stage).findings
    return frozenset(finding.code for finding in findings if finding.severity == "fault")


def _remarks(report: Report) -> frozenset[str]:
    findings = report.stage("setup").findings
    return frozenset(finding.code for finding in findings if finding.severity == "note")
