"""Evidence as page and notebook show it: a figure where one helps, the numbers, the code to type.

`evidence.css` is its stylesheet, for whatever stands in `#clinic` or in `.clinic-report`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from debugger.evidence import figures
from debugger.evidence.coloured import coloured
from debugger.evidence.markup import escape, folded
from debugger.evidence.plain import plain, said, span
from debugger.outcome import Evidence
from debugger.words import Words

MOST_ROWS = 12
MOST_ITEMS = 8
LONG_TEXT = 30


def style() -> str:
    return files("debugger.evidence").joinpath("evidence.css").read_text(encoding="utf-8")


def shown(evidence: Evidence, words: Words, beside_script: bool = False) -> str:
    """`beside_script`: the script stands beside it, so that its lines can be gone to."""
    title = escape(words.say("evidence", evidence.code))
    known = words.has("why", evidence.code)
    why = f'<p class="why">{escape(words.say("why", evidence.code))}</p>' if known else ""
    body = inside(evidence, words, beside_script)
    return f'<section class="evidence"><h3>{title}</h3>{why}{body}{_how(evidence, words)}</section>'


def inside(evidence: Evidence, words: Words, beside_script: bool = False) -> str:
    """What stands below the title."""
    match evidence.kind:
        case "traceback":
            return _traceback(evidence.data, words, beside_script)
        case "table":
            return _table(evidence.data, words)
        case "tokens":
            return _tokens(evidence.data, words)
        case "tensor":
            return _tensor(evidence.data, words)
        case "chart":
            return chart(evidence.data, words)
        case "matrix":
            return _matrix(evidence.data, words)
        case "ragged":
            said_too = f'<p class="dim">{escape(figures.collided(evidence.data, words))}</p>'
            return figures.collision(evidence.data, words) + said_too
        case "example":
            return example(evidence.data, words)
        case _:
            return _text(said(evidence.data["text"], "cell", words))


def _traceback(data: Mapping[str, Any], words: Words, beside_script: bool) -> str:
    """The exception first, then the learner's own frames, the rest folded."""
    own, library = [], []
    for frame in data["frames"]:
        code = f"<code>{escape(str(frame['code']).strip())}</code>"
        where = escape(f"{frame['file']}:{frame['line']}")
        inside = escape(words.say("reading", "in_function", name=frame["name"]))
        if frame["own"]:
            if beside_script:
                where = f'<button type="button" data-line="{int(frame["line"])}">{where}</button>'
            own.append(f'<li class="own">{where} {inside}{code}</li>')
        else:
            library.append(f"<li>{where} {inside}{code}</li>")
    rest = ""
    if library:
        count = escape(words.say("reading", "more_frames", count=len(library)))
        rest = folded(count, f"<ol>{''.join(library)}</ol>")
    head = f"{data['exception']}: {data['message']}" if data["message"] else data["exception"]
    said = f'<p class="exc" tabindex="0">{escape(head)}</p>'  # a long one is scrolled
    return f'<div class="trace">{said}<ol>{"".join(own)}</ol>{rest}</div>'


def chart(data: Mapping[str, Any], words: Words) -> str:
    if "range" in data:  # its numbers stand in the table of blocks
        return figures.updates(data, words)
    draw = figures.bars if data.get("labels") else figures.chart
    return draw(data, words) + _numbers(data, words)


def example(data: Mapping[str, Any], words: Words) -> str:
    """One example: its tokens as they stand in the batch, and what else is known of it."""
    tokens, mask = data.get("tokens") or [], data.get("mask") or []
    chips = "".join(_chip(token, bool(kept)) for token, kept in zip(tokens, mask, strict=False))
    facts = "".join(
        f"<dt>{escape(said(name, 'cell', words))}</dt><dd>{escape(said(value, 'cell', words))}</dd>"
        for name, value in data["rows"]
    )
    listed = f'<div class="tokens"><span class="chips">{chips}</span></div>' if chips else ""
    return f'{listed}<dl class="example">{facts}</dl>'


def _matrix(data: Mapping[str, Any], words: Words) -> str:
    """Labels down, answers across: what is right stands on the diagonal."""
    classes, counts = data["classes"], data["counts"]
    most = max((rows for row in counts for rows in row), default=0) or 1
    corner = escape(words.say("column", "label_and_answer"))
    head = "".join(f'<th scope="col" class="num">{escape(name)}</th>' for name in classes)
    body = ""
    for number, (name, row) in enumerate(zip(classes, counts, strict=True)):
        cells = "".join(
            f'<td class="num {"right" if place == number else "miss"}" '
            f'style="--share: {rows / most:.2f}">{rows}</td>'
            for place, rows in enumerate(row)
        )
        body += f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>'
    return (
        '<div class="scroll" tabindex="0"><table class="matrix">'
        f'<thead><tr><th scope="col">{corner}</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _numbers(data: Mapping[str, Any], words: Words) -> str:
    """Every point of a figure as a table, for those who cannot see it."""
    codes = list(data["series"])
    points: dict[float, dict[str, Any]] = {}
    for code, series in data["series"].items():
        for x, y in series:
            points.setdefault(x, {})[code] = y
    labels = data.get("labels") or []
    head = [words.say("column", code) for code in (["row", "label"] if labels else ["step"])]
    head += [figures.series_name(code, words) for code in codes]
    rows = [
        [
            f"{x:g}",
            *([labels[int(x)]] if labels and int(x) < len(labels) else []),
            *(points[x].get(code, "") for code in codes),
        ]
        for x in sorted(points)
    ]
    return folded(escape(words.say("reading", "numbers")), _rows(head, rows), "numbers")


def _text(text: str) -> str:
    return f'<pre class="printed" tabindex="0">{escape(text)}</pre>'


def _table(data: Mapping[str, Any], words: Words) -> str:
    head = [said(column, "column", words) for column in data["columns"]]
    rows = [[_in_words(cell, words) for cell in row] for row in data["rows"]]
    table = _rows(head, rows[:MOST_ROWS])
    if len(rows) <= MOST_ROWS:
        return table
    more = escape(words.say("reading", "more_rows", count=len(rows) - MOST_ROWS))
    return table + folded(more, _rows(head, rows[MOST_ROWS:]))


def _in_words(cell: Any, words: Words) -> Any:
    return said(cell, "cell", words) if isinstance(cell, Mapping) else cell


def _rows(columns: list[str], rows: list[list[Any]]) -> str:
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
        known = label not in (None, "")
        sentence = escape(words.say("reading", "label", label=label)) if known else ""
        rows.append(f'<li><span class="chips">{chips}</span><b class="label">{sentence}</b></li>')
    return f'<ol class="tokens">{"".join(rows)}</ol>'


def _chip(token: str, kept: bool) -> str:
    special = " special" if token.startswith("[") and token.endswith("]") else ""
    return f'<span class="chip{special}{"" if kept else " filling"}">{escape(token)}</span>'


def _tensor(data: Mapping[str, Any], words: Words) -> str:
    values = data.get("values") or []
    if values and all(cell in (0, 1) for row in values for cell in row):
        kept = sum(map(sum, values))
        cells = sum(map(len, values))
        share = 1 - kept / max(1, cells)
        sentence = words.say("reading", "padded", kept=kept, filling=cells - kept, share=share)
        return f'{figures.heat_map(values, sentence)}<p class="dim">{escape(sentence)}</p>'
    return _text(span(data))


def _how(evidence: Evidence, words: Words) -> str:
    if not evidence.snippet:
        return ""
    code = "\n".join(coloured(evidence.snippet.strip()))
    summary = escape(words.say("reading", "check_in_code"))
    return folded(summary, f'<pre class="how" tabindex="0">{code}</pre>')
