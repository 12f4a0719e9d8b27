"""A report for a terminal: a line for each stage, the findings, the evidence that helps."""

import math
import textwrap
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debugger.outcome import Ending, Evidence, Finding, Severity
from debugger.printing.sentences import (
    MARKS,
    clean,
    conclusion,
    not_judged,
    plain,
    ran,
    setting,
    shape,
)
from debugger.report import Report, StageReport
from debugger.words import Words

ROWS = 6
LINES = 8
MESSAGE = 300
BARS = "▁▂▃▄▅▆▇█"
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


def to_text(
    report: Report, width: int = 80, colour: bool = False, words: Words | None = None
) -> str:
    """The report in at most `width` columns; `colour` adds terminal colours.

    Stages that passed are one line each, unless only one stage was run: then its evidence is
    shown. What the script printed is shown where it may say why the run ended. Nothing that a
    script put into the evidence can drive the terminal.
    """
    page = _Page(width, colour, words or Words())
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


def cells(text: str) -> int:
    """How many columns a terminal needs for `text`."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)


def cut(text: str, width: int) -> str:
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return text + "…"


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
                self.chart({"series": stage.curves})
            for sentence in not_judged(stage, self.words):
                self.line(sentence, 4, "dim")

    def finding(self, finding: Finding) -> None:
        where = "" if finding.line is None else f" {finding.line}"
        severity: Severity = finding.severity
        label = self.words.say("cli", "line" if where else severity, line=where.strip())
        self.line(f"{label}: {self.words.finding(finding)}", 4, severity)

    def evidence(self, evidence: Evidence, whole: bool) -> None:
        self.line(self.words.say("evidence", evidence.code), 4, "strong")
        show: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
            "text": self.text,
            "table": self.table,
            "tokens": self.tokens,
            "tensor": self.tensor,
            "chart": self.chart,
            "traceback": self.traceback,
        }
        show[evidence.kind](evidence.data)
        if whole and evidence.snippet:
            for line in evidence.snippet.strip().splitlines():
                self.row(f">>> {line}", 6, "dim")

    def text(self, data: Mapping[str, Any]) -> None:
        lines = str(data["text"]).strip().splitlines()
        for line in lines[:LINES]:
            self.row(line, 6)
        self.more(len(lines) - LINES, "more_lines")

    def more(self, count: int, code: str) -> None:
        if count > 0:
            self.line(self.words.say("cli", code, count=count), 6, "dim")

    def table(self, data: Mapping[str, Any]) -> None:
        rows = [[clean(plain(cell)) for cell in row] for row in data["rows"]]
        head = [clean(str(name)) for name in data["columns"]]
        shown = [head, *rows[:ROWS]]
        widths = _widths(shown, self.width - 6)
        for number, row in enumerate(shown):
            line = "  ".join(_padded(cell, width) for cell, width in zip(row, widths, strict=False))
            self.row(line.rstrip(), 6, "dim" if number == 0 else "")
        self.more(len(rows) - ROWS, "more_rows")

    def tokens(self, data: Mapping[str, Any]) -> None:
        for row in data["rows"][: ROWS // 2]:
            mask = row.get("mask") or [1] * len(row["tokens"])
            read = [t for t, kept in zip(row["tokens"], mask, strict=False) if kept]
            hidden = len(row["tokens"]) - len(read)
            tail = f" {self.words.say('cli', 'masked', count=hidden)}" if hidden else ""
            label = row.get("label")
            self.line(" ".join(map(str, read)) + tail, 6)
            if label is not None:
                self.row(f"→ {plain(label)}", 8)
        self.more(len(data["rows"]) - ROWS // 2, "more_rows")

    def tensor(self, data: Mapping[str, Any]) -> None:
        size = f"{data['dtype']} {shape(data['shape'])}"
        self.row(f"{size}, {plain(data.get('low'))} … {plain(data.get('high'))}", 6)

    def chart(self, data: Mapping[str, Any]) -> None:
        names = [*data["series"], *data.get("marks", {})]
        pad = max((cells(str(name)) for name in names), default=0)
        for name, points in data["series"].items():
            values = [point[1] for point in points]
            if values:
                ends = f"{plain(values[0])} → {plain(values[-1])}"
                self.row(f"{name:<{pad}}  {sparkline(values)}  {ends}", 6)
        for name, height in data.get("marks", {}).items():
            self.row(f"{name:<{pad}}  {plain(height)}", 6, "dim")

    def traceback(self, data: Mapping[str, Any]) -> None:
        said = f"{data['exception']}: {data['message']}"
        self.line(said if len(said) <= MESSAGE else said[: MESSAGE - 1] + "…", 6, "fault")
        own = [frame for frame in data["frames"] if frame["own"]]
        for frame in own:
            self.row(f"{_near(frame['file'])}:{frame['line']} {frame['name']}", 6, "dim")
            self.row(str(frame["code"]).strip(), 8)
        self.more(len(data["frames"]) - len(own), "more_frames")


def _near(file: str) -> str:
    """A path as the person who stands in the current folder would type it."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def sparkline(values: Sequence[float | None], width: int = 24) -> str:
    """A curve in one line of text; a step without a finite number is a gap."""
    step = max(1, -(-len(values) // width))
    picked = [None if v is None or not math.isfinite(v) else v for v in values[::step]]
    known = [value for value in picked if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    scale = (len(BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(" " if v is None else BARS[round((v - low) * scale)] for v in picked)


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Each column as wide as its widest cell; the widest give way until the table fits."""
    widths = [max(map(cells, column), default=0) for column in zip(*rows, strict=False)]
    while widths and sum(widths) + 2 * (len(widths) - 1) > room and max(widths) > 4:
        widths[widths.index(max(widths))] -= 1
    return widths


def _padded(cell: str, width: int) -> str:
    cell = cut(cell.replace("\n", " "), width)
    return cell + " " * (width - cells(cell))
