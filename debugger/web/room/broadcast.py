"""One drawing at each change of a room, sent to everybody who follows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress

from debugger.room.room import Room

BEAT_SECONDS = 15.0
"""Silence after which proxies let go of a connection is longer."""
GAP_SECONDS = 0.15
"""Between two drawings: two hundred votes at once are a few of them."""
BEAT = b": \n\n"


class Broadcast:
    """What one audience of a room is shown. Belongs to the event loop that it is used in.

    `each_vote` says whether it shows more than what the instructor does.
    """

    def __init__(self, room: Room, draw: Callable[[], bytes], each_vote: bool) -> None:
        self._room, self._draw, self._each_vote = room, draw, each_vote
        self._drawn, self._number = b"", 0
        self._news, self._changed = asyncio.Event(), asyncio.Event()
        self._following = 0
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self._loop = asyncio.get_running_loop()

    async def follow(self) -> AsyncGenerator[bytes]:
        """Everything that is drawn from now on, and a beat where nothing is."""
        self._begin()
        seen = 0
        try:
            while not self._closed:
                news = self._news
                if seen != self._number:
                    seen = self._number
                    yield self._drawn
                    if self._room.over:
                        return
                    continue
                try:
                    async with asyncio.timeout(BEAT_SECONDS):
                        await news.wait()
                except TimeoutError:
                    yield BEAT
        finally:
            self._end()

    def close(self) -> None:
        """Let go of everybody who follows; from any thread."""
        with suppress(RuntimeError):  # its loop is gone already, and with it everybody
            self._loop.call_soon_threadsafe(self._close)

    def _close(self) -> None:
        self._closed = True
        self._news.set()

    @property
    def idle(self) -> bool:
        return not self._following

    def _begin(self) -> None:
        self._following += 1
        if self._task is None:
            self._room.listeners.add(self._told)
            self._changed.set()
            self._task = asyncio.create_task(self._draw_on())

    def _end(self) -> None:
        self._following -= 1
        if self._following == 0 and self._task is not None:
            self._room.listeners.discard(self._told)
            self._task.cancel()
            self._task = None

    def _told(self, everyone: bool) -> None:
        """In whichever thread the room was changed."""
        if everyone or self._each_vote:
            self._loop.call_soon_threadsafe(self._changed.set)

    async def _draw_on(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            drawn = self._draw()
            if drawn != self._drawn:
                self._drawn, self._number = drawn, self._number + 1
                news, self._news = self._news, asyncio.Event()
                news.set()
            if self._each_vote:
                await asyncio.sleep(GAP_SECONDS)
