"""A report as one self-contained piece of HTML for a notebook: no script, no request, all escaped.

It takes text and ground from the page around it, so that it reads in light and dark themes alike.
"""

from collections.abc import Callable, Iterable, Mapping
from html import escape as escaped
from math import isfinite
from typing import Any

from debugger.outcome import Evidence, Finding
from debugger.printing.sentences import (
    MARKS,
    clean,
    conclusion,
    not_judged,
    plain,
    ran,
    setting,
    shape,
)
from debugger.report import Report, StageReport
from debugger.words import Words

WIDE, HIGH, EDGE, NAME = 560, 150, 8, 20
LINES = ("#2f7fd0", "#c4711a", "#7a5fd0", "#2e9160", "#c23f6b")
STYLE = """
.clinic-report{font:14px/1.5 system-ui,sans-serif;max-width:60em;color:inherit}
.clinic-report p{margin:.3em 0}
.clinic-report .end{font-weight:700;font-size:1.1em}
.clinic-report .dim{opacity:.72;font-size:.92em}
.clinic-report>details{border:1px solid rgba(128,128,128,.4);border-radius:6px;margin:4px 0}
.clinic-report>details>summary{padding:6px 10px;cursor:pointer}
.clinic-report .in{padding:2px 12px 10px}
.clinic-report .chip{display:inline-block;min-width:8.5em;padding:0 8px;border-radius:4px;
color:#fff;background:#56636f;font-size:.92em}
.clinic-report .pass{background:#17693b}.clinic-report .fail,.clinic-report .stopped
{background:#a3161a}.clinic-report .look,.clinic-report .unknown{background:#7a4b00}
.clinic-report .found{border-left:4px solid #56636f;padding-left:10px}
.clinic-report .fault{border-color:#c8383c}.clinic-report .look-at{border-color:#b67a14}
.clinic-report pre{font:13px/1.45 ui-monospace,monospace;margin:.3em 0;padding:0;
overflow-x:auto;max-height:24em;overflow-y:auto;
background:none;color:inherit;white-space:pre-wrap;overflow-wrap:anywhere}
.clinic-report .scroll{overflow-x:auto}
.clinic-report table{border-collapse:collapse;font:13px/1.4 ui-monospace,monospace;margin:.3em 0}
.clinic-report th,.clinic-report td{text-align:left;padding:2px 10px 2px 0;background:none;
border-bottom:1px solid rgba(128,128,128,.35);vertical-align:top;color:inherit}
.clinic-report .masked{opacity:.45}
.clinic-report svg{width:100%;max-width:560px;height:auto;display:block}
.clinic-report svg text{fill:currentColor;font:12px system-ui,sans-serif}
"""


def to_html(report: Report, words: Words | None = None) -> str:
    """The whole report; stages with something to see stand open, the others fold out."""
    words = words or Words()
    stages = ran(report)
    rest = ", ".join(stage.stage for stage in report.stages if stage not in stages)
    parts = [
        f"<style>{STYLE}</style>",
        f'<p class="end">{escape(conclusion(report, words))}</p>',
        *(_stage(stage, words) for stage in stages),
        f'<p class="dim">{escape(words.say("outcome", "not run"))}: {rest}</p>' if rest else "",
        f'<p class="dim">{escape(setting(report, words))}</p>',
    ]
    return f'<div class="clinic-report">{"".join(parts)}</div>'


def escape(text: str) -> str:
    return escaped(clean(text))


def _stage(stage: StageReport, words: Words) -> str:
    is_open = " open" if stage.outcome in ("fail", "stopped", "unknown", "look") else ""
    state = f"{MARKS[stage.outcome]} {words.say('outcome', stage.outcome)}"
    inside = [
        *(_finding(finding, words) for finding in stage.findings),
        *(_evidence(evidence, words) for evidence in stage.evidence),
        *(f'<p class="dim">{escape(line)}</p>' for line in not_judged(stage, words)),
    ]
    if stage.curves and not any(shown.kind == "chart" for shown in stage.evidence):
        inside.append(_chart({"series": stage.curves}))
    return (
        f'<details{is_open}><summary><span class="chip {stage.outcome}">{escape(state)}</span> '
        f"<b>{stage.stage}</b> {escape(words.say('stage', stage.stage))} "
        f'<span class="dim">{stage.seconds:.2f} s</span></summary>'
        f'<div class="in">{"".join(inside)}</div></details>'
    )


def _finding(finding: Finding, words: Words) -> str:
    line = "" if finding.line is None else words.say("cli", "line", line=finding.line)
    kind = {"fault": "fault", "look": "look-at"}.get(finding.severity, "")
    head = line or words.say("cli", finding.severity)
    return (
        f'<p class="found {kind}"><b>{escape(head)}:</b> {escape(words.finding(finding))} '
        f'<span class="dim">{escape(finding.code)}</span></p>'
    )


def _evidence(evidence: Evidence, words: Words) -> str:
    show: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
        "text": lambda data: _code(str(data["text"])),
        "table": _table,
        "tokens": _tokens,
        "tensor": _tensor,
        "chart": _chart,
        "traceback": lambda data: _traceback(data, words),
    }
    title = escape(words.say("evidence", evidence.code))
    snippet = (
        f"<details><summary>{escape(words.say('cli', 'snippet'))}</summary>"
        f"{_code(evidence.snippet.strip())}</details>"
        if evidence.snippet
        else ""
    )
    shown = show[evidence.kind](evidence.data)
    if evidence.code == "console":
        return f"<details><summary>{title}</summary>{shown}</details>"
    return f"<p><b>{title}</b></p>{shown}{snippet}"


def _code(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def _table(data: Mapping[str, Any]) -> str:
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in data["columns"])
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in data["rows"])
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'


def _cells(row: Iterable[Any]) -> str:
    return "".join(f"<td>{escape(plain(cell))}</td>" for cell in row)


def _tokens(data: Mapping[str, Any]) -> str:
    rows = []
    for row in data["rows"]:
        mask = row.get("mask") or [1] * len(row["tokens"])
        said = " ".join(
            escape(str(token)) if kept else f'<span class="masked">{escape(str(token))}</span>'
            for token, kept in zip(row["tokens"], mask, strict=False)
        )
        label = row.get("label")
        rows.append(said if label is None else f"{said} → <b>{escape(plain(label))}</b>")
    return "".join(f"<pre>{row}</pre>" for row in rows)


def _tensor(data: Mapping[str, Any]) -> str:
    head = f"{data['dtype']} {shape(data['shape'])}"
    span = f"{plain(data.get('low'))} … {plain(data.get('high'))}"
    values = data.get("values")
    rows = values if isinstance(values, list) and values else []
    body = "".join(f"<tr>{_cells(r if isinstance(r, list) else [r])}</tr>" for r in rows)
    table = f'<div class="scroll"><table>{body}</table></div>' if body else ""
    return _code(f"{head}, {span}") + table


def _traceback(data: Mapping[str, Any], words: Words) -> str:
    own = "".join(
        _code(f"{f['file']}:{f['line']} {f['name']}\n    {str(f['code']).strip()}")
        for f in data["frames"]
        if f["own"]
    )
    library = [f for f in data["frames"] if not f["own"]]
    folded = (
        f"<details><summary>{escape(words.say('cli', 'more_frames', count=len(library)))}"
        "</summary>"
        + "".join(_code(f"{f['file']}:{f['line']} {f['name']}") for f in library)
        + "</details>"
        if library
        else ""
    )
    head = f"{data['exception']}: {data['message']}"
    return f'<pre class="found fault"><b>{escape(head)}</b></pre>{own}{folded}'


def _chart(data: Mapping[str, Any]) -> str:
    """Curves with their names beside them, dashed reference lines, a text for screen readers."""
    curves = {
        str(name): [(float(x), float(y)) for x, y in points if _drawable(y)]
        for name, points in data["series"].items()
    }
    curves = {name: points for name, points in curves.items() if points}
    marks = {str(name): float(y) for name, y in data.get("marks", {}).items() if _drawable(y)}
    if not curves:
        return ""
    xs = [x for points in curves.values() for x, _ in points]
    ys = [y for points in curves.values() for _, y in points] + list(marks.values())
    place = _scale((min(xs), max(xs)), (min(ys), max(ys)))
    said = "; ".join(
        f"{name} {plain(points[0][1])} → {plain(points[-1][1])}" for name, points in curves.items()
    )
    drawn = [_mark(name, place(max(xs), y)[1], y) for name, y in marks.items()]
    drawn += [
        _curve(name, [place(x, y) for x, y in points], points[-1][1], LINES[n % len(LINES)])
        for n, (name, points) in enumerate(curves.items())
    ]
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{escape(said)}">'
        f"<title>{escape(said)}</title>{''.join(drawn)}</svg>"
    )


def _drawable(y: float | None) -> bool:
    return y is not None and isfinite(y)


def _scale(
    across: tuple[float, float], up: tuple[float, float]
) -> Callable[[float, float], tuple[float, float]]:
    wide, high = across[1] - across[0] or 1.0, up[1] - up[0] or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        right = EDGE + (x - across[0]) / wide * (WIDE - 2 * EDGE - 150)
        return round(right, 1), round(HIGH - EDGE - (y - up[0]) / high * (HIGH - 3 * EDGE), 1)

    return place


def _curve(name: str, places: list[tuple[float, float]], last: float, paint: str) -> str:
    points = " ".join(f"{x},{y}" for x, y in places)
    x, y = places[-1]
    return (
        f'<polyline points="{points}" fill="none" stroke="{paint}" stroke-width="2"/>'
        f'<circle cx="{x}" cy="{y}" r="3" fill="{paint}"/>'
        f'<text x="{x + 8}" y="{y + 4}">{escape(name[:NAME])} {plain(last)}</text>'
    )


def _mark(name: str, y: float, value: float) -> str:
    return (
        f'<line x1="{EDGE}" x2="{WIDE - 150}" y1="{y}" y2="{y}" stroke="currentColor" '
        f'stroke-dasharray="4 4" opacity=".5"/>'
        f'<text x="{EDGE}" y="{y - 4}">{escape(name[:NAME])} {plain(value)}</text>'
    )
