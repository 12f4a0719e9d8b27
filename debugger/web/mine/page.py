"""The page at /mine: the parts of a clinic page, an editor, and the listeners that redraw them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import gradio as gr

from debugger.web.languages import language_of
from debugger.web.mine.bench import Bench
from debugger.web.mine.tab import MINE, MOST_ARGUMENTS, Tab, read_kept
from debugger.web.mine.view import PARTS
from debugger.web.parts import PRIVATE, editor, followed, in_editor, part, redrawn, told_again
from debugger.words import Words

# Files are sent as a press is, in base64: so nothing that a browser names is ever a path here.
PRESSED = """
element.dataset.listens = '';
element.addEventListener('click', (event) => {
  const button = event.target.closest('[data-act]');
  if (!button || button.disabled || !window.clinic.sure(button)) return;
  const told = {act: button.dataset.act, with: button.dataset.with};
  const how = told.act === 'run' ? 'submit' : 'click';
  window.clinic.press((number) => trigger(how, {...told, number}));
});
window.clinic.again = () => trigger('click', {act: 'again'});
window.clinic.give = (files) => window.clinic.press(
  (number) => trigger('click', {act: 'files', with: JSON.stringify(files), number})
);
"""
FRESH = "<span hidden data-fresh></span>"
"""For the page's own script: this tab is nobody's any more, open it again."""


def build(blocks: gr.Blocks, bench: Bench) -> None:
    """Fill a page of `blocks`."""
    state = gr.State(None)
    kept = gr.Textbox(visible=False)  # filled by the browser when it arrives
    with gr.Column(elem_id="clinic"):
        bar, rail = part("bar", PRESSED), part("rail", PRESSED)
        with gr.Row(elem_id="work"):
            with gr.Column(elem_id="mine"):
                left = part("left", PRESSED)
                code = editor(visible=True)
                arguments = _arguments()
            right = part("right", PRESSED)
        foot = part("foot", PRESSED)
    parts = [bar, rail, left, right, foot]
    inputs, outputs = [state, code, arguments], [state, code, *parts]
    unchanged = [gr.skip()] * len(outputs)
    lost = [gr.skip(), gr.skip(), FRESH, *[gr.skip()] * 4]

    async def arrive(kept: str, request: gr.Request) -> list[Any]:
        query = str(request.query_params)
        tab = Tab(language=language_of(query, request.headers.get("accept-language")))
        bench.arrive(tab, read_kept(kept))
        label = Words(tab.language).say("mine", "arguments")
        return [*_updates(tab, bench), gr.update(value=tab.arguments, label=label)]

    async def press(
        tab: Tab | None, text: str | None, given: str | None, told: gr.EventData
    ) -> list[Any]:
        if tab is None:
            return lost
        _typed(tab, text, given, bench)
        if told_again(tab, told._data):
            return _updates(tab, bench)
        act = str(told._data.get("act"))
        if act == "again":
            tab.drawn.clear()
        bench.press(tab, act, str(told._data.get("with")))
        return _updates(tab, bench)

    async def start(
        tab: Tab | None,
        text: str | None,
        given: str | None,
        told: gr.EventData,
        request: gr.Request,
    ) -> AsyncIterator[list[Any]]:
        if tab is None:
            yield lost
            return
        _typed(tab, text, given, bench)
        if told_again(tab, told._data):
            yield _updates(tab, bench)
            return
        what = bench.plan(tab, str(told._data.get("with")), str(request.session_hash))
        if what is None:
            yield _updates(tab, bench)
            return
        async for update in followed(bench.follow(tab, what), lambda: _updates(tab, bench)):
            yield update

    async def keep(tab: Tab | None, text: str | None, given: str | None) -> list[Any]:
        if tab is None:
            return unchanged
        _typed(tab, text, given, bench)
        return _updates(tab, bench)

    blocks.load(arrive, kept, [*outputs, arguments], js=MINE, queue=False, **PRIVATE)
    for piece in parts:
        piece.click(press, inputs, outputs, queue=False, **PRIVATE)
        piece.submit(
            start, inputs, outputs, concurrency_limit=None, trigger_mode="multiple", **PRIVATE
        )
    for typed in (code, arguments):
        typed.input(keep, inputs, outputs, queue=False, trigger_mode="always_last", **PRIVATE)


def _arguments() -> gr.Textbox:
    return gr.Textbox(
        label=Words().say("mine", "arguments"),
        elem_id="arguments",
        max_lines=1,
        max_length=MOST_ARGUMENTS,
        interactive=True,
    )


def _typed(tab: Tab, text: str | None, given: str | None, bench: Bench) -> None:
    """Take over what stands in the editor, which does not keep the last newline."""
    bench.argue(tab, given or "")
    if tab.side == "edit" and tab.editor is not None and text is not None:
        tab.editor = text.rstrip("\n") + "\n" if text.strip() else ""
        bench.type(tab, tab.editor)


def _updates(tab: Tab, bench: Bench) -> list[Any]:
    """The tab, and every part where it is not as it was last sent."""
    tab.turn += 1
    look = bench.look(tab)
    words = Words(tab.language).of(look.framework)
    wanted = tab.text if tab.side == "edit" else None
    return [tab, in_editor(tab, wanted), *redrawn(tab, PARTS, look, words)]
