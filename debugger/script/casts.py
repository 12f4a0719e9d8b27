"""What is handed on as another kind than was meant: one text for many, shares for whole numbers."""

from __future__ import annotations

import ast
import re

from debugger.script.tracing import Tracing, assigned, name_of, stands_at

_LEARN_WORDS = ("fit_on_texts", "adapt")
_ONE_TEXT = ("join", "read", "read_text", "lower", "upper", "strip", "str")
_WHOLE = re.compile(r"u?int\d*_?|long")
_CASTS = ("cast", "astype", "int")
_ROUNDS = ("round", "rint", "around", "argmax", "floor", "ceil", "where", "greater", "sign", "mode")


class Casts:
    def __init__(self, tree: ast.AST, tracing: Tracing) -> None:
        self._nodes = list(ast.walk(tree))
        self._tracing = tracing

    def words_of_one_text(self) -> int | None:
        """Where a vocabulary is learned from one string, which is gone through letter by letter."""
        for call in self._calls(*_LEARN_WORDS):
            if call.args and self._is_text(call.args[0]):
                return call.lineno
        return None

    def cut(self, line: int | None) -> str | None:
        """What is made whole at that line without being rounded or held against anything."""
        for call in self._calls(*_CASTS):
            if not stands_at(call, line):
                continue
            given, kind = _cast(call)
            whole = kind is not None and _WHOLE.fullmatch(_said(kind))
            if given is not None and whole and not _is_decided(given):
                return ast.unparse(given)
        return None

    def factor(self, ending: str, name: str, place: int) -> tuple[int, float] | None:
        """The line of a number that such a call is given, by name or by its place."""
        for call in self._calls(ending):
            named = (one.value for one in call.keywords if one.arg == name)
            given = next(named, call.args[place] if len(call.args) > place else None)
            found = None if given is None else self._tracing.valued(given)
            if found is not None:
                return found
        return None

    def _calls(self, *names: str) -> list[ast.Call]:
        calls = (node for node in self._nodes if isinstance(node, ast.Call))
        return [one for one in calls if name_of(one.func) in names]

    def _is_text(self, given: ast.expr) -> bool:
        if isinstance(given, ast.Name):
            pairs = (pair for node in self._nodes for pair in assigned(node))
            made = [value for target, value in pairs if name_of(target) == given.id]
            return bool(made) and all(_makes_text(one) for one in made)
        return _makes_text(given)


def _makes_text(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        function = value.func
        of_column = isinstance(function, ast.Attribute) and name_of(function.value) == "str"
        return name_of(function) in _ONE_TEXT and not of_column
    written = isinstance(value, ast.Constant) and isinstance(value.value, str)
    return written or isinstance(value, ast.JoinedStr)


def _cast(call: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    """What is made another kind of number, and which kind."""
    if isinstance(call.func, ast.Name) and call.func.id == "int":
        return (call.args[0], call.func) if len(call.args) == 1 else (None, None)
    kinds = [*call.args, *(one.value for one in call.keywords if one.arg == "dtype")]
    if name_of(call.func) == "cast":
        return (kinds[0], kinds[-1]) if len(kinds) > 1 else (None, None)
    if isinstance(call.func, ast.Attribute) and name_of(call.func) == "astype" and kinds:
        return call.func.value, kinds[0]
    return None, None


def _said(kind: ast.expr) -> str:
    return str(kind.value) if isinstance(kind, ast.Constant) else name_of(kind)


def _is_decided(given: ast.expr) -> bool:
    """Rounded, or already a yes and no."""
    for part in ast.walk(given):
        if isinstance(part, ast.Compare):
            return True
        if isinstance(part, ast.Call) and name_of(part.func) in _ROUNDS:
            return True
    return False
