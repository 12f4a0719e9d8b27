"""The clinic page: five pieces of HTML, and the listeners that redraw what has changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import gradio as gr

from debugger.evidence.markup import escape
from debugger.web import regions
from debugger.web.clinic import Clinic
from debugger.web.demo import demonstrate
from debugger.web.desk import Desk
from debugger.web.languages import language_of, linked
from debugger.web.scene import Scene
from debugger.web.visit import (
    EDIT,
    KEPT,
    TYPED,
    LinkError,
    Record,
    at_home,
    read_address,
    read_record,
)
from debugger.words import Words

PARTS: dict[str, Callable[[Scene, Words], str]] = {
    "bar": regions.bar,
    "rail": regions.rail,
    "left": regions.left,
    "right": regions.right,
    "foot": regions.foot,
}
# A press reaches the server with the address, so that a restarted server knows where the tab is.
# Its number comes back in the bar: gradio loses one of two answers that arrive at the same time.
PRESSED = """
element.dataset.listens = '';
element.addEventListener('click', (event) => {
  const button = event.target.closest('[data-act]');
  if (!button || button.disabled || !window.clinic.sure(button)) return;
  const told = {act: button.dataset.act, with: button.dataset.with, at: location.search};
  const runs = ['run', 'apply', 'solution', 'answer', 'marked'].includes(told.act);
  window.clinic.press((number) => trigger(
    runs ? 'submit' : 'click', {...told, number, kept: window.clinic.kept()}
  ));
});
window.clinic.again = () => trigger('click', {act: 'again', at: location.search});
"""
SETTLING_SECONDS = 0.3


def build(blocks: gr.Blocks, clinic: Clinic) -> None:
    """Fill a page of `blocks` that stands at /clinic."""
    desk = gr.State(None)
    kept = gr.Textbox(visible=False)  # filled by the browser when it arrives
    with gr.Column(elem_id="clinic"):
        bar, rail = _part("bar"), _part("rail")
        with gr.Row(elem_id="work"):
            with gr.Column(elem_id="mine"):
                left = _part("left")
                editor = _editor()
            right = _part("right")
        foot = _part("foot")
    parts = [bar, rail, left, right, foot]
    private: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    outputs = [desk, editor, *parts]
    unchanged = [gr.skip()] * len(outputs)

    async def arrive(kept: str, request: gr.Request) -> list[Any]:
        at = Desk(record=read_record(kept))
        query, accepted = str(request.query_params), request.headers.get("accept-language")
        try:
            _enter(at, query, clinic, accepted)
        except LinkError as error:
            return [at, gr.skip(), *_nowhere(error, Words(language_of(query, accepted)))]
        clinic.prepare(at.visit.scenario)
        return _updates(at, clinic)

    # A generator that yields nothing would empty the page.
    async def resume(desk: Desk) -> AsyncIterator[list[Any]]:
        yield unchanged
        if desk.visit.demo and not desk.showing:
            async for update in _drawn(desk, clinic, demonstrate(clinic, desk)):
                yield update
        elif desk.wanted is not None:
            what, desk.wanted = desk.wanted, None
            async for update in _drawn(desk, clinic, clinic.follow(desk, what)):
                yield update

    async def press(desk: Desk | None, text: str | None, told: gr.EventData) -> list[Any]:
        at = _at_home(desk, told._data, clinic)
        if at is None:
            return unchanged
        _typed(at, text, clinic)
        if told._data.get("act") == "again":
            at.drawn.clear()
        at.heard = told._data.get("number", at.heard)
        clinic.press(at, str(told._data.get("act")), str(told._data.get("with")))
        return _updates(at, clinic)

    async def start(
        desk: Desk | None, text: str | None, told: gr.EventData
    ) -> AsyncIterator[list[Any]]:
        at = _at_home(desk, told._data, clinic)
        if at is None:
            yield unchanged
            return
        _typed(at, text, clinic)
        at.heard = told._data.get("number", at.heard)
        what = clinic.plan(at, str(told._data.get("act")), str(told._data.get("with")))
        if what is None:
            yield _updates(at, clinic)
            return
        async for update in _drawn(at, clinic, clinic.follow(at, what)):
            yield update

    async def keep(desk: Desk | None, text: str | None) -> list[Any]:
        if desk is None or not desk.visit.scenario:
            return unchanged
        _typed(desk, text, clinic)
        return _updates(desk, clinic)

    arrived = blocks.load(arrive, kept, outputs, js=KEPT, queue=False, **private)
    arrived.then(resume, desk, outputs, concurrency_limit=None, **private)
    for part in parts:
        part.click(press, [desk, editor], outputs, queue=False, **private)
        part.submit(
            start,
            [desk, editor],
            outputs,
            concurrency_limit=None,
            trigger_mode="multiple",
            **private,
        )
    editor.input(keep, [desk, editor], outputs, queue=False, trigger_mode="always_last", **private)


def _part(name: str) -> gr.HTML:
    return gr.HTML(elem_id=name, apply_default_css=False, js_on_load=PRESSED)


def _editor() -> gr.Code:
    return gr.Code(
        language="python",
        elem_id="editor",
        show_label=False,
        lines=12,
        interactive=True,
        visible=False,
        buttons=[],
    )


def _typed(desk: Desk, text: str | None, clinic: Clinic) -> None:
    """Take over what stands in the editor, where one is open. It does not keep the last newline."""
    if desk.visit.side == EDIT and desk.editor is not None and text is not None:
        desk.editor = text.rstrip("\n") + "\n"
        clinic.type(desk, desk.editor)


def _enter(desk: Desk, query: str, clinic: Clinic, accepted: str | None) -> None:
    desk.visit = at_home(read_address(query, clinic.known, accepted), desk.record)
    if desk.visit.demo:
        desk.record = Record(learner=desk.record.learner)
    typed = f"changes={TYPED}" in query
    desk.note = ("link_typed" if typed else "link_lost") if desk.visit.lost else ""
    desk.wanted = clinic.resumable(desk)


def _at_home(desk: Desk | None, told: Any, clinic: Clinic) -> Desk | None:
    """The desk of this tab. After a restart there is none: the press says where the tab stands."""
    if desk is not None:
        return desk if desk.visit.scenario else None
    fresh = Desk(record=read_record(str(told.get("kept", ""))))
    try:
        fresh.visit = at_home(read_address(str(told.get("at", "")), clinic.known), fresh.record)
    except LinkError:
        return None
    return fresh


async def _drawn(
    desk: Desk, clinic: Clinic, news: AsyncGenerator[None]
) -> AsyncIterator[list[Any]]:
    async with aclosing(news):
        async for _ in news:
            yield _updates(desk, clinic)
    await asyncio.sleep(SETTLING_SECONDS)
    yield _updates(desk, clinic)  # the bar alone: it tells the page whether the last one was lost


def _updates(desk: Desk, clinic: Clinic) -> list[Any]:
    """The desk, and every part where it is not as it was last sent."""
    desk.turn += 1
    scene = clinic.scene(desk)
    words = Words(desk.visit.language).of(scene.scenario.framework)
    updates: list[Any] = [desk, _in_editor(desk, scene)]
    for name, part in PARTS.items():
        html = part(scene, words)
        updates.append(gr.skip() if desk.drawn.get(name) == html else html)
        desk.drawn[name] = html
    return updates


def _in_editor(desk: Desk, scene: Scene) -> Any:
    """The editor where it is asked for. What it holds already is not sent: one may be typing."""
    wanted = scene.script if scene.visit.side == EDIT and not scene.no_typing else None
    if wanted == desk.editor:
        return gr.skip()
    desk.editor = wanted
    return gr.update(visible=wanted is not None, value=wanted or "")


def _nowhere(error: LinkError, words: Words) -> list[Any]:
    """A bad link: what it asked for, and the way back."""
    said = escape(words.say("clinic", error.code, value=error.value[:60]))
    home = escape(words.say("clinic", "all_scenarios"))
    page = (
        f'<div class="opening" data-said-in="{words.language}">'
        f"<h1>{escape(words.say('page', 'title'))}</h1><p>{said}</p>"
        f'<p><a class="go" href="{linked("./", words)}">{home}</a></p></div>'
    )
    return ["", "", page, "", ""]
