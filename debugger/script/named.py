"""Where something stands in a script that is known by its name."""

from __future__ import annotations

import ast

from debugger.script.imports import line_of
from debugger.script.statements import Statements
from debugger.script.tracing import last


class Named(Statements):
    """The lines of calls, functions, assignments and texts, and of what stands around them."""

    def number_written(self, number: float) -> int | None:
        """The first line that gives a name to just this number."""
        named = [
            (n.lineno, n.value) for n in self._assignments if isinstance(n.value, ast.Constant)
        ]
        return next((line for line, one in named if one.value == number), None)

    def call(self, *endings: str) -> int | None:
        """The line of the first call whose name ends so, such as "Trainer" or "model.fit"."""
        return next(
            (
                call.lineno
                for ending in endings
                for call in self._calls
                if f".{ast.unparse(call.func)}".endswith(ending)
            ),
            None,
        )

    def calls(self, *endings: str) -> list[int]:
        """The lines of all calls whose name ends in one of these, from the top down."""
        named = ((f".{ast.unparse(call.func)}", call.lineno) for call in self._calls)
        return sorted(line for name, line in named if name.endswith(endings))

    def function(self, name: str) -> int | None:
        return next((node.lineno for node in self._functions if node.name == name), None)

    def assignment(self, attribute: str) -> int | None:
        """The line of the first assignment to an attribute of that name."""
        return next(
            (
                node.lineno
                for node in self._assignments
                for target in node.targets
                if isinstance(target, ast.Attribute) and target.attr == attribute
            ),
            None,
        )

    def asked_by_place(self, line: int | None) -> str | None:
        """The attribute that is asked for one of its items at a line."""
        return next(
            (
                node.value.attr
                for node in ast.walk(self._tree)
                if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute)
                if node.lineno == line
            ),
            None,
        )

    def last_assigned(self, name: str) -> int | None:
        """The last line that gives a plain name a value."""
        named = (
            node.lineno
            for node in self._assignments
            for target in node.targets
            if isinstance(target, ast.Name) and target.id == name
        )
        return max(named, default=None)

    def last_set(self, attribute: str, before: int | None) -> int | None:
        """The last assignment to an attribute of that name above a line."""
        return max(
            (
                node.lineno
                for node in self._assignments
                for target in node.targets
                if isinstance(target, ast.Attribute) and target.attr == attribute
                if before is None or node.lineno < before
            ),
            default=None,
        )

    def naming(self, text: str) -> int | None:
        """The line of the first string that says just this, such as the name of a variable."""
        return next((node.lineno for node in self._texts if node.value == text), None)

    def last_naming(self, text: str) -> int | None:
        """The lowest such line: the last layer of a model stands below the others."""
        return max((node.lineno for node in self._texts if node.value == text), default=None)

    @property
    def own_names(self) -> set[str]:
        """Of all classes and functions that stand in it."""
        return {node.name for node in (*self._classes, *self._functions)}

    def returned_in(self, kind: str, method: str) -> int | None:
        """The line of the last return of a method of a class."""
        for node in (one for one in self._classes if one.name == kind):
            made = [one for one in node.body if getattr(one, "name", "") == method]
            returns = (n for one in made for n in ast.walk(one) if isinstance(n, ast.Return))
            return max((one.lineno for one in returns), default=None)
        return None

    def returned_by(self, name: str) -> int | None:
        """The line of the last return of a function."""
        for node in self._functions:
            if node.name == name:
                returns = [n.lineno for n in ast.walk(node) if isinstance(n, ast.Return)]
                return max(returns, default=node.lineno)
        return None

    def uses_of(self, module: str) -> int:
        """How often something is looked up in a module."""
        nodes = (node for node in ast.walk(self._tree) if isinstance(node, ast.Attribute))
        return sum(isinstance(one.value, ast.Name) and one.value.id == module for one in nodes)

    def imported(self, module: str) -> int | None:
        return line_of(self._tree, module)

    def loop_of(self, line: int | None) -> int | None:
        """The line of the loop whose whole body stands at a line; without one, that line."""
        around = [
            loop.lineno
            for loop in self._loops
            if len(loop.body) == 1 and loop.body[0].lineno == loop.body[0].end_lineno == line
        ]
        return max(around, default=line)

    def condition_of(self, line: int | None) -> int | None:
        """The line of the nearest `if` that a line stands in, where there is one."""
        around = [
            fork.lineno
            for fork in self._forks
            if line is not None and fork.lineno < line <= (fork.end_lineno or fork.lineno)
        ]
        return max(around, default=line)

    def highest(self, *parts: str) -> int | None:
        """The line of the highest number set under a name that holds one of these parts."""
        named = [(k.arg or "", k.value) for call in self._calls for k in call.keywords]
        named += [(last(call.func).lower(), call.args[0]) for call in self._calls if call.args]
        named += [
            (target.attr, node.value)
            for node in self._assignments
            for target in node.targets
            if isinstance(target, ast.Attribute)
        ]
        values = [value for name, value in named if any(p in name for p in parts)]
        found = [self._tracing.valued(value) for value in values]
        lines = [(-number, line) for line, number in filter(None, found)]
        return min(lines)[1] if lines else min((v.lineno for v in values), default=None)
