"""The left side: the editor, the script with its marks, what was changed, the files."""

from __future__ import annotations

from debugger.evidence.markup import escape, sentence
from debugger.outcome import STAGES, Finding
from debugger.script.marks import marked
from debugger.web import listing
from debugger.web.buttons import button
from debugger.web.mine.elsewhere import Elsewhere
from debugger.web.mine.given import DATA, SCRIPTS
from debugger.web.mine.tab import SIDES, Look
from debugger.web.regions import pane, tabs
from debugger.words import Words

COMMAND = "python -m debugger diagnose SCRIPT.py"


def left(look: Look, words: Words) -> str:
    parts = {"edit": _edit, "script": _script, "diff": _diff, "files": _files}
    inside = parts[look.tab.side](look, words)
    return tabs(SIDES, look.tab.side, "side", words) + pane("side", inside)


def _edit(look: Look, words: Words) -> str:
    tab = look.tab

    def say(word: str, **about: object) -> str:
        return escape(words.say("mine", word, **about))

    buttons = [_adding(words, "add")]
    if tab.before:
        buttons.append(button(say("back"), "back", kind="plain"))
    if tab.given and tab.given != tab.text:
        original = escape(words.say("clinic", "original"))
        buttons.append(button(original, "original", kind="plain"))
    if tab.text.strip() or tab.files:
        sure = words.say("mine", "clear_sure")
        buttons.append(button(say("clear"), "clear", kind="plain", data_ask=sure))
    marks = [
        _row(mark.line, escape(words.say("clinic", mark.code, said=mark.said)), words)
        for mark in (marked(tab.text) if tab.text.strip() else ())
    ]
    if not look.stale:
        marks += [
            _row(found.line, sentence(words.finding(found)), words)
            for found in _blamed(look)
            if found.line is not None
        ]
    listed = f'<ul class="marks">{"".join(marks)}</ul>' if marks else ""
    editor = escape(words.say("clinic", "editor"))
    how, leave = words.say("mine", "how"), words.say("clinic", "leave_editor")
    return (
        f'<div class="editing own" data-editor="{editor}" data-drop>{_closed(look, words)}'
        f'<p class="press">{" ".join(buttons)}</p>{_beside(look, words)}{listed}'
        f"{_elsewhere(look, words)}"
        f'<p class="dim small">{escape(leave if tab.text.strip() else how)}</p></div>'
    )


def _closed(look: Look, words: Words) -> str:
    """Why nothing can be run here, and what can be done instead."""
    if look.no_typing is None:
        return ""
    why = sentence(words.finding(look.no_typing))
    instead = escape(words.say("mine", "command"))
    copied, copy = (escape(words.say("clinic", word)) for word in ("copied", "issue_copy_command"))
    return (
        f'<div class="hinted"><p>{why}</p><p>{instead}</p>'
        f'<p class="line"><code id="command">{COMMAND}</code> '
        f'<button type="button" data-copy="{copied}" data-of="command">{copy}</button></p></div>'
    )


def _adding(words: Words, word: str) -> str:
    """A button that is the browser's own choice of files: keyboards and phones know it."""
    accepted = ",".join([*SCRIPTS, *DATA])
    return (
        f'<label class="adding"><input type="file" multiple accept="{accepted}" data-files>'
        f"<span>{escape(words.say('mine', word))}</span></label>"
    )


def _beside(look: Look, words: Words) -> str:
    tab = look.tab
    if not tab.files and not tab.gone:
        return ""
    names = ", ".join(file.name for file in tab.files)
    said = escape(words.say("mine", "beside", names=names)) if names else ""
    return f'<p class="dim">{said} {_gone(look, words)}</p>'


def _gone(look: Look, words: Words) -> str:
    if not look.tab.gone:
        return ""
    names = ", ".join(name[:60] for name in look.tab.gone)
    return f"<b>{escape(words.say('mine', 'gone', names=names))}</b>"


def _elsewhere(look: Look, words: Words) -> str:
    """What the script reads that is not here, each with its line and what can stand there."""
    if not look.places:
        return ""
    rows = [_place(one, look, words) for one in look.places]
    several = sum(bool(one.edits) for one in look.places) > 1
    every = escape(words.say("mine", "swap_all"))
    more = button(every, "swap", "all", "plain", look.occupied) if several else ""
    head = f"<h3>{escape(words.say('mine', 'not_here'))}</h3>"
    return f'<div class="elsewhere"><div>{head}{more}</div><ul>{"".join(rows)}</ul></div>'


def _place(one: Elsewhere, look: Look, words: Words) -> str:
    said = sentence(words.say("mine", f"reads_{one.kind}", name=one.name[:80]))
    swap = ""
    if one.edits:
        label = escape(words.say("mine", f"swap_{one.kind}"))
        swap = button(label, "swap", f"{one.line}-{one.kind}", "plain", look.occupied)
    where = "" if one.kind == "training" else f"{_to_line(one.line, words)} "
    return f"<li><span>{where}{said}</span>{swap}</li>"


def _row(number: int, said: str, words: Words) -> str:
    return f"<li>{_to_line(number, words)} {said}</li>"


def _to_line(number: int, words: Words) -> str:
    line = escape(words.say("clinic", "line_link", line=number))
    return f'<button type="button" class="to" data-edit-line="{number}">{line}</button>'


def _blamed(look: Look) -> list[Finding]:
    found = [f for stage in STAGES if stage in look.reports for f in look.reports[stage].findings]
    return [one for one in found if one.severity != "note" or one.code == "not_reached"]


def _script(look: Look, words: Words) -> str:
    text = look.tab.text
    if not text.strip():
        return f'<p class="empty">{escape(words.say("mine", "nothing_given"))}</p>'
    blamed: dict[int, list[tuple[str, str]]] = {}
    for found in () if look.stale else _blamed(look):
        if found.line is not None:
            stage = escape(words.say("short", found.stage))
            said = f"<b>{stage}</b> {sentence(words.finding(found))}"
            blamed.setdefault(found.line, []).append((found.severity, said))
    label = words.say("clinic", "script_label", lines=len(text.splitlines()))
    return listing.script(text, label, blamed)


def _diff(look: Look, words: Words) -> str:
    tab = look.tab
    if tab.given == tab.text:
        return f'<p class="empty">{escape(words.say("mine", "no_changes"))}</p>'
    return listing.diff(tab.given, tab.text, *listing.diff_words(words))


def _files(look: Look, words: Words) -> str:
    tab = look.tab

    def say(word: str, **about: object) -> str:
        return escape(words.say("mine", word, **about))

    rows = "".join(
        f"<li><span><b>{escape(file.name)}</b> "
        f'<span class="dim">{say("size", kilobytes=max(1, file.size >> 10))}</span>'
        f"{_renamed(file.name, file.given, words)}</span>"
        f"{button(say('remove'), 'remove', file.name, 'plain', look.occupied)}</li>"
        for file in tab.files
    )
    listed = f'<ul class="given">{rows}</ul>' if rows else f"<p>{say('no_files')}</p>"
    gone = f"<p>{_gone(look, words)}</p>" if tab.gone else ""
    about = say("files_about", types=" ".join(DATA), **look.limits)
    return (
        f'<div class="own" data-drop>{listed}{gone}<p>{_adding(words, "add")}</p>'
        f'<p class="dim">{about}</p></div>'
    )


def _renamed(name: str, given: str, words: Words) -> str:
    if name == given:
        return ""
    return f' <span class="dim">{escape(words.say("mine", "renamed", given=given))}</span>'
