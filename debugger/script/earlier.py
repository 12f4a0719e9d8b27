"""Answers, and weights, that a script takes from before the training and uses behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from debugger.script.afterwards import own_nodes, scopes
from debugger.script.tracing import ASKS_OR_MEASURES, assigned, name_of, owner_of

_TRAINS = ("fit", "train")
_LEAVES_ALONE = ("save", "save_weights", "save_model", "save_pretrained", "push_to_hub", "summary")
"""What is done with a trained model that asks it nothing."""


@dataclass(frozen=True)
class Early:
    """At a line; `measured`: the model was evaluated, which some do to see where it begins."""

    name: str
    line: int
    measured: bool


@dataclass(frozen=True)
class Kept:
    """Weights that were put by at a line, and are brought back at another one."""

    at: int
    line: int


def asked_too_early(tree: ast.Module) -> Early | None:
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
                return Early(name, call.lineno, name_of(call.func) == "evaluate")
    return None


def brought_back(tree: ast.Module) -> Kept | None:
    """Weights from before the training that are given to the model behind it, which nobody has
    asked anything till then, and nobody trains after."""
    for scope in scopes(tree):
        nodes = own_nodes(scope)
        calls = sorted((n for n in nodes if isinstance(n, ast.Call)), key=lambda n: n.lineno)
        looped = _looped(nodes)
        fits = [c for c in calls if name_of(c.func) in _TRAINS and owner_of(c)]
        if not fits or any(id(one) in looped for one in fits):
            continue
        begins, ends = fits[0].lineno, fits[-1].end_lineno or fits[-1].lineno
        kept = {key: line for n in nodes for key, line in _puts_by(n) if line < begins}
        for call in (c for c in calls if c.lineno > ends and id(c) not in looped):
            if name_of(call.func) in ASKS_OR_MEASURES:
                break
            key = _brings(call)
            if key in kept and _times(tree, key) == 2:
                return Kept(kept[key], call.lineno)
    return None


def _puts_by(node: ast.AST) -> Iterator[tuple[str, int]]:
    """What weights are kept under, a name or the path of a file, and the line."""
    if isinstance(node, ast.Call) and name_of(node.func) == "save_weights" and node.args:
        yield ast.unparse(node.args[0]), node.lineno
    for target, value in assigned(node):
        taken = {name_of(p.func) for p in ast.walk(value) if isinstance(p, ast.Call)}
        if isinstance(target, ast.Name) and taken & {"get_weights", "state_dict"}:
            yield target.id, value.lineno


def _brings(call: ast.Call) -> str:
    known = ("load_weights", "set_weights", "load_state_dict")
    return ast.unparse(call.args[0]) if name_of(call.func) in known and call.args else ""


def _times(tree: ast.Module, key: str) -> int:
    """How often a name, or a path, is written at all."""
    parts = (n for n in ast.walk(tree) if isinstance(n, ast.Name | ast.Constant))
    return sum(ast.unparse(part) == key for part in parts)


def _looped(nodes: list[ast.AST]) -> set[int]:
    loops = (n for n in nodes if isinstance(n, ast.For | ast.While))
    return {id(part) for one in loops for part in ast.walk(one)}


def _only_training(nodes: list[ast.AST]) -> ast.Call | None:
    """One alone: what it gives back is not read, and no loop goes round it."""
    calls = [n for n in nodes if isinstance(n, ast.Call) and name_of(n.func) in _TRAINS]
    alone = {id(n.value) for n in nodes if isinstance(n, ast.Expr)}
    reads = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    for node in nodes:
        alone |= {id(value) for to, value in assigned(node) if name_of(to) not in reads}
    found = [c for c in calls if owner_of(c) and _owner_is_asked(nodes, c)]
    if len(found) != 1 or id(found[0]) not in alone or id(found[0]) in _looped(nodes):
        return None
    return found[0]


def _owner_is_asked(nodes: list[ast.AST], training: ast.Call) -> bool:
    return any(
        isinstance(n, ast.Call)
        and name_of(n.func) in ASKS_OR_MEASURES
        and owner_of(n) == owner_of(training)
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
            names = [p.id for p in ast.walk(target) if isinstance(p, ast.Name)]
            if value.lineno >= training.lineno:
                continue
            for call in (part for part in ast.walk(value) if isinstance(part, ast.Call)):
                if name_of(call.func) in ASKS_OR_MEASURES and owner_of(call) == owner_of(training):
                    yield from ((name, call) for name in names)


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
