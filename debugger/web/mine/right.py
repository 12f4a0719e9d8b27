"""The right side: what a stage found, what was printed, the draft of an issue."""

from __future__ import annotations

import platform
from collections.abc import Mapping

from debugger.asking.draft import About, draft, numbers
from debugger.asking.shorten import MOST_RUNS
from debugger.evidence.html import chart, shown
from debugger.evidence.markup import escape, sentence
from debugger.outcome import STAGES, Finding
from debugger.printing.html import unjudged
from debugger.printing.sentences import MARKS
from debugger.web.buttons import button
from debugger.web.issue import draft_shown
from debugger.web.mine.elsewhere import Kind
from debugger.web.mine.tab import PANELS, Look
from debugger.web.regions import pane, tabs
from debugger.web.visit import ISSUE
from debugger.words import Words

_HELPS: Mapping[str, tuple[Kind, ...]] = {
    "not_reached": ("checkpoint", "corpus", "metric"),
    "missing_file": ("corpus", "metric", "moved", "file"),
    "missing_module": ("package",),
    "script_failed": ("reporter",),
}
"""What of that which is not here explains such a finding."""


def right(look: Look, words: Words) -> str:
    parts = {"evidence": _evidence, "console": _console, "issue": _issue}
    inside = parts[look.tab.panel](look, words)
    return tabs(PANELS, look.tab.panel, "panel", words) + pane("panel", inside)


def _evidence(look: Look, words: Words) -> str:
    stage, report = look.tab.stage, look.reports.get(look.tab.stage)
    parts = [f"<h2>{STAGES.index(stage) + 1}. {escape(words.say('stage', stage))}</h2>"]
    if look.stale:
        parts.append(f'<p class="hinted">{escape(words.say("mine", "stale"))}</p>')
    if report is None or (report.outcome == "not run" and not report.curves):
        word = "no_stage" if look.reports else "first"
        return "".join([*parts, f'<p class="empty">{escape(words.say("mine", word))}</p>'])
    if report.outcome != "not run":
        parts.append(_verdict(look, words))
    seen = [one for one in report.evidence if one.code != "console"]
    parts += [shown(one, words, beside_script=True) for one in seen]
    if not any(one.kind == "chart" for one in seen) and report.curves:
        parts.append(chart({"series": report.curves}, words))
    return "".join([*parts, unjudged(report, words)])


def _verdict(look: Look, words: Words) -> str:
    report = look.reports[look.tab.stage]
    ended = escape(words.say("outcome", report.outcome).capitalize())
    head = f'<span class="mark" aria-hidden="true">{MARKS[report.outcome]}</span><b>{ended}</b> '
    found = "".join(_found(one, look, words) for one in report.findings)
    nothing = "" if found else escape(words.say("clinic", "found_none"))
    news = f"{words.say('short', report.stage)}: {words.say('outcome', report.outcome)}."
    return (
        f'<div class="verdict {report.outcome}" data-news="{escape(news)}" tabindex="-1">'
        f"<p>{head}{nothing}</p>{found}</div>"
    )


def _found(finding: Finding, look: Look, words: Words) -> str:
    line = more = ""
    if finding.line is not None and not look.stale:
        said = escape(words.say("clinic", "line_link", line=finding.line))
        line = f' <button type="button" data-line="{finding.line}">{said}</button>'
    if any(one.kind in _HELPS.get(finding.code, ()) for one in look.places):
        more = f'<p class="dim">{escape(words.say("mine", "see_left"))}</p>'
    told = sentence(words.finding(finding))
    return f'<p class="found {finding.severity}">{told}{line}</p>{more}'


def _console(look: Look, words: Words) -> str:
    printed = [
        one.data
        for stage in reversed(STAGES)
        for one in (look.reports[stage].evidence if stage in look.reports else ())
        if one.code == "console"
    ]
    if not printed:
        return f'<p class="empty">{escape(words.say("mine", "nothing_printed"))}</p>'
    cut = f'<p class="dim">{escape(words.say("clinic", "cut"))}</p>' if printed[0]["cut"] else ""
    return f'{cut}<pre class="terminal" tabindex="0">{escape(printed[0]["text"])}</pre>'


def _issue(look: Look, words: Words) -> str:
    def say(word: str) -> str:
        return escape(words.say("clinic", word))

    there = look.shorter is not None
    off = look.occupied or not look.tab.text.strip() or look.no_typing is not None
    label, kind = ("issue_again", "plain") if there else ("issue_write", "go")
    write = button(say(label), "run", ISSUE, kind, off)
    parts = [f'<div class="opening issue"><h2>{say("issue_head")}</h2>']
    if look.shorter is None:
        going = escape(searching(look, words))
        return "".join([*parts, f"<p>{say('issue_about')}</p><p>{write}</p><p>{going}</p></div>"])
    copy = f'<button type="button" class="go" data-copy="{say("copied")}" data-of="draft">'
    parts.append(
        f'<p data-news="{say("issue_done")}">{say("issue_yours")}</p>'
        f"<p>{copy}{say('issue_copy')}</button>{write}</p></div>"
    )
    return "".join([*parts, draft_shown(_written(look, words), words)])


def _written(look: Look, words: Words) -> str:
    assert look.shorter is not None
    about = About(
        "script.py",
        platform.platform(),
        arguments=look.tab.ran.arguments if look.tab.ran else (),
        seen=() if look.training is None else numbers(look.training, words),
        lacks=("scenarios",) if "scenarios.assets" in look.shorter.script else (),
    )
    return draft(look.shorter, about, words)


def searching(look: Look, words: Words) -> str:
    """How far the search for a shorter script is; nothing while none is going on."""
    if look.search is None:
        return ""
    tries, left = look.search
    lines = len(look.tab.text.splitlines())
    about = {"tries": tries, "most": MOST_RUNS, "lines": lines, "left": left}
    return words.say("clinic", "issue_trying", **about)
