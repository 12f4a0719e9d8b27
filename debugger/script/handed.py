"""The functions that a script hands over: to measure, to collate, to make a loss."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from debugger.script.functions import Functions, is_value
from debugger.script.preparing import DEALS
from debugger.script.stepping import RESHAPES
from debugger.script.tracing import Function, assigned, name_of, owner_of, stands_at

_ANSWERS = re.compile(r"pred|answer|guess", re.I)


class Handed(Functions):
    """Looks into the functions of a script for the line that makes what they answer."""

    @cached_property
    def _comparisons(self) -> list[ast.Compare]:
        return [node for node in ast.walk(self._tree) if isinstance(node, ast.Compare)]

    def answer(self, argument: str, key: str = "") -> int | None:
        """The line that makes the number of that name, or else what the function returns."""
        function = self.function(argument)
        if function is None:
            return None
        returned = self._tracing.returned(function)
        if returned is None:
            return function.lineno
        for node in ast.walk(function):
            found = self._entry(node, key.removeprefix("eval_"))
            if found is not None:
                return self._assigned(found)
        return returned.lineno

    def put(self, argument: str, key: str) -> int | None:
        """The line that makes what the function answers under that key."""
        function = self.function(argument)
        for node in ast.walk(function) if function is not None else ():
            if (found := self._entry(node, key)) is not None:
                return self._tracing.made(found)
            if isinstance(node, ast.Call) and name_of(node.func) in ("append", "extend"):
                held = node.func.value if isinstance(node.func, ast.Attribute) else None
                if isinstance(held, ast.Subscript) and is_value(held.slice, key):
                    return node.lineno
        return None

    def compares(
        self, argument: str, *operators: type[ast.cmpop], value: object = None
    ) -> int | None:
        """The line of a comparison in the function, with that very number where one is given."""
        function = self.function(argument)
        if function is None:
            return None
        return next(
            (
                node.lineno
                for node in ast.walk(function)
                if isinstance(node, ast.Compare)
                and isinstance(node.ops[0], operators)
                and (
                    value is None
                    or is_value(node.comparators[0], value)
                    or is_value(node.left, value)
                )
            ),
            None,
        )

    def calls(self, argument: str, name: str) -> int | None:
        """The first call of that name in the function."""
        function = self.function(argument)
        parts = ast.walk(function) if function is not None else ()
        return next(
            (n.lineno for n in parts if isinstance(n, ast.Call) and name_of(n.func) == name), None
        )

    def largest_looked_for(self, argument: str) -> tuple[int, int | None] | None:
        """Where the function looks for the largest of its answers, and along which axis; None for
        the largest of all."""
        function = self.function(argument)
        for node in ast.walk(function) if function is not None else ():
            if not isinstance(node, ast.Call) or name_of(node.func) != "argmax":
                continue
            named = [k.value for k in node.keywords if k.arg in ("axis", "dim")]
            of_module = owner_of(node) in ("np", "numpy", "torch", "jnp", "tf")
            told = named or node.args[int(of_module) :]
            axis = self._tracing.constant(told[0]) if told else None
            if not told or (axis is not None and isinstance(axis.value, int)):
                return node.lineno, None if axis is None else int(str(axis.value))
        return None

    def answers_taken(self, argument: str) -> int | None:
        """Where the function takes all predictions that it is given, as they come."""
        function = self.function(argument)
        given = [one.arg for one in function.args.args[-1:]] if function is not None else []
        for node in ast.walk(function) if function is not None else ():
            for target, value in assigned(node):
                whole = isinstance(value, ast.Attribute) and value.attr == "predictions"
                apart = isinstance(target, ast.Tuple) and name_of(value) in given
                if whole or (apart and isinstance(value, ast.Name)):
                    return value.lineno
        return None

    def before(self, line: int | None) -> int | None:
        """Where the answers that a call at a line hands on were made, in the function around it.

        What is only taken apart, such as `logits, labels = given`, is made elsewhere.
        """
        for call in self._calls:
            if stands_at(call, line):
                handed = [*call.args, *(k.value for k in call.keywords)]
                names = [one for one in handed if isinstance(one, ast.Name)]
                made = [found[-1][0] for one in names if (found := self._tracing.local(one))]
                if made:
                    return max(made)
        return self._compared(line) or line

    def called_answers(self, line: int | None) -> int | None:
        """Where what a call at a line hands on was only taken apart, and called an answer there:
        `predictions, labels = given`."""
        for call in (one for one in self._calls if stands_at(one, line)):
            handed = [*call.args, *(k.value for k in call.keywords)]
            for one in (n for n in handed if isinstance(n, ast.Name) and _ANSWERS.match(n.id)):
                made = self._tracing.unpacked(one)
                if made and all(place is not None for _, _, place in made):
                    return made[-1][0]
        return None

    def taken_over(self, line: int | None, field: str) -> int | None:
        """Where what a call at a line is given was taken from such a field as it was."""
        for call in (one for one in self._calls if one.lineno == line):
            names = [one for one in call.args if isinstance(one, ast.Name)]
            made = [found[-1] for one in names if (found := self._tracing.local(one))]
            for at, value in made:
                if isinstance(value, ast.Attribute) and value.attr == field:
                    return at
        return None

    def _compared(self, line: int | None) -> int | None:
        """Where what a comparison at a line compares was made."""
        held = [one for one in self._comparisons if one.lineno == line]
        names = [n for one in held for n in (one.left, *one.comparators) if isinstance(n, ast.Name)]
        made = [found[-1][0] for one in names if (found := self._tracing.local(one))]
        return max(made, default=None)

    def dealing(self, argument: str) -> int | None:
        """The first call in the function that puts one list of several into another order."""
        return next(filter(None, (self.calls(argument, name) for name in DEALS)), None)

    def reshaping(self, argument: str) -> int | None:
        """The first call in the function that turns or cuts a tensor into another shape."""
        return next(filter(None, (self.calls(argument, name) for name in RESHAPES)), None)

    def picked(self, argument: str, key: str) -> int | None:
        """Where the places are picked out that the number of that name counts."""
        function = self.function(argument)
        for node in ast.walk(function) if function is not None else ():
            found = self._entry(node, key.removeprefix("eval_"))
            for part in ast.walk(found) if found is not None else ():
                place = part.slice if isinstance(part, ast.Subscript) else None
                made = self._tracing.local(place) if isinstance(place, ast.Name) else []
                if made:
                    return made[-1][0]
        return self._filtering(function)

    def flattening(self, argument: str) -> bool:
        """Whether the function knows that each answer is a row of one, and takes it out of that.
        To lay all end to end takes nothing for granted."""
        function = self.function(argument)
        parts = [] if function is None else list(ast.walk(function))
        squeezes = any(isinstance(n, ast.Call) and name_of(n.func) == "squeeze" for n in parts)
        taken = (ast.unparse(one.slice) for one in parts if isinstance(one, ast.Subscript))
        return squeezes or any(one.endswith(", 0)") for one in taken)

    def left_whole(self, argument: str) -> int | None:
        """Where what goes beside something is used whole, of which some places are left out."""
        function = self.function(argument)
        for loop in ast.walk(function) if function is not None else ():
            if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Tuple):
                continue
            inside = [part for one in loop.body for part in ast.walk(one)]
            taken = {
                name_of(part.value)
                for part in inside
                if isinstance(part, ast.Subscript) and self._is_picking(part.slice)
            }
            for beside in loop.target.elts:
                uses = [
                    p.lineno for p in inside if isinstance(p, ast.Name) and p.id == name_of(beside)
                ]
                if taken & set(map(name_of, loop.target.elts)) and name_of(beside) not in taken:
                    return min(uses, default=None)
        return None

    def gone_through_whole(self, argument: str) -> int | None:
        """Where all of something is gone through, and of what goes beside it only some places."""
        function = self.function(argument)
        rounds = (ast.For, ast.comprehension)
        parts = list(ast.walk(function)) if function is not None else []
        lists = [n for n in parts if isinstance(n, ast.ListComp) and len(n.generators) == 1]
        for pair in (n.target for n in parts if isinstance(n, rounds)):
            names = [name_of(one) for one in getattr(pair, "elts", [])]
            each = [(one.lineno, one.generators[0]) for one in lists]
            whole = [(at, one) for at, one in each if name_of(one.iter) in names and not one.ifs]
            picked = [one.iter for _, one in each if one.ifs or isinstance(one.iter, ast.Subscript)]
            if whole and any(name_of(getattr(one, "value", one)) in names for one in picked):
                return whole[0][0]
        return None

    def _is_picking(self, place: ast.expr) -> bool:
        made = self._tracing.local(place) if isinstance(place, ast.Name) else []
        return bool(made) and isinstance(made[-1][1], ast.Compare)

    def _filtering(self, function: Function | None) -> int | None:
        """The first comparison whose answer picks places out."""
        for node in ast.walk(function) if function is not None else ():
            place = node.slice if isinstance(node, ast.Subscript) else None
            if isinstance(place, ast.Name) and self._is_picking(place):
                return self._tracing.local(place)[-1][0]
        return None

    def without_answer(self, name: str) -> int | None:
        """Where a function of that name comes to its end and has returned nothing."""
        for function in self._functions:
            last = function.body[-1]
            if function.name == name and not isinstance(last, ast.Return | ast.Raise):
                return last.lineno
        return None

    def sharing(self, argument: str) -> int | None:
        """Where the function makes shares of a whole: by softmax, or by dividing by a sum."""
        function = self.function(argument)
        for node in ast.walk(function) if function is not None else ():
            if isinstance(node, ast.Call) and name_of(node.func) == "softmax":
                return node.lineno
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                by = node.right
                if isinstance(by, ast.Call) and name_of(by.func) == "sum":
                    return node.lineno
        return None

    def _assigned(self, value: ast.expr) -> int:
        found = self._tracing.local(value) if isinstance(value, ast.Name) else []
        return found[-1][0] if found else value.lineno
