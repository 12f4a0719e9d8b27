"""The evidence panel: the question, the verdict, and what the stage shows."""

from __future__ import annotations

from debugger.catalogue.scenario import Question
from debugger.evidence.html import chart, shown
from debugger.evidence.markup import escape, sentence
from debugger.experiments.doubts import in_doubt
from debugger.frameworks import called
from debugger.outcome import STAGES, Finding
from debugger.printing.html import unjudged
from debugger.printing.sentences import MARKS
from debugger.web.buttons import button
from debugger.web.checks import offered
from debugger.web.finale import proof
from debugger.web.marking import marking
from debugger.web.scene import Provenance, Scene
from debugger.web.visit import EXPERIMENTS, LOOKED, shuffled
from debugger.words import Words


def evidence(scene: Scene, words: Words) -> str:
    stage, report = scene.visit.stage, scene.shown
    heading = f"<h2>{STAGES.index(stage) + 1}. {escape(words.say('stage', stage))}</h2>"
    parts = [heading, hints(scene, words), _question(scene, words)]
    if report is None or scene.asked:
        why = words.say("clinic", "folded") if report else _why_empty(scene, words)
        parts.append(f'<p class="empty">{escape(why)}</p>')
        return "".join(parts)
    parts.append(_recorded(scene, words))
    if report.outcome != "not run":
        parts.append(_verdict(scene, words))
    if scene.left_alone and stage == "train":
        parts.append(proof(scene, words))
    if stage == "data":
        parts.append(marking(scene, words))
    seen = [one for one in report.evidence if one.code != "console"]
    parts += [shown(one, words, beside_script=True) for one in seen]
    parts.append(_experiments(scene, words))
    if not any(one.kind == "chart" for one in seen) and report.curves:
        parts.append(chart({"series": report.curves}, words))
    parts.append(unjudged(report, words))
    return "".join(parts)


def _experiments(scene: Scene, words: Words) -> str:
    """Where a training is in doubt and nothing was tried yet, what may be tried."""
    report = scene.shown
    if report is None or not in_doubt(report.findings) or scene.visit.demo:
        return ""
    made = any(one.code == "experiments" for one in report.evidence)
    if made or not called(scene.scenario.framework).experiments:
        return ""
    label, about = (escape(words.say("clinic", code)) for code in ("try_expert", "one_thing"))
    press = button(label, "run", EXPERIMENTS, "plain", off=scene.occupied)
    return f'<p class="dim">{about}</p><p>{press}</p>'


def _recorded(scene: Scene, words: Words) -> str:
    source = scene.sources.get(scene.visit.stage)
    if source is None or not (source.recorded or source.refused):
        return ""
    if source.refused:
        return instead(source, words)
    said = words.say("clinic", "not_live", **_made(source))
    return f'<div class="hinted">{escape(said)}</div>'


def instead(source: Provenance, words: Words) -> str:
    """Why no GPU was lent, and what is seen in place of a run on one."""
    why = words.finding(source.refused) if source.refused else ""
    made = words.say(
        "clinic", "recorded_instead" if source.recorded else "cpu_instead", **_made(source)
    )
    return f'<div class="hinted">{escape(f"{why} {made}".strip())}</div>'


def _made(source: Provenance) -> dict[str, str]:
    return {"date": f"{source.when:%Y-%m-%d}", "device": source.recorded}


def _why_empty(scene: Scene, words: Words) -> str:
    stage = scene.visit.stage
    if scene.blocked_by is not None:
        return words.say("clinic", "blocked", stage=words.say("short", scene.blocked_by))
    if stage in scene.case.ran.get(scene.visit.variant, ()):
        return words.say("clinic", "forgotten")
    return words.say("clinic", "stale_stage" if stage in scene.stale else "not_run_yet")


def hints(scene: Scene, words: Words) -> str:
    given = scene.scenario.words.hints[: scene.case.hints]
    if not given:
        return ""
    number = words.say("clinic", "hint_of", number=len(given), of=4)
    hint = sentence(given[-1]) + offered(scene, words, len(given))
    news = escape(f"{number}: {given[-1]}")
    return f'<div class="hinted" data-news="{news}"><b>{escape(number)}</b> {hint}</div>'


def _question(scene: Scene, words: Words) -> str:
    stage = scene.visit.stage
    question = scene.scenario.words.questions[stage]
    order = shuffled(range(len(question.choices)), scene.learner, scene.scenario.id, stage)
    given = scene.case.answers.get(stage)
    if given is None and not scene.asked:
        return ""
    head = f"<p><b>{escape(words.say('clinic', 'question'))}:</b> {escape(question.ask)}</p>"
    if given is None:
        choices = "".join(
            button(escape(question.choices[n]), "answer", str(n), "choice") for n in order
        )
        skip = button(escape(words.say("clinic", "look")), "answer", str(LOOKED), "skip")
        return f'<div class="question">{head}<div class="choices">{choices}{skip}</div></div>'
    if scene.shown is None and scene.blocked_by is None and given != LOOKED:
        mine = escape(words.say("clinic", "you_said", answer=question.choices[given]))
        return f'<div class="question done">{head}<p class="answer">{mine}</p></div>'
    told = _told(question, 0, "✓", "right" if given == 0 else "answered", words)
    if given > 0:
        told = _told(question, given, "✗", "wrong", words) + told
    return f'<div class="question done">{head}{told}</div>'


def _told(question: Question, choice: int, mark: str, word: str, words: Words) -> str:
    """One choice, and why it is right or wrong."""
    said = escape(words.say("clinic", word, answer=question.choices[choice].rstrip(".")))
    why = sentence(question.because[choice])
    return (
        f'<p class="answer {word}"><span aria-hidden="true">{mark}</span> '
        f"<span><b>{said}</b> {why}</span></p>"
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
        tell = button(escape(words.say("clinic", "show_finding")), "open", kind="plain answer")
        inside = f"<p>{head}{escape(words.say('clinic', 'covered'))}</p><p>{_say(words)} {tell}</p>"
    elif report.findings:
        inside = f"<p>{head}</p>" + "".join(_found(finding, words) for finding in report.findings)
    else:
        inside = f"<p>{head}{escape(words.say('clinic', 'found_none'))}</p>"
    if stage == "train" and scene.askable and not scene.open and not covered:
        inside += f"<p>{_say(words)}</p>"
    state = words.say("outcome", report.outcome)
    news = escape(f"{words.say('short', stage)}: {state}.")
    return f'<div class="verdict {report.outcome}" data-news="{news}" tabindex="-1">{inside}</div>'


def _say(words: Words) -> str:
    """To where the learner says what is wrong, beside the evidence."""
    asked = escape(words.say("clinic", "say_it"))
    return f'<button type="button" class="go" data-to="diagnosis">{asked}</button>'


def _found(finding: Finding, words: Words) -> str:
    line = ""
    if finding.line is not None and finding.file is None:
        said = escape(words.say("clinic", "line_link", line=finding.line))
        line = f' <button type="button" data-line="{finding.line}">{said}</button>'
    return f'<p class="found {finding.severity}">{sentence(words.finding(finding))}{line}</p>'
