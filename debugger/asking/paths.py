"""Text without the places of one machine: what a stranger reads of a path is what she has too."""

import re
from pathlib import Path

PLACE = re.compile(r"(?<![\w:/.~-])~?(?:/[\w.+@~-]+){2,}/?")
_SHARED = re.compile(r".*/(?:site|dist)-packages/|.*/(?=python3\.\d+/)")
_OURS = re.compile(
    rf'(?:^ *File "<string>"[^\n]*\n\n?)?(?:^ *File "{re.escape(str(Path(__file__).parents[1]))}/'
    r"[^\n]*\n\n?)+",
    re.MULTILINE,
)
"""Frames that TensorFlow lists in a message: of the clinic, which called the script's model."""


def without_us(text: str) -> str:
    return _OURS.sub("", text)


def without_paths(text: str) -> str:
    """Every path begins at the library that it leads into; of any other only its name is left."""
    return PLACE.sub(lambda found: near(found[0]), text)


def near(path: str) -> str:
    shared = _SHARED.sub("", path)
    return shared if shared != path else path.rstrip("/").rpartition("/")[2]


def names_a_place(script: str) -> int | None:
    """The first line of a script that holds a path of the machine that it was written on."""
    lines = enumerate(script.splitlines(), 1)
    return next((number for number, line in lines if PLACE.search(line)), None)
