"""Where the labels that a Keras training learns from were given their values."""

from __future__ import annotations

import ast
import re

from debugger.script.tracing import DEEPEST, Tracing, last, name_of
from debugger.script.trainings import Trainings

_HOLDS = ("array", "asarray", "constant", "convert_to_tensor", "list", "tuple", "stack", "cast")
_KEEPS = ("astype", "reshape", "squeeze", "ravel", "flatten", "numpy", "tolist", "copy", "to_numpy")
_MODULES = ("np", "numpy", "tf", "pd", "K", "keras")
_SPLITS = "train_test_split"
_SLICES = ("from_tensor_slices", "from_tensors")
CALLED = re.compile(r"(.*_)?(y|ys|labels?|targets?|classes|tags?)(_.*|\d*)", re.IGNORECASE)


class Labelling:
    """Follows the labels of `fit` back: through functions, tuples, data sets and mere forms."""

    def __init__(self, tree: ast.Module, tracing: Tracing, trainings: Trainings) -> None:
        self._tracing, self._trainings = tracing, trainings
        self._classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}

    def made(self) -> int | None:
        """The line that last made other numbers of them; None where `fit` shows no labels."""
        for call in (one for one in self._trainings.calls() if last(one.func) == "fit"):
            named = {k.arg: k.value for k in call.keywords}
            given = call.args[1] if len(call.args) > 1 else named.get("y")
            rows = call.args[0] if call.args else named.get("x")
            found = given or (None if rows is None else self._beside(rows))
            if found is not None:
                return self._line(found)
        return None

    def _line(self, node: ast.expr, depth: int = 0) -> int:
        if depth > 2 * DEEPEST:
            return node.lineno
        behind = self._behind(node)
        if isinstance(behind, ast.expr):
            return self._line(behind, depth + 1)
        return node.lineno if behind is None else behind

    def _behind(self, node: ast.expr) -> ast.expr | int | None:
        """What holds the same numbers under another name or in another form, or the line of it."""
        if isinstance(node, ast.Call):
            return _held(node) or self._returned(node, None)
        if isinstance(node, ast.Subscript):
            places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            column = any(isinstance(one, ast.Constant) and one.value is not None for one in places)
            return None if column else node.value
        if not isinstance(node, ast.Name):
            return None
        before = [one for one in self._tracing.unpacked(node) if one[0] < node.lineno]
        if self._tracing.fills(node):
            return self._tracing.made(node)
        if not before:
            return self._tracing.handed_in(node)
        line, value, place = before[-1]
        if place is None:
            return value
        found = self._part(value, place)
        return line if found is None else found

    def _part(self, value: ast.expr, place: int) -> ast.expr | None:
        if not isinstance(value, ast.Call):
            return None
        if name_of(value.func) == _SPLITS:
            return value.args[place // 2] if place // 2 < len(value.args) else None
        return self._returned(value, place)

    def _returned(self, call: ast.Call, place: int | None) -> ast.expr | None:
        function = self._tracing.function(call)
        returned = None if function is None else self._tracing.returned(function)
        if place is None or returned is None:
            return returned
        if isinstance(returned, ast.Tuple):
            return returned.elts[place] if place < len(returned.elts) else None
        return returned

    def _beside(self, rows: ast.expr, depth: int = 0) -> ast.expr | None:
        """The labels in what holds rows and labels together."""
        if depth > 2 * DEEPEST:
            return None
        if isinstance(rows, ast.Name):
            before = [one for one in self._tracing.unpacked(rows) if one[0] < rows.lineno]
            if before and before[-1][2] is None:
                return self._beside(before[-1][1], depth + 1)
            given = None if before else self._tracing.handed_in(rows)
            return None if given is None else self._beside(given, depth + 1)
        if not isinstance(rows, ast.Call):
            return None
        if name_of(rows.func) in _SLICES and rows.args:
            pair = rows.args[0]
            return pair.elts[1] if isinstance(pair, ast.Tuple) and len(pair.elts) > 1 else None
        if name_of(rows.func) == "map" and rows.args and (made := _second(rows.args[0])):
            return made
        if name_of(rows.func) in self._classes:
            named = [one for one in rows.args if isinstance(one, ast.Name)]
            return next((one for one in named if CALLED.fullmatch(one.id)), None)
        returned = self._returned(rows, None)
        if returned is not None:
            return self._beside(returned, depth + 1)
        owner = rows.func.value if isinstance(rows.func, ast.Attribute) else None
        return None if owner is None else self._beside(owner, depth + 1)


def _held(call: ast.Call) -> ast.expr | None:
    name, owner = name_of(call.func), getattr(call.func, "value", None)
    named = isinstance(owner, ast.Name | ast.Attribute)
    of_module = named and ast.unparse(owner).split(".")[0] in _MODULES
    if name in _HOLDS or (name in _KEEPS and of_module):
        return call.args[0] if call.args else None
    return owner if name in _KEEPS and isinstance(owner, ast.expr) else None


def _second(given: ast.expr) -> ast.expr | None:
    """What a lambda makes of the labels, where that is more than to hand them on."""
    made = given.body if isinstance(given, ast.Lambda) else None
    second = made.elts[1] if isinstance(made, ast.Tuple) and len(made.elts) > 1 else None
    return None if isinstance(second, ast.Name) else second
