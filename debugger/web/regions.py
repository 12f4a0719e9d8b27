"""The five parts of a clinic page as HTML: bar, rail, left, right, foot. Pure functions."""

from __future__ import annotations

from typing import get_args

from debugger.evidence.markup import escape, sentence
from debugger.outcome import STAGES, StageName
from debugger.printing.sentences import MARKS, waiting
from debugger.report import StageReport
from debugger.web import listing
from debugger.web.buttons import button
from debugger.web.console import console
from debugger.web.guess import diagnosis
from debugger.web.issue import issue, progress
from debugger.web.journey import journey
from debugger.web.languages import choice, linked
from debugger.web.panel import evidence
from debugger.web.repair import repairs
from debugger.web.scene import Scene
from debugger.web.symptom import symptom
from debugger.web.typed import editing
from debugger.web.visit import ISSUE, SYMPTOM, Panel, Side
from debugger.words import Words

Blamed = dict[int, list[tuple[str, str]]]
PANELS: tuple[Panel, ...] = get_args(Panel)
SIDES: tuple[Side, ...] = get_args(Side)


def bar(scene: Scene, words: Words) -> str:
    said, scenario = scene.scenario.words, scene.scenario
    about = words.say("clinic", "about", difficulty=scenario.difficulty, minutes=scenario.minutes)
    home = escape(words.say("clinic", "home"))
    present = button(
        escape(words.say("clinic", "present")),
        "present",
        aria_pressed=str(scene.visit.present).lower(),
    )
    theme = f'<button type="button" data-theme>{escape(words.say("clinic", "theme"))}</button>'
    copied, copy = (escape(words.say("clinic", word)) for word in ("copied", "copy_link"))
    link = f'<button type="button" class="copy" data-copy="{copied}">{copy}</button>'
    own = f'<a class="own" href="{linked("mine", words)}">{escape(words.say("mine", "short"))}</a>'
    return (
        f'<header class="bar" data-said-in="{words.language}" '
        f'data-address="{escape(scene.visit.address)}" '
        f'data-present="{int(scene.visit.present)}" data-turn="{scene.turn}" '
        f'data-heard="{escape(scene.heard)}" data-keep="{escape(scene.kept)}">'
        f'<a class="home" href="{linked("./", words)}"><span aria-hidden="true">◂</span> {home}</a>'
        f"<h1>{escape(said.title)} <small>{escape(about)}</small></h1>"
        f'<div class="tools">{own}{choice(words)}{link}{present}{theme}</div></header>'
    )


def rail(scene: Scene, words: Words) -> str:
    buttons = "".join(_stage(scene, words, n, name) for n, name in enumerate(STAGES, 1))
    label = escape(words.say("clinic", "rail"))
    return (
        f'<nav aria-label="{label}"><ol class="rail">{buttons}</ol></nav>{_caption(scene, words)}'
    )


def _caption(scene: Scene, words: Words) -> str:
    """What a demonstration is doing; at its end the way to do it oneself."""
    if not scene.caption:
        return ""
    own = escape(words.say("clinic", "demo_own"))
    address = linked(f"clinic?case={scene.scenario.number}", words)
    link = f'<a class="go" href="{address}">{own}</a>'
    said = escape(words.say("clinic", scene.caption))
    return f'<p class="caption" role="status">{said} {"" if scene.showing else link}</p>'


def _stage(scene: Scene, words: Words, number: int, name: StageName) -> str:
    report = scene.reports.get(name)
    state, mark, kind = words.say("outcome", "not run"), str(number), "idle"
    busy = None if scene.aside else scene.busy
    if busy is not None and busy.stage == name and not busy.ended:
        mark, kind = "", "busy"
        state = words.say("waiting", "state") if busy.place else words.say("clinic", "running")
    elif report is not None and report.outcome != "not run":
        state, mark = words.say("outcome", report.outcome), MARKS[report.outcome]
        kind = report.outcome
    elif name in scene.stale:
        state, mark, kind = words.say("clinic", "stale"), "↻", "stale"
    current = "step" if scene.visit.stage == name else "false"
    label = (
        f'<span class="mark" aria-hidden="true">{mark}</span>'
        f'<b>{escape(words.say("short", name))}</b><span class="state">{escape(state)}</span>'
    )
    return f"<li>{button(label, 'stage', name, kind, aria_current=current)}</li>"


def left(scene: Scene, words: Words) -> str:
    parts = {
        "script": _script,
        "edit": editing,
        "diff": _diff,
        "journey": journey,
        "diagnosis": diagnosis,
        "notes": notes,
    }
    inside = parts[scene.visit.side](scene, words)
    return tabs(SIDES, scene.visit.side, "side", words) + pane("side", inside)


def right(scene: Scene, words: Words) -> str:
    parts = {
        SYMPTOM: symptom,
        "evidence": evidence,
        "fix": repairs,
        "console": console,
        ISSUE: issue,
    }
    inside = parts[scene.visit.panel](scene, words)
    return tabs(PANELS, scene.visit.panel, "panel", words) + pane("panel", inside)


def foot(scene: Scene, words: Words) -> str:
    def say(word: str) -> str:
        return escape(words.say("clinic", word))

    busy, place = scene.occupied, STAGES.index(scene.visit.stage)
    ran = scene.visit.stage in scene.reports
    run = (
        button(say("stop"), "stop", kind="stop act")
        if busy
        else button(say("run_again" if ran else "run"), "run", scene.visit.stage, "go act")
    )
    stops = scene.turned_away is not None and scene.turned_away.code == "server_stops"
    gone = " data-stops" if stops else ""  # for the page's own script: ask for the server
    left_over = 4 - scene.case.hints
    hint = say("hint") if left_over else say("no_more_hints")
    return (
        '<div class="foot" role="group">'
        + button(f"‹ <span>{say('previous')}</span>", "move", "-1", "prev", off=place == 0)
        + run
        + button(say("run_all"), "run", "walk", "all", off=busy)
        + button(hint, "hint", kind="hint", off=not left_over)
        + button(f"<span>{say('next')}</span> ›", "move", "1", "next", off=place == len(STAGES) - 1)
        + f'<p class="status" role="status"{gone}>{escape(_status(scene, words))}</p></div>'
    )


def tabs(names: tuple[str, ...], now: str, act: str, words: Words) -> str:
    listed = "".join(
        button(
            escape(words.say("clinic", name)),
            act,
            name,
            role="tab",
            aria_selected=str(name == now).lower(),
            aria_controls=f"pane-{act}",
            id=f"tab-{act}" if name == now else f"tab-{act}-{name}",
            tabindex="0" if name == now else "-1",
        )
        for name in names
    )
    return f'<div class="tabs" role="tablist">{listed}</div>'


def pane(act: str, inside: str) -> str:
    return (
        f'<div class="pane" role="tabpanel" id="pane-{act}" aria-labelledby="tab-{act}" '
        'tabindex="0">'
        f"{inside}</div>"
    )


def _status(scene: Scene, words: Words) -> str:
    busy = scene.busy
    if scene.search is not None and not (busy and busy.place):
        return progress(scene, words)
    if scene.asking and not (busy and busy.place):
        return words.say("clinic", "check_running")
    if busy is not None:
        stage = words.say("clinic", "script") if scene.aside else words.say("short", busy.stage)
        if busy.place:
            return waiting(busy.place, busy.wait, words)
        if busy.of:
            doing = words.say("clinic", "doing", stage=stage, done=busy.done, of=busy.of)
        else:
            doing = words.say("clinic", "doing_stage", stage=stage)
        doing = f"{doing} {words.say('clinic', 'twin_too')}" if busy.twin else doing
        return f"{words.say('waiting', 'again')} {doing}" if busy.again else doing
    if scene.turned_away is not None:
        return words.finding(scene.turned_away)
    if scene.note:
        return words.say("clinic", scene.note)
    report = scene.reports.get(scene.visit.stage)
    if report is not None and scene.asked and _not_its_own(report):
        return words.finding(report.findings[-1])  # behind a question nobody would find it
    if report is not None and report.outcome == "unknown":
        return words.say("clinic", "no_answer")
    source = scene.sources.get(scene.visit.stage)
    if source is None:
        return ""
    how = words.say("clinic", "live")
    if source.recorded:
        how = words.say("clinic", "recorded", when=f"{source.when:%Y-%m-%d}")
    elif source.place:
        when = f"{source.when:%Y-%m-%d %H:%M} UTC"
        how = words.say("clinic", "kept", when=when, place=source.place)
    elif source.shared:
        how = words.say("clinic", "shared", when=f"{source.when:%H:%M} UTC")
    return words.say(
        "clinic", "from_where", how=how, seconds=f"{source.seconds:.1f}", device=source.device
    )


def _not_its_own(report: StageReport) -> bool:
    """Whether it ended for a reason that tells nothing of the script."""
    killed = any(finding.code == "killed" for finding in report.findings)
    return killed or (report.outcome == "unknown" and bool(report.findings))


def _script(scene: Scene, words: Words) -> str:
    text = scene.script
    label = words.say("clinic", "script_label", lines=len(text.splitlines()))
    return listing.script(text, label, _blamed(scene, words))


def _blamed(scene: Scene, words: Words) -> Blamed:
    """What the stages found, under the lines that are to blame."""
    blamed: Blamed = {}
    for finding in scene.blamed:
        if finding.line is not None and finding.file is None:
            stage = escape(words.say("short", finding.stage))
            said = f"<b>{stage}</b> {sentence(words.finding(finding))}"
            blamed.setdefault(finding.line, []).append((finding.severity, said))
    return blamed


def _diff(scene: Scene, words: Words) -> str:
    if not scene.visit.changes:
        return f'<p class="empty">{escape(words.say("clinic", "no_changes"))}</p>'
    return listing.diff(scene.scenario.script, scene.script, *listing.diff_words(words))


def notes(scene: Scene, words: Words) -> str:
    def say(word: str) -> str:
        return escape(words.say("clinic", word))

    scenario = scene.scenario
    hints = "".join(f"<li>{escape(hint)}</li>" for hint in scenario.words.hints[: scene.case.hints])
    listed = f'<h3>{say("hints")}</h3><ol class="hints">{hints}</ol>' if hints else ""
    return (
        f'<div class="notes"><h3>{say("complaint")}</h3>'
        f"<blockquote>{escape(scenario.words.complaint)}</blockquote>"
        f"{listed}{_told(scene, words)}"
        f'<p class="dim">{say("keys")}</p></div>'
    )


def _told(scene: Scene, words: Words) -> str:
    """What names the cause, once the learner has found it or asked for it."""

    def say(word: str) -> str:
        return escape(words.say("clinic", word))

    scenario = scene.scenario
    if not (scene.open or scene.case.done):
        return f'<p class="empty">{say("told_later")}</p>'
    lesson = ""
    if scene.case.done or scene.cured:
        lesson = f"<h3>{say('lesson')}</h3><p>{escape(scenario.words.lesson)}</p>"
    links = "".join(
        f'<li>{say(word)}: <a href="{escape(page.url)}" rel="noreferrer" target="_blank">'
        f"{escape(page.title)}</a></li>"
        for word, page in (("course_link", scenario.course), ("origin_link", scenario.origin))
    )
    return f'{then_and_now(scene, words)}{lesson}<ul class="links">{links}</ul>'


def then_and_now(scene: Scene, words: Words) -> str:
    """The course's message beside what the installed libraries really say, once they have."""
    quoted = scene.scenario.course_message
    if quoted is None:
        return ""
    now = next(
        (
            evidence.data
            for reports in (scene.broken, scene.reports)
            for report in reports.values()
            for evidence in report.evidence
            if evidence.kind == "traceback"
        ),
        None,
    )
    today = f"{now['exception']}: {now['message']}" if now else None
    shown_now = (
        f'<pre class="printed" tabindex="0">{escape(today)}</pre>'
        if today
        else f'<p class="empty">{escape(words.say("clinic", "run_to_see"))}</p>'
    )
    then = escape(words.say("clinic", "course_then", year=quoted.year))
    since = scene.scenario.words.since_then or ""
    return (
        f'<div class="then"><div><h3>{then}</h3>'
        f'<pre class="printed" tabindex="0">{escape(quoted.text)}</pre></div>'
        f"<div><h3>{escape(words.say('clinic', 'library_now'))}</h3>{shown_now}</div></div>"
        f"<p>{escape(since)}</p>"
    )
