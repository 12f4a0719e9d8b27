"""Evidence for a terminal: lines of text. Nothing that a script put into it can drive one."""

import math
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debugger.evidence.figures import collided
from debugger.evidence.plain import clean, named, plain, said, span
from debugger.evidence.tables import say
from debugger.outcome import Evidence
from debugger.words import Words

ROWS = 6
LINES = 8
MESSAGE = 300
BARS = "▁▂▃▄▅▆▇█"
MOST_LETTERS = 4
"""For each column of a terminal: some letters take none."""


@dataclass(frozen=True)
class Line:
    """`wraps`: it goes on in the next line where the terminal ends; else it is cut there."""

    text: str
    indent: int = 0
    paint: str = ""
    wraps: bool = False


def shown(evidence: Evidence, words: Words, room: int) -> Iterator[Line]:
    """The evidence without its title. Tables make do with `room` columns."""
    show: Mapping[str, Callable[[], Iterator[Line]]] = {
        "text": lambda: _text(evidence.data, words),
        "table": lambda: _table(evidence.data, words, room),
        "tokens": lambda: _tokens(evidence.data, words),
        "tensor": lambda: iter([Line(span(evidence.data))]),
        "chart": lambda: chart(evidence.data, words),
        "traceback": lambda: _traceback(evidence.data, words),
        "matrix": lambda: _table(_as_table(evidence.data), words, room),
        "ragged": lambda: iter([Line(collided(evidence.data, words), wraps=True)]),
        "example": lambda: _example(evidence.data, words),
    }
    return show[evidence.kind]()


def _text(data: Mapping[str, Any], words: Words) -> Iterator[Line]:
    lines = said(data["text"], "cell", words).strip().splitlines()
    yield from map(Line, lines[:LINES])
    yield from _more(len(lines) - LINES, "more_lines", words)


def _more(count: int, code: str, words: Words) -> Iterator[Line]:
    if count > 0:
        yield Line(words.say("reading", code, count=count), 0, "dim", wraps=True)


def _table(data: Mapping[str, Any], words: Words, room: int) -> Iterator[Line]:
    head = [clean(said(column, "column", words)) for column in data["columns"]]
    rows = [[clean(said(cell, "cell", words)) for cell in row] for row in data["rows"]]
    shown = [head, *rows[:ROWS]]
    widths = _widths(shown, room)
    for number, row in enumerate(shown):
        line = "  ".join(_padded(cell, width) for cell, width in zip(row, widths, strict=False))
        yield Line(line.rstrip(), 0, "dim" if number == 0 else "")
    yield from _more(len(rows) - ROWS, "more_rows", words)


def _tokens(data: Mapping[str, Any], words: Words) -> Iterator[Line]:
    for row in data["rows"][: ROWS // 2]:
        mask = row.get("mask") or [1] * len(row["tokens"])
        read = [t for t, kept in zip(row["tokens"], mask, strict=False) if kept]
        hidden = len(row["tokens"]) - len(read)
        tail = f" {words.say('reading', 'masked', count=hidden)}" if hidden else ""
        yield Line(" ".join(map(str, read)) + tail, wraps=True)
        if row.get("label") is not None:
            yield Line(f"→ {plain(row['label'])}", 2)
    yield from _more(len(data["rows"]) - ROWS // 2, "more_rows", words)


def _as_table(data: Mapping[str, Any]) -> dict[str, Any]:
    rows = zip(data["classes"], data["counts"], strict=True)
    columns = [say("label_and_answer"), *data["classes"]]
    return {"columns": columns, "rows": [[name, *row] for name, row in rows]}


def _example(data: Mapping[str, Any], words: Words) -> Iterator[Line]:
    if data.get("tokens"):
        yield from _tokens({"rows": [data]}, words)
    for name, value in data["rows"]:
        yield Line(f"{said(name, 'cell', words)}: {said(value, 'cell', words)}", wraps=True)


def chart(data: Mapping[str, Any], words: Words) -> Iterator[Line]:
    curves = [(named(code, "series", words), xy) for code, xy in data["series"].items()]
    marks = [(named(code, "mark", words), y) for code, y in data.get("marks", {}).items()]
    pad = max((cells(name) for name, _ in (*curves, *marks)), default=0)
    for name, points in curves:
        if points:
            values = [point[1] for point in points]
            ends = f"{plain(values[0])} → {plain(values[-1])}"
            yield Line(f"{name:<{pad}}  {sparkline(values)}  {ends}")
    for name, height in marks:
        yield Line(f"{name:<{pad}}  {plain(height)}", 0, "dim")


def _traceback(data: Mapping[str, Any], words: Words) -> Iterator[Line]:
    head = f"{data['exception']}: {data['message']}"
    head = head if len(head) <= MESSAGE else head[: MESSAGE - 1] + "…"
    yield Line(head, 0, "fault", wraps=True)
    own = [frame for frame in data["frames"] if frame["own"]]
    for frame in own:
        where = f"{_near(frame['file'])}:{frame['line']}"
        if cell := frame.get("cell"):
            placed = words.say("cli", "cell_line", cell=cell, line=frame["line"])
            where = f"{_near(frame['file'])}, {placed}"
        yield Line(f"{where} {frame['name']}", 0, "dim")
        yield Line(str(frame["code"]).strip(), 2)
    yield from _more(len(data["frames"]) - len(own), "more_frames", words)


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


def cells(text: str) -> int:
    """How many columns a terminal needs for `text`."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)


def cut(text: str, width: int) -> str:
    text = text[: MOST_LETTERS * width]
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return text + "…"


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Each column as wide as its widest cell; the widest give way until the table fits."""
    cut_off = [[cell[:room] for cell in row] for row in rows]
    widths = [max(map(cells, column), default=0) for column in zip(*cut_off, strict=False)]
    while widths and sum(widths) + 2 * (len(widths) - 1) > room and max(widths) > 4:
        widths[widths.index(max(widths))] -= 1
    return widths


def _padded(cell: str, width: int) -> str:
    cell = cut(cell.replace("\n", " "), width)
    return cell + " " * (width - cells(cell))
