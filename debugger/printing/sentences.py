"""What both forms of a report say in the same words."""

import re
from collections.abc import Mapping
from typing import Any

from debugger.outcome import Ending, Finding
from debugger.report import Report, StageReport
from debugger.words import Words

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MARKS: Mapping[Ending, str] = {
    "pass": "✓",
    "look": "!",
    "fail": "✗",
    "unknown": "?",
    "stopped": "■",
    "not run": "·",
}


def ran(report: Report) -> list[StageReport]:
    return [stage for stage in report.stages if stage.outcome != "not run"]


def conclusion(report: Report, words: Words) -> str:
    """The one sentence that a hurried reader needs."""
    stage = report.first_failing_stage or ""
    if report.outcome == "fail":
        line = next((f.line for f in _faults(report) if f.line), None)
        code = "end_fail" if line is None else "end_fail_line"
        return words.say("cli", code, stage=stage, line=line)
    if report.outcome == "stopped":
        return words.say("cli", "end_stopped", stage=stage)
    code = {"pass": "end_pass", "look": "end_look"}.get(report.outcome, "end_unknown")
    stages = len(ran(report))
    return words.say("cli", code, stages=f"{stages} stage{'' if stages == 1 else 's'}")


def _faults(report: Report) -> list[Finding]:
    return [
        finding
        for stage in report.stages
        if stage.stage == report.first_failing_stage
        for finding in stage.findings
        if finding.severity == "fault"
    ]


def setting(report: Report, words: Words) -> str:
    """Where the answer came from: device, seconds, versions."""
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    return words.say(
        "cli", "where", device=report.device, seconds=f"{report.seconds:.1f}", versions=versions
    ).rstrip(" ·")


def not_judged(stage: StageReport, words: Words) -> list[str]:
    """One sentence for each reason, with the rules it kept from judging."""
    rules: dict[str, list[str]] = {}
    for rule in stage.not_run:
        rules.setdefault(rule.reason, []).append(rule.rule)
    return [
        words.say("cli", "not_judged", rules=", ".join(names), reason=words.say("reason", reason))
        for reason, names in rules.items()
    ]


def plain(value: Any) -> str:
    """A cell or a number as a person writes it: fractions with four digits, no None."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e9 else f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(plain(item) for item in value) + "]"
    return str(value)


def shape(value: Any) -> str:
    return " × ".join(str(size) for size in value) or "1"


def clean(text: str) -> str:
    """`text` with its control characters made visible, so that they do nothing."""
    return CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text.expandtabs(4))
