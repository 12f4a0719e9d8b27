"""What a script prepares its rows with, and what gives them by their number."""

from __future__ import annotations

import ast
from functools import cached_property

from debugger.script.functions import Functions, is_value
from debugger.script.tracing import name_of, owner_of

_SHAPES = ("reshape", "view", "Reshape")
DEALS = ("permutation", "shuffle", "sample", "shuffled", "sorted", "reversed")
_PREPARES = ("map", "with_transform", "set_transform")


class Preparing(Functions):
    """Looks into what makes rows for the line that makes them as they are."""

    @cached_property
    def _dicts(self) -> list[ast.Dict]:
        return [node for node in ast.walk(self._tree) if isinstance(node, ast.Dict)]

    def repeating(self, key: str) -> int | None:
        """A list under that key whose entries do not go by what is gone through: all are one."""
        for node in self._dicts:
            for name, value in zip(node.keys, node.values, strict=True):
                if not is_value(name, key):
                    continue
                for part in ast.walk(value):
                    if isinstance(part, ast.ListComp) and not _goes_by_it(part):
                        return part.lineno
        return None

    def prepared_for_eval(self, key: str) -> int | None:
        """Where what the evaluation set is prepared with puts a value under that key."""
        given = [k.value for c in self._calls for k in c.keywords if k.arg == "eval_dataset"]
        if not given:
            return None
        held = self._tracing.local(given[0]) if isinstance(given[0], ast.Name) else []
        made = held[-1][1] if held else given[0]
        calls = [part for part in ast.walk(made) if isinstance(part, ast.Call)]
        calls += [c for c in self._calls if owner_of(c) == ast.unparse(given[0])]
        for call in calls:
            if name_of(call.func) not in _PREPARES or not call.args:
                continue
            function = self._behind(call.args[0])
            for node in ast.walk(function) if function is not None else ():
                if (found := self._entry(node, key)) is not None:
                    return self._tracing.made(found)
        return None

    def prepared(self, key: str) -> int | None:
        """Where what rows are prepared with makes what stands under that key."""
        for call in self._calls:
            function = None
            if name_of(call.func) in _PREPARES and call.args:
                function = self._behind(call.args[0])
            for node in ast.walk(function) if function is not None else ():
                if (found := self._entry(node, key)) is not None:
                    return self._tracing.made(found)
        return None

    def one_place(self) -> int | None:
        """Where what gives a row by its number takes always the same one."""
        for function in self._functions:
            if function.name != "__getitem__":
                continue
            for node in ast.walk(function):
                if not isinstance(node, ast.Subscript):
                    continue
                place = node.slice
                if isinstance(place, ast.Constant) and isinstance(place.value, int):
                    return node.lineno
        return None

    def stepping_aside(self) -> int | None:
        """Where what gives a row by its number takes something at a number beside it."""
        for function in (one for one in self._functions if one.name == "__getitem__"):
            place = function.args.args[-1].arg
            taken = (node.slice for node in ast.walk(function) if isinstance(node, ast.Subscript))
            for number in (part for one in taken for part in ast.walk(one)):
                moved = isinstance(number, ast.BinOp) and isinstance(number.op, ast.Add | ast.Sub)
                if isinstance(number, ast.BinOp) and moved and name_of(number.left) == place:
                    return number.lineno
        return self._zipped_beside()

    def _zipped_beside(self) -> int | None:
        """Where one of several things that are gone through together has lost its ends."""
        for call in (one for one in self._calls if name_of(one.func) == "zip"):
            for given in call.args:
                if isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Slice):
                    return given.lineno
        return None

    def same_twice(self) -> int | None:
        """Where the first call that takes two texts is given one and the same column again."""
        return next(
            (
                call.args[1].lineno
                for call in self._calls
                if len(call.args) > 1
                and isinstance(call.args[0], ast.Subscript)
                and ast.unparse(call.args[0]) == ast.unparse(call.args[1])
            ),
            None,
        )

    def disordering(self) -> int | None:
        """The first call that orders anew in what rows are prepared with."""
        for call in self._calls:
            function = None
            if name_of(call.func) in _PREPARES and call.args:
                function = self._behind(call.args[0])
            for node in ast.walk(function) if function is not None else ():
                if isinstance(node, ast.Call) and name_of(node.func) in DEALS:
                    return node.lineno
                if isinstance(node, ast.Slice) and node.step is not None:
                    return node.lineno
        return None

    def shuffled(self) -> int | None:
        """The first call that puts one list of several into another order."""
        return next((call.lineno for call in self._calls if name_of(call.func) in DEALS), None)

    def reshaped(self, shape: tuple[int, ...]) -> int | None:
        """The last line that gives something that shape, or a batch of it."""
        asked = (call for call in self._calls if name_of(call.func) in _SHAPES)
        return max((call.lineno for call in asked if _gives(call, shape)), default=None)


def _gives(call: ast.Call, shape: tuple[int, ...]) -> bool:
    """As far as numbers are written there: others may come out as any."""
    held = next((one.elts for one in call.args if isinstance(one, ast.Tuple | ast.List)), call.args)
    of_batch = len(held) == len(shape) + 1
    sizes = held[of_batch:]
    written = [one.value if isinstance(one, ast.Constant) else None for one in sizes]
    fits = (a in (None, b) for a, b in zip(written, shape, strict=False))
    return len(sizes) == len(shape) and all(fits)


def _goes_by_it(made: ast.ListComp) -> bool:
    given = {
        n.id for one in made.generators for n in ast.walk(one.target) if isinstance(n, ast.Name)
    }
    return any(isinstance(part, ast.Name) and part.id in given for part in ast.walk(made.elt))
