"""What of a script, or of a function, still stands behind the line that it is at."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass

from debugger.script.tracing import Function, assigned, name_of, owner_of

_ORDERS = {
    "reindex",
    "sort_index",
    "flip",
    "roll",
    "hstack",
    "column_stack",
    "concatenate",
    "stack",
}
RETURNED, KEPT = "returned_here", "kept_here"
"""Names that a remainder has beside its own: what a function gives, and a model that was kept."""
_BODIES = ("body", "orelse", "finalbody")
_LEAVES = (
    *("fit", "train_on_batch", "save", "save_weights", "save_model", "export", "savefig", "show"),
    *("to_csv", "to_parquet", "to_json", "dump", "open", "push_to_hub", "write_text", "savez"),
    *("mkdir", "makedirs", "remove", "unlink", "rmtree", "system", "Popen", "input", "sleep"),
    *("assign", "pop", "add", "adapt", "compile", "set_weights", "rename", "copytree"),
)
"""Calls that leave something behind, or that would train."""


@dataclass(frozen=True)
class Remainder:
    """`targets` is what the statement that a script is at gives a name to, `missed` are the names
    in what is left out. What is `opened` from a file reads as the name KEPT, which whoever runs it
    may give a value."""

    statements: tuple[ast.stmt, ...]
    targets: tuple[ast.expr, ...]
    missed: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()


def remainder(tree: ast.Module, function: str, line: int) -> Remainder | None:
    """From the innermost block outwards; a loop is not gone through again. `function` is "" in the
    open. Nothing is kept that would leave something behind."""
    body = _body(tree, function, line)
    path: list[list[ast.stmt]] = []
    at: ast.stmt | None = None
    while (found := _holding(body, line)) is not None:
        place, at = found
        path.insert(0, body[place + 1 :])
        inner = [one for name in _BODIES if isinstance(one := getattr(at, name, None), list)]
        inner += [handler.body for handler in getattr(at, "handlers", ())]
        body = next((one for one in inner if _holding(one, line) is not None), [])
    if at is None:
        return None
    all_of_it = [one for part in path for one in part]
    fresh = frozenset(name for one in all_of_it for name in gives(one))
    kept = [one for one in all_of_it if not _leaves(one) and _filled(one) in fresh | {""}]
    left_out = [one for one in all_of_it if one not in kept and not _filled(one)]
    missed = frozenset(name for one in left_out for name in reads(one) | gives(one))
    opened = frozenset(name for one in kept if _opens(one) for name in gives(one))
    opened |= {_filled(one) for one in kept} - {""}
    targets = tuple(target for target, _ in assigned(at))
    made = ast.Module([_Opening().visit(copy.deepcopy(one)) for one in kept], [])
    return Remainder(tuple(_Returning().visit(made).body), targets, missed, opened)


def reads(node: ast.AST) -> set[str]:
    names = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return {one.id for one in names if isinstance(one.ctx, ast.Load)}


def gives(node: ast.AST) -> set[str]:
    names = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return {one.id for one in names if isinstance(one.ctx, ast.Store)}


def made_of(tree: ast.Module, given: ast.expr) -> list[tuple[int, ast.expr]]:
    """What makes what is given, step by step, with its lines; each name is followed once."""
    made: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        for target, value in assigned(node):
            for name in gives(target):
                made.setdefault(name, []).append(value)
    found: list[tuple[int, ast.expr]] = []
    known, left = set[str](), sorted(reads(given))
    while left:
        name = left.pop()
        if name not in known:
            known.add(name)
            found += [(value.lineno, value) for value in made.get(name, [])]
            left += [one for value in made.get(name, []) for one in sorted(reads(value))]
    return found


def orders_columns(value: ast.expr) -> bool:
    """Whether something like a table is given its columns in an order that is written there."""
    parts = list(ast.walk(value))
    taken = [one.slice for one in parts if isinstance(one, ast.Subscript)]
    calls = {name_of(one.func) for one in parts if isinstance(one, ast.Call)}
    named = any(isinstance(one, ast.Attribute) and one.attr == "columns" for one in parts)
    lists = any(isinstance(one, ast.List) for part in taken for one in ast.walk(part))
    return named or lists or bool(calls & _ORDERS)


def _body(tree: ast.Module, function: str, line: int) -> list[ast.stmt]:
    own = [n for n in ast.walk(tree) if isinstance(n, Function) and n.name == function]
    around = [n for n in own if n.lineno <= line <= (n.end_lineno or n.lineno)]
    return around[-1].body if around else tree.body


def _holding(body: list[ast.stmt], line: int) -> tuple[int, ast.stmt] | None:
    for place, one in enumerate(body):
        if one.lineno <= line <= (one.end_lineno or one.lineno):
            return place, one
    return None


def _leaves(statement: ast.stmt) -> bool:
    """What it would leave behind, or put into something that was there before."""
    if isinstance(statement, Function | ast.ClassDef):
        return False
    parts = list(ast.walk(statement))
    put = [t for one in parts for t, _ in assigned(one) if not isinstance(t, ast.Name | ast.Tuple)]
    calls = {name_of(one.func) for one in parts if isinstance(one, ast.Call)}
    return bool(put) or bool(calls & set(_LEAVES))


def _filled(statement: ast.stmt) -> str:
    """The model that it gives other weights, "" of another statement. To answers that are made up
    that says nothing, if it is the one that was trained; a fresh one becomes that by it."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or name_of(call.func) != "load_weights":
        return ""
    return owner_of(call) or ast.unparse(call.func)


def _opens(statement: ast.stmt) -> bool:
    calls = (one for one in ast.walk(statement) if isinstance(one, ast.Call))
    return any(name_of(one.func) == "load_model" for one in calls)


class _Opening(ast.NodeTransformer):
    """A model that is opened from a file, or filled from one, is what was kept there."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if not (name := _filled(node)):
            self.generic_visit(node)
            return node
        made = ast.Assign([ast.Name(name, ast.Store())], ast.Name(KEPT, ast.Load()))
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if name_of(node.func) == "load_model":
            return ast.copy_location(ast.Name(KEPT, ast.Load()), node)
        self.generic_visit(node)
        return node


class _Returning(ast.NodeTransformer):
    """A return outside of its function: what it gives gets a name, and then all is over."""

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        value = node.value or ast.Constant(None)
        target = ast.Name(RETURNED, ast.Store())
        over = ast.Raise(ast.Call(ast.Name("StopIteration", ast.Load()), [], []), None)
        made: list[ast.stmt] = [ast.Assign([target], value), over]
        return [ast.fix_missing_locations(ast.copy_location(one, node)) for one in made]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node
