"""The answer of an argsort, read as if it told the place of each thing."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from debugger.script.labelling import CALLED
from debugger.script.tracing import Tracing, assigned, name_of, names_in

_RANKS = re.compile(r"rank|mrr|place|position", re.IGNORECASE)
_ORDERS = re.compile(r"perm|order|rank|shuffl|index|idx", re.IGNORECASE)
_COUNTS = ("arange", "range")
_PICKS = ("take_along_axis", "gather", "take_along_dim", "batch_gather")


@dataclass(frozen=True)
class Ranked:
    """Where `order`, what an argsort gave, is asked for the place of `asked`; `surely`: what comes
    is called a rank, or what is asked about a label."""

    line: int
    order: str
    asked: str
    surely: bool


def order_for_rank(tree: ast.Module, tracing: Tracing) -> Ranked | None:
    called = {
        part: name_of(target)
        for node in ast.walk(tree)
        for target, value in assigned(node)
        for part in ast.walk(value)
    }
    for node in ast.walk(tree):
        order, asked, each = _asked(node)
        if order is None or asked is None or not _is_order(order, tracing):
            continue
        if isinstance(asked, ast.Slice | ast.Constant) or not names_in(asked) or _ordered(asked):
            continue
        of_label = any(CALLED.fullmatch(name) for name in names_in(asked))
        ranked = bool(_RANKS.search(called.get(node, "")))
        if of_label or (each and ranked):
            return Ranked(order.lineno, order.id, ast.unparse(asked), ranked or each)
    return None


def _asked(node: ast.AST) -> tuple[ast.Name | None, ast.expr | None, bool]:
    """What is asked, about what, and whether one of each row is asked for: `order[np.arange(n), y]`
    and `np.take_along_axis(order, y, 1)`, or `order[y]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        by = node.slice
        if isinstance(by, ast.Tuple) and len(by.elts) == 2 and isinstance(node.ctx, ast.Load):
            return node.value, by.elts[1] if _counts(by.elts[0]) else None, True
        if isinstance(by, ast.Name) and isinstance(node.ctx, ast.Load):
            return node.value, by, False
    if isinstance(node, ast.Call) and name_of(node.func) in _PICKS:
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        given = [*node.args, *(k.value for k in node.keywords if k.arg in ("indices", "index"))]
        if isinstance(owner, ast.Name) and name_of(node.func) == "gather" and owner.id != "tf":
            return owner, given[-1] if given else None, True
        if len(given) > 1 and isinstance(given[0], ast.Name):
            return given[0], given[1], True
    return None, None, False


def _counts(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and name_of(node.func) in _COUNTS


def _is_order(name: ast.Name, tracing: Tracing) -> bool:
    """Whether all that it is ever given is one argsort, of what is no order itself."""
    made = [value for _, value in tracing.local(name)]
    return bool(made) and all(map(_is_argsort, made))


def _is_argsort(made: ast.expr) -> bool:
    while isinstance(made, ast.Subscript):
        made = made.value
    if not isinstance(made, ast.Call) or name_of(made.func) != "argsort":
        return False
    calls = [one for one in ast.walk(made) if isinstance(one, ast.Call)]
    twice = sum(name_of(one.func) == "argsort" for one in calls) > 1
    of = made.func.value if isinstance(made.func, ast.Attribute) else None
    named = [name_of(one) for one in (of, *made.args) if isinstance(one, ast.Name)]
    return not twice and not any(_ORDERS.search(one) for one in named)


def _ordered(asked: ast.expr) -> bool:
    """An order, or places in one, that are counted off."""
    parts = list(ast.walk(asked))
    counted = any(_counts(one) for one in parts if isinstance(one, ast.Call))
    return counted or any(isinstance(one, ast.Slice) and (one.lower or one.upper) for one in parts)
