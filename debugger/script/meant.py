"""Where a script says one thing, and Python or a library does another."""

from __future__ import annotations

import ast

from debugger.script.tracing import Function, Tracing, name_of, taken_by_place

_NO = ("false", "no", "off", "0", "none", "null")
_TAKEN_AS_TEXT = ("", "str", "bool")
"""What an option may be said to be, so that the text of its default still counts as true."""


class Meant:
    """Looks for settings that are not what their author takes them for."""

    def __init__(self, tree: ast.Module, tracing: Tracing) -> None:
        self._tracing = tracing
        self._nodes = list(ast.walk(tree))
        self._calls = [node for node in self._nodes if isinstance(node, ast.Call)]

    def text_for_switch(self) -> tuple[int, str, str] | None:
        """What decides a condition and is the text of a no: where that is written, what asks for
        it, and the text."""
        for node in self._nodes:
            if not isinstance(node, ast.If | ast.IfExp | ast.While):
                continue
            for asked in _asked(node.test):
                said = self._said(asked)
                text = said.value if said is not None else None
                if said is not None and isinstance(text, str) and text.strip().lower() in _NO:
                    return said.lineno, ast.unparse(asked), text
        return None

    def crossed(self) -> tuple[int, str, str, str] | None:
        """A call of the script's own function that hands two settings over in each other's place:
        its line, its name, and what the two are called."""
        for call in self._calls:
            function = self._tracing.function(call)
            if function is None or any(isinstance(one, ast.Starred) for one in call.args):
                continue
            given = {
                wanted: name_of(one)
                for wanted, one in zip(taken_by_place(function), call.args, strict=False)
                if self._tracing.valued(one) is not None
            }
            for one, other in given.items():
                if one != other and given.get(other) == one:
                    return call.lineno, function.name, one, other
        return None

    def joined_letters(self) -> int | None:
        """Where the parts of something that was never split are put together with spaces."""
        for call in self._calls:
            joins = isinstance(call.func, ast.Attribute) and call.func.attr == "join" and call.args
            glue = call.func.value if isinstance(call.func, ast.Attribute) and joins else None
            if not isinstance(glue, ast.Constant) or glue.value != " ":
                continue
            parts = call.args[0]
            if isinstance(parts, ast.GeneratorExp | ast.ListComp):
                own = isinstance(parts.elt, ast.Name)
                parts = parts.generators[0].iter if own else parts
            if isinstance(parts, ast.Name | ast.Subscript):
                return call.lineno
        return None

    def first_text(self, line: int | None) -> int | None:
        """Where a call at a line is given the first of several texts, by place."""
        for call in self._calls:
            there = line is not None and call.lineno <= line <= (call.end_lineno or call.lineno)
            if there and len(call.args) > 1:
                return call.args[0].lineno
        return None

    def set_in_vain(self, name: str) -> int | None:
        """Where a field of that name is set on an object, and nobody ever asks for it."""
        fields = [n for n in self._nodes if isinstance(n, ast.Attribute) and n.attr == name]
        made = [one for one in fields if isinstance(one.ctx, ast.Store)]
        if not made or name_of(made[0].value) in ("self", ""):
            return None
        owner = ast.unparse(made[0].value)
        handed_on = {
            one.arg
            for node in self._nodes
            if isinstance(node, Function)
            for one in (*node.args.args, *node.args.kwonlyargs)
        }
        beside = {part for node in self._nodes for part in _beside(node, name)}
        for one in (one for one in fields if isinstance(one.ctx, ast.Load) and one not in beside):
            asked = ast.unparse(one.value)
            if asked == owner or asked.startswith("self.") or asked in handed_on:
                return None
        return made[0].lineno

    def _said(self, asked: ast.expr) -> ast.Constant | None:
        """The word that an option, a field, a variable or an environment holds."""
        if isinstance(asked, ast.Call):
            reads = ast.unparse(asked.func).endswith(("getenv", "environ.get"))
            last = asked.args[1] if reads and len(asked.args) > 1 else None
            return last if isinstance(last, ast.Constant) else None
        if not isinstance(asked, ast.Name | ast.Attribute | ast.Subscript):
            return None
        if isinstance(asked, ast.Attribute) and self._is_set(asked.attr):
            return None
        said = self._tracing.constant(asked)
        for call in self._calls:
            if name_of(call.func) == "add_argument" and any(k.value is said for k in call.keywords):
                given = {k.arg: k.value for k in call.keywords}
                kind = given.get("type")
                named = "" if kind is None else name_of(kind) or "?"
                return said if "action" not in given and named in _TAKEN_AS_TEXT else None
        return said

    def _is_set(self, field: str) -> bool:
        return any(
            isinstance(node, ast.Attribute)
            and node.attr == field
            and isinstance(node.ctx, ast.Store)
            for node in self._nodes
        )


def _asked(test: ast.expr) -> list[ast.expr]:
    """The values whose mere truth decides: not those that are held against something."""
    if isinstance(test, ast.BoolOp):
        return [one for value in test.values for one in _asked(value)]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asked(test.operand)
    return [test]


def _beside(node: ast.AST, name: str) -> list[ast.AST]:
    """What stands on the other side where a field of that name is set."""
    if not isinstance(node, ast.Assign):
        return []
    sets = any(isinstance(one, ast.Attribute) and one.attr == name for one in node.targets)
    return list(ast.walk(node.value)) if sets else []
