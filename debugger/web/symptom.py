"""The symptom panel: the complaint, and what the script's author saw. It is outside the quiz."""

from __future__ import annotations

from debugger.evidence.html import chart, shown
from debugger.evidence.markup import escape
from debugger.report import Report
from debugger.web.buttons import button
from debugger.web.panel import hints, instead
from debugger.web.scene import Scene
from debugger.web.visit import SYMPTOM
from debugger.words import Words


def symptom(scene: Scene, words: Words) -> str:
    def say(word: str) -> str:
        return escape(words.say("clinic", word))

    wants = "lends_cuda" if scene.lent else "needs_cuda"
    needs = f'<div class="hinted">{say(wants)}</div>' if scene.scenario.needs else ""
    parts = [
        f'<div class="opening"><h2>{say("complaint")}</h2>',
        f"<blockquote>{escape(scene.scenario.words.complaint)}</blockquote>",
        needs + hints(scene, words),
    ]
    if scene.symptom is None:
        steps = "".join(f"<li>{say(f'first_step_{number}')}</li>" for number in (1, 2, 3))
        parts.append(f"<h3>{say('first_steps')}</h3><ol>{steps}</ol>")
    begin = button(say("begin"), "stage", "setup", "plain" if scene.symptom is None else "go")
    see = button(say("see_it"), "run", SYMPTOM, "go", scene.occupied)
    parts.append(f"<p>{see if scene.symptom is None else ''}{begin}</p></div>")
    if scene.symptom is not None:
        not_lent = instead(scene.instead, words) if scene.instead else ""
        parts.append(
            f"<h2>{say('what_its_author_saw')}</h2>{not_lent}{_saw(scene, scene.symptom, words)}"
        )
    return "".join(parts)


def _saw(scene: Scene, report: Report, words: Words) -> str:
    """Traceback, curves and what was printed: nothing that the clinic looked up."""
    ended = next((stage for stage in reversed(report.stages) if stage.outcome != "not run"), None)
    seen = [] if ended is None else [one for one in ended.evidence if one.kind == "traceback"]
    curves = report.stage("train").curves
    parts = [shown(one, words, beside_script=True) for one in seen]
    if curves:
        parts.append(chart({"series": curves}, words))
    printed = "".join(
        one.data["text"]
        for stage in report.stages
        for one in stage.evidence
        if one.code == "console"
    )
    if printed:
        parts.append(f'<pre class="terminal" tabindex="0">{escape(printed)}</pre>')
    if not parts and not scene.aside:
        parts.append(f'<p class="empty">{escape(words.say("clinic", "saw_nothing"))}</p>')
    return "".join(parts)
