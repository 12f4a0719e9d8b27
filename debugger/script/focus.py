"""Which calls of a script belong to the training that is looked at, where it has several."""

from __future__ import annotations

import ast

from debugger.script.tracing import Tracing, name_of, owner_of

DEEPEST = 8


def apart(
    trainings: list[ast.Call], calls: list[ast.Call], tracing: Tracing, line: int | None
) -> tuple[list[ast.Call], set[ast.Call]]:
    """The calls of the training at that line, nearest first, and those of other trainings alone.

    Both are empty where there is no other, or where nobody can tell what belongs to this one.
    """
    own = [one for one in trainings if line is not None and one.lineno <= line <= _end(one)]
    if len(own) != 1 or len(trainings) < 2:
        return [], set()
    mine = _Belongings(tracing, calls).of(own[0])
    if len(mine) < 2:
        return [], set()
    others = (_Belongings(tracing, calls).of(one) for one in trainings if one is not own[0])
    return mine, {call for belongings in others for call in belongings} - set(mine)


class _Belongings:
    """All calls that made what a training was handed, as it stood when it began."""

    def __init__(self, tracing: Tracing, calls: list[ast.Call]) -> None:
        self._tracing = tracing
        self._compiles = [one for one in calls if _method(one) == "compile"]
        self._found: list[ast.Call] = []
        self._seen: set[tuple[str, int]] = set()

    def of(self, training: ast.Call) -> list[ast.Call]:
        self._follow(training, training.lineno, 0)
        if _method(training) == "fit" and (compiled := self._compiled(training)) is not None:
            self._follow(compiled, compiled.lineno, 0)
        return list(dict.fromkeys(self._found))

    def _compiled(self, training: ast.Call) -> ast.Call | None:
        """The last before it, of the same model."""
        before = [
            one
            for one in self._compiles
            if owner_of(one) == owner_of(training) and one.lineno < training.lineno
        ]
        return max(before, key=lambda one: one.lineno, default=None)

    def _follow(self, node: ast.AST, line: int, depth: int) -> None:
        if depth > DEEPEST:
            return
        inside = list(ast.walk(node))
        self._found += [part for part in inside if isinstance(part, ast.Call)]
        for name in (part for part in inside if isinstance(part, ast.Name)):
            values = [(at, value) for at, value in self._tracing.local(name) if at < line]
            if not values or (name.id, values[-1][0]) in self._seen:
                continue
            at, value = values[-1]
            self._seen.add((name.id, at))
            self._follow(value, at, depth + 1)


def _method(call: ast.Call) -> str:
    return name_of(call.func) if isinstance(call.func, ast.Attribute) else ""


def _end(call: ast.Call) -> int:
    return call.end_lineno or call.lineno
