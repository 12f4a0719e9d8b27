"""The pages of assignments and certificates: a frame each, which the page's own script fills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from debugger.catalogue import Scenario
from debugger.catalogue.scenario import Symptom
from debugger.evidence.markup import escape
from debugger.homework.certificate import MOST_NAME
from debugger.homework.task import MOST_TITLE
from debugger.web.languages import linked
from debugger.web.room.shell import document
from debugger.words import Words, languages

Page = Literal["task", "task_new", "certificate", "certificate_check"]
SCRIPT = "homework.js"
SAID = ("lost", "log_in", "copied")
"""What the page's script says by itself."""


def page(name: Page, words: Words, offered: Sequence[Scenario]) -> str:
    """The whole document. What a browser keeps, or was given, is not in it yet."""
    inside = {
        "task": lambda: '<section data-list aria-live="polite"></section>',
        "task_new": lambda: _new(words, offered),
        "certificate": lambda: _certificate(words),
        "certificate_check": lambda: _check(words),
    }[name]()
    up = "../" if "_" in name else "./"
    return document(name, words.say("homework", name), inside, words, up, (SCRIPT, _said()))


def _said() -> str:
    metas = ""
    for words in map(Words, languages()):
        told = " ".join(f'data-{code.replace("_", "-")}="{_say(words, code)}"' for code in SAID)
        metas += f'<meta name="homework-words" lang="{words.language}" {told}>'
    return metas


def _say(words: Words, code: str, **numbers: object) -> str:
    return escape(words.say("homework", code, **numbers))


def _new(words: Words, offered: Sequence[Scenario]) -> str:
    about = f'<p class="about">{_say(words, "task_about")}</p>'
    fields = (
        f'<div class="fields"><label>{_say(words, "title")}<input name="title" required '
        f'maxlength="{MOST_TITLE}" autocomplete="off"><small>{_say(words, "title_about")}</small>'
        f'</label><label>{_say(words, "deadline")}<input name="until" type="datetime-local">'
        f"<small>{_say(words, 'deadline_about')}</small></label></div>"
    )
    lists = "".join(_offered(symptom, words, offered) for symptom in get_args(Symptom))
    press = f'<p><button class="go">{_say(words, "make")}</button></p>'
    copy = f'<button type="button" data-copy>{_say(words, "copy")}</button>'
    made = (
        f'<section class="made" data-made hidden><h2>{_say(words, "link")}</h2>'
        f'<p class="link" data-link></p><p>{copy} '
        f'<a class="plain" data-open href="">{_say(words, "open")}</a></p>'
        f'<p class="dim">{_say(words, "keep_link")}</p></section>'
    )
    check = linked("../certificate/check", words)
    other = f'<p><a href="{check}">{_say(words, "to_check")}</a></p>'
    return f"{about}<form data-task>{fields}{lists}{press}</form>{made}{other}"


def _offered(symptom: Symptom, words: Words, offered: Sequence[Scenario]) -> str:
    listed = ""
    for scenario in offered:
        if scenario.symptom == symptom:
            facts = escape(about(scenario, words))
            listed += (
                f'<label><input type="checkbox" name="case" value="{scenario.number}">'
                f"<span>{escape(scenario.words.title)} <small>{facts}</small></span></label>"
            )
    if not listed:
        return ""
    legend = escape(words.say("page", symptom))
    return f'<fieldset><legend>{legend}</legend><div class="cases">{listed}</div></fieldset>'


def about(scenario: Scenario, words: Words) -> str:
    words = words.of(scenario.framework)
    level = words.say("page", "level", difficulty=scenario.difficulty)
    minutes = words.say("page", "minutes", minutes=scenario.minutes)
    return f"{level}, {minutes}, {words.say('page', 'framework')}"


def _certificate(words: Words) -> str:
    about = f'<p class="about">{_say(words, "certificate_about")}</p>'
    form = (
        f'<form data-named><label>{_say(words, "name")}<input name="name" maxlength="{MOST_NAME}" '
        f'autocomplete="off"><small>{_say(words, "name_about")}</small></label>'
        f'<p><button class="go" name="save">{_say(words, "save")}</button> '
        f'<button name="print">{_say(words, "print")}</button></p></form>'
    )
    return f"{about}{form}<section data-list></section>"


def _check(words: Words) -> str:
    return (
        f'<p class="about">{_say(words, "check_about")}</p><form data-check '
        f'data-pasted="{_say(words, "pasted")}">'
        f"<label>{_say(words, 'task_link')}"
        '<input name="of" autocomplete="off" spellcheck="false"></label>'
        f"<label>{_say(words, 'files')}"
        '<input name="files" type="file" multiple accept=".json,application/json"></label>'
        f"<label>{_say(words, 'paste')}"
        '<textarea name="text" rows="4" spellcheck="false"></textarea></label>'
        f'<p><button class="go">{_say(words, "check")}</button> '
        f'<button type="button" data-csv hidden>{_say(words, "csv")}</button></p></form>'
        '<section data-list aria-live="polite"></section>'
        f'<p><a href="{linked("../task/new", words)}">{_say(words, "to_new")}</a></p>'
    )
