"""One example's journey: what it is at each stage, and the same example in the healthy twin."""

from __future__ import annotations

from collections.abc import Mapping

from debugger.evidence.html import example, inside
from debugger.evidence.markup import escape
from debugger.evidence.plain import plain
from debugger.outcome import Evidence, StageName
from debugger.printing.sentences import MARKS
from debugger.report import StageReport
from debugger.web.buttons import button
from debugger.web.scene import Scene
from debugger.web.visit import BESIDE
from debugger.words import Words

STOPS: tuple[StageName, ...] = ("data", "batch", "forward", "step", "evaluate")
Reports = Mapping[StageName, StageReport]


def journey(scene: Scene, words: Words) -> str:
    def say(word: str) -> str:
        return escape(words.say("journey", word))

    strips = f"<h3>{say('here')}</h3>{_strip(scene, scene.reports, words)}"
    if scene.beside:
        strips += f"<h3>{say('twin')}</h3>{_strip(scene, scene.beside, words)}"
    else:
        run = button(say("run_twin"), "run", BESIDE, "plain", scene.occupied)
        strips += f"<p>{run}</p>"
    about = f'<p class="dim">{say("about")}</p>'
    return f'<div class="notes journey" tabindex="0">{about}{strips}</div>'


def _strip(scene: Scene, reports: Reports, words: Words) -> str:
    stops = "".join(_stop(scene, reports, stage, words) for stage in STOPS)
    return f"<ol>{stops}</ol>"


def _stop(scene: Scene, reports: Reports, stage: StageName, words: Words) -> str:
    """A stage's place in the strip. It is as folded as the stage's evidence, in both strips."""
    report = reports.get(stage)
    outcome = "not run" if report is None else report.outcome
    if not scene.spoken(stage):
        kind, told = "idle", f"<p>{escape(words.say('journey', 'folded'))}</p>"
    elif report is None or outcome == "not run":
        before = any(one.outcome in ("fail", "stopped") for one in reports.values())
        said = words.say("journey", "never_there" if before else "not_run")
        kind, told = "idle", f"<p>{escape(said)}</p>"
    else:
        kind, told = outcome, _seen(reports, stage, words)
    mark = "·" if kind == "idle" else MARKS[report.outcome if report else "not run"]
    state = words.say("outcome", outcome if kind != "idle" else "not run")
    return (
        f'<li class="{kind}"><span class="mark" aria-hidden="true">{mark}</span>'
        f"<div><b>{escape(words.say('journey', stage))}</b>"
        f'<span class="sr">{escape(state)}</span>{told}</div></li>'
    )


def _seen(reports: Reports, stage: StageName, words: Words) -> str:
    report = reports[stage]
    parts: list[str] = []
    match stage:
        case "data":
            parts.append(_text(reports, words))
        case "batch":
            found = _piece(report, "example")
            if found is not None:
                tokens = {"tokens": found.data["tokens"], "mask": found.data["mask"], "rows": []}
                parts.append(example(tokens, words))
        case "forward":
            found = _piece(report, "example_forward")
            parts.append(example(found.data, words) if found else "")
        case "step":
            gradient = report.measured.get("gradient")
            if gradient is not None:
                said = words.say("journey", "gradient", gradient=plain(gradient))
                parts.append(f"<p>{escape(said)}</p>")
        case _:
            parts.append(_metric(report, words))
    return "".join([*parts, _error(report), *_collision(report, words)])


def _error(report: StageReport) -> str:
    found = next((one for one in report.evidence if one.kind == "traceback"), None)
    if found is None:
        return ""
    head = f"{found.data['exception']}: {found.data['message']}".splitlines()[0]
    return f'<p class="exc">{escape(head)}</p>'


def _collision(report: StageReport, words: Words) -> list[str]:
    return [inside(one, words) for one in report.evidence if one.kind == "ragged"]


def _text(reports: Reports, words: Words) -> str:
    """The example's row; until a batch is known, the first row of the training set."""
    batch = reports.get("batch")
    found = _piece(batch, "example") if batch is not None else None
    if found is not None:
        return example({"rows": found.data["rows"]}, words)
    rows = _piece(reports["data"], "first_rows")
    if rows is None or not rows.data["rows"]:
        return ""
    first = zip(rows.data["columns"], rows.data["rows"][0], strict=True)
    return example({"rows": [[name, plain(value)[:160]] for name, value in first]}, words)


def _metric(report: StageReport, words: Words) -> str:
    answers = _piece(report, "metric_answers")
    if answers is None or not answers.data["rows"]:
        return ""
    _, name, value = answers.data["rows"][0]
    said = words.say("journey", "metric", name=name, value=plain(value))
    return f"<p>{escape(said)}</p>"


def _piece(report: StageReport, code: str) -> Evidence | None:
    return next((one for one in report.evidence if one.code == code), None)
