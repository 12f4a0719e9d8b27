"""The rows that a script has its trained model judged by, where it shows its training others."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from debugger.script.tracing import name_of

_TRAINED = ("Trainer", "fit")
_SHOWN = ("eval_dataset", "validation_data")
_ASKS = ("evaluate", "predict")
_ROWS, _LABELS = ("eval_dataset", "test_dataset", "x"), "y"


@dataclass(frozen=True)
class Asked:
    """What `owner` is asked about: the rows, and labels that stand beside them. `text` is the
    script as it would show its training these."""

    owner: Any
    rows: Any
    labels: Any
    text: str


def asked_last(text: str, line: int | None, names: Mapping[str, Any]) -> Iterator[Asked]:
    """From the last of them to the first, as far as they are there when the training begins."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    trained = _training(calls, line or 0)
    if trained is None:
        return
    for call in sorted(calls, key=lambda one: -one.lineno):
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in _ASKS:
            continue
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        rows = next(iter(call.args), None) or next((given[n] for n in _ROWS if n in given), None)
        labels = call.args[1] if len(call.args) > 1 else given.get(_LABELS)
        if call.lineno <= (line or 0) or rows is None or (found := _value(rows, names)) is None:
            continue
        beside, said = None, ast.unparse(rows)
        if labels is not None and (beside := _value(labels, names)) is not None:
            said = f"({said}, {ast.unparse(labels)})"
        if (shown := _shown(text, trained, said)) is not None:
            yield Asked(_value(call.func.value, names), found, beside, shown)


def _training(calls: list[ast.Call], line: int) -> ast.Call | None:
    """The call that is told what to judge a training by."""
    made = [c for c in calls if name_of(c.func).endswith(_TRAINED) and c.lineno <= line]
    fits = [c for c in made if name_of(c.func) == "fit" and line <= (c.end_lineno or c.lineno)]
    built = [c for c in made if name_of(c.func) != "fit"]
    return next(iter(fits[-1:] or built[-1:]), None)


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """What a name, a field or a part by name stands for. Nothing is called."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        return getattr(_value(node.value, names), "__dict__", {}).get(node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        held = _value(node.value, names)
        return held.get(node.slice.value) if isinstance(held, Mapping) else None
    return None


def _shown(text: str, call: ast.Call, said: str) -> str | None:
    """The text with that for what the call is given to judge by, each line where it was."""
    name = _SHOWN[1] if name_of(call.func) == "fit" else _SHOWN[0]
    given = next((k.value for k in call.keywords if k.arg == name), None)
    lines = text.splitlines(keepends=True)
    if given is not None:
        at, begins, ends, put = given.lineno, given.col_offset, given.end_col_offset or 0, said
        if given.end_lineno != at:
            return None
    else:
        others = [*call.args, *(k.value for k in call.keywords)]
        if not others or any(k.arg is None for k in call.keywords):
            return None
        last = max(others, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0))
        at, put = last.end_lineno or 0, f", {name}={said}"
        begins = ends = last.end_col_offset or 0
    line = lines[at - 1].encode()
    lines[at - 1] = (line[:begins] + put.encode() + line[ends:]).decode()
    return "".join(lines)
