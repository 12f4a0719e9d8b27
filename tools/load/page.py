"""docs/LOAD.md, made of what each measurement has left: one JSON file and its charts."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

ORDER = ("class", "ten_scenarios", "thirty", "behind_repairs", "interleaved", "soak")
VERSIONS = ("gradio", "torch", "transformers")
HEAD = """# What it bears

Made by `python -m tools.load.students`, `behind_repairs`, `interleaved` and `soak`: nobody wrote
a number here by hand. Each plays its visitors over real HTTP on loopback against the real app with
two workers, on the machine that serves them. A visitor opens the page, keeps its beat, presses as
the page's own script does, and reads what is streamed back.
"""


@dataclass(frozen=True)
class Found:
    """What a measurement came to. `charts` are SVG by their names."""

    title: str
    says: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    charts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Made:
    """By what, when and where. `load` is that of the machine before anything had begun."""

    command: str
    date: str
    machine: str
    versions: str
    load: float


def arguments(about: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--to", default="docs", help="the folder of LOAD.md")
    return parser


def made_by(parser: argparse.ArgumentParser, asked: argparse.Namespace) -> Made:
    """Ask for it before the load begins. The command is told with every option that matters."""
    told = {name: value for name, value in vars(asked).items() if name != "to"}
    said = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in told.items())
    return Made(
        command=f"python -m tools.load.{Path(sys.argv[0]).stem} {said}",
        date=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        machine=f"{os.cpu_count()} cores, {_processor()}, {_memory()} GB",
        versions=", ".join(
            [f"Python {platform.python_version()}", *(f"{n} {version(n)}" for n in VERSIONS)]
        ),
        load=round(os.getloadavg()[0], 1),
    )


def write(to: Path, name: str, made: Made, found: Found) -> None:
    """Put it beside what other measurements have left, and make the page of all of them."""
    folder = to / "load"
    folder.mkdir(parents=True, exist_ok=True)
    for chart, svg in found.charts.items():
        (folder / f"{name}.{chart}.svg").write_text(svg, encoding="utf-8")
    kept = asdict(found) | {"charts": sorted(found.charts), "made": asdict(made)}
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    remake(to)
    print(_section(folder, name))


def remake(to: Path) -> None:
    """The page, of all that was measured so far."""
    page = "\n".join([HEAD, *(_section(to / "load", one) for one in ORDER)])
    (to / "LOAD.md").write_text(re.sub(r"\n{3,}", "\n\n", page).rstrip() + "\n", encoding="utf-8")


def _section(folder: Path, name: str) -> str:
    file = folder / f"{name}.json"
    if not file.exists():
        return ""
    told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    made = Made(**told["made"])
    lines = [f"## {told['title']}", "", told["says"], ""]
    if told["rows"]:
        lines += [_row(told["head"]), "|" + "---|" * len(told["head"])]
        lines += [*map(_row, told["rows"]), ""]
    for chart in told["charts"]:
        lines += [f"![{told['title']}: {chart}](load/{name}.{chart}.svg)", ""]
    lines.append(
        f"`{made.command}`, {made.date}, {made.machine}, {made.versions}. Load before: {made.load}."
    )
    return "\n".join([*lines, ""])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _processor() -> str:
    told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    named = re.search(r"^model name\s*: (.+)$", told, re.MULTILINE)
    return named[1] if named else platform.machine()


def _memory() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
