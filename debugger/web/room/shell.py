"""The pages of a class, without gradio: a frame each, which the page's own script fills."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Literal

from debugger.catalogue import Scenario
from debugger.evidence.markup import escape, folded
from debugger.outcome import STAGES
from debugger.room.naming import MOST_NAME
from debugger.web.languages import choice, linked
from debugger.words import Words, languages

Page = Literal["class", "lead", "board"]
STYLES, SCRIPT = ("base.css", "class.css", "homework.css"), "class.js"
SAID = (
    *("lost", "is_locked", "time_up", "copied", "local_only", "follows", "follow", "own_way"),
    *("my_class", "log_in", "left"),
)
"""What the page's script says by itself."""
MOST_TYPED = 12
THEME = (
    "document.body.classList.toggle('dark',((()=>{try{return localStorage.getItem('clinic-theme')}"
    "catch{return null}})()||(matchMedia('(prefers-color-scheme: dark)').matches?'dark':''))"
    "==='dark')"
)


def page(name: Page, words: Words, offered: Sequence[Scenario]) -> str:
    """The whole document. Nothing of any room is in it."""
    up = "./" if name == "class" else "../"
    inside = {"class": _student, "lead": _lead, "board": _board}[name](words, offered)
    return document(name, words.say("class", name), inside, words, up, (SCRIPT, said()))


def document(
    name: str, called: str, inside: str, words: Words, up: str, script: tuple[str, str]
) -> str:
    """A page of ours. `script` is the file of its script, and what goes into the head for that."""
    static = files("debugger.web").joinpath("static")
    style = "".join(static.joinpath(one).read_text(encoding="utf-8") for one in STYLES)
    code = static.joinpath(script[0]).read_text(encoding="utf-8")
    title = f"{called} · {words.say('page', 'title')}"
    home = f'<a class="home" href="{linked(up, words)}"><span aria-hidden="true">◂</span> '
    home += f"{escape(words.say('clinic', 'home'))}</a>"
    theme = f'<button type="button" data-theme>{escape(words.say("clinic", "theme"))}</button>'
    return (
        f'<!doctype html><html lang="{words.language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>{script[1]}<style>{_fonts(up)}{style}</style></head>"
        f'<body><script>{THEME}</script><main id="class" data-page="{name}" data-up="{up}">'
        f'<header class="bar">{home}<h1>{escape(called)}</h1>'
        f'<div class="tools">{choice(words)}{theme}</div></header>'
        f'<p class="said" role="alert" data-said></p>{inside}</main>'
        f"<script>{code}</script></body></html>"
    )


def said() -> str:
    """For the script, here and on the pages of gradio: its sentences in every language."""
    metas = ""
    for words in map(Words, languages()):
        told = " ".join(
            f'data-{code.replace("_", "-")}="{_say(words, code, letter="%s", room="%s")}"'
            for code in (*SAID, "you_voted")
        )
        metas += f'<meta name="class-words" lang="{words.language}" {told}>'
    return metas


def _say(words: Words, code: str, **numbers: object) -> str:
    return escape(words.say("class", code, **numbers))


def _fonts(up: str) -> str:
    """The files that gradio serves for the other pages."""
    return "".join(
        f'@font-face{{font-family:"IBM Plex {family}";font-weight:{weight};'
        f'src:url("{up}static/fonts/IBMPlex{family}/IBMPlex{family}-{face}.woff2")}}'
        for family in ("Sans", "Mono")
        for face, weight in (("Regular", 400), ("Bold", 700))
    )


def _student(words: Words, _: Sequence[Scenario]) -> str:
    join = (
        f"<form data-join><p>{_say(words, 'join_about')}</p>"
        f'<label>{_say(words, "code")}<input name="code" required maxlength="{MOST_TYPED}" '
        'autocomplete="off" autocapitalize="characters" spellcheck="false" class="code"></label>'
        f'<label>{_say(words, "nickname")}<input name="name" maxlength="{MOST_NAME}" '
        f'autocomplete="off"></label><p class="dim">{_say(words, "name_about")}</p>'
        f'<button class="go">{_say(words, "join")}</button></form>'
    )
    leave = (
        f'<button type="button" data-leave data-ask="{_say(words, "leave_sure")}">'
        f"{_say(words, 'leave')}</button>"
    )
    return (
        f"{join}<section data-in hidden><div data-live></div>{_pair(words)}"
        f'<div class="who"><span data-me></span> {leave}</div></section>'
    )


def _pair(words: Words) -> str:
    """Two who answer as one: a code to show, and a field for that of the other."""
    shown = (
        f'<div data-offered hidden><p>{_say(words, "pair_wait")}</p><p class="code" data-pair></p>'
        f'<img data-pair-qr alt="{_say(words, "pair_qr")}" width="132" height="132"></div>'
    )
    form = (
        f'<form data-paired><label>{_say(words, "pair_code")}<input name="pair" required '
        f'maxlength="{MOST_TYPED}" autocomplete="off" autocapitalize="characters" '
        f'spellcheck="false"></label><button>{_say(words, "pair_join")}</button></form>'
    )
    offer = f'<p><button type="button" data-offer>{_say(words, "pair_show")}</button></p>'
    about = f'<p class="dim">{_say(words, "pair_about")}</p>'
    inside = folded(_say(words, "together_two"), f"{about}{offer}{shown}{form}", "two")
    return f'{inside}<p class="together-two" data-together hidden>{_say(words, "paired")}</p>'


def _lead(words: Words, offered: Sequence[Scenario]) -> str:
    start = (
        f"<section data-start><p>{_say(words, 'start_about')}</p><p>"
        f'<button type="button" class="go" data-new>{_say(words, "start")}</button></p></section>'
    )
    listed = "".join(
        f'<option value="{one.number}">{escape(one.words.title)}</option>' for one in offered
    )
    symptom = escape(words.say("clinic", "symptom"))
    stages = f'<option value="">{symptom}</option>' + "".join(
        f'<option value="{stage}">{escape(words.say("short", stage))}</option>' for stage in STAGES
    )
    place = (
        f'<form data-place><label>{_say(words, "scenario")}<select name="case">{listed}</select>'
        f'</label><label>{_say(words, "stage")}<select name="stage">{stages}</select></label>'
        f"<button>{_say(words, 'go_there')}</button>"
        f'<a class="go" data-present href="../">{_say(words, "present")}</a>'
        f'<a class="plain" data-board href="{linked("board", words)}">{_say(words, "board")}</a>'
        "</form>"
    )
    carry = (
        f'<p><button type="button" data-carry>{_say(words, "carry")}</button> '
        f'<output data-carried></output></p><p class="dim">{_say(words, "carry_about")}</p>'
    )
    end = (
        f'<button type="button" data-do="end" data-ask="{_say(words, "end_sure")}">'
        f"{_say(words, 'end')}</button>"
    )
    after = (
        f'<section class="after"><h2>{_say(words, "after")}</h2>'
        f'<p><label><input type="checkbox" data-names> {_say(words, "with_names")}</label></p>'
        f'<p><button type="button" data-summary="txt">{_say(words, "as_text")}</button> '
        f'<button type="button" data-summary="json">{_say(words, "as_json")}</button> {end}</p>'
        f'<p class="dim">{_say(words, "kept_a_day")}</p>{carry}</section>'
    )
    homework = (
        f'<p class="homework"><a href="{linked("../task/new", words)}">'
        f"{escape(words.say('homework', 'to_new'))}</a> "
        f'<a href="{linked("../certificate/check", words)}">'
        f"{escape(words.say('homework', 'to_check'))}</a></p>"
    )
    return (
        f"{start}<section data-in hidden>{_invite(words)}{place}<div data-live></div>{after}"
        f"</section>{homework}"
    )


def _board(words: Words, _: Sequence[Scenario]) -> str:
    return (
        f"<p data-none hidden>{_say(words, 'no_class_here')}</p>"
        f"<section data-in hidden>{_invite(words)}<div data-live></div></section>"
    )


def _invite(words: Words) -> str:
    copy = f'<button type="button" data-copy>{_say(words, "copy_link")}</button>'
    alone = '<p class="warn" data-local hidden></p>'
    return (
        f'<div class="invite"><img data-qr alt="{_say(words, "qr")}" width="132" height="132">'
        f'<div><p class="dim">{_say(words, "come_in")}</p><p class="link" data-link></p>'
        f'<p class="code" data-code></p><p>{copy}</p>{alone}</div></div>'
    )
