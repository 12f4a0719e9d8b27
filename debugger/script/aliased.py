"""Lists that hold one and the same row many times, and are written as if each were its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from debugger.script.tracing import name_of

_MAKE = ("zeros", "ones", "full", "empty", "list", "dict", "set", "array", "defaultdict", "Counter")
_WRITE = ("append", "extend", "insert", "add", "update", "fill_", "fill")


def rows_are_one(tree: ast.AST) -> tuple[int, str] | None:
    """The line that makes the list, and what it is."""
    nodes = list(ast.walk(tree))
    for node in nodes:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(target, ast.Name) or not isinstance(node, ast.Assign):
            continue
        if _is_repeated(node.value) and target.id in _written(nodes):
            return node.lineno, ast.unparse(node.value)
    return None


def _is_repeated(value: ast.expr) -> bool:
    """`[[0] * 5] * n`: a list of one thing that can be written into, taken many times."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult):
        return False
    listed = next((s for s in (value.left, value.right) if isinstance(s, ast.List)), None)
    return listed is not None and len(listed.elts) == 1 and _is_changeable(listed.elts[0])


def _is_changeable(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return isinstance(value.left, ast.List) or isinstance(value.right, ast.List)
    if isinstance(value, ast.Call):
        return name_of(value.func) in _MAKE
    return isinstance(value, ast.List | ast.Dict | ast.ListComp | ast.DictComp)


def _written(nodes: list[ast.AST]) -> set[str]:
    """The lists whose rows something is put into: by their place, or one after the other."""
    into = {_root(one) for node in nodes for one in _puts(node)}
    for node in nodes:
        if isinstance(node, ast.For):
            over = node.iter.args if isinstance(node.iter, ast.Call) else [node.iter]
            targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            rows = {
                name_of(t) for part in targets for t in ast.walk(part) if isinstance(t, ast.Name)
            }
            inner = {_held(one) for part in node.body for n in ast.walk(part) for one in _puts(n)}
            if rows & inner:
                into |= {name_of(one) for one in over}
    return into - {""}


def _puts(node: ast.AST) -> Iterator[ast.expr]:
    """What is written into: the `rows[i]` of `rows[i][j] = 1` and of `rows[i].append(1)`."""
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (one.value for one in targets if isinstance(one, ast.Subscript))
    func = node.func if isinstance(node, ast.Call) else None
    if isinstance(func, ast.Attribute) and func.attr in _WRITE:
        yield func.value


def _root(part: ast.expr) -> str:
    return name_of(part.value) if isinstance(part, ast.Subscript) else ""


def _held(part: ast.expr) -> str:
    return part.id if isinstance(part, ast.Name) else ""
