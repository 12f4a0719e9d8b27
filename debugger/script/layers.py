"""Where the layers, the loss and the batches of a Keras training are written."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from debugger.script.labelling import CALLED
from debugger.script.tracing import Function, Tracing, is_true, last, name_of, names_in

_WEIGHTED = (
    *("Dense", "EinsumDense", "Embedding", "MultiHeadAttention", "LSTM", "GRU", "SimpleRNN"),
    *("Conv1D", "Conv2D", "Conv3D", "Conv1DTranspose", "Conv2DTranspose", "SeparableConv2D"),
    *("DepthwiseConv2D", "BatchNormalization", "LayerNormalization", "Bidirectional"),
)
_SCALES = ("Rescaling", "Normalization", "preprocess_input")
VECTORS = ("to_categorical", "one_hot", "get_dummies", "label_binarize", "eye")
_CATEGORIES = ("label_mode", "class_mode")
_CUTS = (
    *("round", "rint", "floor", "ceil", "sign", "argmax", "argmin", "stop_gradient"),
    *("numpy", "py_function", "numpy_function", "greater", "less", "equal", "greater_equal"),
)
_TURNS = (
    *("squeeze", "expand_dims", "reshape", "transpose", "ravel", "flatten", "repeat", "tile"),
    "swapaxes",
)
_SQUASHING = ("sigmoid", "tanh", "softmax", "hard_sigmoid", "softsign")
_BAGS = ("multi_hot", "count", "tf_idf", "tf-idf", "tfidf", "binary", "freq", "one_hot")
_BAGGING = (
    *("texts_to_matrix", "sequences_to_matrix", "MultiLabelBinarizer", "CountVectorizer"),
    *("TfidfVectorizer", "HashingVectorizer", "CategoryEncoding", "to_categorical", "one_hot"),
)
_TURNING = ("RandomRotation", "RandomFlip")
_OWNERS = ("tf.", "layers.", "keras.", "K.", "ops.")
_REDUCES = ("reduce_mean", "reduce_sum", "reduce_max", "softmax", "l2_normalize", "mean", "sum")
_SHAPES = ("reshape", "transpose", "roll", "reverse", "Permute", "Reshape")
_TURNED_BY = ("rotation_range", "horizontal_flip", "vertical_flip")
_WINDOWS = ("timeseries_dataset_from_array", "TimeseriesGenerator")
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
Body = ast.Lambda | Function


class Layers:
    """Finds the line to blame in what only scripts of Keras have."""

    def __init__(self, tree: ast.Module, tracing: Tracing) -> None:
        self._tracing = tracing
        self._classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        self._functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
        self._calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        self._assignments = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
        self._layers = {
            one.name for one in self._classes if any(_is_base(base) for base in one.bases)
        }

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

    def vectors(self, labels: int | None) -> int | None:
        """The line that makes vectors of class numbers: that of the `labels`, else the first.

        None where the script counts on them: it goes back from vectors to numbers elsewhere.
        """
        if any(map(_numbers_labels, self._calls)):
            return None
        made = [call.lineno for call in self._calls if name_of(call.func) in VECTORS]
        made += [
            k.value.lineno
            for call in self._calls
            for k in call.keywords
            if k.arg in _CATEGORIES
            and isinstance(k.value, ast.Constant)
            and k.value.value == "categorical"
        ]
        return labels if labels in made else min(made, default=None)

    def cutting(self) -> int | None:
        """The line of a loss, or of a training step of one's own, that no gradient gets through."""
        for body in (*self._losses(), *self._own("train_step"), *self._own("call")):
            parts = list(ast.walk(body))
            calls = [
                n.lineno for n in parts if isinstance(n, ast.Call) and name_of(n.func) in _CUTS
            ]
            held = [n.lineno for n in parts if isinstance(n, ast.Compare)]
            if calls or held:
                return min(calls or held)
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

    def bagging(self) -> int | None:
        """Where texts become rows with a place for each word."""
        given = [
            k.value.lineno
            for call in self._calls
            for k in call.keywords
            if k.arg in ("output_mode", "mode")
            and isinstance(k.value, ast.Constant)
            and k.value.value in _BAGS
        ]
        made = [call.lineno for call in self._calls if name_of(call.func) in _BAGGING]
        return min(given, default=None) or min(made, default=None)

    def targets_given(self) -> int | None:
        """Where windows are told what follows on them."""
        for call in self._calls:
            if name_of(call.func) in _WINDOWS:
                named = [k.value for k in call.keywords if k.arg == "targets"]
                for given in named or call.args[1:2]:
                    return given.lineno
        return None

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

    def turned(self) -> int | None:
        """Where a loss of the script's own brings what it is given into another shape."""
        for body in self._losses():
            parts = list(ast.walk(body))
            calls = [
                n.lineno for n in parts if isinstance(n, ast.Call) and name_of(n.func) in _TURNS
            ]
            taken = [n.lineno for n in parts if isinstance(n, ast.Subscript)]
            if calls or taken:
                return min(calls or taken)
        return None

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

    def unmoving(self) -> int | None:
        """Where the batch of a number is picked without that number: always the same rows."""
        for function in self._own("__getitem__"):
            given = [one.arg for one in function.args.args if one.arg != "self"]
            names = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
            if given and given[0] not in names:
                return next(_cuts(function), None)
        for function in self._functions:
            parts = list(ast.walk(function))
            if any(isinstance(part, ast.Yield) for part in parts):
                still = [part for part in parts if isinstance(part, ast.Subscript)]
                found = (one.lineno for one in still if _is_still(one, function))
                if (line := next(found, None)) is not None:
                    return line
        return None

    def paired(self) -> int | None:
        """Where what gives a batch by its number puts labels beside rows, or two data sets meet."""
        for function in self._own("__getitem__"):
            returned = self._tracing.returned(function)
            if isinstance(returned, ast.Tuple) and len(returned.elts) > 1:
                made = returned.elts[1]
                known = self._tracing.local(made) if isinstance(made, ast.Name) else []
                return known[-1][0] if known else made.lineno
        for call in self._calls:
            if ast.unparse(call.func).endswith(".zip"):
                return self._shuffled_apart(call) or call.lineno
        return None

    def _shuffled_apart(self, zipped: ast.Call) -> int | None:
        """Where the second of two sets that are zipped is shuffled by itself, as the first was."""
        given = {name for one in zipped.args for name in names_in(one)}
        found = {
            name_of(node.targets[0]): node.lineno
            for node in self._assignments
            if isinstance(node.value, ast.Call) and name_of(node.value.func) == "shuffle"
            if name_of(node.targets[0]) in given and node.lineno < zipped.lineno
        }
        return max(found.values()) if len(found) > 1 else None

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

    def batched_first(self) -> int | None:
        """Where rows are put into batches before anything shuffles them: whole batches move."""
        for call in (one for one in self._calls if name_of(one.func) == "shuffle"):
            held = call.func.value if isinstance(call.func, ast.Attribute) else None
            before = [
                node.value
                for node in self._assignments
                if isinstance(held, ast.Name) and node.lineno < call.lineno
                if name_of(node.targets[0]) == held.id
            ]
            for made in [held, *before[-1:]]:
                for part in ast.walk(made) if made is not None else ():
                    if isinstance(part, ast.Call) and name_of(part.func) == "batch":
                        return part.lineno
        return None

    def shuffled(self, name: str) -> int | None:
        """The line that shuffles the data set of that name, or else that makes it."""
        made = [
            node.value
            for node in self._assignments
            if any(ast.unparse(target) == name for target in node.targets)
        ]
        for call in (n for one in made for n in ast.walk(one) if isinstance(n, ast.Call)):
            if name_of(call.func) == "shuffle":
                return call.func.end_lineno
            for given in (k.value for k in call.keywords if k.arg == "shuffle"):
                return given.lineno
        inside = (
            one.lineno if self._makes_others(one) else self._shuffling_in(one)
            for one in made
            if isinstance(one, ast.Call)
        )
        return next(filter(None, inside), None) or (made[-1].lineno if made else None)

    def _makes_others(self, call: ast.Call) -> bool:
        """Whether a function that shuffles if it is told so makes other data sets as well."""
        own = next((one for one in self._functions if one.name == name_of(call.func)), None)
        told = own is not None and any(one.arg == "shuffle" for one in own.args.args)
        return told and sum(name_of(one.func) == name_of(call.func) for one in self._calls) > 1

    def _shuffling_in(self, call: ast.Call) -> int | None:
        """Of a function of the script's own that makes a data set."""
        own = (one for one in self._functions if one.name == name_of(call.func))
        parts = (part for one in own for part in ast.walk(one) if isinstance(part, ast.Call))
        return next((p.func.end_lineno for p in parts if name_of(p.func) == "shuffle"), None)

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

    def _own(self, name: str) -> list[Function]:
        return [one for one in self._functions if one.name == name]


def _opens_tape(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and name_of(call.func) == "GradientTape"


def _gradients(step: ast.AST) -> list[ast.Call]:
    calls = [node for node in ast.walk(step) if isinstance(node, ast.Call)]
    return [call for call in calls if name_of(call.func) == "gradient"]


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


def _numbers_labels(call: ast.Call) -> bool:
    """`y_test.argmax(axis=1)`, `np.argmax(labels, axis=1)`."""
    owner = getattr(call.func, "value", None)
    asked = [owner, *call.args[:1]] if name_of(call.func) == "argmax" else []
    return any(isinstance(one, ast.Name) and CALLED.fullmatch(one.id) for one in asked)


def _is_base(base: ast.expr) -> bool:
    return name_of(base) in ("Layer", "Model")


def _is_layer(call: ast.Call) -> bool:
    """`layers.Anything(...)`."""
    owner = getattr(call.func, "value", None)
    return name_of(call.func)[:1].isupper() and owner is not None and name_of(owner) == "layers"


def _cuts(function: Function) -> Iterator[int]:
    """The lines that take some rows out of more, those first that say which."""
    parts = list(ast.walk(function))
    taken = [one for one in parts if isinstance(one, ast.Subscript)]
    said = [one.lineno for one in taken if isinstance(one.slice, ast.Slice)]
    said += [
        one.lineno for one in parts if isinstance(one, ast.Call) and name_of(one.func) == "slice"
    ]
    return iter([*sorted(said), *sorted(one.lineno for one in taken)])


def _is_still(part: ast.Subscript, function: Function) -> bool:
    """A slice between numbers that nothing in the function moves."""
    if not isinstance(part.slice, ast.Slice) or not isinstance(part.ctx, ast.Load):
        return False
    moved = {
        n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    named = {n.id for n in ast.walk(part.slice) if isinstance(n, ast.Name)}
    return not named & moved
