"""Answers on disk: they outlive a restart, and copies of the app on one machine share them.

SQLite holds them: safe under many writers and after a kill in mid-write. An entry that is damaged
costs one run; a file that is no store any more is put aside; where nothing can be written, nothing
is kept, and all else goes on.
"""

import hashlib
import json
import logging
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from debugger.outcome import Event, from_json, to_json
from debugger.run import Run
from debugger.settings import Settings
from debugger.workers.identity import identity, place

log = logging.getLogger(__name__)
BUSY_SECONDS = 1.0
USED_SECONDS = 3600.0
"""How exactly it is known when an answer was last wanted: a read should seldom have to write."""
ROOM = 0.9
"""Of the limit, after the oldest have gone."""
_TABLE = """
    CREATE TABLE IF NOT EXISTS answers (
        key TEXT PRIMARY KEY, made REAL NOT NULL, place TEXT NOT NULL, used REAL NOT NULL,
        digest BLOB NOT NULL, events BLOB NOT NULL
    )
"""
_SIZE = "SELECT COALESCE(SUM(LENGTH(events)), 0) FROM answers"
_HELD = _SIZE.replace("SELECT", "SELECT COUNT(*),")
T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """`place` names what it was computed on."""

    events: list[Event]
    made: datetime
    place: str


@dataclass(frozen=True)
class Held:
    """What a store holds, in bytes; `trouble` says what keeps it from working now, if anything."""

    entries: int
    size: int
    most: int
    path: Path
    hits: int
    misses: int
    trouble: str


class Store:
    """At most `most_mb` of answers in the file `path`; any thread may ask."""

    def __init__(self, path: Path, most_mb: float) -> None:
        self._path, self._most = path, most_mb * 2**20
        self._lock = threading.Lock()
        self._open: sqlite3.Connection | None = None
        self._closed = False
        self._said: set[str] = set()
        self._trouble = ""
        self._hits = self._misses = 0

    def get(self, run: Run) -> Answer | None:
        key = self._key(run)
        answer = self._try(lambda: self._get(key))
        with self._lock:
            self._hits += answer is not None
            self._misses += answer is None
        return answer

    def held(self) -> Held:
        """How full it is, and how it fares."""
        entries, size = self._try(lambda: self._connection.execute(_HELD).fetchone()) or (0, 0)
        with self._lock:
            known = self._path, self._hits, self._misses, self._trouble
        return Held(entries, size, int(self._most), *known)

    def put(self, answers: Iterable[tuple[Run, Sequence[Event]]], made: datetime) -> None:
        """Keep what may be kept: of nobody's own script, and of none that reads her files."""
        rows = []
        for run, events in answers:
            if not (run.typed or run.check or run.files) and run.folder is None:
                packed = zlib.compress(b"\n".join(map(to_json, events)))
                key = self._key(run)
                known = (made.timestamp(), self._place, time.time())
                rows.append((key, *known, _digest(key, packed), packed))
        if rows:
            self._try(lambda: self._put(rows))

    def close(self) -> None:
        with self._lock:
            if self._open is not None:
                self._open.close()
            self._open, self._closed = None, True

    @cached_property
    def _identity(self) -> str:
        return identity()

    @cached_property
    def _place(self) -> str:
        return place()

    def _key(self, run: Run) -> str:
        told = json.dumps([self._identity, asdict(run)], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()

    def _get(self, key: str) -> Answer | None:
        asked = "SELECT made, place, used, digest, events FROM answers WHERE key = ?"
        row = self._connection.execute(asked, (key,)).fetchone()
        if row is None:
            return None
        made, where, used, digest, packed = row
        if digest != _digest(key, packed):
            log.warning("an answer in %s is damaged: it is made anew", self._path)
            with self._connection as opened:
                opened.execute("DELETE FROM answers WHERE key = ?", (key,))
            return None
        if abs(time.time() - used) > USED_SECONDS:
            with self._connection as opened:
                opened.execute("UPDATE answers SET used = ? WHERE key = ?", (time.time(), key))
        events = [from_json(line) for line in zlib.decompress(packed).splitlines()]
        return Answer(events, datetime.fromtimestamp(made, UTC), where)

    def _put(self, rows: list[tuple[object, ...]]) -> None:
        with self._connection as opened:
            opened.executemany("REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", rows)
            (size,) = opened.execute(_SIZE).fetchone()
            if size <= self._most:
                return
            oldest = opened.execute("SELECT key, LENGTH(events) FROM answers ORDER BY used")
            for key, length in oldest.fetchall():
                if size <= ROOM * self._most:
                    break
                opened.execute("DELETE FROM answers WHERE key = ?", (key,))
                size -= length

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            opened = sqlite3.connect(self._path, BUSY_SECONDS, check_same_thread=False)
            try:
                opened.execute("PRAGMA auto_vacuum = FULL")  # has no say in a file that is there
                opened.execute("PRAGMA journal_mode = WAL")
                opened.execute("PRAGMA synchronous = NORMAL")
                opened.execute(_TABLE)
            except sqlite3.Error:
                opened.close()
                raise
            self._open = opened
        return self._open

    def _try(self, work: Callable[[], T]) -> T | None:
        """What the store says, or nothing where it cannot be had."""
        with self._lock:
            if self._closed:
                return None
            try:
                answer = work()
                self._trouble = ""
                return answer
            except (sqlite3.OperationalError, OSError) as error:  # busy, full, not to be written
                self._say(f"is left out: {error}")
            except sqlite3.DatabaseError as error:
                self._say(f"cannot be read ({error}), and is begun anew")
                self._put_aside()
            return None

    def _say(self, what: str) -> None:
        """Once: a disk stays full for a while."""
        self._trouble = what
        if what not in self._said:
            self._said.add(what)
            log.warning("the store %s %s", self._path, what)

    def _put_aside(self) -> None:
        """What stands in the file is no store."""
        if self._open is not None:
            self._open.close()
            self._open = None
        for end in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self._path}{end}").replace(f"{self._path}{end}.damaged")


def store_of(settings: Settings) -> Store | None:
    """None for assets of somebody's own, or of the hub: what is behind a name may change."""
    own = settings.checkpoint or settings.dataset or settings.metric
    if own or settings.assets != "bundled" or not settings.store_mb:
        return None
    return Store(settings.store, settings.store_mb)


def _digest(key: str, packed: bytes) -> bytes:
    return hashlib.sha256(key.encode() + packed).digest()
