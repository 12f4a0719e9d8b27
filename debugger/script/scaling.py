"""What a script brings to another scale, and what it never brings back."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from debugger.script.functions import Functions
from debugger.script.tracing import assigned, name_of

_WHOLE = ("int", "uint8", "long", "byte")
_SCALES = (
    *("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "square", "power", "cbrt"),
    *("inverse_transform", "transform", "sinh", "arcsinh"),
)
_BACK = re.compile(r"inverse|unscale|denorm|unnorm|destandard|unstandard|descale", re.I)
_DEVIATION = re.compile(r"(^|_)(std|sd|sigma|stddev|scale_|var_)(_|$)|^(scale|var)_$", re.I)
_TARGETS = re.compile(r"(^|_)(y|targets?|labels?)(_|$)", re.I)


class Scaling(Functions):
    """Finds where labels, answers and bytes are divided, and by what."""

    @cached_property
    def _divisions(self) -> list[ast.BinOp]:
        return [node for node in ast.walk(self._tree) if isinstance(node, ast.BinOp)]

    @cached_property
    def _changes(self) -> list[ast.AugAssign]:
        return [node for node in ast.walk(self._tree) if isinstance(node, ast.AugAssign)]

    def left_as_it_was(self, argument: str) -> int | None:
        """Where one of two things that are held against each other is made, if only the other is
        brought to another scale on its way."""
        function = self.function(argument)
        made = {
            target.id: value
            for node in ast.walk(function or ast.Module([], []))
            for target, value in assigned(node)
            if isinstance(target, ast.Name)
        }
        own = tuple(one.name for one in self._functions if _calls_one(one, _SCALES))
        scaled = {
            name
            for name, value in made.items()
            if _calls_one(value, (*_SCALES, *own)) or any(map(_rescales, ast.walk(value)))
        }
        for node in ast.walk(function) if function is not None else ():
            if isinstance(node, ast.Call | ast.BinOp) and len(made) > len(scaled) > 0:
                names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & set(made)
                plain = names - scaled
                if len(names) == 2 and len(plain) == 1:
                    return made[plain.pop()].lineno
        return None

    def never_scaled_back(self) -> int | None:
        """Where labels are scaled, or would be scaled back, in a script that never does so."""
        called = {name_of(call.func) for call in self._calls}
        if any(_BACK.search(name) for name in called if name):
            return None
        undoing = [one for one in self._functions if _BACK.search(one.name)]
        idle = {part for one in undoing for part in ast.walk(one)}
        by_hand = [n for n in self._divisions if n not in idle]
        by_hand = [n for n in by_hand if any(map(_names_deviation, (n.left, n.right)))]
        if any(isinstance(node.op, ast.Mult) for node in by_hand) or self._multiplied():
            return None
        back = undoing[0].lineno if undoing else None
        divided = (n.lineno for n in by_hand if isinstance(n.op, ast.Div))
        back = back or next(divided, None)
        scaled = (
            call.lineno
            for call in self._calls
            if name_of(call.func) in ("transform", "fit_transform") and _is_of_targets(call)
        )
        return next(scaled, back)

    def _multiplied(self) -> bool:
        """Whether something is multiplied by a deviation in place, or by a function."""
        inside = (n.value for n in self._changes if isinstance(n.op, ast.Mult))
        calls = (c.args for c in self._calls if name_of(c.func) == "multiply")
        return any(map(_names_deviation, (*inside, *(one for given in calls for one in given))))

    def dividing(self) -> int | None:
        """The last line that divides by the largest number of a byte."""
        return max(
            (node.lineno for node in self._divisions if _by_byte(node)),
            default=None,
        )

    def rounding(self) -> int | None:
        """The first line that brings bytes to whole numbers between 0 and 1, which leaves next to
        nothing of them."""
        cut = [n for n in self._divisions if isinstance(n.op, ast.FloorDiv) and _by_byte(n)]
        cast = [c for c in self._calls if name_of(c.func) in _WHOLE or to_whole(c)]
        held = [c for c in cast if any(_by_byte(part) for part in ast.walk(c))]
        return min((node.lineno for node in (*cut, *held)), default=None)


def _names_deviation(node: ast.expr) -> bool:
    parts = [one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)]
    return any(_DEVIATION.search(name_of(one)) for one in parts)


def _rescales(node: ast.AST) -> bool:
    """Multiplies or divides by a number that is written there, or by a deviation."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult | ast.Div):
        return False
    sides = node.left, node.right
    return any(isinstance(one, ast.Constant) or _names_deviation(one) for one in sides)


def _is_of_targets(call: ast.Call) -> bool:
    parts = [part for one in call.args for part in ast.walk(one)]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    held = [part.value for part in parts if isinstance(part, ast.Constant)]
    told = any(map(_TARGETS.search, (*names, *(one for one in held if isinstance(one, str)))))
    return told or any(map(_is_one_column, parts))


def _is_one_column(part: ast.expr | ast.AST) -> bool:
    """`table[["cost"]]`, `costs[:, None]` and `costs.reshape(-1, 1)`: inputs have more of them."""
    if isinstance(part, ast.Call):
        return name_of(part.func) == "reshape" and [*map(ast.unparse, part.args)] == ["-1", "1"]
    by = part.slice if isinstance(part, ast.Subscript) else None
    if isinstance(by, ast.List):
        return len(by.elts) == 1
    said = ast.unparse(by) if isinstance(by, ast.Tuple) else ""
    return said in ("(:, None)", ":, None", ":, np.newaxis", "(:, np.newaxis)")


def _calls_one(value: ast.AST, names: tuple[str, ...]) -> bool:
    return any(isinstance(n, ast.Call) and name_of(n.func) in names for n in ast.walk(value))


def _by_byte(node: ast.AST) -> bool:
    """Divided by the largest number of a byte, or about that."""
    right = node.right if isinstance(node, ast.BinOp) else None
    return isinstance(right, ast.Constant) and right.value in (255, 256, 127.5)


def to_whole(call: ast.Call) -> bool:
    """`astype(int)`, `to(torch.uint8)`, `array(..., dtype="int64")` and the like."""
    asked = [*call.args[:1]] if name_of(call.func) in ("astype", "to", "type") else []
    asked += [k.value for k in call.keywords if k.arg == "dtype"]
    said = [one.value if isinstance(one, ast.Constant) else name_of(one) for one in asked]
    return any(str(one).startswith(("int", "uint", "long")) for one in said)
