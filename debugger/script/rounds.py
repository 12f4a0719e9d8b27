"""The loops around a line: each `for`, a `while` that counts, a comprehension that calls."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TypeGuard

from debugger.script.loops import Loop, calls_in, counts
from debugger.script.tracing import Function, assigned

_TURN = "_turn_of_the_clinic"
"""What the number of a turn stands under that a `while` goes round."""


def around(
    tree: ast.Module, line: int, function: str, file: str, running: Collection[str] = ()
) -> list[Loop]:
    """The loops around a line that stand in the same function, the innermost first; also a
    comprehension that calls one of the `running` functions for each item."""
    loops: list[Loop] = []

    def enter(node: ast.AST, held: list[Loop], name: str, home: ast.AST) -> None:
        for part in ast.iter_child_nodes(node):
            if not getattr(part, "lineno", 0) <= line <= (getattr(part, "end_lineno", 0) or 0):
                continue
            if isinstance(part, Function):
                enter(part, [], part.name, part)
                continue
            loop = _loop(part, file, line, home) or _in_one_line(part, file, running)
            inner = held if loop is None else [loop, *held]
            if name == function and len(inner) >= len(loops):
                loops[:] = inner
            enter(part, inner, name, home)

    enter(tree, [], "<module>", tree)
    return loops


def _loop(node: ast.AST, file: str, line: int, home: ast.AST) -> Loop | None:
    """Also a `while` that counts, as if it were a `for`, in its first turn at a line."""
    if isinstance(node, ast.For):
        return Loop(_unnamed(node, home), file)
    if not isinstance(node, ast.While) or (ends := _ends(node)) is None:
        return None
    counter, end = ends
    counting = [one for one in _always(node) if _counted_up(one) == counter]
    within = [one for one in ast.walk(node) if isinstance(one, ast.For)]
    by_inner = any(one in counting for loop in within for one in ast.walk(loop))
    begin = ast.parse(counter, mode="eval").body
    if any(getattr(one, "lineno", line) < line for one in counting):
        begin = ast.BinOp(begin, ast.Sub(), ast.Constant(1))
    numbers = ast.Call(ast.Name("range", ast.Load()), [begin, end], keywords=[])
    made = ast.For(ast.Name(_TURN, ast.Store()), numbers, node.body, [])
    return Loop(ast.fix_missing_locations(ast.copy_location(made, node)), file, by_inner, counter)


def _unnamed(node: ast.For, home: ast.AST) -> ast.For:
    """With what counts in the place of its name, as a bar of progress has one: once it counts, it
    does not say how far."""
    if not isinstance(node.iter, ast.Name):
        return node
    given = [call for one in ast.walk(home) for call in _named(one, node.iter.id)]
    before = [call for call in given if call.lineno < node.lineno]
    last = max(before, key=lambda call: call.lineno, default=None)
    if not isinstance(last, ast.Call) or not counts(last):
        return node
    return ast.copy_location(ast.For(node.target, last, node.body, node.orelse), node)


def _named(node: ast.AST, name: str) -> list[ast.expr]:
    """What it gives that name, by an equals sign or a `with`."""
    given = list(assigned(node))
    if isinstance(node, ast.withitem) and node.optional_vars is not None:
        given.append((node.optional_vars, node.context_expr))
    return [value for one, value in given if isinstance(one, ast.Name) and one.id == name]


def _in_one_line(node: ast.AST, file: str, running: Collection[str]) -> Loop | None:
    if not is_plain_comprehension(node) or not calls_in([node.elt], *running):
        return None
    over = node.generators[0]
    made = ast.For(over.target, over.iter, [ast.Expr(node.elt)], [])
    return Loop(ast.fix_missing_locations(ast.copy_location(made, node)), file)


def is_plain_comprehension(node: ast.AST) -> TypeGuard[ast.ListComp | ast.GeneratorExp]:
    """Goes over one thing, and leaves nothing out."""
    if not isinstance(node, ast.ListComp | ast.GeneratorExp):
        return False
    return len(node.generators) == 1 and not node.generators[0].ifs


def _ends(node: ast.While) -> tuple[str, ast.expr] | None:
    """What it counts up by one, and to which number: it goes on below that, or breaks off there."""
    counters = {_counted_up(part) for part in _always(node)} - {None}
    breaks = [part for part in ast.walk(node) if isinstance(part, ast.If) and _breaks(part)]
    asked = [(node.test, _BELOW, _ABOVE), *((part.test, _ABOVE, _BELOW) for part in breaks)]
    for test, here, turned in asked:
        for one in test.values if isinstance(test, ast.BoolOp) else [test]:
            if not isinstance(one, ast.Compare) or len(one.ops) > 1:
                continue
            for name, op, end in (
                (one.left, here, one.comparators[0]),
                (one.comparators[0], turned, one.left),
            ):
                if isinstance(one.ops[0], op) and ast.unparse(name) in counters:
                    return ast.unparse(name), end
    return None


_BELOW, _ABOVE = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE, ast.Eq)


def _always(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in it, but for what is done only if something is so."""
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, ast.If):
            yield part
            yield from _always(part)


def _breaks(fork: ast.If) -> bool:
    return any(isinstance(one, ast.Break) for one in fork.body)


def _counted_up(node: ast.AST) -> str | None:
    """The name that it counts up by one, or the field."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add):
        return None
    one = isinstance(node.value, ast.Constant) and node.value.value == 1
    named = isinstance(node.target, ast.Name | ast.Attribute)
    return ast.unparse(node.target) if one and named else None


def waits(tree: ast.Module, line: int, function: str) -> bool:
    """Whether a line stands in a `while` of that function of which nobody knows how often it goes
    round."""
    for node in ast.walk(tree):
        inside = isinstance(node, Function) and node.name == function
        if not inside and not (function == "<module>" and isinstance(node, ast.Module)):
            continue
        for part in ast.walk(node):
            if not isinstance(part, ast.While) or _ends(part) is not None:
                continue
            if part.lineno <= line <= (part.end_lineno or 0):
                return True
    return False
