"""What speaks against a wrong diagnosis: the evidence where it would show, as it really is.

A sentence under `[ruled_out]` says what it would look like. It is said only where the rule of that
cause has looked and found nothing.
"""

from __future__ import annotations

from debugger.evidence.html import shown
from debugger.evidence.markup import escape
from debugger.outcome import STAGES, Evidence, StageName
from debugger.report import StageReport
from debugger.web.scene import Scene
from debugger.web.visit import NOTHING_WRONG
from debugger.words import Words

WITNESSES: dict[str, tuple[StageName, str]] = {
    "renamed_argument": ("setup", ""),
    "keras3_optimizer": ("setup", ""),
    "takes_all_memory": ("setup", ""),
    "raw_text": ("data", "columns"),
    "second_sentence_dropped": ("data", "decoded"),
    "imbalanced": ("data", "label_counts"),
    "ragged_rows": ("data", ""),
    "labels_in_the_inputs": ("data", "entry"),
    "ragged_batch": ("batch", "fields"),
    "pads_from_map": ("batch", "fields"),
    "text_columns": ("batch", "fields"),
    "label_outside_head": ("forward", "head"),
    "nan_at_labels": ("forward", "head"),
    "one_label": ("forward", "head"),
    "trained_already": ("forward", ""),
    "loss_expects_probabilities": ("forward", "loss_of_each"),
    "out_of_memory": ("forward", "logits"),
    "everything_frozen": ("step", "optimizer"),
    "not_in_optimizer": ("step", "blocks"),
    "learning_rate_too_high": ("step", "optimizer"),
    "default_behind_a_string": ("step", "optimizer"),
    "schedule_too_long": ("step", "optimizer"),
    "missing_zero_grad": ("step", ""),
    "logits_into_metric": ("evaluate", "into_metric"),
    "blind_training": ("evaluate", "evaluations"),
    "label_order": ("evaluate", "label_names"),
    "labels_put_by_hand": ("train", "decoded"),
}
"""The stage whose rule looks for a cause, and the piece of evidence to read, of whichever stage."""


def against(scene: Scene, cause: str, words: Words) -> str:
    said, seen = _against(scene, cause, words)
    piece = "" if seen is None else shown(seen, words, beside_script=True)
    return f"<p>{escape(said)}</p>{piece}"


def _against(scene: Scene, cause: str, words: Words) -> tuple[str, Evidence | None]:
    failing = scene.first_failing
    word = "not_passed" if cause == NOTHING_WRONG else "stops_at"
    if cause in WITNESSES:
        stage, code = WITNESSES[cause]
        report = scene.reports.get(stage)
        piece = _piece(scene, code)
        if report is not None and _looked_in_vain(report, cause) and (piece or not code):
            return words.say("ruled_out", cause), piece
        if failing is not None and STAGES.index(failing) < STAGES.index(stage):
            word = "stops_before"
    if failing is None:
        return words.say("clinic", "not_ruled_out"), None
    said = words.say("clinic", word, stage=words.say("short", failing))
    return said, _loudest(scene.reports[failing])


def _looked_in_vain(report: StageReport, cause: str) -> bool:
    """Whether that stage was run, and the rule of that cause could judge and found nothing."""
    fired = any(finding.code == cause for finding in report.findings)
    could_not = any(rule.rule == cause for rule in report.not_run)
    return report.outcome in ("pass", "look", "fail") and not fired and not could_not


def _piece(scene: Scene, code: str) -> Evidence | None:
    seen = (one for report in scene.reports.values() for one in report.evidence)
    return next((one for one in seen if one.code == code), None)


def _loudest(report: StageReport) -> Evidence | None:
    """The traceback, else what the stage shows first."""
    seen = [one for one in report.evidence if one.code != "console"]
    return next((one for one in seen if one.kind == "traceback"), next(iter(seen), None))
