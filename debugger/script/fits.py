"""Where what a model of Keras is compiled with, and what `fit` is given, was made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from debugger.script.labelling import Labelling
from debugger.script.putting import says
from debugger.script.remainder import made_of, orders_columns
from debugger.script.tracing import Tracing, last, name_of, of_any_set, owner_of
from debugger.script.trainings import Trainings


class Fits:
    """`calls` are those of the script, what belongs to the training in question before the rest."""

    def __init__(
        self,
        tree: ast.Module,
        tracing: Tracing,
        calls: list[ast.Call],
        trainings: Trainings,
        dicts: list[ast.Dict],
    ) -> None:
        self._tree, self._tracing, self._calls = tree, tracing, calls
        self._trainings, self._dicts = trainings, dicts

    def _fits(self) -> list[ast.Call]:
        return [c for c in self._trainings.calls() if last(c.func) == "fit" and c.args]

    def compiled(self, name: Literal["optimizer", "loss", "metrics"]) -> int | None:
        """Where what `compile` is given under that name, or in its place, was made."""
        place = ("optimizer", "loss", "metrics").index(name)
        for call in self._calls:
            if last(call.func) != "compile" or owner_of(call) == "re":
                continue
            named = [k.value for k in call.keywords if k.arg == name]
            if given := named or call.args[place : place + 1]:
                return self._tracing.setting(given[0]) or self._made_of(given[0], labels=False)
        return self._taped(name)

    def _taped(self, name: str) -> int | None:
        """The same in a loop that asks a tape for gradients: where its loss is made, or the object
        that makes it; and where its optimizer is."""
        if name == "optimizer":
            steps = [c for c in self._calls if name_of(c.func) in ("apply_gradients", "minimize")]
            owners = [c.func.value for c in steps if isinstance(c.func, ast.Attribute)]
            return self._made_by_name(owners[0]) if owners else None
        asked = [c for c in self._calls if name_of(c.func) == "gradient" and c.args]
        if name != "loss" or not asked or not isinstance(asked[0].args[0], ast.Name):
            return None
        made = self._tracing.local(asked[0].args[0])
        if not made:
            return None
        line, value = made[0]
        calls = (part for part in ast.walk(value) if isinstance(part, ast.Call))
        found = (self._made_by_name(call.func) for call in calls)
        return next((one for one in found if one is not None), line)

    def _made_by_name(self, name: ast.expr) -> int | None:
        """Where something is made that is called by its name, or that of an attribute of `self`."""
        wanted = ast.unparse(name)
        nodes = (node for node in ast.walk(self._tree) if isinstance(node, ast.Assign))
        made = (node for node in nodes if isinstance(node.value, ast.Call))
        return next(
            (n.lineno for n in made if any(ast.unparse(one) == wanted for one in n.targets)), None
        )

    def counts_vectors(self) -> bool:
        """Whether the metrics that `compile` is given want labels that are vectors."""
        given = [k.value for c in self._calls for k in c.keywords if k.arg == "metrics"]
        told = " ".join(map(ast.unparse, given))
        return bool(re.search(r"(?<!sparse_)categorical_|(?<!Sparse)Categorical[AC]", told))

    def output_layer(self, units: int) -> int | None:
        """The last `Dense` of so many outputs; else the last there is."""
        layers = [call for call in self._calls if name_of(call.func) == "Dense"]
        given = [(c, self._tracing.valued(one)) for c in layers if (one := _units(c)) is not None]
        exact = [call.lineno for call, at in given if at is not None and at[1] == units]
        return max(exact or [call.lineno for call in layers], default=None)

    def validated(self, labels: bool = False) -> int | None:
        """Where the inputs, or the labels, that `fit` is to be judged by were made."""
        given = [k.value for c in self._calls for k in c.keywords if k.arg == "validation_data"]
        fits = self._fits()
        same = [c for c in fits if given and _first(c.args[0]) == _first(given[0])]
        if not given or same:  # rows that it learns from: what is wrong is to hand them over
            return given[0].lineno if given else None
        return self._made_of(given[0], labels)

    def fitted(self, labels: bool = False) -> int | None:
        """Where those that `fit` learns from were made."""
        for call in (c for c in self._trainings.calls() if last(c.func) == "fit"):
            named = {k.arg: k.value for k in call.keywords}
            handed = [
                *call.args[:2],
                *(named[n] for n in ("x", "y")[len(call.args) :] if n in named),
            ]
            if handed:
                given = handed[int(labels)] if len(handed) > 1 else handed[0]
                return self._made_of(given, labels)
        return None

    def ended_at(self) -> int | None:
        """Where `fit` is told the number of its last epoch; where it begins, if both are told the
        same, or nothing is said of the last."""
        for call in self._trainings.calls():
            given = {k.arg: k.value for k in call.keywords}
            first, end = given.get("initial_epoch"), given.get("epochs")
            if first is not None:
                apart = end is not None and ast.dump(end) != ast.dump(first)
                return end.lineno if end is not None and apart else first.lineno
        return None

    def labels_by_output(self, names: Sequence[str], fewest: int = 2) -> int | None:
        """The dictionary that gives each output of a model its labels; one that has changed two of
        them over, as their names tell, goes before the others."""
        losses = [
            node
            for call in self._calls
            if last(call.func) in ("compile", "Model")
            for given in (*call.args, *(k.value for k in call.keywords))
            for node in self._dicts_in(given)
        ]
        found = [
            node
            for node in self._dicts
            if node not in losses
            and sum(says([key], one) for key in node.keys for one in names) >= fewest
        ]
        ordered = sorted(found, key=lambda one: not _crossed(one))
        return next((self._put_at(one, names) for one in ordered), None)

    def _dicts_in(self, given: ast.expr) -> list[ast.Dict]:
        made = [v for _, v in self._tracing.local(given)] if isinstance(given, ast.Name) else []
        held = [part for one in (given, *made) for part in ast.walk(one)]
        return [part for part in held if isinstance(part, ast.Dict)]

    def _put_at(self, node: ast.Dict, names: Sequence[str]) -> int:
        return next(
            k.lineno for k in node.keys if k is not None and any(says([k], n) for n in names)
        )

    def input_shape(self) -> int | None:
        """Where a model of Keras is told the shape of its rows."""
        named = ("input_shape", "input_dim", "batch_input_shape")
        given = [k.value for c in self._calls for k in c.keywords if k.arg in named]
        inputs = [c for c in self._calls if last(c.func) in ("Input", "InputLayer")]
        given += [k.value for c in inputs for k in c.keywords if k.arg == "shape"]
        given += [c.args[0] for c in inputs if c.args]
        if not given:
            return None
        first = given[0]
        if isinstance(first, ast.Tuple) and first.elts:
            return self._tracing.setting(first.elts[-1]) or first.lineno
        return self._tracing.setting(first) or first.lineno

    def paired(self) -> int | None:
        """The first line that puts inputs and labels side by side as two arrays."""
        return next(
            (
                call.args[0].lineno
                for call in self._calls
                if last(call.func) in ("from_tensor_slices", "from_tensors", "zip")
                and call.args
                and isinstance(call.args[0], ast.Tuple)
                and len(call.args[0].elts) > 1
            ),
            self.fitted(labels=True),
        )

    def labelled(self) -> int | None:
        """Where the labels that `fit` learns from were last given other values."""
        made = Labelling(self._tree, self._tracing, self._trainings).made()
        return made or self.fitted(labels=True)

    def _made_of(self, given: ast.expr, labels: bool) -> int:
        if isinstance(given, ast.Tuple) and len(given.elts) > int(labels):
            given = given.elts[int(labels)]
        made = self._tracing.local(given) if isinstance(given, ast.Name) else []
        return made[-1][0] if made else given.lineno

    def _handed_last(self, given: ast.expr) -> ast.expr:
        """For a parameter of the function around it, what its last call is given by place."""
        if not isinstance(given, ast.Name) or self._tracing.handed_in(given) is None:
            return given
        around = [n for n in ast.walk(self._tree) if isinstance(n, ast.FunctionDef)]
        own = [f for f in around if given in ast.walk(f)][-1]
        taken = [one.arg for one in own.args.args]
        place = taken.index(given.id) - (taken[0] in ("self", "cls"))
        calls = [c for c in self._calls if name_of(c.func) == own.name and len(c.args) > place]
        return max(calls, key=lambda one: one.lineno).args[place] if calls else given

    def only_behind(self, *names: str) -> int | None:
        """What is behind rows that these calls, or arguments, are given, and is not behind those
        that `fit` learns from: what orders columns, else the last line."""
        fits = self._fits()
        first = [pair for call in fits for pair in made_of(self._tree, call.args[0])]
        learned, behind = {line for line, _ in first}, [value for _, value in first]
        given = [c.args[0] for c in self._calls if last(c.func) in names and c.args]
        given += [k.value for c in self._calls for k in c.keywords if k.arg in names]
        given = [one for one in given if not _is_one_row(one)] or given
        given = [self._handed_last(one) for one in given]
        found = [pair for one in given for pair in made_of(self._tree, one)]
        alone = [(line, value) for line, value in found if line not in learned]
        same = {of_any_set(ast.unparse(value)) for value in behind}
        alone = [one for one in alone if of_any_set(ast.unparse(one[1])) not in same] or alone
        orders = [line for line, value in alone if orders_columns(value)]
        return max(orders or [line for line, _ in alone], default=None)

    def shuffled_within(self, line: int) -> int | None:
        """Where rows are shuffled in the function of the script's own that is called at a line."""
        called = (call for call in self._calls if call.lineno == line)
        for own in filter(None, map(self._tracing.function, called)):
            for part in ast.walk(own):
                if isinstance(part, ast.Call) and last(part.func) == "shuffle":
                    return part.lineno
        return None

    def scaled_alone(self, *names: str) -> int | None:
        """Where the rows that `fit` learns from are moved or scaled in place, if those that these
        calls are given never are."""
        fits = self._fits()
        learned = {one.id for c in fits if isinstance(one := c.args[0], ast.Name)}
        asked = [c.args[0] for c in self._calls if last(c.func) in names and c.args]
        others = {one.id for one in asked if isinstance(one, ast.Name)} - learned
        scaled = list(_scalings(self._tree))
        if not others or others & {name for name, _ in scaled}:
            return None
        return next((line for name, line in scaled if name in learned), None)


def _is_one_row(given: ast.expr) -> bool:
    """`np.expand_dims(row, 0)`, `row[None]` and the like: a batch that was made of one."""
    if isinstance(given, ast.Call) and last(given.func) == "expand_dims":
        return True
    place = ast.unparse(given.slice) if isinstance(given, ast.Subscript) else ""
    return place.partition(",")[0].lstrip("(") in ("None", "np.newaxis", "tf.newaxis")


def _scalings(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Names that are put anew as what arithmetic or a scaler makes of them, and where."""
    for node in ast.walk(tree):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub | ast.Div | ast.Mult):
            if isinstance(node.target, ast.Name):
                yield node.target.id, node.lineno
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            scaler = isinstance(value, ast.Call) and last(value.func) in ("transform", "normalize")
            held = [one.id for one in ast.walk(value) if isinstance(one, ast.Name)]
            if name in held and (scaler or isinstance(value, ast.BinOp)):
                yield name, node.lineno


def _crossed(node: ast.Dict) -> bool:
    """As in `{"a": f(b), "b": f(a)}`."""
    held = {
        str(key.value): {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant)
    }
    return any(
        other in held[one] and one in held[other] and one not in held[one]
        for one in held
        for other in held
        if one != other
    )


def _first(given: ast.expr) -> str:
    """What inputs are called, alone or before their labels."""
    pair = isinstance(given, ast.Tuple) and given.elts
    return ast.unparse(pair[0] if pair else given)


def _units(call: ast.Call) -> ast.expr | None:
    named = [k.value for k in call.keywords if k.arg == "units"]
    return call.args[0] if call.args else next(iter(named), None)
