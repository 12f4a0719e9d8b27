"""A folder as a run sees it: everything in it can be read, and whatever it changes is its own.

A view begins as a folder of links. Where Python is about to change something in it, that part is
made real first: a folder of links in the place of a link to a folder, a copy in that of a link to
a file. That is a comfort, not the wall: libraries that open files by themselves meet the link, and
behind it the wall.
"""

import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

MOST_LINKS = 2000
"""So many are laid because something is listed; what is beyond them stays linked as a whole."""
MOST_ABOVE = 6
"""So many folders above are laid as well, for data that is read from `../../..`."""
MOST_BYTES = 256 << 20
"""A larger file is not copied."""


class Views:
    """All views of one process. Once made, they watch it to its end."""

    def __init__(self) -> None:
        self._roots: list[str] = []
        self._laid = 0
        self._working = threading.RLock()
        self._busy = threading.local()
        sys.addaudithook(self._notice)

    def add(self, real: Path, seen: Path) -> Path:
        """Lay a view of the folder `real` at `seen`. Where there is no such folder it is empty."""
        seen.parent.mkdir(parents=True, exist_ok=True)
        seen = Path(os.path.realpath(seen))
        with self._alone():
            self._lay(os.path.abspath(real), str(seen))
        self._roots.append(f"{seen}{os.sep}")
        return seen

    def around(self, real: Path, seen: Path) -> Path:
        """Lay a view of a folder, and at `seen` what stands around it, so that `..` is there too.
        Where that is too much, it is the folder alone."""
        real = Path(os.path.abspath(real))
        above = list(takewhile(_is_small, real.parents[:MOST_ABOVE]))
        top = above[-1] if above else real
        counted = self._laid
        inside = self.add(top, seen / (top.name or "root")) / real.relative_to(top)
        self.copy(inside)
        self._laid = counted  # none of them was listed
        return inside

    def copy(self, file: Path) -> None:
        """Make a file of a view the run's own."""
        with self._alone():
            self._own(str(file))

    def copy_all(self, seen: Path) -> bool:
        """Make what stands in a view the run's own, the smallest files first, as far as there is
        room for it; whether there was any."""
        files = [os.path.join(at, name) for at, _, names in os.walk(seen) for name in names]
        links = [file for file in files if os.path.islink(file) and _can_be_copied(file)]
        room, copied = MOST_BYTES, 0
        for link in sorted(links, key=os.path.getsize):
            room -= os.path.getsize(link)
            if room >= 0:
                self.copy(Path(link))
                copied += 1
        return copied > 0

    def _notice(self, event: str, given: tuple[Any, ...]) -> None:
        look = _EVENTS.get(event)
        if look is None or not self._roots or getattr(self._busy, "on", False):
            return
        with self._alone():
            look(self, *given)

    def _opens(self, path: Any, _mode: Any, flags: int) -> None:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC):
            self._change(path, emptied=bool(flags & os.O_TRUNC))

    def _change(self, path: Any, *_: Any, emptied: bool = False) -> None:
        if (name := self._within(path)) is not None:
            self._own(name, emptied)

    def _move(self, *paths: Any) -> None:
        """The folders that these stand in; the links themselves may come and go."""
        for path in paths[:2]:
            if (name := self._within(path)) is not None:
                self._own(os.path.dirname(name))

    def _remove(self, path: Any, *_: Any) -> None:
        if (name := self._within(path)) is not None:
            self._own(name)
            for at, folders, _files in os.walk(name):
                for folder in folders:
                    self._own(os.path.join(at, folder))

    def _list(self, path: Any = None) -> None:
        """`os.walk` and `rglob` follow no links."""
        name = self._within("." if path is None else path)
        if name is None or not os.path.isdir(name):
            return
        self._own(name)
        for entry in list(os.scandir(name)):
            if self._laid < MOST_LINKS and entry.is_symlink() and not self._is_whole(entry):
                self._own(entry.path)

    def _is_whole(self, entry: os.DirEntry[str]) -> bool:
        """What nobody means who lists a folder: hidden ones, environments, and these views."""
        real = os.path.realpath(entry.path) + os.sep
        return (
            entry.name.startswith(".")
            or os.path.exists(os.path.join(real, "pyvenv.cfg"))
            or not os.path.isdir(real)
            or any(root.startswith(real) for root in self._roots)
        )

    def _within(self, path: Any) -> str | None:
        if not isinstance(path, str | bytes | os.PathLike):
            return None
        name = os.path.abspath(os.fsdecode(path))
        return name if f"{name}{os.sep}".startswith(tuple(self._roots)) else None

    def _own(self, name: str, emptied: bool = False) -> None:
        """Make every folder on the way to it real, and itself."""
        root = next(root for root in self._roots if f"{name}{os.sep}".startswith(root))
        at = root.rstrip(os.sep)
        for part in name[len(root) :].split(os.sep):
            at = os.path.join(at, part)
            if not os.path.islink(at):
                continue
            real = os.path.realpath(at)
            if os.path.isdir(real):
                os.remove(at)
                self._lay(real, at)
            elif at == name and (emptied or _can_be_copied(real)):
                os.remove(at)
                if not emptied:
                    shutil.copyfile(real, at)

    def _lay(self, real: str, seen: str) -> None:
        os.mkdir(seen)
        with suppress(OSError):  # not there, or not readable: the run finds it empty
            for entry in os.scandir(real):
                os.symlink(entry.path, os.path.join(seen, entry.name))
                self._laid += 1

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """What the views do themselves is nothing for them to notice."""
        with self._working:
            self._busy.on = True
            try:
                yield
            finally:
                self._busy.on = False


_EVENTS: dict[str, Callable[..., None]] = {
    "open": Views._opens,
    "sqlite3.connect": Views._change,
    "os.mkdir": Views._change,
    "os.rmdir": Views._change,
    "os.truncate": Views._change,
    "os.chmod": Views._change,
    "os.chown": Views._change,
    "os.utime": Views._change,
    "os.remove": Views._move,
    "os.rename": Views._move,
    "os.link": Views._move,
    "os.symlink": Views._move,
    "os.scandir": Views._list,
    "shutil.rmtree": Views._remove,
}


def _is_small(folder: Path) -> bool:
    """Whether what stands in it may be laid, and who runs this may see it."""
    try:
        with os.scandir(folder) as entries:
            return next(islice(entries, MOST_LINKS, None), None) is None
    except OSError:
        return False


def _can_be_copied(file: str) -> bool:
    return os.path.isfile(file) and os.path.getsize(file) <= MOST_BYTES
