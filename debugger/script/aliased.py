"""Lists that hold one and the same row many times, and are written as if each were its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from debugger.script.tracing import Function, assigned, name_of

_MAKE = ("zeros", "ones", "full", "empty", "list", "dict", "set", "array", "defaultdict", "Counter")
_WRITE = ("append", "extend", "insert", "add", "update", "fill_", "fill")


def rows_are_one(tree: ast.AST) -> tuple[int, str] | None:
    """The line that makes the list, and what it is."""
    for scope in (tree, *(n for n in ast.walk(tree) if isinstance(n, Function))):
        nodes = list(_within(scope))
        made = [node for node in nodes if isinstance(node, ast.Assign)]
        for node in made:
            target = node.targets[0]
            if not isinstance(target, ast.Name) or not _is_repeated(node.value):
                continue
            again = [one for one in made if one is not node and _gives(one, target.id)]
            if target.id in _written(nodes) and not again:
                return node.lineno, ast.unparse(node.value)
    return None


def _within(scope: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function, or in the open, and in no function inside of it."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, Function | ast.ClassDef):
            yield from _within(node)


def _gives(node: ast.Assign, name: str) -> bool:
    """Whether the list, or a row of it, is given anew."""
    target = node.targets[0]
    held = target.value if isinstance(target, ast.Subscript) else target
    return isinstance(held, ast.Name) and held.id == name


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
    for loop in (node for node in nodes if isinstance(node, ast.For)):
        inside = [part for one in loop.body for part in ast.walk(one)]
        put = {_held(one) for node in inside for one in _puts(node)}
        anew = {name_of(t) for node in inside for t, _ in assigned(node)}
        into |= {name_of(over) for over, row in _gone_through(loop) if name_of(row) in put - anew}
    return into - {""}


def _gone_through(loop: ast.For) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What the loop goes through, with the name of one of it each."""
    rows = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    call = loop.iter if isinstance(loop.iter, ast.Call) else None
    if call is not None and name_of(call.func) == "zip":
        yield from zip(call.args, rows, strict=False)
    elif call is not None and name_of(call.func) == "enumerate":
        yield from zip(call.args[:1], rows[1:], strict=False)
    else:
        yield loop.iter, rows[0]


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
