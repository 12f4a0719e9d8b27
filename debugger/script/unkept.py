"""What a script makes and keeps nowhere: it stands by itself on a line, or is never returned."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from debugger.script.tracing import Function, Tracing, name_of, owner_of

_OF_TABLES = (
    *("rename_column", "rename_columns", "remove_columns", "select_columns", "cast_column"),
    *("with_transform", "with_format", "class_encode_column", "train_test_split"),
    *("align_labels_with_mapping", "flatten_indices"),
)
"""Methods that only a Dataset has, each of which gives a new one."""
_OF_MANY = (
    *("map", "filter", "shuffle", "select", "sort", "shard", "cast", "take", "skip"),
    "add_column",
)
"""Methods that others have, too, and that may do their work in place there."""
_OF_TEXTS = ("lower", "upper", "casefold", "strip", "lstrip", "rstrip")
_OF_WORKERS = ("pool", "executor")


_GIVE_BACK = (
    *("map", "batch", "padded_batch", "shuffle", "repeat", "prefetch", "take", "skip", "filter"),
    *("dropna", "fillna", "drop", "replace", "astype", "sample", "reset_index", "rename"),
    *("sort_values", "drop_duplicates", "select", "remove_columns", "rename_column", "cast_column"),
)
"""Calls of tables and of data sets that leave those as they are."""


class Unkept:
    def __init__(self, tree: ast.AST, tracing: Tracing) -> None:
        nodes = list(ast.walk(tree))
        self._tracing = tracing
        self._bare = list(_alone(nodes))
        self._calls = [n for n in nodes if isinstance(n, ast.Call)]
        self._functions = {n.name: n for n in nodes if isinstance(n, Function)}

    def thrown_away(self) -> tuple[int, str, str] | None:
        """Where something new is made of a data set or of a text, and nobody keeps it: the line, of
        what it is made, and the call."""
        found = [
            (call.lineno, owner_of(call), name_of(call.func))
            for call in self._bare
            if self._gives_new(call)
        ]
        return min(found, default=None)

    def mute_map(self) -> tuple[int, str] | None:
        """Where a function ends that `map` is given and that returns nothing."""
        for call in self._calls:
            own = name_of(call.func) == "map" and isinstance(call.func, ast.Attribute)
            own = own and not any(word in owner_of(call).lower() for word in _OF_WORKERS)
            given = call.args[0] if own and len(call.args) == 1 else None
            function = self._functions.get(name_of(given)) if given is not None else None
            if function is None:
                continue
            returns = (n for n in ast.walk(function) if isinstance(n, ast.Return | ast.Yield))
            if not any(one.value is not None for one in returns):
                return function.body[-1].lineno, function.name
        return None

    def _gives_new(self, call: ast.Call) -> bool:
        name = name_of(call.func)
        if name in _OF_TABLES:
            return True
        if name in _OF_TEXTS:
            return len(call.args) < 2 and not call.keywords
        return name in _OF_MANY and self._is_table(call)

    def _is_table(self, call: ast.Call) -> bool:
        """Whether the same name is asked elsewhere for what only a Dataset has, or was made so."""
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(owner, ast.Name | ast.Subscript):
            return False
        root = owner.value if isinstance(owner, ast.Subscript) else owner
        made = self._tracing.local(root) if isinstance(root, ast.Name) else []
        tables = (
            "load_dataset",
            "from_dict",
            "from_list",
            "from_pandas",
            "DatasetDict",
            *_OF_TABLES,
        )
        return any(isinstance(v, ast.Call) and name_of(v.func) in tables for _, v in made)


def thrown_away(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """Calls that change nothing of what they are called on, and that stand alone on their line: of
    what, which, and where. What that is, only those know who have it before them."""
    for call in _alone(ast.walk(tree)):
        owner, inplace = call.func.value, any(k.arg == "inplace" for k in call.keywords)
        if isinstance(owner, ast.Name) and call.func.attr in _GIVE_BACK and not inplace:
            yield owner.id, call.func.attr, call.lineno


def _alone(nodes: Iterable[ast.AST]) -> Iterator[Any]:
    """Calls of something's methods whose answers nobody takes."""
    for node in nodes:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            yield call
