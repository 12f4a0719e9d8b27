"""Walks a script, or a Trainer that is already built, through the stages."""

from __future__ import annotations

import logging
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, get_args

from debugger.experiments.doubts import UNRELATED
from debugger.experiments.expert import Expert
from debugger.failure import failure_of, first_line, forget_source, remember_source
from debugger.frameworks import called
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
    Progress,
    Shown,
    StageEnded,
    StageName,
    StageStarted,
    Standing,
    worst,
)
from debugger.pipelines.face import Pipeline
from debugger.pipelines.training import Memory, Training
from debugger.report import Report, gather
from debugger.run import ALL, ON, WALK, Run, Way
from debugger.script.asked import asked_last
from debugger.script.building import Building, build
from debugger.script.check import answer
from debugger.script.enclosure import OPEN, Enclosure, Refusal
from debugger.script.places import Places
from debugger.script.sources import Sources
from debugger.stages import LOOKS, TRAINING, crashes, setup, train
from debugger.stages.judging import Stage, View, device_side_assert, judged

_OF_ROWS: tuple[StageName, ...] = ("data", "evaluate")
"""The stages that look at the rows to be judged by."""
LOST = device_side_assert.__name__
"""What says that nothing on a device can be read or written any more."""
NO_ROOM, UNREADABLE = "out_of_memory", "stage_unreadable"
LOG = logging.getLogger(__name__)

Tell = Callable[[Event], None]
Again = Callable[[Run, Tell], None]
"""Answers another stage of a script that is built, as if it were built anew."""


def perform(run: Run, emit: Tell, enclosure: Enclosure = OPEN) -> Again | None:
    """Answer one run. This is what a worker process calls; it ends with an Outcome.

    Where the script has built a pipeline, which a stage leaves as it was, more can be answered.
    """
    try:
        return (_check if run.check else _perform)(run, emit, enclosure)
    finally:
        forget_source()


def _check(run: Run, emit: Tell, enclosure: Enclosure) -> None:
    started = time.monotonic()
    check_built(build(run.script, run.filename, run.arguments, enclosure), run, emit, started)


def check_built(built: Building, run: Run, emit: Tell, started: float) -> None:
    """Answer the run's check over what is built in this very process, which is spoiled by it."""
    if (stands := built.stands) is None:
        raise ValueError("nothing was built that a check could be answered over")
    emit(Standing(stands.at, stands.line, os.fstat(1).st_size))
    ended = answer(stands, run.check)
    device = run.device if run.device != "auto" else "cpu"
    emit(_outcome(["pass" if ended else "fail"], device, started, built.framework))


def _perform(run: Run, emit: Tell, enclosure: Enclosure) -> Again | None:
    started = time.monotonic()
    emit(StageStarted("setup"))
    if run.device == "cuda" and not called(run.framework).load().has_cuda():
        _tell([Finding("no_cuda", "note", "setup")], StageEnded("setup", "unknown", 0.0), emit)
        emit(_outcome(["unknown"], "cpu", started, run.framework))
        return None
    built = build(run.script, run.filename, run.arguments, enclosure)
    emit = _placing(emit, built.sources)
    told: list[Event] = []
    setup_ended = _tell_setup(built, run, time.monotonic() - started, told.append)
    for event in told:
        emit(event)
    if built.trained is None or setup_ended.outcome in ("fail", "unknown", "stopped"):
        device = run.device if run.device != "auto" else "cpu"
        emit(_outcome([setup_ended.outcome], device, started, run.framework))
        return None
    pipeline = _pipeline(built)
    if run.against and enclosure.weights is not None:
        pipeline.leave(enclosure.weights)
    places = Places(run.script, built.training_line, built.sources)
    names = {} if built.stands is None else built.stands.names
    view = View(pipeline.facts, places, True, names, built.heard, enclosure.walled)
    other = cache(lambda: _asked_last(pipeline, view, built, run.script))

    def finish(run: Run, emit: Tell, started: float) -> None:
        with enclosure.kept_alone():
            endings: list[Ending] = [setup_ended.outcome, *_walk(pipeline, view, run, emit, other)]
        emit(_outcome(endings, pipeline.facts.device, started, run.framework))

    def again(run: Run, emit: Tell) -> None:
        started, emit = time.monotonic(), _placing(emit, built.sources)
        remember_source(run.filename, run.script, built.sources.numbered)
        try:
            for event in (StageStarted("setup"), *told):
                emit(event)
            finish(run, emit, started)
        finally:
            forget_source()

    finish(run, emit, started)
    return again


def _placing(tell: Tell, sources: Sources) -> Tell:
    """Findings name the file that a line stands in, where it is none of the script."""

    def placed(event: Event) -> None:
        tell(
            replace(event, finding=sources.placed(event.finding))
            if isinstance(event, Found)
            else event
        )

    return placed


def diagnose_built(
    built: Building,
    stage: StageName | Way = WALK,
    steps: int = 120,
    tell: Tell | None = None,
    experiments: bool = True,
) -> Report:
    """The same stages over what is built in this very process. It is left exactly as it was."""
    started = time.monotonic()
    pipeline = _pipeline(built)
    events: list[Event] = [StageStarted("setup"), StageEnded("setup", "pass", 0.0)]

    def emit(event: Event) -> None:
        events.append(event)
        if tell is not None:
            tell(event)

    run = Run("", stage, steps=steps, experiments=experiments)
    endings = _walk(pipeline, View(pipeline.facts), run, emit)
    emit(_outcome(["pass", *endings], pipeline.facts.device, started, built.framework))
    return gather(events)


def compare(report: Report, twin: Report) -> Report:
    """The report with the twin's training beside its own, when both were trained."""
    here, there = report.stage("train"), twin.stage("train")
    losses, twin_losses = here.measured.get("losses"), there.measured.get("losses")
    if not losses or not twin_losses:
        return report
    parted = train.parted_at(losses, twin_losses)
    chart = Evidence(
        "chart",
        "beside_twin",
        "train",
        {
            "series": {
                "loss": [[n, y] for n, y in enumerate(losses, 1)],
                "twin_loss": [[n, y] for n, y in enumerate(twin_losses, 1)],
                "accuracy": here.measured.get("accuracies", []),
                "twin_accuracy": there.measured.get("accuracies", []),
            },
            "marks": {},
            "parted_at": parted,
        },
    )
    findings = here.findings
    accuracy, wanted = here.measured.get("accuracy"), there.measured.get("accuracy")
    if parted is not None and accuracy is not None and wanted is not None:
        numbers = {"step": parted, "accuracy": accuracy, "twin": wanted}
        findings += (Finding("parts_from_twin", "note", "train", None, numbers),)
    changed = replace(here, findings=findings, evidence=(*here.evidence, chart))
    return replace(report, stages=tuple(changed if s is here else s for s in report.stages))


def versions(framework: str) -> dict[str, str]:
    python = ".".join(str(part) for part in sys.version_info[:3])
    return {"python": python, **called(framework).found_versions()}


def _outcome(endings: list[Ending], device: str, started: float, framework: str) -> Outcome:
    seconds = time.monotonic() - started
    return Outcome(worst(endings), device, seconds, versions(framework), framework=framework)


def _pipeline(built: Building) -> Pipeline:
    return called(built.framework).load().pipeline(built.trained, built.earlier)


def _tell_setup(built: Building, run: Run, seconds: float, emit: Tell) -> StageEnded:
    findings = setup.findings(built, run.script)
    for evidence in setup.show(built):
        emit(Shown(evidence))
    ended = StageEnded("setup", _ending(findings, built.failure is None), seconds)
    if built.trained is None and ended.outcome == "pass":
        ended = replace(ended, outcome="unknown")
    _tell(findings, ended, emit)
    return ended


@dataclass(frozen=True)
class _Other:
    """The same training beside other rows to judge it by."""

    pipeline: Pipeline
    view: View


def _asked_last(pipeline: Pipeline, view: View, built: Building, script: str) -> _Other | None:
    """The rows that the script asks its trained model about, where they are not those that the
    training is shown."""
    for one in asked_last(script, built.training_line, view.names):
        try:
            made = pipeline.judged_by(one.owner, one.rows, one.labels)
        except Exception:  # then these rows are no such set
            LOG.info("the rows asked about behind the training could not be read", exc_info=True)
            continue
        if made is not None:
            places = Places(one.text, built.training_line, built.sources)
            return _Other(made, replace(view, places=places, asked_behind=True))
    return None


def _walk(
    pipeline: Pipeline,
    view: View,
    run: Run,
    emit: Tell,
    other: Callable[[], _Other | None] = lambda: None,
) -> list[Ending]:
    left_out, stage = () if run.steps else TRAINING, run.stage
    wanted = [n for n in LOOKS if stage in (WALK, ON, ALL, n.name) and n.name not in left_out]
    called = run.experiments and not view.facts.cut_short  # else they would explain that alone
    expert = Expert(called, last=wanted[-1].name if wanted else None)
    endings: list[Ending] = []
    blocked: dict[StageName, str] = {}
    for look in wanted:
        if look.name in blocked:
            reason = blocked[look.name]
            emit(StageEnded(look.name, "not run", 0.0, (NotRun(look.name, reason),)))
            continue
        ended, broke, faults = _one(look, pipeline, view, run, emit, expert, other)
        endings.append(ended.outcome)
        if stage == WALK and ended.outcome in ("fail", "stopped"):
            break
        if stage == ON and (ended.outcome == "stopped" or (broke and look.name != "evaluate")):
            break
        if broke:
            blocked |= dict.fromkeys(look.blocks, f"needs_{look.name}")
        if LOST in faults:
            blocked |= dict.fromkeys(STAGES[STAGES.index(look.name) + 1 :], "device_is_lost")
        elif stage == ON and look.name != "evaluate" and faults - UNRELATED:
            blocked |= dict.fromkeys(TRAINING, "explained_already")
    return endings


def _one(
    look: Stage[Any],
    pipeline: Pipeline,
    view: View,
    run: Run,
    emit: Tell,
    expert: Expert,
    other: Callable[[], _Other | None],
) -> tuple[StageEnded, bool, frozenset[str]]:
    """One stage, whether it ended in an exception that later stages would meet too, its faults."""
    emit(StageStarted(look.name))
    started, steps = time.monotonic(), look.steps or run.steps

    def point(series: str, x: float, y: float | None) -> None:
        emit(Point(look.name, series, x, y if y is None or math.isfinite(y) else None))
        if series == "loss":
            emit(Progress(look.name, int(x), steps))

    def tell(done: int, of: int) -> None:
        emit(Progress(look.name, done, of))

    try:
        seen = look.observe(pipeline, point, steps, run.seconds)
        shown = look.show(seen, view.facts)
        findings, not_run = judged(look.name, look.rules, seen, view, crashes.RULES)
        if look.name in _OF_ROWS and seen.failure is None and (held := other()) is not None:
            findings += _said_of(held, look, findings)
        if isinstance(seen, Memory | Training) and seen.out_of_time:
            not_run = [_for_want_of_time(one) for one in not_run]
        measured = look.measured(seen)
        losses = measured.get("losses") or ()
        learns = isinstance(seen, Training) and train.surely_learns(seen)
        tried = expert.asked(pipeline, look, findings, not_run, view.places, tell, losses, learns)
    except Exception as error:
        outcome, why = _not_looked_at(look.name, error, view)
        ended = StageEnded(look.name, outcome, time.monotonic() - started)
        _tell([why], ended, emit)
        return ended, why.code != UNREADABLE, frozenset({why.code} & {LOST})
    for evidence in (*shown, *tried.evidence):
        emit(Shown(evidence))
    findings = tried.around(findings)
    outcome = _ending(findings, anything_judged=len(not_run) < len(look.rules))
    not_run += tried.not_run
    ended = StageEnded(look.name, outcome, time.monotonic() - started, tuple(not_run), measured)
    _tell(findings, ended, emit)
    faults = frozenset(f.code for f in findings if f.severity == "fault")
    return ended, seen.failure is not None, faults


def _not_looked_at(stage: StageName, error: Exception, view: View) -> tuple[Ending, Finding]:
    """What stood in the way of looking: no room, a device that is lost, or the clinic itself."""
    failure = failure_of(error)
    if failure.out_of_memory:
        return "stopped", Finding(NO_ROOM, "note", stage, None, {"device": view.facts.device})
    if failure.device_lost:  # it is told late, to whoever happens to read next
        return "fail", Finding(LOST, "fault", stage, None, {"said": first_line(failure.message)})
    LOG.exception("stage %s could not look at this pipeline", stage)
    numbers = {"exception": type(error).__name__, "said": str(error)[:300]}
    return "unknown", Finding(UNREADABLE, "note", stage, None, numbers)


def _said_of(other: _Other, look: Stage[Any], findings: list[Finding]) -> list[Finding]:
    """What is found of the other rows alone."""
    seen = look.observe(other.pipeline, lambda *_: None, 0, None)
    found, _ = judged(look.name, look.rules, seen, other.view)
    known = {one.code for one in findings}
    return [one for one in found if one.code not in known]


def _for_want_of_time(one: NotRun) -> NotRun:
    return replace(one, reason="too_little_time") if one.reason == "too_few_steps" else one


def _tell(findings: list[Finding], ended: StageEnded, emit: Tell) -> None:
    for finding in findings:
        emit(Found(finding))
    emit(ended)


def _ending(findings: list[Finding], anything_judged: bool) -> Ending:
    codes = {finding.code for finding in findings}
    severities = {finding.severity for finding in findings}
    if NO_ROOM in codes:
        return "stopped"
    if "fault" in severities:
        return "fail"
    if codes & {*get_args(Refusal)}:
        return "unknown"
    if "look" in severities:
        return "look"
    return "pass" if anything_judged else "unknown"
