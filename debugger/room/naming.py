"""Codes that are read off a wall, tokens that nobody reads, and names that strangers typed."""

from __future__ import annotations

import secrets
import unicodedata
from hashlib import sha256

LETTERS = "34679CDFGHJKMNPQRTWXY"
"""None looks like another one from the last row, and they make no words."""
LENGTH, PAIR_LENGTH = 8, 6
MOST_NAME = 24
MOST_MARKS = 2
"""Accents on one letter. Hundreds of them climb over the lines above."""


def new_code(length: int = LENGTH) -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(length))


def code_in(text: str, length: int = LENGTH) -> str | None:
    """The code that somebody typed, with spaces or dashes, in small letters or not."""
    code = "".join(text[:40].split()).replace("-", "").upper()
    return code if len(code) == length and set(code) <= set(LETTERS) else None


def as_shown(code: str) -> str:
    return f"{code[: len(code) // 2]} {code[len(code) // 2 :]}"


def new_token() -> str:
    return secrets.token_urlsafe(24)


def hashed(token: str) -> str:
    return sha256(token.encode(errors="replace")).hexdigest()


def cleaned(name: str, most: int = MOST_NAME) -> str:
    """A name as one short line: nothing invisible, nothing that turns the line around."""
    kept, marks = "", 0
    for letter in unicodedata.normalize("NFKC", name[: 20 * most]):
        kind = unicodedata.category(letter)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if kind[0] in "CZ":
            kept += " " if kind[0] == "Z" or letter in "\t\n\r" else ""
        elif marks <= MOST_MARKS:
            kept += letter
    return " ".join(kept.split())[:most].strip()
