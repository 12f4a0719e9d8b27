"""gradio keeps 26 kB of each press, for ever or as long as the session. Here it goes at its end."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any
from weakref import WeakValueDictionary

import gradio as gr
from gradio.blocks import Block
from gradio.state_holder import SessionState


class Unkept(dict[str, Any]):
    """Holds nothing: what is asked of it is new and empty."""

    def __setitem__(self, key: str, value: Any) -> None:
        return

    def __missing__(self, key: str) -> dict[str, Any]:
        return {}


class GoingOn(WeakValueDictionary[str, Any]):
    """Presses by their ids. Who works on one holds it; of one that is over, an empty one is told.

    gradio marks as ended what a tab that is closed has not yet heard of, be it over or not.
    """

    def __getitem__(self, key: str) -> Any:
        try:
            return super().__getitem__(key)
        except KeyError:
            return SimpleNamespace(signal=asyncio.Event())


class Tasks(list["asyncio.Task[Any]"]):
    """Those that are not done: each is to be cancelled when the server stops."""

    def append(self, task: asyncio.Task[Any], /) -> None:
        super().append(task)
        task.add_done_callback(self.remove)


_set = SessionState.__setitem__


def _in_its_place(session: SessionState, key: int, value: Any) -> None:
    """What an answer makes anew stands for what was there: with a number of its own, it is kept."""
    if isinstance(value, Block):
        value._id = key
    _set(session, key, value)


def forget(blocks: gr.Blocks) -> None:
    """Before the first press."""
    queue: Any = blocks._queue
    queue.event_analytics = Unkept()  # who pressed what and when, for a page that nobody opens
    queue.event_ids_to_events = GoingOn()
    queue._asyncio_tasks = Tasks()
    SessionState.__setitem__ = _in_its_place  # pyright: ignore[reportAttributeAccessIssue]
