"""A report for a terminal: a line for each stage, the findings, the evidence that helps."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from debugger.evidence.plain import clean
from debugger.evidence.text import Line, chart, cut, shown
from debugger.outcome import Ending, Evidence, Finding
from debugger.printing.sentences import MARKS, conclusion, heading, not_judged, ran, setting
from debugger.report import Report, StageReport
from debugger.words import Words

PAINT: Mapping[str, str] = {
    "pass": "32",
    "look": "33",
    "fail": "31",
    "unknown": "33",
    "stopped": "31",
    "not run": "2",
    "fault": "31",
    "note": "2",
    "dim": "2",
    "strong": "1",
}
MOST_NAMES = 3


def to_text(
    report: Report, width: int = 80, colour: bool = False, words: Words | None = None
) -> str:
    """The report in at most `width` columns; `colour` adds terminal colours.

    Stages that passed are one line each, unless only one stage was run: then its evidence is
    shown. What the script printed is shown where it may say why the run ended. Nothing that a
    script put into the evidence can drive the terminal.
    """
    page = _Page(width, colour, (words or Words()).of(report.framework))
    stages = ran(report)
    for stage in stages:
        page.stage(stage, whole=len(stages) == 1)
    rest = [stage.stage for stage in report.stages if stage not in stages]
    if rest:
        page.not_run(rest)
    page.line()
    page.line(conclusion(report, page.words), paint="strong")
    page.line(setting(report, page.words), paint="dim")
    return "\n".join(page.lines) + "\n"


@dataclass
class _Page:
    width: int
    colour: bool
    words: Words

    def __post_init__(self) -> None:
        self.lines: list[str] = []

    def line(self, text: str = "", indent: int = 0, paint: str = "") -> None:
        """A paragraph, wrapped and indented."""
        room = max(self.width - indent, 20)
        for part in textwrap.wrap(clean(text), room) or [""]:
            self.lines.append(" " * indent + self._painted(part, paint))

    def row(self, text: str, indent: int = 0, paint: str = "") -> None:
        """One line, cut where the terminal ends."""
        room = max(self.width - indent, 20)
        self.lines.append(" " * indent + self._painted(cut(clean(text), room), paint))

    def _painted(self, text: str, paint: str) -> str:
        return f"\x1b[{PAINT[paint]}m{text}\x1b[0m" if self.colour and paint else text

    def mark(self, ending: Ending, name: str, seconds: float | None = None) -> None:
        state = self.words.say("outcome", ending)
        after = "" if seconds is None else f" {seconds:7.2f} s"
        head = self._painted(f"{MARKS[ending]} {state:<19}", ending)
        self.lines.append(f"{head} {name:<9}{after}".rstrip())

    def not_run(self, names: Sequence[str]) -> None:
        head = f"{MARKS['not run']} {self.words.say('outcome', 'not run'):<19}"
        for part in textwrap.wrap(", ".join(names), max(self.width - len(head) - 1, 10)):
            self.lines.append(f"{self._painted(head, 'not run')} {part}")
            head = " " * len(head)

    def stage(self, stage: StageReport, whole: bool) -> None:
        self.mark(stage.outcome, stage.stage, stage.seconds)
        for finding in stage.findings:
            self.finding(finding)
        if whole or stage.outcome not in ("pass", "not run"):
            for evidence in stage.evidence:
                if evidence.code != "console" or stage.outcome in ("stopped", "unknown"):
                    self.evidence(evidence, whole)
            if stage.curves and not any(shown.kind == "chart" for shown in stage.evidence):
                self.add(chart({"series": stage.curves}, self.words))
            for sentence in not_judged(stage, self.words, MOST_NAMES):
                self.line(sentence, 4, "dim")

    def finding(self, finding: Finding) -> None:
        said = f"{heading(finding, self.words)}: {self.words.finding(finding)}"
        self.line(said, 4, finding.severity)

    def evidence(self, evidence: Evidence, whole: bool) -> None:
        self.line(self.words.say("evidence", evidence.code), 4, "strong")
        self.add(shown(evidence, self.words, self.width - 6))
        if whole and evidence.snippet:
            for line in evidence.snippet.strip().splitlines():
                self.row(f">>> {line}", 6, "dim")

    def add(self, lines: Iterable[Line]) -> None:
        for line in lines:
            put = self.line if line.wraps else self.row
            put(line.text, 6 + line.indent, line.paint)
