"""What a learner types in place of picking a change: its pane, and what is said of it."""

from __future__ import annotations

import difflib
from functools import lru_cache

from debugger.catalogue import Cheat, Fix
from debugger.evidence.markup import escape, sentence
from debugger.script.marks import Mark, marked
from debugger.web.buttons import button
from debugger.web.scene import Scene
from debugger.web.visit import name_of
from debugger.words import Words

NEAREST = 2
MOST_LETTERS = 600
"""Of the lines that differ."""


def editing(scene: Scene, words: Words) -> str:
    """What stands above the editor: marks, what differs, and the way to run it."""

    def say(word: str, **numbers: object) -> str:
        return escape(words.say("clinic", word, **numbers))

    if scene.no_typing is not None:
        return f'<p class="empty">{sentence(words.finding(scene.no_typing))}</p>'
    lines = changed_lines(scene.scenario.script, scene.script)
    state = say("lines_changed", count=lines) if lines else say("as_found")
    marks = [_mark(mark, words) for mark in marked(scene.script)]
    for found in scene.blamed:
        if found.line is not None and found.file is None:
            marks.append(_row(found.line, sentence(words.finding(found)), words))
    listed = f'<ul class="marks">{"".join(marks)}</ul>' if marks else ""
    kept = scene.case.typed
    buttons = [button(say("run_typed"), "run", "walk", "go", scene.occupied)]
    if scene.visit.changes:
        buttons.append(button(say("original"), "original", kind="plain"))
    if kept is not None and name_of(kept) not in scene.visit.changes:
        buttons.append(button(say("my_text"), "typed", kind="plain"))
    return (
        f'<div class="editing" data-editor="{say("editor")}">'
        f'<p>{" ".join(buttons)} <span class="dim">{state}</span></p>{listed}'
        f'<p class="dim small">{say("leave_editor")}</p></div>'
    )


def changed_lines(before: str, after: str) -> int:
    """How many lines are other lines now, taken away or put in."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), False)
    return sum(
        max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"
    )


def nearest(scene: Scene) -> list[Fix | Cheat]:
    """The listed changes that come closest to what was typed."""

    def alike(patch: Fix | Cheat) -> float:
        return _alike(scene.script, scene.scenario.changed(scene.with_patch(patch.id)))

    return sorted(scene.patches, key=alike, reverse=True)[:NEAREST]


@lru_cache(maxsize=256)
def _alike(text: str, listed: str) -> float:
    """By their lines and, in those that differ, by their letters: these take a square of time."""
    mine, theirs = text.splitlines(keepends=True), listed.splitlines(keepends=True)
    same, here, there = 0, "", ""
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, mine, theirs).get_opcodes():
        if tag == "equal":
            same += len("".join(mine[i1:i2]))
        else:
            here += "".join(mine[i1:i2])
            there += "".join(theirs[j1:j2])
    letters = difflib.SequenceMatcher(None, here[:MOST_LETTERS], there[:MOST_LETTERS], False)
    same += sum(block.size for block in letters.get_matching_blocks())
    return 2 * same / max(1, len(text) + len(listed))


def _mark(mark: Mark, words: Words) -> str:
    return _row(mark.line, escape(words.say("clinic", mark.code, said=mark.said)), words)


def _row(number: int, said: str, words: Words) -> str:
    line = escape(words.say("clinic", "line_link", line=number))
    return f'<li><button type="button" data-edit-line="{number}">{line}</button> {said}</li>'
