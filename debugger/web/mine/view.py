"""The parts of the page as HTML: bar, rail, left, right, foot. What a learner wrote is escaped."""

from __future__ import annotations

from debugger.evidence.markup import escape
from debugger.outcome import STAGES, StageName
from debugger.printing.sentences import MARKS, waiting
from debugger.web.buttons import button
from debugger.web.languages import choice, linked
from debugger.web.mine.left import left
from debugger.web.mine.right import right, searching
from debugger.web.mine.tab import Look, to_keep
from debugger.words import Words


def bar(look: Look, words: Words) -> str:
    tab = look.tab
    present = button(
        escape(words.say("clinic", "present")), "present", aria_pressed=str(tab.present).lower()
    )
    theme = f'<button type="button" data-theme>{escape(words.say("clinic", "theme"))}</button>'
    home = escape(words.say("clinic", "home"))
    return (
        f'<header class="bar" data-said-in="{words.language}" data-address="" '
        f'data-present="{int(tab.present)}" data-turn="{tab.turn}" '
        f'data-heard="{escape(tab.heard)}" data-mine="{escape(to_keep(tab))}">'
        f'<a class="home" href="{linked("./", words)}"><span aria-hidden="true">◂</span> {home}</a>'
        f"<h1>{escape(words.say('mine', 'title'))}</h1>"
        f'<div class="tools">{choice(words)}{present}{theme}</div></header>'
    )


def rail(look: Look, words: Words) -> str:
    stations = "".join(_station(look, words, n, name) for n, name in enumerate(STAGES, 1))
    label = escape(words.say("clinic", "rail"))
    return f'<nav aria-label="{label}"><ol class="rail">{stations}</ol></nav>'


def _station(look: Look, words: Words, number: int, name: StageName) -> str:
    report, busy = look.reports.get(name), look.busy
    state, mark, kind = words.say("outcome", "not run"), str(number), "idle"
    if busy is not None and busy.stage == name and not busy.ended and look.search is None:
        mark, kind = "", "busy"
        state = words.say("waiting", "state") if busy.place else words.say("clinic", "running")
    elif report is not None and report.outcome != "not run":
        state, mark = words.say("outcome", report.outcome), MARKS[report.outcome]
        kind = report.outcome
        if look.stale:
            state, mark, kind = words.say("clinic", "stale"), "↻", "stale"
    label = (
        f'<span class="mark" aria-hidden="true">{mark}</span>'
        f'<b>{escape(words.say("short", name))}</b><span class="state">{escape(state)}</span>'
    )
    current = "step" if look.tab.stage == name else "false"
    return f"<li>{button(label, 'stage', name, kind, aria_current=current)}</li>"


def foot(look: Look, words: Words) -> str:
    def say(word: str) -> str:
        return escape(words.say("clinic", word))

    place, tab = STAGES.index(look.tab.stage), look.tab
    run = (
        button(say("stop"), "stop", kind="stop act")
        if look.occupied
        else button(
            escape(words.say("mine", "run")),
            "run",
            "walk",
            "go act",
            off=not tab.text.strip() or look.no_typing is not None,
        )
    )
    last = place == len(STAGES) - 1
    return (
        '<div class="foot" role="group">'
        + button(f"‹ <span>{say('previous')}</span>", "move", "-1", "prev", off=place == 0)
        + run
        + button(f"<span>{say('next')}</span> ›", "move", "1", "next", off=last)
        + f'<p class="status" role="status">{escape(_status(look, words))}</p></div>'
    )


def _status(look: Look, words: Words) -> str:
    busy, said = look.busy, look.tab.said
    if look.search is not None and not (busy and busy.place):
        return searching(look, words)
    if busy is not None:
        if busy.place:
            return waiting(busy.place, busy.wait, words)
        stage = words.say("short", busy.stage)
        doing = words.say("clinic", "doing_stage", stage=stage)
        if busy.of:
            doing = words.say("clinic", "doing", stage=stage, done=busy.done, of=busy.of)
        return f"{words.say('waiting', 'again')} {doing}" if busy.again else doing
    if look.tab.desk.turned_away is not None:
        return words.finding(look.tab.desk.turned_away)
    return words.say("mine", said[0], **said[1]) if said else ""


PARTS = {"bar": bar, "rail": rail, "left": left, "right": right, "foot": foot}
