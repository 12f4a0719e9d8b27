"""What a clinic page is made of, whosever script it shows: pieces of HTML, and one editor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from typing import Any, Protocol, TypeVar

import gradio as gr

from debugger.words import Words

PRIVATE: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
SETTLING_SECONDS = 0.3
Shown = TypeVar("Shown")


class Sent(Protocol):
    """What one tab was sent last: its pieces, and the text in its editor; and its last press."""

    drawn: dict[str, str]
    editor: str | None
    heard: int


def part(name: str, pressed: str) -> gr.HTML:
    """`pressed` is the script that sends its presses."""
    return gr.HTML(elem_id=name, apply_default_css=False, js_on_load=pressed)


def editor(visible: bool) -> gr.Code:
    return gr.Code(
        language="python",
        elem_id="editor",
        show_label=False,
        lines=12,
        interactive=True,
        visible=visible,
        buttons=[],
    )


def redrawn(
    tab: Sent, parts: Mapping[str, Callable[[Shown, Words], str]], shown: Shown, words: Words
) -> list[Any]:
    """Every part, where it is not as it was last sent."""
    updates: list[Any] = []
    for name, made in parts.items():
        html = made(shown, words)
        updates.append(gr.skip() if tab.drawn.get(name) == html else html)
        tab.drawn[name] = html
    return updates


def told_again(tab: Sent, told: Mapping[str, Any]) -> bool:
    """Whether this press was acted on before: a page repeats one of which nothing came back."""
    number = told.get("number")
    if not isinstance(number, int):
        return False
    known, tab.heard = number <= tab.heard, max(number, tab.heard)
    if known:
        tab.drawn.clear()
    return known


def in_editor(tab: Sent, wanted: str | None) -> Any:
    """The editor, where one is wanted. What it holds already is not sent: one may be typing."""
    if wanted == tab.editor:
        return gr.skip()
    tab.editor = wanted
    return gr.update(visible=wanted is not None, value=wanted or "")


async def followed(
    news: AsyncGenerator[None], updates: Callable[[], list[Any]]
) -> AsyncIterator[list[Any]]:
    """What to send at each piece of news, and once more when there is no more of it."""
    async with aclosing(news):
        async for _ in news:
            yield updates()
    await asyncio.sleep(SETTLING_SECONDS)
    yield updates()  # the bar alone: it tells the page whether the last one was lost
