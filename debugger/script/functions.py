"""The functions and classes of a script, and which of them an argument is given."""

from __future__ import annotations

import ast

from debugger.script.tracing import Function, Tracing, name_of


class Functions:
    """Finds the function that is meant, by its name and by what makes it."""

    def __init__(self, tree: ast.Module, tracing: Tracing) -> None:
        self._tree, self._tracing = tree, tracing
        self._functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
        self._classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        self._assignments = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
        self._calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]

    def function(self, argument: str) -> Function | None:
        """What an argument such as compute_metrics is given: by name, by `partial`, ready made."""
        given = [k.value for c in self._calls for k in c.keywords if k.arg == argument]
        return self._behind(given[-1]) if given else None

    def _own(self, name: str) -> list[Function]:
        return [one for one in self._functions if one.name == name]

    def _behind(self, given: ast.expr) -> Function | None:
        own = {one.name: one for one in self._functions}
        if isinstance(given, ast.Call):
            if name_of(given.func) == "partial" and given.args:
                return self._behind(given.args[0])
            made = own.get(name_of(given.func))
            if made is not None:
                inside = self._tracing.returned(made)
                return None if inside is None else self._behind(inside)
            return self._method(name_of(given.func), "__call__")
        if isinstance(given, ast.Name) and given.id not in own:
            values = self._tracing.local(given)
            return self._behind(values[-1][1]) if values else None
        return own.get(name_of(given))

    def _method(self, name: str, method: str) -> Function | None:
        for one in self._classes:
            if one.name == name:
                return next(
                    (n for n in one.body if isinstance(n, Function) and n.name == method), None
                )
        return None

    def _entry(self, node: ast.AST, key: str) -> ast.expr | None:
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            return next((v for k, v in pairs if is_value(k, key)), None)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            return node.value if is_value(node.targets[0].slice, key) else None
        if isinstance(node, ast.Call) and name_of(node.func) == "dict":
            return next((k.value for k in node.keywords if k.arg == key), None)
        return None


def is_value(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value == value
