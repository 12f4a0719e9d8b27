"""Data sets that get an order of their own before they are laid side by side."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from debugger.script.labelling import CALLED
from debugger.script.tracing import DEEPEST, Tracing, name_of, names_in, owner_of

_SLICES = ("from_tensor_slices", "from_tensors")


@dataclass(frozen=True)
class Zipped:
    """`shuffled` are the sets that were shuffled before, and `line` shuffles one of them, that of
    the labels if it can. `labels`: one of the two holds labels; `at`: where they are zipped."""

    line: int
    at: int
    shuffled: tuple[str, ...]
    labels: bool


def shuffled_before_zip(tree: ast.Module, tracing: Tracing) -> Zipped | None:
    """Where two data sets become one, of which each holds a part of every row."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if name_of(call.func) != "zip" or not owner_of(call).endswith("Dataset") or not call.args:
            continue
        first = call.args[0]
        parts = first.elts if isinstance(first, ast.Tuple | ast.List) else call.args
        chains = [_chain(part, tracing, call.lineno) for part in parts]
        shuffles = [next((c for c in one if name_of(c.func) == "shuffle"), None) for one in chains]
        sources = [_source(one) for one in chains]
        lots = {None if one is None else _lot(one) for one in shuffles}
        alike = len(lots) == 1 and next(iter(lots)) is not None
        if len(parts) < 2 or not any(shuffles) or alike or None in sources:
            continue
        named = [names_in(part) | names_in(s) for part, s in zip(parts, sources, strict=True) if s]
        labels = [any(CALLED.fullmatch(name) for name in names) for names in named]
        if len({ast.unparse(one) for one in sources if one}) < len(sources):
            continue
        told = [ast.unparse(p) for p, one in zip(parts, shuffles, strict=True) if one]
        of_labels = [
            (is_labels, _line(c)) for is_labels, c in zip(labels, shuffles, strict=True) if c
        ]
        line = max(of_labels)[1]
        return Zipped(line, call.lineno, tuple(told), any(labels) and not all(labels))
    return None


def _line(call: ast.Call) -> int:
    """The line of the method's name, where a call goes over several."""
    return call.func.end_lineno or call.lineno


def _chain(node: ast.expr, tracing: Tracing, before: int, depth: int = 0) -> list[ast.Call]:
    """The calls that made a data set, the last one first, through the names that it had."""
    calls: list[ast.Call] = []
    while isinstance(node, ast.Call):
        calls.append(node)
        if name_of(node.func) in _SLICES or not isinstance(node.func, ast.Attribute):
            return calls
        node = node.func.value
    if isinstance(node, ast.Name) and depth <= DEEPEST:
        made = [one for one in tracing.local(node) if one[0] < before]
        if made:
            line, value = made[-1]
            calls += _chain(value, tracing, line, depth + 1)
    return calls


def _source(calls: list[ast.Call]) -> ast.expr | None:
    """What a data set was made of, if that is one part of a row alone."""
    made = calls[-1] if calls else None
    if made is None or name_of(made.func) not in _SLICES or len(made.args) != 1:
        return None
    given = made.args[0]
    whole = isinstance(given, ast.Tuple | ast.List | ast.Dict)
    whole |= isinstance(given, ast.Call) and name_of(given.func) == "dict"
    return None if whole else given


def _lot(shuffle: ast.Call) -> str | None:
    """What two shuffles must have in common to draw the same order: None of one without a seed."""
    told = {k.arg: k.value for k in shuffle.keywords}
    seed = told.get("seed") or (shuffle.args[1] if len(shuffle.args) > 1 else None)
    if seed is None or (isinstance(seed, ast.Constant) and seed.value is None):
        return None
    return ast.unparse(shuffle).partition(".shuffle")[2]
