"""What every form of a report says in the same words: text, notebook and page."""

from collections.abc import Mapping

from debugger.outcome import Ending, Finding
from debugger.report import Report, StageReport
from debugger.words import Words

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
        where = next((place(f, words) for f in _faults(report) if f.line), None)
        code = "end_fail" if where is None else "end_fail_line"
        return words.say("cli", code, stage=stage, where=where)
    if report.outcome == "stopped":
        return words.say("cli", "end_stopped", stage=stage)
    unknown = [one.stage for one in report.stages if one.outcome == "unknown"]
    judged = len(ran(report)) - len(unknown)
    if report.outcome == "unknown" and unknown and judged:
        return words.say("cli", "end_partly", count=judged, stages=", ".join(unknown))
    code = {"pass": "end_pass", "look": "end_look"}.get(report.outcome, "end_unknown")
    return words.say("cli", code, count=len(ran(report)))


def waiting(place: int, wait: tuple[int, int] | None, words: Words) -> str:
    """Of a run that has not started: where it stands, and when its turn comes, if that is known."""
    if wait is None:
        return words.say("waiting", "place", place=place)
    least, most = wait
    unit, one = ("minutes", 60) if most > 60 else ("seconds", 1)
    low, high = least // one, -(-most // one)
    if low == high:
        said = words.say("waiting", unit, **{unit: high})
    elif low == 0:
        said = words.say("waiting", "soon" if one == 1 else "soon_minutes", **{unit: high})
    else:
        said = words.say("waiting", f"some_{unit}", least=low, **{unit: high})
    return words.say("waiting", "place_in", place=place, wait=said)


def heading(finding: Finding, words: Words) -> str:
    """How grave it is, and where: without colours, and to a reader of the screen, too."""
    severity, where = words.say("cli", finding.severity), place(finding, words)
    return (
        severity if where is None else words.say("cli", "found_at", severity=severity, place=where)
    )


def place(finding: Finding, words: Words) -> str | None:
    """Where in the script, in a file beside it, or in which cell of the notebook."""
    if finding.line is None:
        return None
    if finding.file is not None:
        return words.say("cli", "file_line", line=finding.line, file=finding.file)
    code = "line" if finding.cell is None else "cell_line"
    return words.say("cli", code, line=finding.line, cell=finding.cell)


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


def not_judged(stage: StageReport, words: Words, most: int | None = None) -> list[str]:
    """One sentence for each reason, with the rules it kept from judging; beyond `most`, a count."""
    rules: dict[str, list[str]] = {}
    for rule in stage.not_run:
        rules.setdefault(rule.reason, []).append(rule.rule)

    def named(names: list[str]) -> str:
        if most is not None and len(names) > most:
            return words.say("cli", "many_rules", count=len(names))
        return ", ".join(names)

    return [
        words.say("cli", "not_judged", rules=named(names), reason=words.say("reason", reason))
        for reason, names in rules.items()
    ]
