"""Walks a script, or a Trainer that is already built, through the stages."""

from __future__ import annotations

import logging
import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from types import ModuleType

from debugger import script
from debugger.failure import forget_source
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
    worst,
)
from debugger.pipelines.face import Pipeline
from debugger.report import Report, gather
from debugger.run import ALL, WALK, Framework, Run
from debugger.stages import (
    View,
    batch,
    data,
    evaluate,
    forward,
    judged,
    overfit,
    setup,
    step,
    train,
)

LOG = logging.getLogger(__name__)
MODULES: dict[StageName, ModuleType] = {
    "data": data,
    "batch": batch,
    "forward": forward,
    "step": step,
    "evaluate": evaluate,
    "overfit": overfit,
    "train": train,
}
_NEEDS: dict[StageName, tuple[StageName, ...]] = {
    "batch": ("forward", "step", "evaluate", "overfit", "train"),
    "forward": ("step", "evaluate", "overfit", "train"),
    "step": ("overfit", "train"),
}
"""A stage that ended in an exception, and the stages that would only meet the same one again."""
TRAINING: tuple[StageName, ...] = ("overfit", "train")
_VERSIONS: dict[Framework, tuple[str, ...]] = {
    "pytorch": ("transformers", "torch", "datasets", "evaluate", "accelerate", "numpy"),
    "keras": ("transformers", "tensorflow", "tf-keras", "datasets", "evaluate", "numpy"),
}

Tell = Callable[[Event], None]


def perform(run: Run, emit: Tell) -> None:
    """Answer one run. This is what a worker process calls; it ends with an Outcome."""
    try:
        _perform(run, emit)
    finally:
        forget_source()


def _perform(run: Run, emit: Tell) -> None:
    started = time.monotonic()
    emit(StageStarted("setup"))
    if run.device == "cuda" and not _has_cuda(run.framework):
        _tell([Finding("no_cuda", "note", "setup")], StageEnded("setup", "unknown", 0.0), emit)
        emit(Outcome("unknown", "cpu", time.monotonic() - started, versions(run.framework)))
        return
    built = script.build(run.script, run.filename, run.arguments)
    setup_ended = _tell_setup(built, run, time.monotonic() - started, emit)
    endings: list[Ending] = [setup_ended.outcome]
    device = run.device if run.device != "auto" else "cpu"
    if built.trainer is not None and setup_ended.outcome not in ("fail", "unknown", "stopped"):
        pipeline = _pipeline(built)
        device = pipeline.facts.device
        view = View(pipeline.facts, script.Places(run.script), has_script=True)
        endings += _walk(pipeline, view, run.stage, run.steps, emit)
    emit(Outcome(worst(endings), device, time.monotonic() - started, versions(run.framework)))


def diagnose_built(
    built: script.Building, stage: str = WALK, steps: int = 120, tell: Tell | None = None
) -> Report:
    """The same stages over what is built in this very process. It is left exactly as it was."""
    started = time.monotonic()
    pipeline = _pipeline(built)
    events: list[Event] = [StageStarted("setup"), StageEnded("setup", "pass", 0.0)]

    def emit(event: Event) -> None:
        events.append(event)
        if tell is not None:
            tell(event)

    endings = _walk(pipeline, View(pipeline.facts), stage, steps, emit)
    seconds = time.monotonic() - started
    used = versions(built.framework)
    emit(Outcome(worst(["pass", *endings]), pipeline.facts.device, seconds, used))
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
                "loss of the twin": [[n, y] for n, y in enumerate(twin_losses, 1)],
                "accuracy": here.measured.get("accuracies", []),
                "accuracy of the twin": there.measured.get("accuracies", []),
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


def versions(framework: Framework) -> dict[str, str]:
    found = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    for name in _VERSIONS[framework]:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _has_cuda(framework: Framework) -> bool:
    if framework == "keras":
        import tensorflow

        return bool(tensorflow.config.list_physical_devices("GPU"))
    import torch

    return torch.cuda.is_available()


def _pipeline(built: script.Building) -> Pipeline:
    if built.framework == "keras":
        from debugger.pipelines.keras import KerasPipeline

        return KerasPipeline(built.trainer)
    from debugger.pipelines.trainer import TrainerPipeline

    return TrainerPipeline(built.trainer, built.earlier)


def _tell_setup(built: script.Building, run: Run, seconds: float, emit: Tell) -> StageEnded:
    findings = setup.findings(built, run.script)
    for evidence in setup.show(built):
        emit(Shown(evidence))
    ended = StageEnded("setup", _ending(findings, built.failure is None), seconds)
    if built.trainer is None and ended.outcome == "pass":
        ended = replace(ended, outcome="unknown")
    _tell(findings, ended, emit)
    return ended


def _walk(pipeline: Pipeline, view: View, stage: str, steps: int, emit: Tell) -> list[Ending]:
    left_out = () if steps else TRAINING
    wanted: list[StageName] = [
        n for n in STAGES[1:] if stage in (WALK, ALL, n) and n not in left_out
    ]
    endings: list[Ending] = []
    blocked: dict[StageName, StageName] = {}
    for name in wanted:
        if name in blocked:
            emit(StageEnded(name, "not run", 0.0, (NotRun(name, f"needs_{blocked[name]}"),)))
            continue
        ended, broke = _one(name, pipeline, view, steps, emit)
        endings.append(ended.outcome)
        if stage == WALK and ended.outcome in ("fail", "stopped"):
            break
        if broke:
            blocked |= dict.fromkeys(_NEEDS.get(name, ()), name)
    return endings


def _one(
    name: StageName, pipeline: Pipeline, view: View, steps: int, emit: Tell
) -> tuple[StageEnded, bool]:
    """One stage, and whether it ended in an exception that later stages would meet too."""
    emit(StageStarted(name))
    module, started = MODULES[name], time.monotonic()
    of = steps if name == "train" else overfit.STEPS

    def point(series: str, x: float, y: float | None) -> None:
        emit(Point(name, series, x, y if y is None or math.isfinite(y) else None))
        if series == "loss":
            emit(Progress(name, int(x), of))

    try:
        more = (steps,) if name == "train" else ()
        seen = module.observe(pipeline, point, *more)
        shown = module.show(seen, view.facts)
        findings, not_run = judged(name, module.RULES, seen, view)
        measured = module.measured(seen)
    except Exception as error:
        LOG.exception("stage %s could not look at this pipeline", name)
        numbers = {"exception": type(error).__name__, "said": str(error)[:300]}
        ended = StageEnded(name, "unknown", time.monotonic() - started)
        _tell([Finding("stage_unreadable", "note", name, None, numbers)], ended, emit)
        return ended, False
    for evidence in shown:
        emit(Shown(evidence))
    judged_all = len(not_run) < len(module.RULES)
    outcome = _ending(findings, judged_all)
    ended = StageEnded(name, outcome, time.monotonic() - started, tuple(not_run), measured)
    _tell(findings, ended, emit)
    return ended, seen.failure is not None


def _tell(findings: list[Finding], ended: StageEnded, emit: Tell) -> None:
    for finding in findings:
        emit(Found(finding))
    emit(ended)


def _ending(findings: list[Finding], anything_judged: bool) -> Ending:
    codes = {finding.code for finding in findings}
    severities = {finding.severity for finding in findings}
    if "out_of_memory" in codes:
        return "stopped"
    if "fault" in severities:
        return "fail"
    if "look" in severities:
        return "look"
    return "pass" if anything_judged else "unknown"
