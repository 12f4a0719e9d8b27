"""Where the layers of a Keras model are written."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from functools import cached_property

from debugger.script.functions import Functions
from debugger.script.tracing import Function, is_true, name_of

_WEIGHTED = (
    *("Dense", "EinsumDense", "Embedding", "MultiHeadAttention", "LSTM", "GRU", "SimpleRNN"),
    *("Conv1D", "Conv2D", "Conv3D", "Conv1DTranspose", "Conv2DTranspose", "SeparableConv2D"),
    *("DepthwiseConv2D", "BatchNormalization", "LayerNormalization", "Bidirectional"),
)
_SCALES = ("Rescaling", "Normalization", "preprocess_input")
_SQUASHING = ("sigmoid", "tanh", "softmax", "hard_sigmoid", "softsign")
_TURNING = ("RandomRotation", "RandomFlip")
_OWNERS = ("tf.", "layers.", "keras.", "K.", "ops.")
_REDUCES = ("reduce_mean", "reduce_sum", "reduce_max", "softmax", "l2_normalize", "mean", "sum")
_SHAPES = ("reshape", "transpose", "roll", "reverse", "Permute", "Reshape")
_MADE = ("__init__", "build")
_STEPS = ("train_step", "test_step", "predict_step")
_RECURRENT = ("LSTM", "GRU", "SimpleRNN")
_PLACES = {
    ("", "units"): 0,
    ("", "rate"): 0,
    ("Dense", "activation"): 1,
    ("Activation", "activation"): 0,
}
"""Where a layer of a class, or any, is told what it may be told without a name."""
_SHAPED = ("input_shape", "shape")


class Layers(Functions):
    """Finds the line to blame in what only scripts of Keras have."""

    @cached_property
    def _layers(self) -> set[str]:
        return {one.name for one in self._classes if any(_is_base(base) for base in one.bases)}

    def made_in_call(self) -> int | None:
        """The first layer that a model or a layer makes when it is called, not when it is made."""
        methods = [
            part
            for one in self._classes
            if any(isinstance(part, Function) and part.name == "call" for part in one.body)
            for part in one.body
            if isinstance(part, Function) and part.name not in _MADE
        ]
        methods.sort(key=lambda one: one.name != "call")
        made = [n for one in methods for n in ast.walk(one) if isinstance(n, ast.Call)]
        heavy = [n.lineno for n in made if name_of(n.func) in (*_WEIGHTED, *self._layers)]
        return next(iter(heavy), None) or next((n.lineno for n in made if _is_layer(n)), None)

    def scaling(self) -> int | None:
        """The last layer of a model's that brings what it is given to another scale."""
        found = [call.lineno for call in self._calls if name_of(call.func) in _SCALES]
        own = [part for one in self._functions if one.name == "call" for part in ast.walk(one)]
        own += [
            part
            for call in self._calls
            if name_of(call.func) == "Lambda"
            for part in ast.walk(call)
        ]
        found += [n.lineno for n in own if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)]
        return max(found, default=None)

    def begun(self) -> int | None:
        """The first line that has a layer begin with one and the same number everywhere."""
        given = [
            k.value
            for call in self._calls
            for k in call.keywords
            if (k.arg or "").endswith("initializer") and not (k.arg or "").startswith("bias")
        ]
        return min((one.lineno for one in given if _is_constant(one)), default=None)

    def measured(self) -> int | None:
        """Where what `evaluate` answers is taken apart, or else the last line that asks it."""
        found = [call.lineno for call in self._calls if name_of(call.func) == "evaluate"]
        return max(found, default=None)

    def mixing(self) -> int | None:
        """Where a model takes the axis of the rows for another: axis 0, or another shape."""
        of_model = [c for c in self._calls if ast.unparse(c.func).startswith(_OWNERS)]
        along = [
            k.value.lineno
            for call in of_model
            for k in call.keywords
            if k.arg in ("axis", "axes", "perm")
            and isinstance(k.value, ast.Constant)
            and k.value.value == 0
        ]
        along += [
            call.lineno
            for call in of_model
            if name_of(call.func) in _REDUCES
            and len(call.args) > 1
            and ast.unparse(call.args[1]) == "0"
        ]
        shaped = [call.lineno for call in of_model if name_of(call.func) in _SHAPES]
        return min(along or shaped, default=None)

    def inputs_taken(self) -> int | None:
        """Where a model is told what goes in and what comes out."""
        made = [c.lineno for c in self._calls if name_of(c.func) == "Model" and len(c.args) > 1]
        made += [self.keyword("inputs") or 0]
        return max(made) or None

    def turning(self) -> int | None:
        """The first layer that turns, mirrors or moves pictures at random."""
        found = [call.lineno for call in self._calls if name_of(call.func) in _TURNING]
        return min(found, default=None)

    def squashed(self) -> int | None:
        """The first layer that squashes what it is given, where there are several."""
        words = [
            given
            for call in self._calls
            for given in (*call.args, *(k.value for k in call.keywords if k.arg == "activation"))
            if isinstance(given, ast.Constant | ast.Attribute)
        ]
        found = [one.lineno for one in words if _says(one) in _SQUASHING]
        return min(found, default=None)

    def keeping_last(self, refused: str, line: int | None) -> int | None:
        """The nearest layer before the one that `refused` which keeps its last state alone."""
        made = [call for call in self._calls if name_of(call.func)[:1].isupper()]
        kind, _, number = refused.rpartition("_")
        kind, place = (kind, int(number)) if number.isdigit() else (refused, 0)
        alike = [one for one in made if _snake(name_of(one.func)) == kind]
        alike = alike[place:] or alike[-1:]  # there may have been others, before this model
        end = (alike[0].lineno, alike[0].col_offset) if alike else (line or 0, 0)
        before = [c for c in made if name_of(c.func) in _RECURRENT]
        alone = [c for c in before if not any(map(_returns_all, c.keywords))]
        return max((c.lineno for c in alone if (c.lineno, c.col_offset) < end), default=None)

    def called(self, name: str) -> int | None:
        """Where the layer is made that Keras calls so: by that name, or as that one of its kind."""
        made = [call for call in self._calls if name_of(call.func)[:1].isupper()]
        named = [(c, k.value) for c in made for k in c.keywords if k.arg == "name"]
        told = [c.lineno for c, one in named if isinstance(one, ast.Constant) and one.value == name]
        kind, _, number = name.rpartition("_")
        kind, place = (kind, int(number)) if number.isdigit() else (name, 0)
        alike = [one.lineno for one in made if _snake(name_of(one.func)) == kind]
        return next(iter([*told, *sorted(alike)[place:]]), None)

    def shaped(self, shape: Sequence[int]) -> int | None:
        """Where a model is told that its rows have that shape."""
        given = [k.value for c in self._calls for k in c.keywords if k.arg in _SHAPED]
        given += [c.args[0] for c in self._calls if name_of(c.func) == "Input" and c.args]
        tuples = [one for one in given if isinstance(one, ast.Tuple)]
        for one in (each for each in tuples if len(each.elts) == len(shape)):
            told = [self._tracing.valued(part) for part in one.elts]
            if all(at is None or at[1] == size for at, size in zip(told, shape, strict=True)):
                return one.lineno
        return None

    def given_kind(self, line: int, wanted: Callable[[ast.expr], bool]) -> ast.keyword | None:
        """The one argument of that kind that a call at a line is given by name."""
        spans = [c for c in self._calls if c.lineno <= line <= (c.end_lineno or c.lineno)]
        named = [k for c in spans for k in c.keywords if k.arg and wanted(k.value)]
        return named[0] if len(named) == 1 else None

    def always_training(self) -> int | None:
        """The first layer of a model that is told training=True, or the phase that is set."""
        steps = {part for one in self._functions if one.name in _STEPS for part in ast.walk(one)}
        told = [
            call.lineno
            for call in self._calls
            if call not in steps and name_of(call.func) not in ("self", "model", "call")
            for keyword in call.keywords
            if keyword.arg == "training" and is_true(keyword.value)
        ]
        phase = [c.lineno for c in self._calls if name_of(c.func) == "set_learning_phase"]
        return min(told or phase, default=None)

    def says(self, word: str, line: int) -> bool:
        """Whether that word, or that name, stands at a line."""
        held = (n for call in self._calls for n in ast.walk(call) if isinstance(n, ast.expr))
        return any(n.lineno == line and _says(n) == word for n in held)

    def made_at(self, kind: str, line: int) -> ast.Call | None:
        """The call at a line that makes a layer of that class, unless a library does so there."""
        spans = [c for c in self._calls if c.lineno <= line <= (c.end_lineno or c.lineno)]
        return next((call for call in spans if name_of(call.func) == kind), None)

    def given_at(self, kind: str, line: int, name: str) -> int:
        """Where the layer of that class which is made at a line is told what has that name; where
        it is not told, the line that makes it."""
        call = self.made_at(kind, line)
        if call is None:
            return line
        named = [k.value for k in call.keywords if k.arg == name]
        place = _PLACES.get((kind, name), _PLACES.get(("", name), len(call.args)))
        found = (self._tracing.setting(g) or g.lineno for g in named or call.args[place:][:1])
        return next(found, call.lineno)

    def switched_on(self, name: str) -> int | None:
        """The last line that says True to an argument of that name."""
        given = [k.value for call in self._calls for k in call.keywords if k.arg == name]
        found = [value.lineno for value in given if is_true(value)]
        return max(found, default=None)

    def switched_off(self, name: str) -> int | None:
        """The first line that says None to an argument of that name."""
        given = [k.value for call in self._calls for k in call.keywords if k.arg == name]
        found = [v.lineno for v in given if isinstance(v, ast.Constant) and v.value is None]
        return min(found, default=None)

    def penalised(self) -> int | None:
        """Where the factor of the first regularizer is written."""
        for call in self._calls:
            for given in (k.value for k in call.keywords if (k.arg or "").endswith("regularizer")):
                factors = (
                    [*given.args, *(k.value for k in given.keywords)]
                    if isinstance(given, ast.Call)
                    else [given]
                )
                found = (self._tracing.setting(one) for one in factors)
                return next(filter(None, found), None) or given.lineno
        return None

    def keyword(self, name: str) -> int | None:
        """The line that hands a keyword argument of that name over, wherever its value stands."""
        given = (k.value.lineno for call in self._calls for k in call.keywords if k.arg == name)
        return next(given, None)


def _is_constant(given: ast.expr) -> bool:
    if isinstance(given, ast.Constant):
        return str(given.value).lower() in ("zeros", "ones", "zero", "one", "constant")
    name = name_of(given.func if isinstance(given, ast.Call) else given)
    return name.lower() in ("zeros", "ones", "constant")


def _snake(name: str) -> str:
    """As Keras names a layer by its class: `lstm`, `global_max_pooling1d`."""
    apart = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", apart).lower()


def _returns_all(keyword: ast.keyword) -> bool:
    return keyword.arg == "return_sequences" and is_true(keyword.value)


def _says(given: ast.expr) -> str:
    """The word, or the name, that stands there."""
    return str(given.value) if isinstance(given, ast.Constant) else name_of(given)


def _is_base(base: ast.expr) -> bool:
    return name_of(base) in ("Layer", "Model")


def _is_layer(call: ast.Call) -> bool:
    """`layers.Anything(...)`."""
    owner = getattr(call.func, "value", None)
    return name_of(call.func)[:1].isupper() and owner is not None and name_of(owner) == "layers"
