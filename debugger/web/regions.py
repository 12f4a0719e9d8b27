"""The five parts of a clinic page as HTML: bar, rail, left, right, foot. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping

from debugger.outcome import STAGES, Finding, StageName
from debugger.printing.sentences import MARKS, not_judged
from debugger.web import code
from debugger.web.evidence import shown
from debugger.web.markup import button, escape, folded
from debugger.web.repair import proof, repairs
from debugger.web.scene import Scene
from debugger.web.visit import NOTHING_WRONG, SURENESS, right_cause, shuffled
from debugger.words import Words

Blamed = dict[int, list[tuple[str, str]]]
PANELS = ("evidence", "fix", "console")
SIDES = ("script", "diff", "notes")


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
    return (
        f'<header class="bar" data-address="{escape(scene.visit.address)}" '
        f'data-present="{int(scene.visit.present)}">'
        f'<a class="home" href="./"><span aria-hidden="true">◂</span> {home}</a>'
        f"<h1>{escape(said.title)} <small>{escape(about)}</small></h1>"
        f'<div class="tools">{present}{theme}</div></header>'
    )


def rail(scene: Scene, words: Words) -> str:
    buttons = "".join(_stage(scene, words, n, name) for n, name in enumerate(STAGES, 1))
    label = escape(words.say("clinic", "rail"))
    return f'<nav aria-label="{label}"><ol class="rail">{buttons}</ol></nav>'


def _stage(scene: Scene, words: Words, number: int, name: StageName) -> str:
    report = scene.reports.get(name)
    state, mark, kind = words.say("outcome", "not run"), str(number), "idle"
    if scene.busy is not None and scene.busy.stage == name:
        state, mark, kind = words.say("clinic", "running"), "", "busy"
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
    inside = {"script": _script, "diff": _diff, "notes": notes}[scene.visit.side](scene, words)
    return _tabs(SIDES, scene.visit.side, "side", words) + f'<div class="pane">{inside}</div>'


def right(scene: Scene, words: Words) -> str:
    parts = {"evidence": _evidence, "fix": repairs, "console": _console}
    inside = parts[scene.visit.panel](scene, words)
    return _tabs(PANELS, scene.visit.panel, "panel", words) + f'<div class="pane">{inside}</div>'


def foot(scene: Scene, words: Words) -> str:
    def say(word: str) -> str:
        return escape(words.say("clinic", word))

    busy, place = scene.busy is not None, STAGES.index(scene.visit.stage)
    ran = scene.visit.stage in scene.reports
    run = (
        button(say("stop"), "stop", kind="stop act")
        if busy
        else button(say("run_again" if ran else "run"), "run", scene.visit.stage, "go act")
    )
    left_over = 4 - scene.case.hints
    hint = say("hint") if left_over else say("no_more_hints")
    return (
        '<div class="foot" role="group">'
        + button(f"‹ <span>{say('previous')}</span>", "move", "-1", "prev", off=place == 0)
        + run
        + button(say("run_all"), "run", "walk", "all", off=busy)
        + button(hint, "hint", kind="hint", off=not left_over)
        + button(f"<span>{say('next')}</span> ›", "move", "1", "next", off=place == len(STAGES) - 1)
        + f'<p class="status" role="status">{escape(_status(scene, words))}</p></div>'
    )


def _tabs(names: tuple[str, ...], now: str, act: str, words: Words) -> str:
    tabs = "".join(
        button(
            escape(words.say("clinic", name)),
            act,
            name,
            role="tab",
            aria_selected=str(name == now).lower(),
            tabindex="0" if name == now else "-1",
        )
        for name in names
    )
    return f'<div class="tabs" role="tablist">{tabs}</div>'


def _status(scene: Scene, words: Words) -> str:
    busy = scene.busy
    if busy is not None:
        stage = words.say("short", busy.stage)
        if busy.place:
            return words.say("clinic", "place", place=busy.place)
        if busy.of:
            doing = words.say("clinic", "doing", stage=stage, done=busy.done, of=busy.of)
        else:
            doing = words.say("clinic", "doing_stage", stage=stage)
        return f"{doing} {words.say('clinic', 'twin_too')}" if busy.twin else doing
    if scene.note:
        return scene.note
    source = scene.sources.get(scene.visit.stage)
    if source is None:
        return ""
    how = words.say("clinic", "live")
    if source.shared:
        how = words.say("clinic", "shared", when=f"{source.when:%H:%M} UTC")
    return words.say(
        "clinic", "from_where", how=how, seconds=f"{source.seconds:.1f}", device=source.device
    )


def _script(scene: Scene, words: Words) -> str:
    text = scene.script
    label = words.say("clinic", "script_label", lines=len(text.splitlines()))
    return code.script(text, label, _blamed(scene, words))


def _blamed(scene: Scene, words: Words) -> Blamed:
    """What the stages found, under the lines that are to blame."""
    blamed: Blamed = {}
    for stage in STAGES:
        for finding in scene.faults(stage) if scene.open else ():
            if finding.line is not None:
                said = (
                    f"<b>{escape(words.say('short', stage))}</b> {escape(words.finding(finding))}"
                )
                blamed.setdefault(finding.line, []).append((finding.severity, said))
    return blamed


def diff_words(words: Words) -> Mapping[str, str]:
    return {name: words.say("clinic", name) for name in ("gone", "new")}


def _diff(scene: Scene, words: Words) -> str:
    if not scene.visit.changes:
        return f'<p class="empty">{escape(words.say("clinic", "no_changes"))}</p>'
    label = words.say("clinic", "diff_label")
    return code.diff(scene.scenario.script, scene.script, label, diff_words(words))


def notes(scene: Scene, words: Words) -> str:
    def say(word: str) -> str:
        return escape(words.say("clinic", word))

    scenario = scene.scenario
    hints = "".join(f"<li>{escape(hint)}</li>" for hint in scenario.words.hints[: scene.case.hints])
    listed = f'<h3>{say("hints")}</h3><ol class="hints">{hints}</ol>' if hints else ""
    lesson = ""
    if scene.case.solved or scene.cured:
        lesson = f"<h3>{say('lesson')}</h3><p>{escape(scenario.words.lesson)}</p>"
    links = "".join(
        f'<li>{say(word)}: <a href="{escape(page.url)}" rel="noreferrer" target="_blank">'
        f"{escape(page.title)}</a></li>"
        for word, page in (("course_link", scenario.course), ("origin_link", scenario.origin))
    )
    return (
        f'<div class="notes"><h3>{say("complaint")}</h3>'
        f"<blockquote>{escape(scenario.words.complaint)}</blockquote>"
        f'{listed}{then_and_now(scene, words)}{lesson}<ul class="links">{links}</ul></div>'
    )


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


def _evidence(scene: Scene, words: Words) -> str:
    stage = scene.visit.stage
    if not scene.case.ran and scene.busy is None and not scene.reports:
        return _opening(scene, words)
    report = scene.reports.get(stage)
    heading = f"<h2>{STAGES.index(stage) + 1}. {escape(words.say('stage', stage))}</h2>"
    parts = [heading, _hints(scene, words), _question(scene, words)]
    if report is None or (report.outcome == "not run" and not report.curves):
        parts.append(f'<p class="empty">{escape(_why_empty(scene, words))}</p>')
        return "".join(parts)
    if report.outcome != "not run":
        parts.append(_verdict(scene, words))
    if scene.left_alone and stage == "train":
        parts.append(proof(scene, words))
    parts += [shown(one, words) for one in report.evidence if one.code != "console"]
    if not any(one.kind == "chart" for one in report.evidence) and report.curves:
        from debugger.web.evidence import chart

        parts.append(chart({"series": report.curves}, words))
    if scene.first_failing == stage or (scene.whole is not None and stage == "train"):
        parts.append(_diagnosis(scene, words))
    if lines := not_judged(report, words):
        listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
        parts.append(folded(escape(words.say("clinic", "not_judged")), f"<ul>{listed}</ul>"))
    return "".join(parts)


def _opening(scene: Scene, words: Words) -> str:
    def say(word: str) -> str:
        return escape(words.say("clinic", word))

    steps = words.say("clinic", "first_steps_list").split("|")
    needs = f'<p class="hinted">{say("needs_cuda")}</p>' if scene.scenario.needs else ""
    listed = "".join(f"<li>{escape(step)}</li>" for step in steps)
    return (
        f'<div class="opening"><h2>{say("complaint")}</h2>'
        f"<blockquote>{escape(scene.scenario.words.complaint)}</blockquote>"
        f"{needs}{_hints(scene, words)}"
        f"<h3>{say('first_steps')}</h3><ol>{listed}</ol><p>"
        + button(say("see_it"), "run", "train", "go")
        + button(say("begin"), "run", "setup", "plain")
        + "</p></div>"
    )


def _why_empty(scene: Scene, words: Words) -> str:
    stage = scene.visit.stage
    failing = scene.first_failing
    if failing is not None and STAGES.index(failing) < STAGES.index(stage):
        return words.say("clinic", "blocked", stage=words.say("short", failing))
    return words.say("clinic", "stale_stage" if stage in scene.stale else "not_run_yet")


def _hints(scene: Scene, words: Words) -> str:
    given = scene.scenario.words.hints[: scene.case.hints]
    if not given:
        return ""
    number = words.say("clinic", "hint_of", number=len(given), of=4)
    return f'<div class="hinted"><b>{escape(number)}</b> {escape(given[-1])}</div>'


def _question(scene: Scene, words: Words) -> str:
    stage = scene.visit.stage
    question = scene.scenario.words.questions[stage]
    order = shuffled(range(len(question.choices)), scene.learner, scene.scenario.id, stage)
    given = scene.case.answers.get(stage, -1 if stage in scene.reports else None)
    head = f"<p><b>{escape(words.say('clinic', 'question'))}:</b> {escape(question.ask)}</p>"
    if given is None:
        choices = "".join(
            button(escape(question.choices[n]), "answer", str(n), "choice") for n in order
        )
        skip = button(escape(words.say("clinic", "skip")), "answer", "-1", "skip")
        return f'<div class="question">{head}<div class="choices">{choices}{skip}</div></div>'
    answer = question.choices[0]
    word = "right" if given == 0 else "skipped" if given < 0 else "wrong"
    said = escape(words.say("clinic", word, answer=answer))
    mine = f" <span>{escape(answer)}</span>" if word == "right" else ""
    mark = {"right": "✓", "wrong": "✗", "skipped": "·"}[word]
    return (
        f'<div class="question done {word}">{head}<p class="answer">'
        f'<span aria-hidden="true">{mark}</span> {said}{mine}</p></div>'
    )


def _verdict(scene: Scene, words: Words) -> str:
    stage = scene.visit.stage
    report = scene.reports[stage]
    head = f'<span class="mark" aria-hidden="true">{MARKS[report.outcome]}</span><b>'
    head += f"{escape(words.say('outcome', report.outcome).capitalize())}</b> "
    faults = [f for f in report.findings if f.severity == "fault"]
    covered = bool(faults) and not scene.open
    if covered:
        asked = escape(words.say("clinic", "say_it"))
        say = f'<button type="button" class="go" data-to="diagnosis">{asked}</button>'
        tell = button(escape(words.say("clinic", "show_finding")), "open", kind="plain answer")
        inside = f"<p>{head}{escape(words.say('clinic', 'covered'))}</p><p>{say} {tell}</p>"
    elif report.findings:
        inside = f"<p>{head}</p>" + "".join(_found(finding, words) for finding in report.findings)
    else:
        inside = f"<p>{head}{escape(words.say('clinic', 'found_none'))}</p>"
    return f'<div class="verdict {report.outcome}">{inside}</div>'


def _found(finding: Finding, words: Words) -> str:
    line = ""
    if finding.line is not None:
        said = escape(words.say("clinic", "line_link", line=finding.line))
        line = f' <button type="button" data-line="{finding.line}">{said}</button>'
    return f'<p class="found {finding.severity}">{escape(words.finding(finding))}{line}</p>'


def _diagnosis(scene: Scene, words: Words) -> str:
    """What is wrong, and how sure: asked once the first failing stage is on the table."""
    case = scene.case
    if scene.visit.changes or (case.opened and case.cause is None):
        return ""
    if case.cause is not None and case.sure is not None:
        right_one = case.cause == right_cause(scene.scenario)
        word = "cause_right" if right_one else "cause_wrong"
        if not right_one and case.sure == "certain":
            word = "cause_certain_wrong"
        said = escape(words.say("clinic", word, cause=words.say("cause", case.cause)))
        kind = "right" if right_one else "wrong"
        to_fix = button(escape(words.say("clinic", "pick")), "panel", "fix", "go")
        more = "" if right_one and scene.scenario.decoy else f"<p>{to_fix}</p>"
        return f'<div class="diagnosis {kind}"><p>{said}</p>{more}</div>'
    choices = "".join(
        button(
            escape(words.say("cause", cause)),
            "cause",
            cause,
            "choice nothing" if cause == NOTHING_WRONG else "choice",
            aria_pressed=str(cause == case.cause).lower(),
        )
        for cause in scene.causes
    )
    sure = ""
    if case.cause is not None:
        levels = "".join(
            button(escape(words.say("clinic", level)), "sure", level, "choice")
            for level in SURENESS
        )
        asked = escape(words.say("clinic", "how_sure"))
        sure = f'<p><b>{asked}</b></p><div class="choices row">{levels}</div>'
    asked = escape(words.say("clinic", "what_is_wrong"))
    return (
        f'<div class="diagnosis" id="diagnosis" tabindex="-1"><p><b>{asked}</b></p>'
        f'<div class="choices">{choices}</div>{sure}</div>'
    )


def _console(scene: Scene, words: Words) -> str:
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
