"""The clinic page: five pieces of HTML, and the listeners that redraw what has changed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import gradio as gr

from debugger.evidence.markup import escape
from debugger.web import regions
from debugger.web.clinic import Clinic
from debugger.web.demo import demonstrate
from debugger.web.desk import Desk
from debugger.web.languages import language_of, linked
from debugger.web.parts import PRIVATE, editor, followed, in_editor, part, redrawn, told_again
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
  const runs = ['run', 'apply', 'solution', 'answer', 'marked', 'check'].includes(told.act);
  window.clinic.press((number) => trigger(
    runs ? 'submit' : 'click', {...told, number, kept: window.clinic.kept()}
  ));
});
window.clinic.again = () => trigger('click', {act: 'again', at: location.search});
"""


def build(blocks: gr.Blocks, clinic: Clinic) -> None:
    """Fill a page of `blocks` that stands at /clinic."""
    desk = gr.State(None)
    kept = gr.Textbox(visible=False)  # filled by the browser when it arrives
    with gr.Column(elem_id="clinic"):
        bar, rail = part("bar", PRESSED), part("rail", PRESSED)
        with gr.Row(elem_id="work"):
            with gr.Column(elem_id="mine"):
                left = part("left", PRESSED)
                code = editor(visible=False)
            right = part("right", PRESSED)
        foot = part("foot", PRESSED)
    parts = [bar, rail, left, right, foot]
    outputs = [desk, code, *parts]
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
            async for update in followed(demonstrate(clinic, desk), lambda: _updates(desk, clinic)):
                yield update
        elif desk.wanted is not None:
            what, desk.wanted = desk.wanted, None
            async for update in followed(clinic.follow(desk, what), lambda: _updates(desk, clinic)):
                yield update

    async def press(desk: Desk | None, text: str | None, told: gr.EventData) -> list[Any]:
        at = _at_home(desk, told._data, clinic)
        if at is None:
            return unchanged
        _typed(at, text, clinic)
        if told_again(at, told._data):
            return _updates(at, clinic)
        if told._data.get("act") == "again":
            at.drawn.clear()  # and nothing else: what was said stays said
        else:
            clinic.press(at, str(told._data.get("act")), str(told._data.get("with")))
        return _updates(at, clinic)

    async def start(
        desk: Desk | None, text: str | None, told: gr.EventData, request: gr.Request
    ) -> AsyncIterator[list[Any]]:
        at = _at_home(desk, told._data, clinic)
        if at is None:
            yield unchanged
            return
        _typed(at, text, clinic)
        if told_again(at, told._data):
            yield _updates(at, clinic)
            return
        what = clinic.plan(at, str(told._data.get("act")), str(told._data.get("with")))
        if what is not None and not clinic.bounds.may_run(str(request.session_hash)):
            at.note, what = "too_many_runs", None
        if what is None:
            yield _updates(at, clinic)
            return
        async for update in followed(clinic.follow(at, what), lambda: _updates(at, clinic)):
            yield update

    async def keep(desk: Desk | None, text: str | None) -> list[Any]:
        if desk is None or not desk.visit.scenario:
            return unchanged
        _typed(desk, text, clinic)
        return _updates(desk, clinic)

    arrived = blocks.load(arrive, kept, outputs, js=KEPT, queue=False, **PRIVATE)
    arrived.then(resume, desk, outputs, concurrency_limit=None, **PRIVATE)
    for piece in parts:
        piece.click(press, [desk, code], outputs, queue=False, **PRIVATE)
        piece.submit(
            start,
            [desk, code],
            outputs,
            concurrency_limit=None,
            trigger_mode="multiple",
            **PRIVATE,
        )
    code.input(keep, [desk, code], outputs, queue=False, trigger_mode="always_last", **PRIVATE)


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


def _updates(desk: Desk, clinic: Clinic) -> list[Any]:
    """The desk, and every part where it is not as it was last sent."""
    desk.turn += 1
    scene = clinic.scene(desk)
    words = Words(desk.visit.language).of(scene.scenario.framework)
    return [desk, _in_editor(desk, scene), *redrawn(desk, PARTS, scene, words)]


def _in_editor(desk: Desk, scene: Scene) -> Any:
    open_now = scene.visit.side == EDIT and not scene.no_typing
    return in_editor(desk, scene.script if open_now else None)


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
