"""The end of a cure: before and after in numbers and curves, the lesson, and where to go on."""

from __future__ import annotations

from urllib.parse import quote

from debugger.catalogue import Fix, Scenario
from debugger.evidence.figures import BROKEN, TRIED, TWIN
from debugger.evidence.html import chart
from debugger.evidence.markup import escape
from debugger.judge import Judgement
from debugger.report import StageReport
from debugger.web import listing
from debugger.web.languages import linked
from debugger.web.scene import Scene
from debugger.web.visit import is_typed, numbered
from debugger.words import Words

LEARNT = 0.1
"""How far above the most common class an accuracy must lie to be called learning."""
FEW = 0.0095
"""Below it a share is said with one more digit."""
RUNS = {"broken": BROKEN, "here": "", "twin": TWIN}
"""Whose training, and how the codes of its series begin."""


def proof(scene: Scene, words: Words) -> str:
    """The judge's verdict, then the lesson, what it cost, what to take away, and where to go on."""

    def say(word: str, **numbers: object) -> str:
        return escape(words.say("clinic", word, **numbers))

    verdict = scene.verdict
    if verdict is None:
        return f'<div class="verdict look" data-news="{say("prove")}"><p>{say("prove")}</p></div>'
    if not verdict.cured:
        return _not_cured(scene, verdict, words)
    head, says = say("cured"), say("cured_says")
    if scene.scenario.decoy:
        head, says = say("healthy"), say("healthy_too" if scene.visit.changes else "healthy_says")
    peeked = f"<p>{say('solution_says')}</p>" if scene.case.peeked else ""
    return (
        f'<div class="verdict pass proof" data-news="{head}. {says}" tabindex="-1">'
        f'<p><span class="mark" aria-hidden="true">✓</span><b>{head}</b></p>'
        f"<p>{says}</p>{_weighed(verdict, words)}{peeked}{_before_and_after(scene, words)}"
        f"<h3>{say('lesson')}</h3><p>{escape(scene.scenario.words.lesson)}</p>"
        f"{_cost(scene, words)}{_take_away(scene, words)}</div>"
    )


def _not_cured(scene: Scene, verdict: Judgement, words: Words) -> str:
    """What is missing; where nobody can tell, or cannot yet, that is no failing."""
    if scene.unweighed and scene.busy is not None:
        head, missing = words.say("clinic", "weighing"), ""
    else:
        head = words.say("clinic", "untold" if verdict.untold else "not_cured")
        told = (words.say("missing", code, **verdict.proof) for code in verdict.missing)
        missing = f"<ul>{''.join(f'<li>{escape(one)}</li>' for one in told)}</ul>"
    kind = "look" if verdict.untold else "fail"
    return (
        f'<div class="verdict {kind}" data-news="{escape(head)}" tabindex="-1">'
        f"<p><b>{escape(head)}</b></p>{missing}</div>"
    )


def _weighed(verdict: Judgement, words: Words) -> str:
    """Of a typed cure: what its weights were worth, where the script does not run."""
    if not verdict.proof:
        return ""
    code = "weighed_little" if "moved" in verdict.proof else "weighed"
    return f"<p>{escape(words.say('clinic', code, **verdict.proof))}</p>"


def _before_and_after(scene: Scene, words: Words) -> str:
    """The accuracies at one and the same step, all curves in one picture, what was changed."""
    parts = [_left_in(scene, words), _figures(scene, words)]
    prefixes = RUNS | {name: f"{TRIED}{n}:" for n, name in enumerate(scene.attempts, 1)}
    series = {
        f"{prefixes[whose]}{name}": points
        for whose, report in scene.trainings.items()
        for name, points in report.curves.items()
        if name in ("loss", "accuracy")
    }
    if series:
        parts.append(chart({"series": series, "marks": _marks(scene)}, words))
        parts.append(_tried(scene, words))
    if scene.visit.changes:
        label, signs = listing.diff_words(words)
        before = escape(words.say("clinic", "changed_lines"))
        shown = listing.diff(scene.scenario.script, scene.script, label, signs)
        parts.append(f"<h3>{before}</h3>{shown}")
    return "".join(parts)


def _tried(scene: Scene, words: Words) -> str:
    """Which repair each of the curves belongs to that are called by their number."""
    listed = ""
    for number, changes in enumerate(scene.attempts, 1):
        labels = "; ".join(scene.scenario.words.of(one).label for one in changes.split("+"))
        told = words.say("clinic", "try_number", number=number, labels=labels)
        listed += f"<li>{escape(told)}</li>"
    return f'<ul class="dim">{listed}</ul>' if listed else ""


def _left_in(scene: Scene, words: Words) -> str:
    """Changes that stand in the cured script and that the cure did not need."""
    needless = [
        scene.scenario.words.of(patch.id).label
        for patch in scene.scenario.patches
        if patch.id in scene.visit.changes and not (isinstance(patch, Fix) and patch.right)
    ]
    if not needless or scene.scenario.decoy:
        return ""
    told = words.say("clinic", "left_in", labels="; ".join(needless))
    return f'<p class="found look">{escape(told)}</p>'


def _figures(scene: Scene, words: Words) -> str:
    here = scene.trainings.get("here")
    steps = here.measured.get("steps") if here else None
    if here is None or not steps:
        return ""
    cells = ""
    for whose in RUNS:
        report = scene.trainings.get(whose)
        told = None
        if report is not None and report.measured.get("steps") == steps:
            told = _share(report.measured.get("accuracy"))
        elif whose == "broken" and scene.scenario.symptom == "crash":
            told = escape(words.say("clinic", "it_stopped"))
        if told is not None and (whose != "broken" or not scene.scenario.decoy):
            name = escape(words.say("clinic", f"figure_{whose}"))
            cells += f'<div class="{whose}"><dt>{name}</dt><dd>{told}</dd></div>'
    if not cells:
        return ""
    about = words.say("clinic", "figures", steps=steps)
    if scene.busy is not None:
        about = f"{about} {words.say('clinic', 'trains_on')}"
    elif not _has_learnt(here):
        about = f"{about} {words.say('clinic', 'too_few_steps', steps=steps)}"
    return f'<dl class="figures">{cells}</dl><p class="dim">{escape(about)}</p>'


def _share(value: float | None) -> str | None:
    if value is None:
        return None
    return f"{value:.1%}" if 0 < value < FEW else f"{value:.0%}"


def _has_learnt(report: StageReport) -> bool:
    accuracy, majority = (report.measured.get(name) for name in ("accuracy", "majority"))
    return accuracy is None or accuracy > (majority or 0) + LEARNT


def _marks(scene: Scene) -> dict[str, float]:
    seen = (one for report in scene.trainings.values() for one in report.evidence)
    return next((one.data.get("marks", {}) for one in seen if one.code == "learning"), {})


def _cost(scene: Scene, words: Words) -> str:
    """Seconds of computing until the fault could be seen, beside what the training alone took."""
    first = scene.scenario.first_stage
    if first is None or first not in scene.broken:
        return ""
    seconds = sum(
        scene.broken[stage].seconds for stage in {"setup", first} if stage in scene.broken
    )
    said = [words.say("clinic", "cost_seen", seconds=seconds, stage=words.say("short", first))]
    if "train" in scene.broken and first != "train":
        alone = scene.broken["train"].seconds + scene.broken["setup"].seconds
        said.append(words.say("clinic", "cost_train", seconds=alone))
    return f"<h3>{escape(words.say('clinic', 'cost'))}</h3><p>{escape(' '.join(said))}</p>"


def _take_away(scene: Scene, words: Words) -> str:
    def say(word: str, **numbers: object) -> str:
        return escape(words.say("clinic", word, **numbers))

    number = scene.scenario.number
    changes = numbered(scene.visit.changes)
    address = f"take/{number}.py?changes={changes}"
    if is_typed(scene.visit.changes):
        address = f"data:text/x-python;charset=utf-8,{quote(scene.script)}"
    links = [
        f'<a href="{address}" download="case-{number}.py">{say("take_script")}</a>',
        f'<a href="{linked(f"take/{number}.ipynb", words)}" download="case-{number}.ipynb">'
        f"{say('take_notebook')}</a>",
    ]
    familiar, suggested = scene.go_on.familiar, scene.go_on.suggested
    if familiar is not None:
        title = escape(words.say("path", "familiar_after", title=familiar.words.title))
        links.append(f'<a class="plain" href="{_case(familiar, words)}">{title}</a>')
    if suggested is not None:
        title = say("next_scenario", title=suggested.words.title)
        links.append(f'<a class="go" href="{_case(suggested, words)}">{title}</a>')
    else:
        links.append(f'<a class="go" href="{linked("./", words)}">{say("back_home")}</a>')
    return f'<p class="links">{"".join(links)}</p>'


def _case(scenario: Scenario, words: Words) -> str:
    return linked(f"clinic?case={scenario.number}", words)
