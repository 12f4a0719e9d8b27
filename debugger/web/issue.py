"""The issue panel: what makes a good one, the search for a shorter script, the draft to copy."""

from __future__ import annotations

import platform
import re

from debugger.asking.draft import About, draft, ending, numbers
from debugger.asking.shorten import MOST_RUNS
from debugger.evidence.markup import escape
from debugger.web.buttons import button
from debugger.web.scene import Scene
from debugger.web.visit import ISSUE
from debugger.words import Words

COURSE = "https://huggingface.co/learn/llm-course/chapter8/5"
_TO_WRITE = re.compile(r"_[^_\n`]*(?:`[^`\n]*`[^_\n`]*)*_(?=\n)")


def issue(scene: Scene, words: Words) -> str:
    def say(word: str) -> str:
        return escape(words.say("clinic", word))

    link = f'<a href="{COURSE}" rel="noreferrer" target="_blank">{say("issue_course")}</a>'
    about = f"<p>{say('issue_about')} {link}.</p>"
    again = "issue_write" if scene.shorter is None else "issue_again"
    write = button(
        say(again), "run", ISSUE, "go" if scene.shorter is None else "plain", scene.occupied
    )
    parts = [f'<div class="opening issue"><h2>{say("issue_head")}</h2>']
    if scene.shorter is None:
        parts.append(f"{about}<p>{write}</p>{_progress(scene, words)}</div>")
        return "".join(parts)
    copied = say("copied")
    copy = f'<button type="button" class="go" data-copy="{copied}" data-of="draft">'
    parts.append(
        f'<p data-news="{say("issue_done")}">{say("issue_yours")}</p>'
        f"<p>{copy}{say('issue_copy')}</button>{write}</p></div>"
        f"{draft_shown(written(scene, words), words)}"
    )
    return "".join(parts)


def progress(scene: Scene, words: Words) -> str:
    """How far the search is; nothing while none is going on."""
    if scene.search is None:
        return ""
    tries, left = scene.search
    lines = len(scene.scenario.script.splitlines())
    about = {"tries": tries, "most": MOST_RUNS, "lines": lines, "left": left}
    return words.say("clinic", "issue_trying", **about)


def _progress(scene: Scene, words: Words) -> str:
    said = progress(scene, words)
    if scene.search is None:
        return ""
    return (
        f'<p class="dim"><progress aria-hidden="true" max="{MOST_RUNS}" '
        f'value="{scene.search[0]}"></progress> {escape(said)}</p>'
    )


def draft_shown(text: str, words: Words) -> str:
    """What only a person can write stands out."""
    label = escape(words.say("clinic", "issue_label"))
    text = _TO_WRITE.sub(lambda found: f"<mark>{found[0]}</mark>", escape(text))
    return (
        f'<pre id="draft" class="terminal" tabindex="0" role="region" '
        f'aria-label="{label}">{text}</pre>'
    )


def written(scene: Scene, words: Words) -> str:
    """The draft as Markdown. It tells what the script's author sees, and nothing looked up."""
    assert scene.shorter is not None
    about = About(
        "script.py",
        platform.platform(),
        seen=() if scene.training is None else numbers(scene.training, words),
        complaint=scene.scenario.words.complaint,
        tried=tuple(_tried(scene, words)),
        lacks=("scenarios",),
    )
    return draft(scene.shorter, about, words)


def _tried(scene: Scene, words: Words) -> list[str]:
    told = []
    for patch_id in scene.case.tried:
        label = scene.scenario.words.of(patch_id).label
        report = scene.tried.get(patch_id)
        how = words.say("issue", "ended_unknown") if report is None else ending(report, words)
        told.append(words.say("issue", "one_tried", label=label, ending=how))
    return told
