"""Where the loss of a Keras training, and a step of one's own, are written."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from debugger.script.functions import Functions
from debugger.script.loops import calls_in
from debugger.script.tracing import Function, last, name_of

_CUTS = (
    *("round", "rint", "floor", "ceil", "sign", "argmax", "argmin", "stop_gradient"),
    *("numpy", "py_function", "numpy_function", "greater", "less", "equal", "greater_equal"),
)
_TURNS = (
    *("squeeze", "expand_dims", "reshape", "transpose", "ravel", "flatten", "repeat", "tile"),
    "swapaxes",
)
Body = ast.Lambda | Function


class Losses(Functions):
    """Looks into what `compile` is given as its loss, and into what a model trains by itself."""

    def cutting(self) -> int | None:
        """The line of a loss, or of a training step of one's own, that no gradient gets through."""
        for body in (*self._losses(), *self._own("train_step"), *self._own("call")):
            if (line := _first(body, _CUTS, ast.Compare)) is not None:
                return line
        return None

    def untaped(self) -> int | None:
        """Where a training step makes the loss that it asks a tape about, outside of that."""
        for step in self._own("train_step"):
            taped = {
                part
                for node in ast.walk(step)
                if isinstance(node, ast.With) and any(map(_opens_tape, node.items))
                for part in ast.walk(node)
            }
            asked = {
                call.args[0].id
                for call in _gradients(step)
                if call.args and isinstance(call.args[0], ast.Name)
            }
            made = [
                (node, leaf.id)
                for node in ast.walk(step)
                if isinstance(node, ast.Assign)
                for target in node.targets
                for leaf in ast.walk(target)
                if isinstance(leaf, ast.Name) and leaf.id in asked
            ]
            seen = {name for node, name in made if node in taped}
            outside = [n.lineno for n, name in made if name not in seen and n not in taped]
            if taped and outside:
                return min(outside)
        return None

    def unapplied(self) -> int | None:
        """Where a training step asks for gradients, in a script that applies none."""
        steps = self._own("train_step")
        applied = any(name_of(c.func) in ("apply_gradients", "minimize") for c in self._calls)
        found = [call.lineno for step in steps for call in _gradients(step)]
        return None if applied else next(iter(found), None)

    def part_alone(self) -> int | None:
        """The one line of a training step that asks for gradients, where it asks for those of a
        part of the model, as in `tape.gradient(loss, self.head.trainable_weights)`."""
        asked = [call for step in self._own("train_step") for call in _gradients(step)]
        if len(asked) != 1 or len(asked[0].args) < 2:
            return None
        wanted = asked[0].args[1]
        whose = wanted.value if isinstance(wanted, ast.Attribute) else None
        of_part = isinstance(whose, ast.Attribute) and name_of(whose.value) == "self"
        weights = of_part and name_of(wanted) in ("trainable_weights", "trainable_variables")
        return asked[0].lineno if weights else None

    def negating(self) -> int | None:
        """Where a loss of the script's own turns a sign."""
        parts = (part for body in self._losses() for part in ast.walk(body))
        turned = (p for p in parts if isinstance(p, ast.UnaryOp) and isinstance(p.op, ast.USub))
        found = (one.lineno for one in turned if not isinstance(one.operand, ast.Constant))
        return next(found, None)

    def in_loss(self, *names: str) -> int | None:
        """The line of the loss's own that calls something of that name."""
        return next(
            (
                part.lineno
                for body in self._losses()
                for part in ast.walk(body)
                if isinstance(part, ast.Call) and name_of(part.func).lower() in names
            ),
            None,
        )

    def turned(self) -> int | None:
        """Where a loss of the script's own brings what it is given into another shape."""
        for body in self._losses():
            if (line := _first(body, _TURNS, ast.Subscript)) is not None:
                return line
        return None

    def _losses(self) -> Iterator[Body]:
        """What `compile` is given as its loss, where the script wrote it."""
        for call in (one for one in self._calls if last(one.func) == "compile"):
            named = [k.value for k in call.keywords if k.arg == "loss"]
            for given in named or call.args[1:2]:
                found = self._body(given)
                if found is not None:
                    yield found

    def _body(self, given: ast.expr) -> Body | None:
        if isinstance(given, ast.Lambda):
            return given
        name = name_of(given.func if isinstance(given, ast.Call) else given)
        own = next((one for one in self._functions if one.name == name), None)
        if isinstance(given, ast.Call):
            kind = next((one for one in self._classes if one.name == name), None)
            methods = [] if kind is None else [m for m in kind.body if isinstance(m, Function)]
            method = next((one for one in methods if one.name == "call"), None)
            returned = None if own is None else self._tracing.returned(own)
            return method or (None if returned is None else self._body(returned))
        if own is None and isinstance(given, ast.Name):
            made = self._tracing.local(given)
            return self._body(made[-1][1]) if made and made[-1][1] is not given else None
        return own


def _opens_tape(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and name_of(call.func) == "GradientTape"


def _gradients(step: ast.AST) -> list[ast.Call]:
    calls = [node for node in ast.walk(step) if isinstance(node, ast.Call)]
    return [call for call in calls if name_of(call.func) == "gradient"]


def _first(body: Body, names: Collection[str], kind: type[ast.AST]) -> int | None:
    """The first line that calls one of these, else the first that holds a part of that kind."""
    calls = [call.lineno for call in calls_in([body], *names)]
    held = [n.lineno for n in ast.walk(body) if isinstance(n, kind) and isinstance(n, ast.expr)]
    return min(calls or held, default=None)
