"""What a script puts under names: columns, keys of dictionaries, and labels above all."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from debugger.script.behind import Behind
from debugger.script.putting import Put, hands_on, says
from debugger.script.tracing import Tracing, assigned, last, name_of

_LABELS = ("label", "labels", "label_ids")
_OF_WORDS = re.compile(r"vocab|word|token|count|index", re.IGNORECASE)
_OF_LABELS = re.compile(r"label|class|tag|target|kind|categor|2id|_to_id|_ids?$", re.IGNORECASE)
TOKENIZES = {"truncation", "is_split_into_words", "text_target", "return_offsets_mapping"}
_KINDS = ("ClassLabel", "Value", "Sequence", "List", "Array2D")
"""What a column is declared to be, which puts nothing into it."""


class Written:
    """`calls` are those of the script, what belongs to the training in question before the rest;
    `put` are the names and values of `values_put`."""

    def __init__(
        self,
        tree: ast.Module,
        tracing: Tracing,
        calls: list[ast.Call],
        behind: Behind,
        put: Sequence[Put],
    ) -> None:
        self._tree, self._tracing, self._calls, self._behind = tree, tracing, calls, behind
        self._put = put
        nodes = list(ast.walk(tree))
        self._functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        self._assignments = [node for node in nodes if isinstance(node, ast.Assign)]

    def labels(self) -> int | None:
        """The last line that puts labels beside rows. A rename is none: it moves nothing.

        Nor is a plain copy of another column: what was put into that counts.
        """
        keys = self._called_before(_LABELS)
        copied = self._called_before(self._copied(keys))
        return self.under(*copied) or self.under(*keys)

    def labels_of_words(self) -> int | None:
        """Where labels are made beside the tokens of words that came one by one."""
        for function in self._functions:
            parts = list(ast.walk(function))
            calls = [one for one in parts if isinstance(one, ast.Call)]
            if not any(k.arg == "is_split_into_words" for call in calls for k in call.keywords):
                continue
            made = [pair for part in parts for pair in assigned(part)]
            put = {
                one.args[0].id
                for one in calls
                if name_of(one.func) == "append" and one.args and isinstance(one.args[0], ast.Name)
                if _says(one.func, _LABELS)
            }
            named = [
                v.lineno for t, v in made if name_of(t) in {*_LABELS, *put} and not _is_empty(v)
            ]
            if named:
                return min(named)
        return None

    def numbered_from_one(self) -> int | None:
        """Where names of labels get their numbers from 1 on, as `{name: n for n, name in ...}`."""
        found = [
            (name_of(node.targets[0]), node.value.lineno)
            for node in self._assignments
            if isinstance(node.value, ast.DictComp) and _from_one(node.value)
        ]
        of_labels = [line for name, line in found if _OF_LABELS.search(name)]
        others = [line for name, line in found if not _OF_WORDS.search(name)]
        return next(iter(of_labels or (others if len(others) == 1 else [])), None)

    def labels_from(self, wanted: Callable[[ast.expr], bool]) -> int | None:
        """The line of what labels are made of that is such a value itself."""
        found = self._behind.plain(self._behind.under(*self._called_before(_LABELS)), wanted)
        return None if found is None else found.lineno

    def renamed_to(self, name: str) -> int | None:
        """The line that gives a column that name."""
        for call in self._calls:
            if last(call.func) in ("rename_column", "rename_columns"):
                said = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant)]
                if name in said[1:]:
                    return call.lineno
        return None

    def _called_before(self, keys: Sequence[str]) -> tuple[str, ...]:
        """With the names that a column of one of these names was renamed from."""
        pairs = []
        for call in self._calls:
            if last(call.func) == "rename_column":
                given = [*call.args, *(k.value for k in call.keywords)]
                pairs += [given[:2]] if len(given) > 1 else []
            if last(call.func) == "rename_columns":
                for node in (a for a in call.args if isinstance(a, ast.Dict)):
                    pairs += [[k, v] for k, v in zip(node.keys, node.values, strict=True) if k]
        told = [(str(a.value), b.value) for a, b in pairs if _both_said(a, b)]
        return (*keys, *(old for old, new in told if new in keys and old not in keys))

    def _copied(self, keys: Sequence[str]) -> tuple[str, ...]:
        """The column that the labels are a plain copy of, as in `out["labels"] = row["stars"]`."""
        found = [
            value
            for names, value in self._put
            if any(isinstance(n, ast.Constant) and n.value in keys for n in names)
        ]
        last = max(found, key=lambda one: one.lineno, default=None)
        of = last.slice if isinstance(last, ast.Subscript) else None
        named = isinstance(of, ast.Constant) and isinstance(of.value, str) and of.value not in keys
        row = last.value if isinstance(last, ast.Subscript) else None
        held = self._tracing.local(row) if isinstance(row, ast.Name) else []
        named = named and not any(_makes_tokens(made) for _, made in held)
        return (str(of.value),) if named and isinstance(of, ast.Constant) else ()

    def labels_copied(self) -> int | None:
        """The last line that makes labels a plain copy of another column."""
        keys = self._called_before(_LABELS)
        put = [value for names, value in self._put if any(says(names, key) for key in keys)]
        last = max(put, key=lambda one: one.lineno, default=None)
        return last.lineno if last is not None and self._copied(keys) else None

    def under(self, *keys: str) -> int | None:
        """The last line that puts a value under one of these keys: a column, a dictionary's.

        One that only hands on what stood there before counts where there is no other.
        """
        found = [
            (not hands_on(value, _LABELS), value.lineno, self._tracing.made(value))
            for names, value in self._put
            if any(isinstance(n, ast.Constant) and n.value in keys for n in names)
            if name_of(getattr(value, "func", value)) not in _KINDS
        ]
        return max(found)[2] if found else None

    def put_under(self, key: str) -> int | None:
        """The last line that puts a value under a key, wherever that was made."""
        return max((v.lineno for names, v in self._put if says(names, key)), default=None)

    def made_under(self, key: str) -> int | None:
        """Where what stands under a key was made, if only a name or a field of a class is put."""
        for names, value in self._put:
            kept = isinstance(value, ast.Subscript) and isinstance(value.value, ast.Attribute)
            if says(names, key) and (kept or isinstance(value, ast.Name)):
                return self._tracing.made(value)
        return None

    def turned_under(self, key: str) -> int | None:
        """Where what stands under a key became what it is, whatever that was made of."""
        for names, value in self._put:
            if says(names, key):
                held = self._tracing.local(value) if isinstance(value, ast.Name) else []
                return held[-1][0] if held else value.lineno
        return None

    def copied_onto(self, line: int | None) -> int | None:
        """Of a column that is asked for at a line: where another one was put in its place."""
        asked = (n for n in ast.walk(self._tree) if isinstance(n, ast.Subscript))
        keys = (n.slice for n in asked if n.lineno == line and isinstance(n.slice, ast.Constant))
        for name in (key.value for key in keys if isinstance(key.value, str)):
            if self._copied((name,)):
                return max(value.lineno for names, value in self._put if says(names, name))
        return None

    def word(self, *words: str) -> int | None:
        """The first line that puts just one of these words under the name of a column."""
        found = [
            value.lineno
            for names, value in self._put
            if isinstance(value, ast.Constant) and value.value in words
            if any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in names)
        ]
        return min(found, default=None)


def _makes_tokens(value: ast.expr) -> bool:
    said = value.keywords if isinstance(value, ast.Call) else []
    return bool({keyword.arg for keyword in said} & TOKENIZES)


def _both_said(one: ast.expr, other: ast.expr) -> bool:
    return isinstance(one, ast.Constant) and isinstance(other, ast.Constant)


def _says(node: ast.expr, names: tuple[str, ...]) -> bool:
    """Whether it reads one of the names, as a name or as a key."""
    parts = list(ast.walk(node))
    keys = {n.value for n in parts if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return bool((keys | {n.id for n in parts if isinstance(n, ast.Name)}) & set(names))


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, ast.List) and not node.elts


def _from_one(made: ast.DictComp) -> bool:
    over = made.generators[0].iter
    counts = isinstance(over, ast.Call) and name_of(over.func) == "enumerate"
    told = [*over.args[1:], *(k.value for k in over.keywords)] if isinstance(over, ast.Call) else []
    return (counts and any(map(_is_one, told))) or any(map(_adds_one, (made.key, made.value)))


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _adds_one(node: ast.expr | None) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _is_one(node.right)
