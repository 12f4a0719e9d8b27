"""The console panel: a field for checks, their last answers, and what the run printed."""

from __future__ import annotations

from debugger.evidence.markup import escape, sentence
from debugger.frameworks import called
from debugger.outcome import STAGES
from debugger.web.buttons import button
from debugger.web.checks import offered
from debugger.web.scene import Scene
from debugger.web.visit import CHECK, MOST_CHECK, Asked, is_typed, name_of
from debugger.words import Words

NEWS = 300
"""Characters of an answer that a screen reader is told."""


def console(scene: Scene, words: Words) -> str:
    heading = f"<h3>{escape(words.say('clinic', 'check_printed'))}</h3>"
    return f"{_checks(scene, words)}{heading}{_printed(scene, words)}"


def _checks(scene: Scene, words: Words) -> str:
    if scene.visit.demo:
        return ""
    if scene.no_typing is not None:
        return f'<p class="empty">{sentence(words.finding(scene.no_typing))}</p>'
    running = escape(words.say("clinic", "check_running"))
    going_on = f'<li>{_asked(scene.asking)}<p class="dim">{running}</p></li>'
    answers = [_answered(one, scene, words) for one in scene.case.checks]
    news = _news(scene, words)
    listed = (
        f'<ol class="answers">{going_on * bool(scene.asking)}{"".join(answers)}</ol>'
        if news
        else ""
    )
    hints = range(1, scene.case.hints + 1)
    return (
        f'<div class="checks" data-news="{escape(news)}">{_field(scene, words)}'
        f"{offered(scene, words, *hints)}{listed}</div>"
    )


def _field(scene: Scene, words: Words) -> str:
    def say(word: str) -> str:
        return escape(words.say("clinic", word))

    waits = scene.occupied and not scene.asking
    example = escape(called(scene.scenario.framework).snippets["data"])
    ask = button(say("ask_check"), CHECK, "", "go", scene.occupied, data_field="check")
    return (
        f'<div class="field"><textarea data-check rows="1" maxlength="{MOST_CHECK}" '
        f'placeholder="{example}" aria-label="{say("check_field")}" '
        'aria-describedby="check-how" spellcheck="false" autocapitalize="off" '
        f'autocomplete="off"></textarea>{ask}</div>'
        f'<p class="dim" id="check-how">{say("check_waits" if waits else "check_how")}</p>'
    )


def _news(scene: Scene, words: Words) -> str:
    if scene.asking:
        return words.say("clinic", "check_running")
    if not scene.case.checks:
        return ""
    last = scene.case.checks[0]
    told = last.said or last.end or last.text or words.say("clinic", "check_nothing")
    return f"{last.check}: {told[-NEWS:] if last.end else told[:NEWS]}"


def _asked(check: str) -> str:
    return f'<pre class="asked" tabindex="0">{escape(check)}</pre>'


def _answered(asked: Asked, scene: Scene, words: Words) -> str:
    def say(word: str, **numbers: object) -> str:
        return escape(words.say("clinic", word, **numbers))

    parts = [_asked(asked.check)]
    if asked.text.strip():
        parts.append(_terminal(asked.text))
    elif not asked.said:
        parts.append(f'<p class="dim">{say("check_nothing")}</p>')
    if asked.left_out:
        parts.append(f'<p class="dim">{say("check_left_out", count=asked.left_out)}</p>')
    if asked.end:
        parts.append(_terminal(asked.end))
    if asked.said:
        parts.append(f'<p class="ended">{sentence(asked.said)}</p>')
    parts.append(f'<p class="dim">{escape(_about(asked, scene, words))}</p>')
    return f'<li data-asked="{escape(asked.check)}">{"".join(parts)}</li>'


def _terminal(text: str) -> str:
    return f'<pre class="terminal" tabindex="0">{escape(text.rstrip())}</pre>'


def _about(asked: Asked, scene: Scene, words: Words) -> str:
    """Which script was asked, and where it stood."""
    about = _script(asked, scene, words)
    if asked.at is None or (asked.line is None and asked.at != "end"):
        return f"{about}."
    return f"{about}, {words.say('clinic', f'stood_{asked.at}', line=asked.line)}."


def _script(asked: Asked, scene: Scene, words: Words) -> str:
    if not asked.changes:
        return words.say("clinic", "on_found")
    if is_typed(asked.changes):
        typed = scene.case.typed
        now = typed is not None and asked.changes == (name_of(typed),)
        return words.say("clinic", "on_typed" if now else "on_typed_before")
    known = {patch.id for patch in scene.scenario.patches}
    labels = [scene.scenario.words.of(one).label if one in known else one for one in asked.changes]
    return words.say("clinic", "on_changed", labels=", ".join(labels))


def _printed(scene: Scene, words: Words) -> str:
    order = [scene.visit.stage, *reversed(STAGES)]
    printed = next(
        (
            one.data
            for stage in order
            if stage in scene.reports
            for one in scene.reports[stage].evidence
            if one.code == "console"
        ),
        None,
    )
    if printed is None:
        return f'<p class="empty">{escape(words.say("clinic", "nothing_printed"))}</p>'
    cut = f'<p class="dim">{escape(words.say("clinic", "cut"))}</p>' if printed.get("cut") else ""
    return f'{cut}<pre class="terminal" tabindex="0">{escape(printed["text"])}</pre>'
