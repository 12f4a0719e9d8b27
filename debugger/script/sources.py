"""A script and the files of its author's that it imports from beside it, as one numbered text.

Lines of a helper go on where those of the file before it end: a number alone tells which file.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from debugger.failure import is_own
from debugger.outcome import Finding
from debugger.script.imports import imported

MOST_FILES = 20
MOST_BYTES = 200_000
LINES_IN = {
    "two_trainers": "lines",
    "trains_before": "looked_at",
    "trains_again_writes": "at",
    "trains_again_fails": "at",
    "trains_again_stops": "at",
    "trained_already": "before",
    "kept_through_folds": "at",
    "nothing_held": "at",
}
"""Which number of a finding is a line of the script, or a list of them."""


@dataclass(frozen=True)
class Helper:
    """`name` is its path as seen from the script's folder; `before`, how many lines come first."""

    name: str
    path: str
    text: str
    before: int


@dataclass(frozen=True)
class Sources:
    helpers: tuple[Helper, ...] = ()

    @property
    def numbered(self) -> dict[str, int]:
        """By path, what is added to a line's number."""
        return {helper.path: helper.before for helper in self.helpers}

    def placed(self, finding: Finding) -> Finding:
        """With the file and its own line, where it is none of the script."""
        numbers = dict(finding.numbers)
        if (name := LINES_IN.get(finding.code)) and numbers.get(name) is not None:
            numbers[name] = self._named(numbers[name])
        helper = None if finding.line is None else self._of(finding.line)
        if helper is None or finding.line is None:
            return replace(finding, numbers=numbers)
        line = finding.line - helper.before
        return replace(finding, file=helper.name, line=line, numbers=numbers)

    def text_of(self, script: str, line: int | None) -> str:
        """What stands at a line, of the script or of a file beside it."""
        helper = None if line is None else self._of(line)
        text, before = (helper.text, helper.before) if helper else (script, 0)
        lines = text.splitlines()
        return lines[line - before - 1] if line and line - before <= len(lines) else ""

    def _named(self, lines: object) -> object:
        if isinstance(lines, int):
            helper = self._of(lines)
            return lines if helper is None else f"{lines - helper.before} of {helper.name}"
        return re.sub(r"\d+", lambda found: str(self._named(int(found[0]))), str(lines))

    def _of(self, line: int) -> Helper | None:
        held = (helper for helper in reversed(self.helpers) if line > helper.before)
        return next(held, None)


def sources_of(text: str, filename: str) -> Sources:
    """What the script imports from beside it, and what that does."""
    folder = Path(filename).resolve().parent
    found: list[Helper] = []
    known, waiting = {str(Path(filename).resolve())}, [text]
    before = len(text.splitlines())
    while waiting:
        for path in _beside(folder, waiting.pop(0)):
            if str(path) in known or len(found) == MOST_FILES:
                continue
            known.add(str(path))
            if (told := _read(path)) is not None:
                found.append(Helper(str(path.relative_to(folder)), str(path), told, before))
                before += len(told.splitlines())
                waiting.append(told)
    return Sources(tuple(found))


def _beside(folder: Path, text: str) -> Iterator[Path]:
    for name in sorted(imported(text)):
        parts = name.split(".")
        for deep in range(1, len(parts) + 1):
            if not all(part.isidentifier() for part in parts[:deep]):
                break
            path = folder.joinpath(*parts[:deep])
            yield from (one for one in (path.with_suffix(".py"), path / "__init__.py") if _is(one))


def _is(path: Path) -> bool:
    try:
        return path.is_file() and is_own(str(path)) and path.stat().st_size <= MOST_BYTES
    except OSError:
        return False


def _read(path: Path) -> str | None:
    try:
        with tokenize.open(path) as file:
            return file.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None
