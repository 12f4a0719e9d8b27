"""The evidence panel: the question, what the stage shows, the verdict, the learner's diagnosis."""

from __future__ import annotations

from debugger.evidence.html import chart, shown
from debugger.evidence.markup import escape, folded
from debugger.outcome import STAGES, Finding
from debugger.printing.sentences import MARKS, not_judged
from debugger.web.buttons import button
from debugger.web.repair import proof
from debugger.web.scene import Scene
from debugger.web.visit import NOTHING_WRONG, SURENESS, right_cause, shuffled
from debugger.words import Words


def evidence(scene: Scene, words: Words) -> str:
    stage = scene.visit.stage
    if not scene.case.ran and scene.busy is None and not scene.reports:
        return _opening(scene, words)
    report = scene.reports.get(stage)
    heading = f"<h2>{STAGES.index(stage) + 1}. {escape(words.say('stage', stage))}</h2>"
    parts = [heading, _hints(scene, words), _question(scene, words)]
    if report is None or (report.outcome == "not run" and not report.curves):
        parts.append(f'<p class="empty">{escape(_why_empty(scene, words))}</p>')
        return "".join(parts)
    parts.append(_recorded(scene, words))
    if report.outcome != "not run":
        parts.append(_verdict(scene, words))
    if scene.left_alone and stage == "train":
        parts.append(proof(scene, words))
    seen = [one for one in report.evidence if one.code != "console"]
    parts += [shown(one, words, beside_script=True) for one in seen]
    if not any(one.kind == "chart" for one in seen) and report.curves:
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

    steps = [words.say("clinic", f"first_step_{number}") for number in (1, 2, 3)]
    needs = f'<div class="hinted">{say("needs_cuda")}</div>' if scene.scenario.needs else ""
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


def _recorded(scene: Scene, words: Words) -> str:
    source = scene.sources.get(scene.visit.stage)
    if source is None or not source.recorded:
        return ""
    date, device = f"{source.when:%Y-%m-%d}", source.recorded
    said = words.say("clinic", "not_live", date=date, device=device)
    return f'<p class="hinted">{escape(said)}</p>'


def _why_empty(scene: Scene, words: Words) -> str:
    stage = scene.visit.stage
    failing = scene.first_failing
    if failing is not None and STAGES.index(failing) < STAGES.index(stage):
        return words.say("clinic", "blocked", stage=words.say("short", failing))
    if stage in scene.case.ran.get(scene.visit.variant, ()):
        return words.say("clinic", "forgotten")
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
    # A run that was ended from outside says nothing about the script: there is nothing to guess.
    ended = report.outcome in ("stopped", "unknown") and all(
        f.code != scene.scenario.code for f in faults
    )
    covered = bool(faults) and not scene.open and not ended
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


def console(scene: Scene, words: Words) -> str:
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
