"""What the judge said, for a program and for a person."""

import textwrap
from dataclasses import asdict
from typing import Any

from debugger.evidence.plain import plain
from debugger.judge import Judgement
from debugger.printing.text import to_text as report_to_text
from debugger.report import Report
from debugger.words import Words


def to_json(verdict: Judgement, report: Report, words: Words) -> dict[str, Any]:
    """The object of `judge --json`."""
    told = asdict(verdict)
    del told["proof"]  # of what was typed on a page
    return {**told, "stages": report.to_json(words)["stages"]}


def to_text(verdict: Judgement, report: Report, words: Words, width: int, colour: bool) -> str:
    """The report of the repaired script, then the verdict and everything that is missing."""
    lines = [report_to_text(report, width, colour, words)]
    lines.append(words.say("cli", "cured" if verdict.cured else "not_cured"))
    for code in verdict.missing:
        lines += textwrap.wrap(
            words.say("missing", code), width, initial_indent="  - ", subsequent_indent="    "
        )
    if "accuracy" in verdict.metric and "accuracy" in verdict.twin_metric:
        mine, twin = (plain(m["accuracy"]) for m in (verdict.metric, verdict.twin_metric))
        lines.append(words.say("cli", "metrics", value=mine, twin=twin))
    return "\n".join(lines) + "\n"
