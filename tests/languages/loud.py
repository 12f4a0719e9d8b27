"""A made-up language: English in capitals, in a copy of the clinic, as TOML files alone.

What is still small in what a person then reads did not come out of the words.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LOUD = "qaa"
NAME = "Loud"
READ_ALOUD = ("aria-label", "title", "data-ask", "placeholder", "alt")
QUOTED = ("pre", "code", "style", "script")
"""What a script or a library wrote, never a translation's to say."""


def house(folder: Path) -> Path:
    """The clinic in `folder`, with one more language. A template is nothing that a learner sees."""
    for name in ("debugger", "scenarios"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (*ROOT.glob("requirements*.txt"), ROOT / "app.py"):
        shutil.copy(file, folder)
    words = folder / "debugger" / "words"
    (words / LOUD).mkdir()
    for file in (words / "en").glob("*.toml"):
        told = shouted(tables_of(file))
        if "language" in told:
            told["language"] = tables_of(file)["language"] | {"name": NAME}
        (words / LOUD / file.name).write_text(toml(told), encoding="utf-8")
    for file in folder.rglob("en.toml"):
        if file.parent.name != "template":
            beside = file.with_name(f"{LOUD}.toml")
            beside.write_text(toml(shouted(tables_of(file))), encoding="utf-8")
    return folder


def tables_of(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def shouted(said: Any) -> Any:
    """Every sentence in capitals; what is filled in stays as it is."""
    match said:
        case dict():
            return {key: shouted(inner) for key, inner in said.items()}
        case list():
            return [shouted(inner) for inner in said]
        case str():
            return re.sub(r"\{[^{}]*\}|[^{}]+", _shouted_part, said)
    return said


def _shouted_part(part: re.Match[str]) -> str:
    name, colon, form = part[0].partition(":")
    if part[0][0] != "{":
        return part[0].upper()
    return name + colon + (form.upper() if "|" in form else form)


def toml(told: dict[str, Any], name: str = "") -> str:
    """Strings and lists of them are written alike in JSON and in TOML."""
    inner = {key: value for key, value in told.items() if isinstance(value, dict)}
    plain = [
        f"{json.dumps(key)} = {json.dumps(value, ensure_ascii=False)}"
        for key, value in told.items()
        if key not in inner
    ]
    head = [f"[{name}]"] if name else []
    parts = [toml(value, f"{name}.{json.dumps(key)}".strip(".")) for key, value in inner.items()]
    return "\n".join([*head, *plain, *parts])


def small(text: str, but: Iterable[str] = ()) -> list[str]:
    """The words in small letters, without those that are names of something."""
    named = set(but)
    return [word for word in re.findall(r"[a-z_]*[a-z]{2}[a-z_]*", text) if word not in named]


class _Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []
        self._quoted = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._quoted += tag in QUOTED
        self.read += [value or "" for name, value in attrs if name in READ_ALOUD]

    def handle_endtag(self, tag: str) -> None:
        self._quoted -= tag in QUOTED

    def handle_data(self, data: str) -> None:
        if not self._quoted:
            self.read.append(data)


def read(html: str) -> str:
    """What a person reads or hears of a page, without what it quotes."""
    reader = _Read()
    reader.feed(html)
    return "\n".join(reader.read)
