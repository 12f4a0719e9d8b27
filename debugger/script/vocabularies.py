"""Words that are numbered twice, each time by another vocabulary, as a script's text tells."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from debugger.script.afterwards import own_nodes, scopes
from debugger.script.tracing import Function, assigned, name_of, owner_of

_LEARNS = ("adapt", "fit_on_texts", "fit", "fit_transform", "build_vocab")
_READS = ("get", "transform", "fit_transform", "texts_to_sequences", "encode", "lookup")


@dataclass
class _Story:
    """Of one name, by line: where it is given other numbers, and where those are used."""

    made: list[int] = field(default_factory=list)
    used: list[int] = field(default_factory=list)

    def remade(self, before: int) -> int | None:
        """Where it is made again between two uses."""
        used = [line for line in self.used if line < before]
        for line in sorted(self.made)[1:]:
            first = min(self.made)
            if any(first <= one < line for one in used) and any(one >= line for one in used):
                return line
        return None


def numbered_twice(
    tree: ast.Module, before: int, numbers: Callable[[str], bool]
) -> tuple[str, int] | None:
    """A vocabulary (`numbers` tells by its name) that is made anew between two uses, and the line;
    or a second one, made for the other set. All of it `before` a line."""
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    for scope in scopes(tree):
        nodes = [n for n in own_nodes(scope) if getattr(n, "lineno", before) < before]
        stories: dict[str, _Story] = {}
        for node in nodes:
            for target, value in assigned(node):
                anew = not isinstance(node, ast.AugAssign)
                if anew and isinstance(target, ast.Name) and not _mentions(value, target.id):
                    stories.setdefault(target.id, _Story()).made.append(target.lineno)
        for learns in (n for n in nodes if isinstance(n, ast.Call) and name_of(n.func) in _LEARNS):
            stories.setdefault(owner_of(learns), _Story())
        for name, story in stories.items():
            _follow(name, story, nodes, functions)
            again = story.remade(before)
            if again is not None and numbers(name):
                return name, again
        if (second := _second(nodes, functions, stories, numbers)) is not None:
            return second
    return None


def _follow(name: str, story: _Story, nodes: list[ast.AST], functions: Sequence[Function]) -> None:
    readers = {one.name for one in functions if _reads_outside(one, name)}
    own = {one.name for one in functions}
    for node in nodes:
        if isinstance(node, ast.Subscript):
            read = isinstance(node.ctx, ast.Load) and name_of(node.value) == name
            story.used += [node.lineno] if read else []
        if not isinstance(node, ast.Call):
            continue
        called, of_it = name_of(node.func), owner_of(node) == name
        handed = called in own and any(name_of(one) == name for one in node.args)
        if of_it and called in _LEARNS and node.args:
            story.made.append(node.lineno)
        if called in readers or handed or called == name or (of_it and called in _READS):
            story.used.append(node.lineno)


def _second(
    nodes: list[ast.AST],
    functions: Sequence[Function],
    stories: dict[str, _Story],
    numbers: Callable[[str], bool],
) -> tuple[str, int] | None:
    """One function is handed two of them, that were both made by the same call of other texts."""
    made = {
        target.id: value
        for node in nodes
        for target, value in assigned(node)
        if isinstance(target, ast.Name) and isinstance(value, ast.Call)
    }
    for one in functions:
        calls = [n for n in nodes if isinstance(n, ast.Call) and name_of(n.func) == one.name]
        handed = {
            (place, name_of(given))
            for call in calls
            for place, given in enumerate(call.args)
            if name_of(given) in made and numbers(name_of(given))
        }
        for place, name in sorted(handed):
            for other in (n for at, n in handed if at == place and n != name):
                same = ast.unparse(made[name].func) == ast.unparse(made[other].func)
                later = max(stories[name].made[0], stories[other].made[0])
                if same:
                    return (name if stories[name].made[0] == later else other), later
    return None


def _reads_outside(function: Function, name: str) -> bool:
    """Whether it reads the name of somebody else, and gives it no value of its own."""
    own = {one.arg for one in function.args.args}
    inside = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
    return name not in own and bool(inside) and all(isinstance(n.ctx, ast.Load) for n in inside)


def _mentions(value: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value))
