"""Figures drawn on the server as SVG: reference lines, direct labels, the numbers as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Any

from debugger.evidence.markup import escape
from debugger.evidence.plain import named, plain
from debugger.words import Words

WIDE, HIGH = 640, 218
LEFT, RIGHT, TOP, BOTTOM = 46, 180, 10, 26
MOST_ROWS, MOST_COLUMNS, MOST_LETTERS = 32, 96, 28
TWIN = "twin_"
"""How the code of a series of the healthy twin begins."""
BROKEN = "broken_"
"""The same for the script as it was found, beside its repair."""
TRIED = "tried"
"""The same for repairs that were tried on the way; their number and a colon follow."""
SHARES = ("accuracy", "majority")
"""The series and marks that lie between 0 and 1. All others are losses."""
Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Line:
    code: str
    name: str
    points: Points

    @property
    def kind(self) -> str:
        for prefix, kind in ((TWIN, "twin"), (BROKEN, "broken"), (TRIED, "tried")):
            if self.code.startswith(prefix):
                return kind
        return "second" if self.code == "eval_loss" else "here"


@dataclass(frozen=True)
class Mark:
    code: str
    name: str
    y: float


def chart(data: Mapping[str, Any], words: Words) -> str:
    """The series of a chart. Shares (accuracies) and losses have panels of their own."""
    lines = [
        Line(code, series_name(code, words), points)
        for code, raw in data["series"].items()
        if (points := _drawable(raw))
    ]
    marks = _marks(data, words)
    panels = []
    for about_shares in (False, True):
        mine = [line for line in lines if _is_share(line.code) == about_shares]
        level = [mark for mark in marks if _is_share(mark.code) == about_shares]
        if mine:
            across = words.say("column", "step")
            panels.append(_panel(mine, level, across, data.get("parted_at"), about_shares))
    return "".join(panels)


def bars(data: Mapping[str, Any], words: Words) -> str:
    """The loss of each example over its label, with the loss of a guess as a line."""
    losses, labels, marks = data["series"]["loss"], data["labels"], _marks(data, words)
    finite = [float(y) for _, y in losses if y is not None and _finite(y)]
    if not finite:
        return ""
    top = max([*finite, *(mark.y for mark in marks)]) * 1.12 or 1.0
    right = WIDE - TOP
    wide = (right - LEFT) / max(1, len(losses))
    drawn = _grid(0.0, top, right)
    for place, (_, loss) in enumerate(losses):
        x = LEFT + place * wide
        label = labels[place] if place < len(labels) else ""
        middle = x + wide / 2
        if _finite(loss):
            y = _up(float(loss or 0), 0.0, top)
            drawn += (
                f'<rect class="bar" x="{x + wide * 0.15:.1f}" y="{y:.1f}" '
                f'width="{wide * 0.7:.1f}" height="{HIGH - BOTTOM - y:.1f}"/>'
            )
        else:
            drawn += f'<text class="bad" x="{middle:.1f}" y="{HIGH - BOTTOM - 6}">nan</text>'
        drawn += f'<text class="tick mid" x="{middle:.1f}" y="{HIGH - 9}">{escape(label)}</text>'
    for mark in marks:
        drawn += _level(mark.y, 0.0, top, right)
        drawn += _marked(mark, LEFT + 4, _up(mark.y, 0.0, top) - 4)
    said = ", ".join(plain(y) for _, y in losses)
    return _svg(drawn, said)


def heat_map(values: Sequence[Sequence[int]], said: str) -> str:
    """A mask of ones and zeros, a row for each example."""
    rows = [list(row[:MOST_COLUMNS]) for row in values[:MOST_ROWS]]
    columns = max(map(len, rows), default=0)
    if not columns:
        return ""
    cell = min(16.0, (WIDE - 8) / columns)
    tall = min(16.0, max(7.0, cell))
    drawn = "".join(
        f'<rect class="{"token" if kept else "filling"}" x="{4 + x * cell:.1f}" '
        f'y="{4 + y * (tall + 2):.1f}" width="{max(1.0, cell - 1.2):.1f}" height="{tall:.1f}"/>'
        for y, row in enumerate(rows)
        for x, kept in enumerate(row)
    )
    return _svg(drawn, said, len(rows) * (tall + 2) + 8)


def updates(data: Mapping[str, Any], words: Words) -> str:
    """A bar for each block on a logarithmic scale, the healthy range behind them."""
    values = [y if _finite(y) else None for _, y in data["series"]["update"]]
    usual = [y for y in data.get("range", ()) if _finite(y) and y > 0]
    known = [y for y in (*values, *usual) if y]
    if not known:
        return ""
    low, high = floor(log10(min(known))), ceil(log10(max(known)))
    high = max(high, low + 1)
    left, right, top, tall = 200, WIDE - 70, 22, 20

    def across(y: float) -> float:
        return left + (log10(y) - low) / (high - low) * (right - left)

    bottom = top + tall * len(values)
    drawn = ""
    if len(usual) == 2:
        begin, end = map(across, usual)
        named_usual = escape(words.say("mark", "usual"))
        drawn += (
            f'<rect class="usual" x="{begin:.1f}" y="{top - 4}" width="{end - begin:.1f}" '
            f'height="{bottom - top + 8}"/>'
            f'<text class="marked mid" x="{(begin + end) / 2:.1f}" y="13">{named_usual}</text>'
        )
    for exponent in range(low, high + 1):
        x = across(10.0**exponent)
        drawn += (
            f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{top - 4}" y2="{bottom + 4}"/>'
            f'<text class="tick mid" x="{x:.1f}" y="{bottom + 19}">{10.0**exponent:g}</text>'
        )
    frozen = data.get("frozen", ())
    told = [
        words.say("mark", "frozen") if not y and name in frozen else plain(y)
        for name, y in zip(data["labels"], values, strict=True)
    ]
    for place, (name, y) in enumerate(zip(data["labels"], values, strict=True)):
        middle = top + tall * place + tall / 2
        end = across(y) if y else left
        judged = len(usual) == 2 and name not in data.get("new", ())
        still = not y and name in frozen
        strange = not still and (not y or (judged and not usual[0] <= y <= usual[1]))
        drawn += (
            f'<text class="tick end" x="{left - 8}" y="{middle + 4:.1f}">'
            f"{escape(_short(name))}</text>"
            f'<rect class="bar{" odd" if strange else ""}" x="{left}" y="{middle - 6:.1f}" '
            f'width="{max(0.0, end - left):.1f}" height="12"/>'
            f'<text class="tick{" odd" if strange else ""}" x="{end + 5:.1f}" '
            f'y="{middle + 4:.1f}">{told[place]}</text>'
        )
    said = ", ".join(f"{n}: {how_far}" for n, how_far in zip(data["labels"], told, strict=True))
    return f'<div class="wide" tabindex="0">{_svg(drawn, said, bottom + 26)}</div>'


def collision(data: Mapping[str, Any], words: Words) -> str:
    """Ragged rows against the rectangle that the first of them asks for."""
    lengths = [int(length) for length in data["lengths"]][:MOST_ROWS]
    width, longest = lengths[0], max(lengths)
    cell = min(16.0, (WIDE - 90) / max(1, longest))
    tall = min(16.0, max(9.0, cell))
    broken = next((row for row, length in enumerate(lengths) if length != width), None)
    drawn = ""
    for row, length in enumerate(lengths):
        y = 6 + row * (tall + 3)
        for column in range(max(length, width)):
            kind = "token" if column < min(length, width) else "over" if column < length else "gap"
            drawn += (
                f'<rect class="{kind}" x="{6 + column * cell:.1f}" y="{y:.1f}" '
                f'width="{max(1.0, cell - 1.2):.1f}" height="{tall:.1f}"/>'
            )
        odd = " odd" if length != width else ""
        cross = "✗ " if row == broken else ""
        drawn += (
            f'<text class="tick{odd}" x="{14 + longest * cell:.1f}" y="{y + tall - 3:.1f}">'
            f"{cross}{length}</text>"
        )
    high = len(lengths) * (tall + 3)
    drawn += (
        f'<rect class="box" x="4" y="3" width="{width * cell + 3:.1f}" height="{high + 3:.1f}"/>'
    )
    return _svg(drawn, collided(data, words), high + 10)


def collided(data: Mapping[str, Any], words: Words) -> str:
    """The same in a sentence."""
    lengths = data["lengths"]
    row = next((n for n, length in enumerate(lengths) if length != lengths[0]), 0)
    numbers = {"width": lengths[0], "row": row + 1, "length": lengths[row], "rows": len(lengths)}
    return words.say("reading", "collision", field=data["field"], **numbers)


def _short(name: str) -> str:
    """The end of a long name is what tells it from the others."""
    return name if len(name) <= MOST_LETTERS else "…" + name[1 - MOST_LETTERS :]


def _panel(lines: list[Line], marks: list[Mark], across: str, parted: Any, shares: bool) -> str:
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points] + [mark.y for mark in marks]
    low, high = (0.0, 1.0) if shares else (min(0.0, *ys), max(ys) * 1.06 or 1.0)
    first, last = min(0.0, *xs), max(*xs, 1.0)

    def right(x: float) -> float:
        return LEFT + (x - first) / (last - first) * (WIDE - LEFT - RIGHT)

    drawn = _grid(low, high)
    for x in (first, (first + last) / 2, last):
        shown = f"{x:g}" if x == int(x) else f"{x:.0f}"
        drawn += f'<text class="tick mid" x="{right(x):.1f}" y="{HIGH - 9}">{shown}</text>'
    drawn += f'<text class="tick" x="{WIDE - RIGHT + 20}" y="{HIGH - 9}">{escape(across)}</text>'
    for mark in marks:
        drawn += _level(mark.y, low, high)
    if isinstance(parted, int):
        x = right(parted)
        drawn += (
            f'<line class="parted" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HIGH - BOTTOM}"/>'
            f'<text class="tick" x="{x + 4:.1f}" y="{HIGH - BOTTOM - 5}">'
            f"{escape(across)} {parted}</text>"
        )
    heights = [*(mark.y for mark in marks), *(line.points[-1][1] for line in lines)]
    ends = _apart([_up(y, low, high) for y in heights])
    for mark, end in zip(marks, ends, strict=False):
        drawn += _marked(mark, WIDE - RIGHT + 8, end + 4)
    for line, end in zip(lines, ends[len(marks) :], strict=True):
        spots = [(right(x), _up(y, low, high)) for x, y in line.points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        if len(spots) == 1:
            x, y = spots[0]
            drawn += f'<circle class="{line.kind} dot" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        drawn += (
            f'<polyline class="line {line.kind}" points="{path}"/>'
            f'<text class="name {line.kind}" x="{WIDE - RIGHT + 8}" y="{end + 4:.1f}">'
            f"{escape(line.name)} {plain(line.points[-1][1])}</text>"
        )
    said = "; ".join(
        f"{line.name}: {plain(line.points[0][1])} → {plain(line.points[-1][1])}" for line in lines
    )
    return f'<div class="curve">{_svg(drawn, said)}{_legend(lines, marks)}</div>'


def _legend(lines: list[Line], marks: list[Mark]) -> str:
    """The names for a screen that is too narrow to have them beside the lines."""
    shown = [("level", mark.name, mark.y) for mark in marks]
    shown += [(line.kind, line.name, line.points[-1][1]) for line in lines]
    listed = "".join(
        f'<li class="{kind}">{escape(name)} {plain(y)}</li>' for kind, name, y in shown
    )
    return f'<ul class="legend" aria-hidden="true">{listed}</ul>'


def _svg(drawn: str, said: str, high: float = HIGH) -> str:
    return (
        f'<svg class="figure" viewBox="0 0 {WIDE} {high:.0f}" role="img" '
        f'aria-label="{escape(said)}">{drawn}</svg>'
    )


def _grid(low: float, high: float, right: float = WIDE - RIGHT) -> str:
    drawn = ""
    for y in _ticks(low, high):
        at = _up(y, low, high)
        drawn += (
            f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/>'
            f'<text class="tick end" x="{LEFT - 6}" y="{at + 4:.1f}">{y:g}</text>'
        )
    return drawn


def _ticks(low: float, high: float) -> list[float]:
    """Three to six round numbers between two bounds."""
    rough = (high - low) / 4
    if rough <= 0 or not isfinite(rough):
        return [low]
    size = 10.0 ** floor(log10(rough))
    step = next(m * size for m in (1, 2, 2.5, 5, 10) if m * size >= rough)
    first = -(-low // step)
    return [round((first + n) * step, 10) for n in range(7) if (first + n) * step <= high]


def _level(y: float, low: float, high: float, right: float = WIDE - RIGHT) -> str:
    at = _up(y, low, high)
    return f'<line class="mark" x1="{LEFT}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/>'


def _marked(mark: Mark, x: float, y: float) -> str:
    return f'<text class="marked" x="{x}" y="{y:.1f}">{escape(mark.name)} {plain(mark.y)}</text>'


def _up(y: float, low: float, high: float) -> float:
    share = (min(max(y, low), high) - low) / ((high - low) or 1.0)
    return HIGH - BOTTOM - share * (HIGH - TOP - BOTTOM)


def _apart(places: list[float], gap: float = 15.0) -> list[float]:
    """The same places moved down until no two names overlap."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + gap)
    over = max(0.0, max(moved, default=0.0) - (HIGH - BOTTOM))
    return [place - over for place in moved]


def _is_share(code: str) -> bool:
    return code.rpartition(":")[2].removeprefix(TWIN).removeprefix(BROKEN) in SHARES


def series_name(code: str, words: Words) -> str:
    tried, _, series = code.rpartition(":")
    if not tried:
        return named(series, "series", words)
    what = named(series, "series", words)
    return words.say("series", TRIED, number=tried.removeprefix(TRIED), series=what)


def _marks(data: Mapping[str, Any], words: Words) -> list[Mark]:
    marks = data.get("marks", {}).items()
    return [Mark(code, named(code, "mark", words), float(y)) for code, y in marks if _finite(y)]


def _drawable(raw: Any) -> Points:
    return [(float(x), float(y)) for x, y in raw if _finite(y)]


def _finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and isfinite(value)
