"""The turn of a loop in two: what draws its batch, and what is done with that."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

from debugger.script.loops import Loop, asks_function, calls_in
from debugger.script.tracing import name_of


@dataclass(frozen=True)
class Cut:
    """`names` are those that a batch is drawn into, in the order of the script."""

    draws: list[ast.stmt]
    names: tuple[str, ...]
    loop: Loop
    """Goes over the batches, and its turn draws none."""

    def drawing(self, draws: list[ast.stmt] | None = None) -> CodeType:
        module = ast.Module(self.draws if draws is None else draws, [])
        return compile(ast.fix_missing_locations(module), self.loop.file, "exec")

    def out_of_one(self) -> Loop:
        """The same, over what holds the batch and nothing else: `(x,) = next(rows)`."""
        node = self.loop.node
        return self.loop.over(
            ast.For(ast.Tuple([node.target], ast.Store()), node.iter, node.body, [])
        )

    @property
    def takes_the_next(self) -> bool:
        """Whether it asks what a script goes through by itself for the next item."""
        return bool(calls_in(self.draws, "next"))


def cut(loop: Loop, line: int, batches: Collection[str]) -> Cut | None:
    """What stands before a line and is needed for those of the `batches` that are read from there
    on. None where nothing is drawn."""
    body = loop.node.body
    before = [one for one in body if (one.end_lineno or one.lineno) < line]
    read = _read(body[len(before) :])
    names = [name for name in dict.fromkeys(_stored_in_order(before)) if name in read]
    names = [name for name in names if name in batches]
    draws, needed = list[ast.stmt](), set(names)
    for one in reversed(before):
        stored = set(_stored_in_order([one]))
        if stored & needed:
            draws.insert(0, one)
            needed |= _read([one])
    if not names:
        return None
    rest = [one for one in body if one not in draws]
    turn = ast.For(_target(names), ast.Tuple([], ast.Load()), rest, [])
    return Cut(draws, tuple(names), loop.over(turn))


def ahead(loop: Loop, line: int, batches: Collection[str]) -> Loop | None:
    """The same, where a turn draws its own batch first: of one that is drawn before the loop, and
    behind a line of each turn for the next. None of another."""
    body = loop.node.body
    before = [one for one in body if one.lineno <= line]
    later = [one for one in body if one not in before and _draws_all(one, batches)]
    if not later or set(_stored_in_order(later)) & set(_stored_in_order(before)):
        return None
    first = [copy.copy(one) for one in later]
    for one in first:
        one.lineno = one.end_lineno = loop.node.lineno
    rest = [one for one in body if one not in later]
    return loop.over(ast.For(loop.node.target, loop.node.iter, [*first, *rest], []))


def _draws_all(one: ast.stmt, batches: Collection[str]) -> bool:
    stored = set(_stored_in_order([one]))
    called = isinstance(one, ast.Assign) and isinstance(one.value, ast.Call)
    return called and bool(stored) and stored <= set(batches)


def _target(names: list[str]) -> ast.expr:
    stores: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
    return stores[0] if len(stores) == 1 else ast.Tuple(stores, ast.Store())


def shuffles(trees: Iterable[ast.Module], given: ast.AST) -> bool:
    """Whether a script puts what a loop goes over into another order: `random.shuffle(batches)`."""
    said = ast.unparse(given)
    calls = calls_in(trees, "shuffle")
    return any(ast.unparse(call.args[0]) == said for call in calls if call.args)


def _read(parts: Iterable[ast.AST]) -> set[str]:
    return {n.id for n in _names(parts) if isinstance(n.ctx, ast.Load)}


def _stored_in_order(parts: Iterable[ast.AST]) -> list[str]:
    return [n.id for n in _names(parts) if isinstance(n.ctx, ast.Store)]


def _names(parts: Iterable[ast.AST]) -> list[ast.Name]:
    return [one for part in parts for one in ast.walk(part) if isinstance(one, ast.Name)]


def calls_otherwise(
    node: ast.AST, trees: Iterable[ast.Module], names: Mapping[str, Any], kinds: Iterable[str]
) -> list[ast.AST]:
    """The same with each call of a function of the script's as the script makes it elsewhere, for
    rows of one of these kinds by its words: `batches(X_val, y_val)`, or "val" in place of another
    word."""
    walked = [part for tree in trees for part in ast.walk(tree)]
    calls = [part for part in walked if isinstance(part, ast.Call)]
    words = {part.value for part in walked if isinstance(part, ast.Constant)}
    found: list[ast.AST] = []
    for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
        if not asks_function(call, names):
            continue
        own = ast.unparse(call).lower()
        others = [one for one in calls if name_of(one.func) == name_of(call.func)]
        for kind in (one for one in kinds if one not in own):
            fitting = [one for one in others if kind in ast.unparse(one).lower()]
            if kind in words and (one := _with_word(call, kind)) is not None:
                fitting.append(one)
            found += [_replaced(node, call, one) for one in fitting]
    return found


def _with_word(call: ast.Call, word: str) -> ast.Call | None:
    """With that word as its only one."""
    said = [one for one in call.args if isinstance(one, ast.Constant)]
    said = [one for one in said if isinstance(one.value, str)]
    if len(said) != 1:
        return None
    args = [ast.Constant(word) if one is said[0] else one for one in call.args]
    return ast.copy_location(ast.Call(call.func, args, call.keywords), call)


def _replaced(node: ast.AST, call: ast.Call, other: ast.Call) -> ast.AST:
    if node is call:
        return other

    said = ast.unparse(call)

    class Putting(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            return other if ast.unparse(node) == said else self.generic_visit(node)

    copied = ast.parse(ast.unparse(node), mode="eval" if isinstance(node, ast.expr) else "exec")
    copied = copied.body if isinstance(copied, ast.Expression) else copied
    return ast.fix_missing_locations(Putting().visit(copied))
