"""Where rows are cut into two as they stand: the first so many, and those behind them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from debugger.script.tracing import assigned, name_of

_IN_TIME = re.compile(
    r"date|time|stamp|year|month|week|day|hour|epoch|step|index|created|quarter|season|period"
    r"|\bts?\b|random|rng|hash|md5|sha\d|lambda _",
    re.IGNORECASE,
)
"""What tells of an order in which rows are cut on purpose, or that is one by lot."""
_SETS = re.compile(r"train|test|val|eval|dev|held|hold", re.IGNORECASE)
_AS_IT_COMES = ("glob", "rglob", "iglob", "listdir", "iterdir", "scandir", "set", "keys", "walk")
"""What has no order of its own: whoever sorts it wants the same one every time."""
_SORTS = ("sorted", "sort_values", "sort", "argsort", "sort_index")
_SHUFFLES = ("shuffle", "sample", "permutation", "randperm", "choice")


@dataclass(frozen=True)
class Halved:
    """`whole`, by its name, was cut into `first` and `rest`. It was `sorted_at` a line, and nobody
    has shuffled it since; None where nothing sorts it."""

    line: int
    whole: str
    first: str
    rest: str
    sorted_at: int | None = None


def halved(tree: ast.Module) -> list[Halved]:
    """All of rows that no line shuffles."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    found = [*_by_library(nodes), *_by_hand(nodes)]
    return [
        Halved(one.line, one.whole, one.first, one.rest, _sorted_at(nodes, one))
        for one in found
        if not _is_shuffled(nodes, one)
    ]


def _by_library(nodes: list[ast.stmt]) -> Iterator[Halved]:
    for node in nodes:
        for target, value in assigned(node):
            call = value if isinstance(value, ast.Call) else None
            if call is None or name_of(call.func) != "train_test_split" or not call.args:
                continue
            told = {k.arg: ast.unparse(k.value) for k in call.keywords}
            parts = target.elts if isinstance(target, ast.Tuple) else []
            if told.get("shuffle") == "False" and len(parts) > 1:
                whole, first, rest = map(name_of, (call.args[0], *parts[:2]))
                yield Halved(_line_of(call, "shuffle"), whole, first, rest)


def _by_hand(nodes: list[ast.stmt]) -> Iterator[Halved]:
    pieces = [
        (name_of(target) or ast.unparse(value), *piece, value.lineno)
        for node in nodes
        for target, value in _pairs(node)
        if (piece := _piece(value)) is not None
    ]
    for first, whole, upto, _, line in pieces:
        for rest, other, _, behind, _ in pieces:
            told = any(map(_SETS.search, (first, rest))) or _names_sets(nodes, line)
            if whole == other and upto and upto == behind and told:
                yield Halved(line, whole, first, rest)


def _names_sets(nodes: list[ast.stmt], line: int) -> bool:
    """Whether what a function gives back at that line gets names that tell of two sets."""
    made = [n for n in nodes if isinstance(n, ast.FunctionDef) and n.lineno <= line]
    inside = [n.name for n in made if line <= (n.end_lineno or n.lineno)]
    for node in nodes:
        for target, value in assigned(node):
            called = name_of(value.func) if isinstance(value, ast.Call) else ""
            if called and called in inside and _SETS.search(ast.unparse(target)):
                return True
    return False


def _pairs(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Of `a, b = x[:9], x[9:]` each by itself, and of what a function gives back so."""
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        yield from ((one, one) for one in node.value.elts)
    for target, value in assigned(node):
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from zip(target.elts, value.elts, strict=False)
        else:
            yield target, value


def _piece(value: ast.expr) -> tuple[str, str, str] | None:
    """The whole, and where the piece ends and begins, as it is written."""
    part = value.slice if isinstance(value, ast.Subscript) else None
    if not isinstance(part, ast.Slice) or not isinstance(value, ast.Subscript):
        return None
    held = value.value
    if isinstance(held, ast.Attribute) and held.attr in ("iloc", "loc"):
        held = held.value
    upto, behind = (("" if e is None else ast.unparse(e)) for e in (part.upper, part.lower))
    return (held.id, upto, behind) if isinstance(held, ast.Name) and part.step is None else None


def _is_shuffled(nodes: list[ast.stmt], cut: Halved) -> bool:
    """By any line above the cut: what is shuffled may well be the order in which rows are taken."""
    for node in (n for n in nodes if n.lineno <= cut.line):
        if isinstance(node, ast.Assign | ast.Expr | ast.Return):
            calls = (n for n in ast.walk(node) if isinstance(n, ast.Call))
            if any(name_of(call.func) in _SHUFFLES and _is_of_rows(call) for call in calls):
                return True
    return False


def _is_of_rows(call: ast.Call) -> bool:
    """`random.sample(range(9), 3)` draws other things than an order of rows."""
    return name_of(call.func) not in ("sample", "choice") or any(
        k.arg == "frac" for k in call.keywords
    )


def _sorted_at(nodes: list[ast.stmt], cut: Halved) -> int | None:
    """In no order of time, in which rows are cut on purpose. What is made one by one of something
    that is sorted stands in its order."""
    made_of = {
        part.id
        for node in nodes
        if isinstance(node, ast.For) and _is_filled(cut.whole, node)
        for part in ast.walk(node.iter)
        if isinstance(part, ast.Name)
    }
    for node in nodes:
        if node.lineno >= cut.line or not isinstance(node, ast.Assign | ast.Expr):
            continue
        target = name_of(node.targets[0]) if isinstance(node, ast.Assign) else ""
        for call in (n for n in ast.walk(node) if isinstance(n, ast.Call)):
            said, func = ast.unparse(call), call.func
            inner = {name_of(n.func) for n in ast.walk(call) if isinstance(n, ast.Call)}
            if name_of(func) not in _SORTS or _IN_TIME.search(said) or inner & {*_AS_IT_COMES}:
                continue
            owner = name_of(func.value) if isinstance(func, ast.Attribute) else ""
            in_place = name_of(func) == "sort" or any(k.arg == "inplace" for k in call.keywords)
            into = target or (owner if isinstance(node, ast.Expr) and in_place else "")
            if into and into in {cut.whole, *made_of} and not _is_given(nodes, into, node, cut):
                return node.lineno
    return None


def _is_given(nodes: list[ast.stmt], name: str, behind: ast.stmt, cut: Halved) -> bool:
    """Whether it is made anew between two lines."""
    between = (n for n in nodes if behind.lineno < n.lineno < cut.line)
    return any(name_of(target) == name for node in between for target, _ in assigned(node))


def _is_filled(name: str, loop: ast.For) -> bool:
    calls = (node for node in ast.walk(loop) if isinstance(node, ast.Call))
    return any(ast.unparse(call.func) == f"{name}.append" for call in calls)


def _line_of(call: ast.Call, name: str) -> int:
    return next((k.value.lineno for k in call.keywords if k.arg == name), call.lineno)
