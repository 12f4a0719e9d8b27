"""All rooms of this clinic: made, found by their code, brought back after a restart, ended."""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
from collections.abc import Callable
from pathlib import Path

from debugger.room.lead import Lead, Place, Refused
from debugger.room.naming import code_in, hashed, new_code, new_token
from debugger.room.room import (
    Choices,
    Room,
    Visited,
    lead_as_text,
    lead_in,
    place_in,
    student_in,
)
from debugger.room.store import Held, Store

log = logging.getLogger(__name__)
MOST_ROOMS = 200
SWEEP_SECONDS = 60.0


class Rooms:
    """Nothing here lists rooms: who has no code finds none."""

    def __init__(self, path: Path, choices: Choices, now: Callable[[], float] = time.time) -> None:
        self._choices, self._now = choices, now
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._rooms: dict[str, Room] = {}
        self._store: Store | None = None
        try:
            store = Store(path)
            self._bring_back(store)
        except Held as error:
            log.warning("no class can be held here: %s: %s", path, error)
            return
        self._store = store
        self.sweep()
        threading.Thread(target=self._sweep_on, daemon=True).start()

    def make(self) -> tuple[Room, str]:
        """A new room, and the token of its instructor."""
        store = self._store
        if store is None:
            raise Refused("no_rooms_here")
        token = new_token()
        with self._lock:
            if len(self._rooms) >= MOST_ROOMS:
                self._make_way()
            code = next(code for code in iter(new_code, None) if code not in self._rooms)
            room = Room(code, self._now(), secrets.token_hex(16), store, self._choices, self._now)
            store.write(
                ("INSERT INTO rooms VALUES (?, ?, ?, ?)",
                 (code, room.made, room.seed, lead_as_text(Lead()))),
                ("INSERT INTO keys VALUES (?, ?, NULL)", (code, hashed(token))),
            )  # fmt: skip
            room.keys[hashed(token)] = None
            self._rooms[code] = room
        return room, token

    def _make_way(self) -> None:
        """For a new room, the oldest one that nobody ever came into goes."""
        empty = [room for room in self._rooms.values() if not room.students]
        if not empty:
            raise Refused("too_many_rooms")
        oldest = min(empty, key=lambda room: room.made)
        oldest.end()
        del self._rooms[oldest.code]

    def find(self, typed: str) -> Room | None:
        code = code_in(typed)
        room = self._rooms.get(code) if code else None
        return None if room is None or room.over or self._now() > room.ends else room

    def sweep(self) -> None:
        """End what is older than a day."""
        for room in tuple(self._rooms.values()):
            if self._now() > room.ends:
                room.end()
            if room.over:
                with self._lock:
                    self._rooms.pop(room.code, None)

    def close(self) -> None:
        self._closed.set()
        if self._store is not None:
            self._store.close()

    def _sweep_on(self) -> None:
        while not self._closed.wait(SWEEP_SECONDS):
            try:
                self.sweep()
            except Held as error:
                log.warning("a room that is over could not be forgotten yet: %s", error)

    def _bring_back(self, store: Store) -> None:
        for code, made, seed, lead in store.read("SELECT code, made, seed, lead FROM rooms"):
            try:
                room = Room(code, made, seed, store, self._choices, self._now, lead_in(lead))
                self._fill(room, store)
            except (ValueError, TypeError, KeyError) as error:
                # Another version wrote it. Nothing would end it later, so it ends now.
                log.warning("a class could not be read and is forgotten: %r", error)
                store.forget(code)
                continue
            self._rooms[code] = room

    def _fill(self, room: Room, store: Store) -> None:
        room.keys.update(store.read("SELECT hashed, until FROM keys WHERE code = ?", room.code))
        listed = "SELECT id, hashed, told FROM students WHERE code = ?"
        for number, token, told in store.read(listed, room.code):
            room.students[number], room.tokens[token] = student_in(told), number
        pairs = "SELECT student, hashed FROM partners WHERE code = ?"
        for number, token in store.read(pairs, room.code):
            room.partners[number], room.tokens[token] = token, number
        given = "SELECT place, student, choice FROM votes WHERE code = ?"
        for place, number, choice in store.read(given, room.code):
            room.votes.setdefault(_place(place), {})[number] = choice
        were = "SELECT place, seconds, first FROM visits WHERE code = ?"
        for place, seconds, first in store.read(were, room.code):
            room.visited[_place(place)] = Visited(seconds, tuple(json.loads(first)))


def _place(text: str) -> Place:
    return place_in(json.loads(text))
