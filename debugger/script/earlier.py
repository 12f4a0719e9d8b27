"""Answers that a script asks for before the training, and uses behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from debugger.script.afterwards import own_nodes, scopes
from debugger.script.tracing import assigned, name_of, owner_of

_ASKS = ("predict", "predict_on_batch")
_TRAINS = ("fit", "train")
_LEAVES_ALONE = ("save", "save_weights", "save_model", "save_pretrained", "push_to_hub", "summary")
"""What is done with a trained model that asks it nothing."""


def asked_too_early(tree: ast.Module) -> tuple[int, str] | None:
    """Where answers are asked for that are only used behind the training, and their name.

    Answers of both times, side by side, tell what was learned; so nothing may ask the model again,
    and nobody may read what the training itself has measured.
    """
    for scope in scopes(tree):
        nodes = own_nodes(scope)
        training = _only_training(nodes)
        if training is None or _asked_behind(nodes, training):
            continue
        end = training.end_lineno or training.lineno
        for name, call in _answers(nodes, training):
            if _first_use(nodes, name, call.lineno) > end:
                return call.lineno, name
    return None


def _only_training(nodes: list[ast.AST]) -> ast.Call | None:
    """One that stands by itself: what it gives back is not kept, and no loop goes round it."""
    calls = [n for n in nodes if isinstance(n, ast.Call) and name_of(n.func) in _TRAINS]
    alone = {id(n.value) for n in nodes if isinstance(n, ast.Expr)}
    looped = {id(part) for n in nodes if isinstance(n, ast.For | ast.While) for part in ast.walk(n)}
    found = [c for c in calls if owner_of(c) and _owner_is_asked(nodes, c)]
    if len(found) != 1 or id(found[0]) not in alone or id(found[0]) in looped:
        return None
    return found[0]


def _owner_is_asked(nodes: list[ast.AST], training: ast.Call) -> bool:
    return any(
        isinstance(n, ast.Call) and name_of(n.func) in _ASKS and owner_of(n) == owner_of(training)
        for n in nodes
    )


def _asked_behind(nodes: list[ast.AST], training: ast.Call) -> bool:
    """Whether anything but what leaves it alone is done with the model behind the training."""
    root = owner_of(training).partition(".")[0]
    end = training.end_lineno or training.lineno
    harmless = {
        id(n.func.value)
        for n in nodes
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
        if name_of(n.func) in _LEAVES_ALONE
    }
    return any(
        isinstance(n, ast.Name) and n.id == root and n.lineno > end and id(n) not in harmless
        for n in nodes
    )


def _answers(nodes: list[ast.AST], training: ast.Call) -> Iterator[tuple[str, ast.Call]]:
    for node in nodes:
        for target, value in assigned(node):
            if not isinstance(target, ast.Name) or value.lineno >= training.lineno:
                continue
            for call in (part for part in ast.walk(value) if isinstance(part, ast.Call)):
                if name_of(call.func) in _ASKS and owner_of(call) == owner_of(training):
                    yield target.id, call


def _first_use(nodes: list[ast.AST], name: str, line: int) -> int:
    """The line that first reads a name, or gives it anew, below a line; 0 where nothing does."""
    lines = (
        n.lineno if isinstance(n.ctx, ast.Load) else 0
        for n in sorted(
            (n for n in nodes if isinstance(n, ast.Name) and n.id == name and n.lineno > line),
            key=lambda one: one.lineno,
        )
    )
    return next(lines, 0)
