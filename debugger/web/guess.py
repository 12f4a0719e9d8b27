"""The learner's diagnosis: what is wrong, how sure, one more try, and what came of it."""

from __future__ import annotations

from debugger.evidence.markup import escape
from debugger.web.buttons import button
from debugger.web.contradiction import against
from debugger.web.scene import Scene
from debugger.web.visit import NOTHING_WRONG, SURENESS, right_cause
from debugger.words import Words


def diagnosis(scene: Scene, words: Words) -> str:
    """Asked once the first failing stage is on the table. What was said of it stays there."""
    case = scene.case
    if case.cause is not None and case.sure is not None:
        return _made(scene, case.cause, words)
    if case.opened:
        return _told(scene, words)
    if scene.visit.changes:
        return f'<p class="empty">{escape(words.say("clinic", "judged_unchanged"))}</p>'
    if not scene.askable:
        return f'<p class="empty">{escape(words.say("clinic", "nothing_to_judge"))}</p>'
    missed = ""
    if case.missed is not None:
        word = "cause_certain_wrong" if case.missed_sure == "certain" else "cause_wrong"
        missed = _said(word, case.missed, words) + against(scene, case.missed, words)
    asked = escape(words.say("clinic", "what_else" if missed else "what_is_wrong"))
    return (
        f'<div class="diagnosis" id="diagnosis" tabindex="-1">{missed}<p><b>{asked}</b></p>'
        f"{_choices(scene, words)}</div>"
    )


def _choices(scene: Scene, words: Words) -> str:
    case = scene.case
    causes = "".join(
        button(
            escape(words.say("cause", cause)),
            "cause",
            cause,
            "choice nothing" if cause == NOTHING_WRONG else "choice",
            aria_pressed=str(cause == case.cause).lower(),
        )
        for cause in scene.causes
        if cause != case.missed
    )
    listed = f'<div class="choices">{causes}</div>'
    if case.cause is None:
        return listed
    levels = "".join(
        button(escape(words.say("clinic", level)), "sure", level, "choice") for level in SURENESS
    )
    asked = escape(words.say("clinic", "how_sure"))
    return f'{listed}<p><b>{asked}</b></p><div class="choices row">{levels}</div>'


def _made(scene: Scene, cause: str, words: Words) -> str:
    """The last word on it: right, or the answer and what speaks against the guess."""
    right = right_cause(scene.scenario)
    kind = "right" if cause == right else "wrong"
    said = _said(f"cause_{kind}", cause, words)
    if kind == "wrong":
        said += ("" if scene.visit.changes else against(scene, cause, words)) + _told(scene, words)
    if not scene.scenario.decoy:
        pick = escape(words.say("clinic", "pick"))
        said += f"<p>{button(pick, 'panel', 'fix', 'go')}</p>"
    return f'<div class="diagnosis {kind}" id="diagnosis" tabindex="-1">{said}</div>'


def _told(scene: Scene, words: Words) -> str:
    cause = words.say("cause", right_cause(scene.scenario))
    return f"<p>{escape(words.say('clinic', 'cause_told', cause=cause))}</p>"


def _said(word: str, cause: str, words: Words) -> str:
    told = escape(words.say("clinic", word, cause=words.say("cause", cause)))
    return f'<p data-news="{told}">{told}</p>'
