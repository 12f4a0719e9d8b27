"""What a browser gives: a script or a notebook, and files of data. A name is never a path."""

from __future__ import annotations

import binascii
import re
import unicodedata
from base64 import b64decode
from typing import Any

from debugger.script import notebook
from debugger.script.notebook import NoNotebook, Notebook
from debugger.workers.beside import LONGEST, may_be_named

MOST_SCRIPT = 60_000
"""Characters."""
SCRIPTS = (".py", notebook.SUFFIX)
_DATA = """
    .csv .tsv .txt .json .jsonl .ndjson .parquet .arrow .npy .npz .yaml .yml .toml .vocab .gz
"""
DATA = tuple(_DATA.split())
_ODD = re.compile(r"[^\w .()+-]")


class Refused(ValueError):
    """What was given cannot be taken: the code of a sentence, and its numbers."""

    def __init__(self, code: str, **about: Any) -> None:
        super().__init__(code)
        self.code, self.about = code, about


def named(given: str) -> str:
    """The name that a file goes by here: the last part of what the browser called it, cleaned."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", given))[-1]
    stem, dot, ending = _ODD.sub("_", last).lstrip(" .").rpartition(".")
    name = f"{stem[: LONGEST - 12]}{dot}{ending[:10]}".rstrip(" .")
    while len(name.encode()) > 2 * LONGEST:
        name = name[1:]
    name = name if re.match(r"\w", name) else f"_{name}"
    if not may_be_named(name):
        raise Refused("no_file_name", name=given[:40])
    return name


def is_script(name: str) -> bool:
    return name.lower().endswith(SCRIPTS)


def is_data(name: str) -> bool:
    return name.lower().endswith(DATA)


def content(told: object, most: int) -> bytes:
    """The bytes of a file as a browser sends them, in base64."""
    if not isinstance(told, str):
        raise Refused("not_sent")
    if len(told) > 4 * (most // 3 + 1):
        raise Refused("too_large", megabytes=most >> 20)
    try:
        return b64decode(told, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refused("not_sent") from error


def script(name: str, raw: bytes) -> tuple[str, Notebook | None]:
    """The text of a script; that of a notebook is its cells as one."""
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise Refused("no_text", name=name) from error
    if "\0" in text:
        raise Refused("no_text", name=name)
    made = None
    if name.lower().endswith(notebook.SUFFIX):
        try:
            made = notebook.read(text)
        except (NoNotebook, RecursionError) as error:
            raise Refused("no_notebook", name=name, reason=str(error)[:200]) from error
        text = made.text
    if len(text) > MOST_SCRIPT:
        raise Refused("too_long", most=MOST_SCRIPT)
    return text, made
