"""Where the rows, the labels and the batches of a Keras training are made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from debugger.script.functions import Functions
from debugger.script.labelling import CALLED
from debugger.script.tracing import Function, name_of, names_in

VECTORS = ("to_categorical", "one_hot", "get_dummies", "label_binarize", "eye")
_CATEGORIES = ("label_mode", "class_mode")
_BAGS = ("multi_hot", "count", "tf_idf", "tf-idf", "tfidf", "binary", "freq", "one_hot")
_BAGGING = (
    *("texts_to_matrix", "sequences_to_matrix", "MultiLabelBinarizer", "CountVectorizer"),
    *("TfidfVectorizer", "HashingVectorizer", "CategoryEncoding", "to_categorical", "one_hot"),
)
_WINDOWS = ("timeseries_dataset_from_array", "TimeseriesGenerator")


class Rows(Functions):
    """Finds the line that makes them, or puts them into their order."""

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


def _numbers_labels(call: ast.Call) -> bool:
    """`y_test.argmax(axis=1)`, `np.argmax(labels, axis=1)`."""
    owner = getattr(call.func, "value", None)
    asked = [owner, *call.args[:1]] if name_of(call.func) == "argmax" else []
    return any(isinstance(one, ast.Name) and CALLED.fullmatch(one.id) for one in asked)


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
