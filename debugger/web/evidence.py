"""Evidence as a page shows it: a figure where one helps, the numbers, the code to type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from debugger.outcome import Evidence
from debugger.printing.sentences import plain, shape
from debugger.web import figures
from debugger.web.code import coloured
from debugger.web.markup import escape, folded
from debugger.words import Words

MOST_ROWS = 12
MOST_ITEMS = 8
LONG_TEXT = 30
TWIN = "of the twin"


def shown(evidence: Evidence, words: Words) -> str:
    title = escape(words.say("evidence", evidence.code))
    match evidence.kind:
        case "traceback":
            inside = traceback(evidence.data, words)
        case "table":
            inside = _table(evidence.data, words)
        case "tokens":
            inside = _tokens(evidence.data, words)
        case "tensor":
            inside = _tensor(evidence.data, words)
        case "chart":
            inside = chart(evidence.data, words)
        case _:
            inside = _text(str(evidence.data["text"]))
    return f'<section class="evidence"><h3>{title}</h3>{inside}{_how(evidence, words)}</section>'


def traceback(data: Mapping[str, Any], words: Words) -> str:
    """The exception first, the learner's own frames as links to the line, the rest folded."""
    own, library = [], []
    for frame in data["frames"]:
        code = f"<code>{escape(str(frame['code']).strip())}</code>"
        where = f"{frame['file']}:{frame['line']}"
        inside = escape(words.say("clinic", "in_function", name=frame["name"]))
        if frame["own"]:
            link = (
                f'<button type="button" data-line="{int(frame["line"])}">{escape(where)}</button>'
            )
            own.append(f'<li class="own">{link} {inside}{code}</li>')
        else:
            library.append(f"<li>{escape(where)} {inside}{code}</li>")
    rest = ""
    if library:
        count = escape(words.say("cli", "more_frames", count=len(library)))
        rest = folded(count, f"<ol>{''.join(library)}</ol>")
    head = f"{data['exception']}: {data['message']}" if data["message"] else data["exception"]
    return (
        f'<div class="trace"><p class="exc">{escape(head)}</p><ol>{"".join(own)}</ol>{rest}</div>'
    )


def chart(data: Mapping[str, Any], words: Words) -> str:
    labels = data.get("labels")
    if labels:
        losses = data["series"]["loss"]
        return figures.bars(losses, labels, data.get("marks", {})) + _numbers(data, words)
    across = words.say("clinic", "step")
    return figures.chart(data, across, TWIN) + _numbers(data, words)


def _numbers(data: Mapping[str, Any], words: Words) -> str:
    """Every point of a figure as a table, for those who cannot see it."""
    names = list(data["series"])
    points: dict[float, dict[str, Any]] = {}
    for name, series in data["series"].items():
        for x, y in series:
            points.setdefault(x, {})[name] = y
    labels = data.get("labels") or []
    first = words.say("clinic", "row" if labels else "step")
    head = [first, *(["label"] if labels else []), *names]
    rows = [
        [
            f"{x:g}",
            *([labels[int(x)]] if labels and int(x) < len(labels) else []),
            *(points[x].get(name, "") for name in names),
        ]
        for x in sorted(points)
    ]
    return folded(escape(words.say("clinic", "numbers")), _rows(head, rows), "numbers")


def _text(text: str) -> str:
    return f'<pre class="printed" tabindex="0">{escape(text)}</pre>'


def _table(data: Mapping[str, Any], words: Words) -> str:
    rows = list(data["rows"])
    table = _rows(data["columns"], rows[:MOST_ROWS])
    if len(rows) <= MOST_ROWS:
        return table
    more = escape(words.say("cli", "more_rows", count=len(rows) - MOST_ROWS))
    return table + folded(more, _rows(data["columns"], rows[MOST_ROWS:]))


def _rows(columns: Any, rows: Any) -> str:
    rows = list(rows)
    aligned = [all(_is_number(row[n]) for row in rows) for n in range(len(columns))]
    head = "".join(
        f'<th scope="col"{_number(number)}>{escape(name)}</th>'
        for name, number in zip(columns, aligned, strict=True)
    )
    body = "".join(
        f"<tr>{''.join(_cell(*cell) for cell in zip(row, aligned, strict=False))}</tr>"
        for row in rows
    )
    return (
        '<div class="scroll" tabindex="0"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(value: Any, aligned: bool) -> str:
    if isinstance(value, list) and len(value) > MOST_ITEMS:
        shown = f"[{', '.join(map(plain, value[:MOST_ITEMS]))}, … {len(value)}]"
        return f'<td class="list">{escape(shown)}</td>'
    shown = f"{value:,}" if isinstance(value, int) and aligned else plain(value)
    kind = ' class="text"' if len(shown) > LONG_TEXT else _number(aligned)
    return f"<td{kind}>{escape(shown)}</td>"


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _number(aligned: bool) -> str:
    return ' class="num"' if aligned else ""


def _tokens(data: Mapping[str, Any], words: Words) -> str:
    rows = []
    for row in data["rows"]:
        mask = row.get("mask") or [1] * len(row["tokens"])
        chips = "".join(
            _chip(token, bool(kept)) for token, kept in zip(row["tokens"], mask, strict=False)
        )
        label = row.get("label")
        named = escape(words.say("clinic", "label", label=label)) if label not in (None, "") else ""
        rows.append(f'<li><span class="chips">{chips}</span><b class="label">{named}</b></li>')
    return f'<ol class="tokens">{"".join(rows)}</ol>'


def _chip(token: str, kept: bool) -> str:
    special = " special" if token.startswith("[") and token.endswith("]") else ""
    return f'<span class="chip{special}{"" if kept else " filling"}">{escape(token)}</span>'


def _tensor(data: Mapping[str, Any], words: Words) -> str:
    values = data.get("values") or []
    if values and all(cell in (0, 1) for row in values for cell in row):
        kept = sum(map(sum, values))
        cells = sum(map(len, values))
        said = words.say(
            "clinic", "padded", kept=kept, filling=cells - kept, share=1 - kept / max(1, cells)
        )
        return f'{figures.heat_map(values, said)}<p class="dim">{escape(said)}</p>'
    span = f"{plain(data.get('low'))} … {plain(data.get('high'))}"
    return _text(f"{data['dtype']} {shape(data['shape'])}, {span}")


def _how(evidence: Evidence, words: Words) -> str:
    if not evidence.snippet:
        return ""
    code = "\n".join(coloured(evidence.snippet.strip()))
    summary = escape(words.say("clinic", "check_in_code"))
    return folded(summary, f'<pre class="how" tabindex="0">{code}</pre>')
