"""What a person gave as a script: a Python file or a notebook. What is neither is one sentence."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from debugger.arguments import Usage
from debugger.outcome import Evidence, Finding
from debugger.report import Report, StageReport
from debugger.script import notebook
from debugger.script.notebook import NoNotebook, Notebook
from debugger.script.sources import LINES_IN
from debugger.words import Words

_DOCUMENTS = (".md", ".rmd", ".qmd")


@dataclass(frozen=True)
class Given:
    """Its text as Python reads it. `notebook` tells the cells of one."""

    text: str
    path: Path
    notebook: Notebook | None = None

    def left_out(self, words: Words) -> str | None:
        """What of a notebook does not run here, in one sentence."""
        if self.notebook is None or not self.notebook.left_out:
            return None
        lines = self.text.splitlines()
        first = self.notebook.left_out[0]
        cell, line = self.notebook.place(first) or (0, 0)
        shown = lines[first - 1].removeprefix("pass  # ").lstrip("# ")[:80]
        count = len(self.notebook.left_out)
        return words.say("cli", "left_out", count=count, cell=cell, line=line, shown=shown)

    def in_cells(self, report: Report, words: Words) -> Report:
        """The report with the lines of a notebook's cells."""
        stages = tuple(self.stage_in_cells(stage, words) for stage in report.stages)
        return report if self.notebook is None else replace(report, stages=stages)

    def stage_in_cells(self, stage: StageReport, words: Words) -> StageReport:
        if self.notebook is None:
            return stage
        return replace(
            stage,
            findings=tuple(self._finding(one, self.notebook, words) for one in stage.findings),
            evidence=tuple(self._evidence(one, self.notebook) for one in stage.evidence),
        )

    def _finding(self, finding: Finding, notebook: Notebook, words: Words) -> Finding:
        def placed(found: re.Match[str]) -> str:
            cell, line = notebook.place(int(found[0])) or (0, 0)
            return words.say("cli", "line_of_cell", cell=cell, line=line) if cell else found[0]

        numbers = dict(finding.numbers)
        if (name := LINES_IN.get(finding.code)) and numbers.get(name) is not None:
            numbers[name] = re.sub(r"\d+", placed, str(numbers[name]))
        told = finding.line if finding.file is None else None
        place = None if told is None else notebook.place(told)
        if place is None:
            return replace(finding, numbers=numbers)
        return replace(finding, cell=place[0], line=place[1], numbers=numbers)

    def _evidence(self, evidence: Evidence, notebook: Notebook) -> Evidence:
        if evidence.kind != "traceback":
            return evidence
        frames = [self._frame(frame, notebook) for frame in evidence.data["frames"]]
        return replace(evidence, data={**evidence.data, "frames": frames})

    def _frame(self, frame: Mapping[str, Any], notebook: Notebook) -> Mapping[str, Any]:
        here = frame["file"] == str(self.path.absolute())
        place = notebook.place(frame["line"]) if here else None
        return frame if place is None else {**frame, "cell": place[0], "line": place[1]}


def read(path: Path, words: Words) -> Given:
    """The script as Python itself would read it, or Usage."""

    def refuse(code: str, **about: Any) -> Usage:
        return Usage(words.say("cli", code, path=path, **about))

    try:
        if path.is_dir():
            inside = _scripts_in(path)
            raise refuse("script_folder_of" if inside else "script_folder", inside=inside)
        if path.suffix.lower() in _DOCUMENTS:
            raise refuse("script_document" if path.exists() else "script_missing")
        if notebook.is_notebook(path):
            return _of_notebook(path, path.read_text(encoding="utf-8"), refuse)
        with tokenize.open(path) as file:
            text = file.read()
    except FileNotFoundError as error:
        near = _near(path)
        raise refuse("script_missing_near" if near else "script_missing", near=near) from error
    except OSError as error:
        raise refuse("script_unreadable", reason=error.strerror or error) from error
    except (UnicodeDecodeError, SyntaxError) as error:
        raise refuse("script_not_text") from error
    if "\0" in text:
        raise refuse("script_not_text")
    if command := notebook.command_in(text):
        raise refuse("script_has_magic", line=command[0], command=command[1][:80])
    return Given(text, path)


def _of_notebook(path: Path, raw: str, refuse: Any) -> Given:
    try:
        made = notebook.read(raw)
    except NoNotebook as error:
        raise refuse("not_a_notebook", reason=error) from error
    return Given(made.text, path, made)


def _scripts_in(folder: Path) -> str:
    """A few of the files in it that might have been meant."""
    return _named([*folder.glob("*.py"), *folder.glob("*.ipynb")])


def _near(path: Path) -> str:
    """What stands there under the same name with another ending, or another case."""
    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    meant = [one for one in beside if one.stem.lower() == path.stem.lower()]
    return _named([one for one in meant if one.suffix in (".py", notebook.SUFFIX)])


def _named(paths: Sequence[Path]) -> str:
    return ", ".join(str(path) for path in sorted(paths)[:3])
