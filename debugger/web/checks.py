"""Checks that a learner asks: what a browser keeps of them, and those that hints recommend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from debugger.answer import Answer, answer_of
from debugger.evidence.markup import escape
from debugger.outcome import Event
from debugger.run import Run
from debugger.web.buttons import button
from debugger.web.desk import Desk
from debugger.web.scene import Scene
from debugger.web.visit import CHECK, MOST_ANSWER, MOST_CHECK, MOST_CHECKS, MOST_SAID, Asked
from debugger.words import Words

OLDER, OLDER_END = 1_000, 300
"""Characters kept of an answer once there is a newer one."""


def taken(check: str) -> tuple[str, str]:
    """A check as it is asked, or nothing; and the code of what is to be said about it."""
    if len(check) > MOST_CHECK:
        return "", "check_too_long"
    return check.encode(errors="replace").decode().strip(), ""  # half a letter cannot be kept


def keep(desk: Desk, run: Run, changes: tuple[str, ...], events: Iterable[Event]) -> None:
    """Put the answer of a run before those that the browser has already."""
    words = Words(desk.visit.language).of(run.framework)
    asked = _asked_of(run.check, changes, answer_of(events), words)
    desk.remember(checks=kept_of((asked, *desk.record.case(desk.visit.scenario).checks)))


def _asked_of(check: str, changes: tuple[str, ...], answer: Answer, words: Words) -> Asked:
    said = "" if answer.finding is None else words.finding(answer.finding)
    return Asked(
        check,
        changes,
        text=answer.text[:MOST_ANSWER],
        left_out=max(0, answer.left_out),
        end=answer.end[-MOST_ANSWER:],
        at=answer.at,
        line=answer.line,
        said=said[:MOST_SAID],
    )


def kept_of(checks: Sequence[Asked]) -> tuple[Asked, ...]:
    """The last ones. Of all but the newest the middle goes, where it is long."""
    newest, *older = checks[:MOST_CHECKS]
    return (newest, *map(_shortened, older))


def _shortened(asked: Asked) -> Asked:
    whole = asked.text + asked.end
    if len(whole) <= OLDER + OLDER_END:
        return asked
    text = asked.text[:OLDER]
    end = (asked.end or asked.text[OLDER:])[-OLDER_END:]
    left_out = asked.left_out + len(whole.encode()) - len((text + end).encode())
    return replace(asked, text=text, end=end, left_out=left_out)


def offered(scene: Scene, words: Words, *hints: int) -> str:
    """The checks that these hints recommend, to be asked with one press."""
    checks = [one.check for one in scene.scenario.recommended if one.hint in hints]
    if not checks or scene.no_typing is not None or scene.visit.demo:
        return ""
    chips = (
        button(f"<code>{escape(check)}</code>", CHECK, check, "chip", scene.occupied)
        for check in dict.fromkeys(checks)
    )
    return f'<p class="chips">{escape(words.say("clinic", "check_try"))} {" ".join(chips)}</p>'
