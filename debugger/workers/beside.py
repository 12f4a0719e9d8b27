"""Data files that go with a script: kept by what they hold, laid beside it in the run's own folder.

Nothing here opens a name that came from outside before it has passed `may_be_named`.
"""

import hashlib
import os
import re
import tempfile
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

FOLDER = "files"
"""In the data folder."""
LONGEST = 80
KEPT_SECONDS = 24 * 3600.0
_NAME = re.compile(r"\w[\w .()+-]*")
_DIGEST = re.compile(r"[0-9a-f]{64}")


def may_be_named(name: str) -> bool:
    """Whether this names a file in its folder, and nothing else: no path, no hidden file."""
    short = len(name) <= LONGEST and len(name.encode(errors="replace")) <= 2 * LONGEST
    return short and _NAME.fullmatch(name) is not None and not name.endswith((".", " "))


class Kept:
    """The files of a server, by their SHA-256. What nobody used for longest goes first."""

    def __init__(self, data_dir: Path, most_bytes: int) -> None:
        self._folder = data_dir.absolute() / FOLDER
        self._most = most_bytes
        self._one_at_a_time = threading.Lock()

    def keep(self, content: bytes) -> str:
        """Its digest: how a run asks for it."""
        digest = hashlib.sha256(content).hexdigest()
        if self.has(digest):
            return digest
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._one_at_a_time:
            self._make_room(len(content))
            with tempfile.NamedTemporaryFile(dir=self._folder, prefix=".", delete=False) as file:
                file.write(content)
            os.replace(file.name, self._folder / digest)
        return digest

    def has(self, digest: str) -> bool:
        """Whether it is here still; it stays longer for having been asked for."""
        if _DIGEST.fullmatch(digest) is None:
            return False
        with suppress(OSError):
            os.utime(self._folder / digest, follow_symlinks=False)
            return True
        return False

    def _make_room(self, size: int) -> None:
        old = time.time() - KEPT_SECONDS
        found: list[tuple[float, int, Path]] = []
        for file in self._folder.iterdir():
            with suppress(FileNotFoundError):  # another copy of the app took it
                told = file.lstat()
                found.append((told.st_mtime, told.st_size, file))
        held = sum(holds for _, holds, _ in found)
        for used, holds, file in sorted(found):
            if used >= old and held + size <= self._most:
                return
            if used >= old and file.name.startswith("."):  # another copy is writing it
                continue
            held -= holds
            file.unlink(missing_ok=True)


def lay(files: Iterable[tuple[str, str]], kept: Path, home: Path) -> None:
    """Copies of these files, the run's own. FileNotFoundError: one is not kept any more."""
    for name, digest in files:
        if not may_be_named(name) or _DIGEST.fullmatch(digest) is None:
            raise ValueError("that is no name of a file beside a script")
        content = (kept / digest).read_bytes()
        with open(home / name, "xb") as file:
            file.write(content)
