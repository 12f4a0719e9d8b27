"""What a script asks for once its training is over, which a run that stops there never reaches."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from debugger.script.afterwards import Scope, own_nodes, scopes
from debugger.script.tracing import name_of


def asked_behind(tree: ast.Module, function: str, line: int) -> list[ast.Attribute | ast.Call]:
    """Calls and looked-up names that are surely reached behind a line, outermost first: what stands
    in an `if`, a loop or a `try` may not be, nor what begins with a name that is given anew."""
    return [found for scope in _called(tree, function) for found in _behind(scope, line)]


def filled_behind(tree: ast.Module, function: str, line: int) -> list[ast.Call]:
    """Where a model that is made behind the line is given the weights in a file."""
    found: list[ast.Call] = []
    for scope in _called(tree, function):
        body, given = _left(scope, line)
        calls = (one.value for one in body if isinstance(one, ast.Expr))
        for call in (one for one in calls if isinstance(one, ast.Call)):
            if name_of(call.func) == "load_weights" and root_of(call) in given:
                found.append(call)
    return found


def _called(tree: ast.Module, function: str) -> list[Scope]:
    return [one for one in scopes(tree) if getattr(one, "name", "") == function]


def _left(scope: Scope, line: int) -> tuple[list[ast.stmt], set[str]]:
    """What stands behind the line, and the names that are given there."""
    body = [one for one in scope.body if one.lineno > line]
    return body, {n.id for n in _all(body) if isinstance(n, ast.Name) and _is_set(n)}


def _behind(scope: Scope, line: int) -> Iterator[ast.Attribute | ast.Call]:
    body, given = _left(scope, line)
    for statement in body:
        if isinstance(statement, ast.Expr | ast.Assign | ast.Return | ast.AnnAssign):
            for node in _all([statement]):
                if isinstance(node, ast.Attribute | ast.Call) and root_of(node) not in given:
                    yield node


def history_keys(tree: ast.Module) -> list[tuple[str, int]]:
    """What is looked up in `history.history[...]`, and where."""
    return [
        (node.slice.value, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
        and name_of(node.value) == "history"
        and isinstance(node.value, ast.Attribute)
    ]


def root_of(node: ast.expr) -> str:
    """`model` of `model.predict(rows).argmax`; "" of what begins with no name."""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) else ""


def _is_set(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _all(body: list[ast.stmt]) -> list[ast.AST]:
    return own_nodes(ast.Module(body, []))
