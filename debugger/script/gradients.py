"""Gradients that a script switches off, not for a block alone but from there on."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from debugger.script.tracing import Function, Tracing, is_false, name_of

_SWITCH = "set_grad_enabled"


def left_off(
    tree: ast.Module, tracing: Tracing, early: Sequence[ast.Call], training_line: int | None
) -> int | None:
    """Where gradients are switched off for good, before a training ends that wants them. `early`
    are the calls that do not stand behind the training."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    on_again = (c for c in calls if name_of(c.func) == _SWITCH and not _is_off(c))
    if any(on_again) or any(name_of(c.func) == "enable_grad" for c in calls):
        return None
    reached = _reached(tree, tracing, early, training_line)
    alone = {n.value for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    switched = (call for call in early if call in alone and _is_off(call))
    return next(
        (
            call.lineno
            for call in switched
            if (around := tracing.around(call)) is None or around in reached
        ),
        None,
    )


def _reached(
    tree: ast.Module, tracing: Tracing, early: Sequence[ast.Call], training_line: int | None
) -> set[Function]:
    """Functions that run before the training ends: those that it stands in, methods that a class
    of a library calls, and what any of them, or the script itself, calls or hands over."""
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.bases)
    reached = {part for one in classes for part in one.body if isinstance(part, Function)}
    line = training_line or 0
    reached |= {one for one in functions if one.lineno <= line <= (one.end_lineno or 0)}
    named: dict[Function | None, set[str]] = {}
    for call in early:
        named.setdefault(tracing.around(call), set()).update(_named(call))
    while True:
        said = set[str]().union(*(named.get(one, set()) for one in (None, *reached)))
        more = {one for one in functions if one.name in said} - reached
        if not more:
            return reached
        reached |= more


def _named(call: ast.Call) -> Iterator[str]:
    for one in (call.func, *call.args, *(k.value for k in call.keywords)):
        yield name_of(one)


def _is_off(call: ast.Call) -> bool:
    given = [*call.args, *(k.value for k in call.keywords)]
    return name_of(call.func) == _SWITCH and len(given) == 1 and is_false(given[0])
