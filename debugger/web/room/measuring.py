"""What was learned, on screens: a set of questions before the lesson, and one after it."""

from __future__ import annotations

from string import ascii_uppercase

from debugger.evidence.markup import escape, folded
from debugger.room.lead import Place
from debugger.room.room import Seen
from debugger.room.summary import shares
from debugger.web.room.hall import Hall
from debugger.web.room.report import SETS, say_share
from debugger.words import Words

NEXT = {"before": "close_before", "taught": "ask_after", "after": "close_after"}
"""What the instructor presses to go on."""


def questions(seen: Seen, hall: Hall, words: Words) -> str:
    """The set that is open, on a student's screen: what is right is nowhere in it."""
    head = _say(words, "before" if seen.lead.part == "before" else "after_lesson")
    asked = "".join(_question(case, seen, hall, words) for case in seen.lead.questions)
    about = f'<p class="dim">{_say(words, "set_about")}</p>'
    elsewhere = f'<p class="elsewhere">{_say(words, "questions_open")}</p>'
    return f'<section class="measure"><h2>{head}</h2>{about}{asked}{elsewhere}</section>'


def _question(case: str, seen: Seen, hall: Hall, words: Words) -> str:
    scenario = hall.scenario(Place(case), words.language)
    if scenario is None:
        return ""
    words = words.of(scenario.framework)
    causes = hall.causes(case)
    choices = "".join(
        f'<li><button type="button" class="choice" data-answer="{shown}" '
        f'data-case="{scenario.number}" aria-pressed="false">'
        f'<b class="letter">{ascii_uppercase[shown]}</b> '
        f"<span>{escape(words.say('cause', causes[n]))}</span></button></li>"
        for shown, n in enumerate(seen.orders[case])
    )
    script = folded(_say(words, "the_script"), f'<pre tabindex="0">{escape(scenario.script)}</pre>')
    return (
        f"<article><h3>{escape(scenario.words.title)}</h3>"
        f"<blockquote>{escape(scenario.words.complaint)}</blockquote>{script}"
        f'<p><b>{_say(words, "what_is_wrong")}</b></p><ol class="vote">{choices}</ol></article>'
    )


def told(seen: Seen, hall: Hall, words: Words) -> str:
    """Both shares, and what was right, once that is told to all."""
    if seen.lead.part != "told":
        return ""
    found, listed = shares(seen), ""
    for part in SETS:
        right, of = found[part]
        percent = round(100 * right / of) if of else 0
        said = escape(say_share(part, {"right": right, "of": of}, words))
        bar = f'<span class="bar" style="--share:{percent}%"></span>'
        listed += f'<p class="share">{said}{bar}</p>'
    answers = ""
    for case in (*seen.lead.before, *seen.lead.after):
        scenario = hall.scenario(Place(case), words.language)
        if scenario is not None:
            cause = words.of(scenario.framework).say("cause", hall.causes(case)[0])
            title = scenario.words.title
            answers += f"<li>{_say(words, 'right_was', title=title, cause=cause)}</li>"
    head = f"<h2>{_say(words, 'measured')}</h2>"
    return f'<section class="measure">{head}{listed}<ul>{answers}</ul></section>'


def wall(seen: Seen, hall: Hall, words: Words) -> str:
    """Before it is told, only how many answers there are."""
    if seen.lead.part == "told":
        return told(seen, hall, words)
    if not seen.lead.questions:
        return ""
    return f'<section class="measure"><p class="answered">{_answers(seen, words)}</p></section>'


def controls(seen: Seen, hall: Hall, words: Words) -> str:
    """The instructor's own. Her screen may be on the wall: the skill is not named again."""
    part = seen.lead.part
    if part == "told":
        return told(seen, hall, words)
    if part:
        state = _say(words, "taught") if part == "taught" else _answers(seen, words)
        inside = f'<p class="answered">{state}</p><p>{_press("on", NEXT[part], words)}</p>'
        return f'<section class="measure"><h2>{_say(words, "measure")}</h2>{inside}</section>'
    buttons = "".join(
        f'<button type="button" data-do="measure" data-with="{skill}">'
        f"{escape(words.say('skill', skill))}</button>"
        for skill in hall.skills()
    )
    about = f'<p class="dim">{_say(words, "measure_about")}</p>'
    return folded(_say(words, "measure"), f'{about}<div class="skills-to">{buttons}</div>')


def _press(with_: str, code: str, words: Words) -> str:
    label = _say(words, code)
    return f'<button type="button" data-do="measure" data-with="{with_}">{label}</button>'


def _answers(seen: Seen, words: Words) -> str:
    given = sum(sum(seen.measured[case]) for case in seen.lead.questions)
    of = len(seen.lead.questions) * len(seen.students)
    return _say(words, "set_answers", count=given, of=of)


def _say(words: Words, code: str, **numbers: object) -> str:
    return escape(words.say("class", code, **numbers))
