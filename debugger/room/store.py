"""Rooms on disk, written at each vote: they outlive a restart and a kill, and go without a trace.

One process holds the file. A second one that finds it held has no rooms, and says so.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_TABLES = """
CREATE TABLE IF NOT EXISTS rooms (
    code TEXT PRIMARY KEY, made REAL NOT NULL, seed TEXT NOT NULL, lead TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS keys (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, hashed TEXT NOT NULL,
    until REAL, PRIMARY KEY (code, hashed)
);
CREATE TABLE IF NOT EXISTS students (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, id INTEGER NOT NULL,
    hashed TEXT NOT NULL, told TEXT NOT NULL, PRIMARY KEY (code, id)
);
CREATE TABLE IF NOT EXISTS partners (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, hashed TEXT NOT NULL,
    student INTEGER NOT NULL, PRIMARY KEY (code, student)
);
CREATE TABLE IF NOT EXISTS votes (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, place TEXT NOT NULL,
    student INTEGER NOT NULL, choice INTEGER NOT NULL, PRIMARY KEY (code, place, student)
);
CREATE TABLE IF NOT EXISTS visits (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, place TEXT NOT NULL,
    seconds REAL NOT NULL, first TEXT NOT NULL, PRIMARY KEY (code, place)
);
"""
Line = tuple[str, tuple[Any, ...]]


class Held(Exception):
    """Another process holds the rooms, or they cannot be written."""


class Store:
    """Any thread may ask. What was written when `write` returns is there after a kill."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._open = sqlite3.connect(
                path, timeout=0.2, check_same_thread=False, isolation_level=None
            )
            path.chmod(0o600)
            self._open.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._open.execute("PRAGMA secure_delete = ON")
            self._open.execute("PRAGMA journal_mode = WAL")
            self._open.execute("PRAGMA synchronous = NORMAL")
            self._open.execute("PRAGMA foreign_keys = ON")
            self._open.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
        except (sqlite3.Error, OSError) as error:
            raise Held(str(error)) from error

    def write(self, *lines: Line) -> None:
        """All of it or nothing; a Held where it cannot be written."""
        with self._lock:
            try:
                self._open.execute("BEGIN IMMEDIATE")
                for asked, values in lines:
                    self._open.execute(asked, values)
                self._open.execute("COMMIT")
            except sqlite3.Error as error:
                if self._open.in_transaction:
                    self._open.execute("ROLLBACK")
                raise Held(str(error)) from error

    def read(self, asked: str, *values: Any) -> Sequence[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._open.execute(asked, values).fetchall()
            except sqlite3.Error as error:
                raise Held(str(error)) from error

    def forget(self, code: str) -> None:
        """A room and all that hangs on it, out of the log beside the file as well."""
        self.write(("DELETE FROM rooms WHERE code = ?", (code,)))
        self.read("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        with self._lock:
            self._open.close()
