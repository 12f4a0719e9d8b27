"""A line chart as SVG that stands by itself, in a light page and in a dark one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from debugger.evidence.markup import escape

WIDE, HIGH = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 34, 40
COLOURS = ("#2a6fb0", "#c2571a", "#2f8f5b", "#8a4fb5")
INK = "#7a7a7a"
"""Grey enough for either ground."""
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Line:
    name: str
    points: Points


def chart(lines: Sequence[Line], across: str, up: str) -> str:
    """`across` and `up` say what the axes are; both begin at 0."""
    most_x = max(x for line in lines for x, _ in line.points) or 1.0
    step = _step(max(y for line in lines for _, y in line.points))
    most_y = step * math.ceil(max(y for line in lines for _, y in line.points) / step) or 1.0

    def at(x: float, y: float) -> tuple[float, float]:
        wide, high = WIDE - LEFT - RIGHT, HIGH - TOP - BOTTOM
        return LEFT + wide * x / most_x, TOP + high * (1 - y / most_y)

    parts: list[str] = []
    for number in range(round(most_y / step) + 1):
        _, y = at(0, number * step)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDE - RIGHT}" stroke="{INK}" opacity=".3"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{number * step:g}", "end"))
    every = _step(most_x)
    for number in range(math.floor(most_x / every) + 1):
        x, _ = at(number * every, 0)
        parts.append(_text(x, HIGH - BOTTOM + 18, f"{number * every:g}", "middle"))
    parts.append(_text(WIDE - RIGHT, HIGH - 6, across, "end"))
    parts.append(_text(LEFT - 6, 14, up, "end"))
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(*point) for point in line.points))
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        parts.append(_text(LEFT + 12 + number * 150, 14, line.name, "start", colour))
    names = escape(f"{', '.join(line.name for line in lines)}: {up} over {across}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" role="img" '
        f'aria-label="{names}" font-family="system-ui, sans-serif" font-size="12">'
        f"{''.join(parts)}</svg>\n"
    )


def _step(most: float) -> float:
    """1, 2 or 5 times a power of ten: between four and ten of them reach `most`."""
    if most <= 0:
        return 1.0
    power = 10 ** math.floor(math.log10(most / 4))
    return next(n * power for n in (5, 2, 1) if n * power <= most / 4)


def _text(x: float, y: float, said: str, anchor: str, colour: str = INK) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}">{escape(said)}</text>'
