"""Does the label fit the text? The learner marks rows, and the healthy twin has the last word."""

from __future__ import annotations

from collections.abc import Sequence

from debugger.evidence.markup import escape
from debugger.report import StageReport
from debugger.web.buttons import button
from debugger.web.scene import Scene
from debugger.web.visit import MARKED
from debugger.words import Words

Rows = Sequence[tuple[str, str]]
"""Text and label."""


def marking(scene: Scene, words: Words) -> str:
    """Asked in front of real rows, of the script as it was found."""
    rows = _rows(scene.reports.get("data"))
    if not rows or scene.visit.changes:
        return ""
    asked = escape(words.say("marking", "asked"))
    if scene.case.marked:
        return f'<div class="question done"><p><b>{asked}</b></p>{_told(scene, rows, words)}</div>'
    listed = "".join(_row(scene, number, *row, words) for number, row in enumerate(rows))
    done = button(escape(words.say("marking", "done")), "marked", "", "go", scene.occupied)
    return (
        f'<div class="question marking"><p><b>{asked}</b></p><ul>{listed}</ul><p>{done}</p></div>'
    )


def _row(scene: Scene, number: int, text: str, label: str, words: Words) -> str:
    pressed = str(number in scene.case.marks).lower()
    mark = button(
        escape(words.say("marking", "wrong")), "mark", str(number), "choice", aria_pressed=pressed
    )
    return f"<li><span>{escape(text)} <b>{escape(label)}</b></span>{mark}</li>"


def _told(scene: Scene, rows: Rows, words: Words) -> str:
    """What the learner marked beside what the twin's rows of the same text are labelled."""
    theirs = dict(_rows(scene.twin_data))
    if not theirs:
        return f"<p>{escape(words.say('marking', MARKED))}</p>"
    lines = []
    for number, (text, label) in enumerate(rows):
        wrong, marked = theirs.get(text, label) != label, number in scene.case.marks
        if text not in theirs or not (wrong or marked):
            continue
        code = f"{'wrong' if wrong else 'right'}_{'marked' if marked else 'missed'}"
        numbers = {"row": number + 1, "label": label, "other": theirs[text]}
        kind = "right" if wrong == marked else "wrong"
        said = escape(words.say("marking", code, **numbers))
        mark = f'<span aria-hidden="true">{"✓" if wrong == marked else "✗"}</span>'
        lines.append(
            f'<p class="answer {kind}">{mark}<span>{escape(text)}<br><b>{said}</b></span></p>'
        )
    known = sum(text in theirs for text, _ in rows)
    if not lines:
        said = escape(words.say("marking", "all_fit" if known else "other_texts", rows=known))
        lines = [f"<p>{said}</p>"]
    return "".join(lines)


def _rows(report: StageReport | None) -> Rows:
    known = report.measured.get("train", {}) if report is not None else {}
    return [(text, label) for text, label in known.get("judged", ())]
