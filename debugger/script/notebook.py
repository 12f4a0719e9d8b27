"""A notebook's cells as one script: the same lines, and the way back from a line to its cell."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

SUFFIX = ".ipynb"
_PYTHON_UNDER = ("time", "timeit", "capture", "prun")
"""Magics of a cell. What stands under any other is no Python."""
_SHELL = re.compile(r"\s*(?:[!%?]|[\w.\[\], ]+=\s*[!%]|[\w.]+\?{1,2}\s*$)")
_TIMED_LINE = re.compile(r"(\s*)%(?:time|timeit|prun)\s+(?=[^-\s])")
_DISPLAY = "display = print"
_HEAD = "# cell "
_BEGINS_CELL = re.compile(rf"{_HEAD}\d+|# In ?\[[\d ]*\]:?|# ?%%.*")
"""Ours, and those of nbconvert and of editors."""
_ASKS = ("notebook_login", "interpreter_login")
"""Calls that wait for somebody to type."""


class NoNotebook(ValueError):
    """Why a file is none, as the end of a sentence."""


@dataclass(frozen=True)
class Cell:
    """The `number` counts cells with code from the top, as a kernel does that runs them all."""

    number: int
    first: int
    lines: int


@dataclass(frozen=True)
class Notebook:
    """`left_out`: lines of the text that are no Python, or that would wait for a person."""

    text: str
    cells: tuple[Cell, ...]
    left_out: tuple[int, ...]

    def place(self, line: int) -> tuple[int, int] | None:
        """The cell of a line of the text, and which line of it that is."""
        for cell in self.cells:
            if cell.first <= line < cell.first + cell.lines:
                return cell.number, line - cell.first + 1
        return None


def read(raw: str) -> Notebook:
    """A notebook's own text, JSON, as one script; NoNotebook where it is none."""
    lines: list[str] = []
    cells: list[Cell] = []
    left_out: list[int] = []
    for source in _sources(raw):
        made = _python(source)
        first = len(lines) + 2
        cells.append(Cell(len(cells) + 1, first, len(made)))
        left_out += [first + at for at, line in enumerate(made) if line != source[at]]
        lines += [f"{_HEAD}{len(cells)}", *made]
    if not cells:
        raise NoNotebook("it has no cell with code in it")
    text = "\n".join(lines) + "\n"
    if re.search(r"\bdisplay\(", text) and not re.search(r"import .*\bdisplay\b", text):
        lines[0] = f"{_DISPLAY}  # a notebook has it without an import"
        text = "\n".join(lines) + "\n"
    return Notebook(text, tuple(cells), tuple(left_out))


def shown_in(text: str) -> frozenset[int]:
    """The last line of each cell, in the text that was made of them: a notebook shows its value.
    Others who make a script of a notebook leave such lines standing, too."""
    lines = text.splitlines()
    heads = [n for n, line in enumerate(lines) if _BEGINS_CELL.fullmatch(line)]
    cells = pairwise([*heads, len(lines)])
    filled = [[n for n in range(*cell) if re.match(r"\s*[^\s#]", lines[n])] for cell in cells]
    return frozenset(rows[-1] + 1 for rows in filled if rows)


def command_in(script: str) -> tuple[int, str] | None:
    """The first line of a script that only a notebook understands, where Python cannot read it."""
    if not _fails(script):
        return None
    made, lines = _python(script.splitlines()), script.splitlines()
    changed = next((n for n, line in enumerate(lines) if made[n] != line), None)
    return None if changed is None else (changed + 1, lines[changed].strip())


def is_notebook(path: Path) -> bool:
    return path.suffix.lower() == SUFFIX


def _sources(raw: str) -> list[list[str]]:
    try:
        notebook = json.loads(raw)
    except ValueError as error:
        raise NoNotebook("it is not JSON") from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise NoNotebook("it has no list of cells")
    if not all(isinstance(cell, dict) for cell in cells):
        raise NoNotebook("one of its cells is not an object")
    texts = [_text(cell.get("source")) for cell in cells if cell.get("cell_type") == "code"]
    return [text.splitlines() for text in texts if text.strip()]


def _text(source: Any) -> str:
    parts = [source] if isinstance(source, str) else source
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise NoNotebook("the source of one of its cells is not text")
    return "".join(parts)


def _python(lines: list[str]) -> list[str]:
    """As many lines, of Python alone: magics, shell commands and waiting become `pass`."""
    start = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    if start < len(lines) and lines[start].startswith("%%"):
        if lines[start][2:].partition(" ")[0] in _PYTHON_UNDER:
            return [*lines[:start], _passed(lines[start]), *_python(lines[start + 1 :])]
        return ["#" + line for line in lines]
    made = _without_magics(lines) if _fails("\n".join(lines)) else lines
    return _without_waiting(made)


def _without_magics(lines: list[str]) -> list[str]:
    made: list[str] = []
    goes_on = False
    for line in lines:
        if goes_on:
            made.append("#" + line)
        elif _SHELL.match(line) and not _is_open(made):
            timed = _TIMED_LINE.sub(r"\1", line)
            made.append(timed if timed != line else _passed(line))
        else:
            made.append(line)
            continue
        goes_on = line.rstrip().endswith("\\")
    return made


def _without_waiting(lines: list[str]) -> list[str]:
    """Top-level `await` is a notebook's own; a login waits for somebody who is not there."""
    try:
        body = ast.parse("\n".join(lines)).body
    except (SyntaxError, ValueError):
        return lines
    made = list(lines)
    for statement in body:
        if _awaits(statement) or _asks(statement):
            first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
            made[first] = _passed(made[first])
            made[first + 1 : last] = ["#" + line for line in made[first + 1 : last]]
    return made


def _awaits(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.AsyncFunctionDef | ast.FunctionDef | ast.ClassDef):
        return False
    return any(
        isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith) for node in ast.walk(statement)
    )


def _asks(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(value, ast.Call):
        return False
    return ast.unparse(value.func).rpartition(".")[2] in _ASKS


def _passed(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}pass  # {line.strip()}"


def _fails(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return True
    return False


def _is_open(lines: list[str]) -> bool:
    """Whether a string or a bracket that began in these lines is not closed yet."""
    text = "\n".join([*lines, ""])
    try:
        for _ in tokenize.generate_tokens(io.StringIO(text).readline):
            pass
    except tokenize.TokenError:
        return True
    except (IndentationError, SyntaxError):
        return False
    return False
