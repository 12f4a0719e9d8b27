"""What a run leaves in its folder: what it printed, and where it stood."""

import os
import re
import stat
from pathlib import Path

from debugger.outcome import Evidence, Shown, StageName

TAIL_BYTES = 20_000
HEAD_BYTES, END_BYTES = 6_000, 2_000
"""Of the answer to a check. Both ends tell: of a table the first, of a traceback the last."""
WHEREABOUTS_BYTES = 200_000
_AT = re.compile(r'File "([^"\n]*)", line (\d{1,7})\b')
"""Each character is looked at once: a run may write there what it likes."""


def line_in(whereabouts: Path, filename: str) -> int | None:
    """The innermost line of the script among the frames that faulthandler wrote, newest first."""
    known = filename.encode("ascii", "backslashreplace").decode()
    text = _read(whereabouts, 0, WHEREABOUTS_BYTES)
    for file, line in _AT.findall(text):
        if file == known:
            return int(line)
    return None


def console_of(path: Path, stage: StageName) -> Shown | None:
    """The end of what was printed, as a terminal would show it, or None when nothing was."""
    text, cut = tail(path)
    lines = [line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n")]
    shown = "\n".join(lines)
    if not shown.strip():
        return None
    return Shown(Evidence("text", "console", stage, {"text": shown, "cut": cut}))


def answer_in(path: Path, begins: int) -> Shown:
    """What was printed from there on: its beginning and its end, where it is long."""
    size = max(0, size_of(path) - begins)
    if size <= HEAD_BYTES + END_BYTES:
        data = {"text": _read(path, begins, size), "end": "", "left_out": 0}
    else:
        head = _read(path, begins, HEAD_BYTES)
        end = _read(path, begins + size - END_BYTES, END_BYTES)
        left_out = size - HEAD_BYTES - END_BYTES
        data = {"text": head, "end": end, "left_out": left_out}
    return Shown(Evidence("text", "answer", "setup", data))


def tail(path: Path) -> tuple[str, int]:
    """The last bytes of a file as text, and how many stand before them."""
    cut = max(0, size_of(path) - TAIL_BYTES)
    return _read(path, cut, TAIL_BYTES), cut


def _read(path: Path, at: int, most: int) -> str:
    """A part of an ordinary file, or nothing. A run may have put a link or a pipe in its place."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        ordinary = stat.S_ISREG(os.fstat(file).st_mode)
        return os.pread(file, most, at).decode(errors="replace") if ordinary else ""
    finally:
        os.close(file)


def size_of(path: Path) -> int:
    try:
        return os.lstat(path).st_size
    except FileNotFoundError:
        return 0
