"""The functions that a script hands over: to measure, to collate, to make a loss."""

from __future__ import annotations

import ast
import re

from debugger.script.tracing import Function, Tracing, assigned, name_of, owner_of, stands_at

_SHAPES = ("reshape", "view", "Reshape")
_WHOLE = ("int", "uint8", "long", "byte")
_CUTS = ("detach", "item", "numpy", "tolist", "argmax", "no_grad", "inference_mode", "data")
_MAKES = ("tensor", "as_tensor", "Tensor", "FloatTensor", "Variable", "Parameter", "full")
_DEALS = ("permutation", "shuffle", "sample", "shuffled", "sorted", "reversed")
_PREPARES = ("map", "with_transform", "set_transform")
_FLATTENS = ("relu", "relu_", "clamp", "clip", "round", "sign", "threshold", "ReLU")
_RESHAPES = ("view", "reshape", "transpose", "permute", "swapaxes", "chunk", "split")
_SCALES = (
    *("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "square", "power", "cbrt"),
    *("inverse_transform", "transform", "sinh", "arcsinh"),
)
_BACK = re.compile(r"inverse|unscale|denorm|unnorm|destandard|unstandard|descale", re.I)
_DEVIATION = re.compile(r"(^|_)(std|sd|sigma|stddev|scale_|var_)(_|$)|^(scale|var)_$", re.I)
_ANSWERS = re.compile(r"pred|answer|guess", re.I)
_TARGETS = re.compile(r"(^|_)(y|targets?|labels?)(_|$)", re.I)
_LOSSES = ("compute_loss", "forward", "training_step", "__call__")


class Handed:
    """Looks into the functions of a script for the line that makes what they answer."""

    def __init__(self, tree: ast.Module, tracing: Tracing) -> None:
        self._tracing = tracing
        self._functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
        self._classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        self._dicts = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
        self._divisions = [node for node in ast.walk(tree) if isinstance(node, ast.BinOp)]
        self._comparisons = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
        self._assignments = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
        self._calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        self._changes = [node for node in ast.walk(tree) if isinstance(node, ast.AugAssign)]
        self._bare = [node for node in ast.walk(tree) if isinstance(node, ast.Expr)]

    def function(self, argument: str) -> Function | None:
        """What an argument such as compute_metrics is given: by name, by `partial`, ready made."""
        given = [k.value for c in self._calls for k in c.keywords if k.arg == argument]
        return self._behind(given[-1]) if given else None

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
                if isinstance(held, ast.Subscript) and _is(held.slice, key):
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
                and (value is None or _is(node.comparators[0], value) or _is(node.left, value))
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
        return next(filter(None, (self.calls(argument, name) for name in _DEALS)), None)

    def reshaping(self, argument: str) -> int | None:
        """The first call in the function that turns or cuts a tensor into another shape."""
        return next(filter(None, (self.calls(argument, name) for name in _RESHAPES)), None)

    def cut_off(self) -> int | None:
        """The line that takes a loss from the graph, in what a training step runs through.

        A tensor that is made anew as one to learn is surely none of a graph. What is only printed
        or logged takes nothing away.
        """
        made = [line for line in self._stepping(_MAKES) if line in self._learnt()]
        said = {line for line in self._stepping(_CUTS) if line not in self._only_said()}
        return min(made, default=None) or min(said, default=None)

    def cut_at(self, line: int | None) -> str:
        """What takes a loss from the graph at a line, as it is written there."""
        for node in (n for function in self._functions for n in ast.walk(function)):
            name = name_of(getattr(node, "func", node)) if isinstance(node, ast.Call) else ""
            if getattr(node, "lineno", None) == line and name in (*_MAKES, *_CUTS):
                return ast.unparse(node)
        return ""

    def _learnt(self) -> set[int]:
        """The lines that make something with requires_grad=True."""
        return {c.lineno for c in self._calls for k in c.keywords if k.arg == "requires_grad"}

    def _only_said(self) -> set[int]:
        """The lines of statements that keep nothing of what they call, such as print and log."""
        spans = [range(node.lineno, (node.end_lineno or node.lineno) + 1) for node in self._bare]
        return {line for span in spans for line in span}

    def squashing(self) -> int | None:
        """The last line of a training step's that makes probabilities."""
        return max(self._stepping(("softmax", "sigmoid", "Softmax", "Sigmoid")), default=None)

    def softmax_layer(self) -> int | None:
        """Where a softmax stands as the last of the layers in a row."""
        rows = [c for c in self._calls if name_of(c.func) == "Sequential" and c.args]
        last = (c.args[-1] for c in rows)
        found = (one for one in last if isinstance(one, ast.Call))
        return next((c.lineno for c in found if name_of(c.func) in ("Softmax", "Sigmoid")), None)

    def ending(self, *names: str) -> int | None:
        """The last line of a training step's that calls one of these."""
        return max(self._stepping(names), default=None)

    def using_loss(self) -> int | None:
        """Where a loss that was made beforehand and kept, as `self.loss`, is asked."""
        kept = {
            name_of(target)
            for node in self._assignments
            if isinstance(node.value, ast.Call) and name_of(node.value.func).endswith("Loss")
            for target in node.targets
            if isinstance(target, ast.Attribute)
        }
        return next((c.lineno for c in self._calls if name_of(c.func) in kept), None)

    def flat(self) -> int | None:
        """The last line of a training step's that makes one and the same of many numbers."""
        return max(self._stepping(_FLATTENS), default=None)

    def _stepping(self, names: tuple[str, ...]) -> list[int]:
        """The lines that call something of that name in what a training step runs through."""
        loss = self.function("compute_loss_func")
        return [
            node.lineno
            for function in self._functions
            if function.name in _LOSSES or function is loss
            for node in ast.walk(function)
            if isinstance(node, ast.Call | ast.Attribute)
            and name_of(getattr(node, "func", node)) in names
        ]

    def masking(self) -> int | None:
        """Where what a model runs through makes another mask of the mask that it is given."""
        made = [
            node
            for function in self._functions
            if function.name in _LOSSES
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            and any("mask" in name_of(target) for target in node.targets)
            and "mask" in ast.unparse(node.value)
        ]
        turned = [node for node in made if _turns(node.value)]
        return next((node.lineno for node in (*turned, *made)), None)

    def pooling(self) -> int | None:
        """Where it makes one of the numbers of all positions."""
        return min(
            self._stepping(("mean", "sum", "max", "amax", "AdaptiveAvgPool1d")), default=None
        )

    def turning(self) -> int | None:
        """Where a training step brings a tensor into another shape."""
        return min(self._stepping((*_RESHAPES, "mean", "sum", "softmax", "expand")), default=None)

    def repeating(self, key: str) -> int | None:
        """A list under that key whose entries do not go by what is gone through: all are one."""
        for node in self._dicts:
            for name, value in zip(node.keys, node.values, strict=True):
                if not _is(name, key):
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

    def flattening(self, argument: str) -> bool:
        """Whether the function knows that each answer is a row of one, and takes it out of that.
        To lay all end to end takes nothing for granted."""
        function = self.function(argument)
        parts = [] if function is None else list(ast.walk(function))
        squeezes = any(isinstance(n, ast.Call) and name_of(n.func) == "squeeze" for n in parts)
        taken = (ast.unparse(one.slice) for one in parts if isinstance(one, ast.Subscript))
        return squeezes or any(one.endswith(", 0)") for one in taken)

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
                if isinstance(node, ast.Call) and name_of(node.func) in _DEALS:
                    return node.lineno
                if isinstance(node, ast.Slice) and node.step is not None:
                    return node.lineno
        return None

    def shuffled(self) -> int | None:
        """The first call that puts one list of several into another order."""
        return next((call.lineno for call in self._calls if name_of(call.func) in _DEALS), None)

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

    def dividing(self) -> int | None:
        """The last line that divides by the largest number of a byte."""
        return max(
            (node.lineno for node in self._divisions if _by_byte(node)),
            default=None,
        )

    def reshaped(self, shape: tuple[int, ...]) -> int | None:
        """The last line that gives something that shape, or a batch of it."""
        asked = (call for call in self._calls if name_of(call.func) in _SHAPES)
        return max((call.lineno for call in asked if _gives(call, shape)), default=None)

    def rounding(self) -> int | None:
        """The first line that brings bytes to whole numbers between 0 and 1, which leaves next to
        nothing of them."""
        cut = [n for n in self._divisions if isinstance(n.op, ast.FloorDiv) and _by_byte(n)]
        cast = [c for c in self._calls if name_of(c.func) in _WHOLE or to_whole(c)]
        held = [c for c in cast if any(_by_byte(part) for part in ast.walk(c))]
        return min((node.lineno for node in (*cut, *held)), default=None)

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
            return next((v for k, v in pairs if _is(k, key)), None)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            return node.value if _is(node.targets[0].slice, key) else None
        if isinstance(node, ast.Call) and name_of(node.func) == "dict":
            return next((k.value for k in node.keywords if k.arg == key), None)
        return None

    def _assigned(self, value: ast.expr) -> int:
        found = self._tracing.local(value) if isinstance(value, ast.Name) else []
        return found[-1][0] if found else value.lineno


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


def _gives(call: ast.Call, shape: tuple[int, ...]) -> bool:
    """As far as numbers are written there: others may come out as any."""
    held = next((one.elts for one in call.args if isinstance(one, ast.Tuple | ast.List)), call.args)
    of_batch = len(held) == len(shape) + 1
    sizes = held[of_batch:]
    written = [one.value if isinstance(one, ast.Constant) else None for one in sizes]
    fits = (a in (None, b) for a, b in zip(written, shape, strict=False))
    return len(sizes) == len(shape) and all(fits)


def to_whole(call: ast.Call) -> bool:
    """`astype(int)`, `to(torch.uint8)`, `array(..., dtype="int64")` and the like."""
    asked = [*call.args[:1]] if name_of(call.func) in ("astype", "to", "type") else []
    asked += [k.value for k in call.keywords if k.arg == "dtype"]
    said = [one.value if isinstance(one, ast.Constant) else name_of(one) for one in asked]
    return any(str(one).startswith(("int", "uint", "long")) for one in said)


def _turns(node: ast.expr) -> bool:
    """`1 - mask`, `~mask`, `mask == 0` and the like."""
    parts = list(ast.walk(node))
    minus = (p for p in parts if isinstance(p, ast.BinOp) and isinstance(p.op, ast.Sub))
    turned = any(_is(one.left, 1) or _is(one.left, 1.0) for one in minus)
    inverted = any(isinstance(p, ast.UnaryOp) and isinstance(p.op, ast.Invert) for p in parts)
    return turned or inverted or any(isinstance(p, ast.Compare) for p in parts)


def _goes_by_it(made: ast.ListComp) -> bool:
    given = {
        n.id for one in made.generators for n in ast.walk(one.target) if isinstance(n, ast.Name)
    }
    return any(isinstance(part, ast.Name) and part.id in given for part in ast.walk(made.elt))


def _is(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value == value
