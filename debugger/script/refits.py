"""What learns from rows how to prepare rows, and learns it once more from those to be judged by."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from debugger.script.remainder import made_of, reads
from debugger.script.tracing import ASKS_OR_MEASURES, name_of, owner_of

_LEARNS = ("fit", "fit_transform", "adapt", "fit_on_texts")


@dataclass(frozen=True)
class Refit:
    """`name` learns at a line from what only an evaluation is given; `first` is what has learned
    from the training rows: the same, or another one like it."""

    name: str
    line: int
    first: str


def refits(tree: ast.Module, line: int, kind: Callable[[str], str]) -> Iterator[Refit]:
    """`line` is that of the training, `kind` the class of what a name stands for, "" of all that
    does not learn how to prepare rows."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    fits = [c for c in calls if name_of(c.func) == "fit" and _spans(c, line)]
    learned = [one for call in fits for one in _handed(call, "x", "y")]
    trained, at_training = _names(tree, learned), _lines(tree, learned)
    held = [k.value for c in fits for k in c.keywords if k.arg == "validation_data"]
    asks = [
        c for c in calls if name_of(c.func) in ASKS_OR_MEASURES and not _of_another(tree, c, line)
    ]
    held += [one for c in asks for one in _handed(c, "x")[:1]]
    learning = [c for c in calls if name_of(c.func) in _LEARNS and kind(owner_of(c)) and c.args]
    for given in held:
        judged = _names(tree, [given])
        only, at_judging = judged - trained, _lines(tree, [given]) - at_training
        for call in learning:
            name, of = owner_of(call), reads(call.args[0])
            alone = call.lineno in at_judging or (of & only and not of & trained)
            if alone and name in trained & judged and _learns_before(learning, call, trained):
                yield Refit(name, call.lineno, name)
            for first in sorted(trained - judged) if name in only else ():
                if kind(first) == kind(name):
                    yield Refit(name, call.lineno, first)


def _of_another(tree: ast.Module, ask: ast.Call, line: int) -> bool:
    """What is asked further up was trained before; a function is called from anywhere."""
    elsewhere = (
        isinstance(node, ast.FunctionDef) and _spans(node, ask.lineno) and not _spans(node, line)
        for node in ast.walk(tree)
    )
    return ask.lineno < line and not any(elsewhere)


def _learns_before(learning: list[ast.Call], call: ast.Call, trained: set[str]) -> bool:
    return any(
        owner_of(one) == owner_of(call)
        and one.lineno < call.lineno
        and reads(one.args[0]) & trained - {owner_of(one)}
        for one in learning
    )


def _names(tree: ast.Module, given: list[ast.expr]) -> set[str]:
    """All names that stand behind what is given."""
    behind = [value for one in given for _, value in made_of(tree, one)]
    return {name for one in (*given, *behind) for name in reads(one)}


def _lines(tree: ast.Module, given: list[ast.expr]) -> set[int]:
    return {line for one in given for line, _ in made_of(tree, one)}


def _handed(call: ast.Call, *names: str) -> list[ast.expr]:
    return [*call.args[: len(names)], *(k.value for k in call.keywords if k.arg in names)]


def _spans(node: ast.Call | ast.FunctionDef, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)
