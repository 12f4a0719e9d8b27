"""What a script makes and keeps nowhere: it stands by itself on a line, or is never returned."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard

from debugger.script.tracing import DEEPEST, Function, Tracing, name_of, owner_of

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
_MAKES_TABLES = (
    *("load_dataset", "from_dict", "from_list", "from_pandas", "DatasetDict"),
    *_OF_TABLES,
)
_OF_TEXTS = ("lower", "upper", "casefold", "strip", "lstrip", "rstrip")
_OF_WORKERS = ("pool", "executor")
_OF_FRAMES = (
    *("interpolate", "fillna", "dropna", "ffill", "bfill", "sort_values", "sort_index"),
    *("reset_index", "set_index", "drop_duplicates"),
)
"""Methods of pandas alone, which change the table only if they are told `inplace=True`."""
_OF_FRAMES_TOO = ("drop", "replace", "rename", "sample", "clip", "round", "astype")
"""Methods that files, texts and others have, too."""
_MAKE_FRAMES = ("DataFrame", "Series", "read_csv", "read_excel", "read_json", "read_parquet")
_ASKED_OF_FRAMES = (
    *("loc", "iloc", "columns", "groupby", "iterrows", "itertuples", "value_counts", "to_numpy"),
    *_OF_FRAMES,
)
_OF_ARRAYS = {
    "np": ("astype", "clip", "round", "reshape", "flatten", "squeeze", "transpose"),
    "torch": ("to", "float", "long", "int", "half", "double", "cpu", "cuda", "squeeze", "reshape"),
}
"""What an array gives anew, by the library that made it. (`to` moves a model in place.)"""
_MAKE_ARRAYS = {
    "np": ("array", "asarray", "zeros", "ones", "arange", "stack", "concatenate", "load"),
    "torch": (
        *("tensor", "as_tensor", "from_numpy", "zeros", "ones", "arange", "rand", "randn"),
        *("stack", "cat", "full", "Tensor", "LongTensor", "FloatTensor"),
    ),
}


_GIVE_BACK = (
    *("map", "batch", "padded_batch", "shuffle", "repeat", "prefetch", "take", "skip", "filter"),
    *("dropna", "fillna", "drop", "replace", "astype", "sample", "reset_index", "rename"),
    *("sort_values", "drop_duplicates", "select", "remove_columns", "rename_column", "cast_column"),
)
"""Calls of tables and of data sets that leave those as they are."""


_FILL = ("fillna", "interpolate", "ffill", "bfill", "replace", "mask", "where", "dropna")


class Unkept:
    def __init__(self, tree: ast.AST, tracing: Tracing, shown: frozenset[int]) -> None:
        nodes = list(ast.walk(tree))
        self._tracing = tracing
        self._bare = [call for call in _alone(nodes) if call.end_lineno not in shown]
        self._calls = [n for n in nodes if isinstance(n, ast.Call)]
        tries = (n for n in nodes if isinstance(n, ast.Try) or _refuses(n))
        self._tried = {p for one in tries for part in one.body for p in ast.walk(part)}
        self._attributes = [n for n in nodes if isinstance(n, ast.Attribute)]
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

    def filling(self, lines: Iterable[int]) -> int | None:
        """The first of these lines that puts something into gaps."""
        fill = {call.lineno for call in self._calls if name_of(call.func) in _FILL}
        return next((line for line in lines if line in fill), None)

    def table_left(self) -> tuple[int, str, str, bool] | None:
        """Where a table of pandas, or an array, is asked for something new that nobody keeps: the
        line, of what, the call, and whether nobody can have meant to be shown it."""
        found: list[tuple[int, str, str, bool]] = []
        for call in (one for one in self._bare if one not in self._tried):
            root, names = _chained(call)
            told = (k for k in call.keywords if k.arg in ("inplace", None))
            if any(ast.unparse(one.value) != "False" for one in told):
                continue
            if set(names) & self._functions.keys() or not self._leaves_table(root, names):
                continue
            surely = names[-1] in _OF_FRAMES and self._tracing.around(call) is not None
            found.append((call.lineno, ast.unparse(root), "().".join(names), surely))
        return min(found, default=None)

    def _leaves_table(self, root: ast.expr, names: list[str]) -> bool:
        held = root.value if isinstance(root, ast.Subscript) else root
        own = isinstance(held, ast.Attribute) and name_of(held.value) == "self"
        if not (own or isinstance(held, ast.Name)) or not names:
            return False
        if set(names) <= {*_OF_FRAMES}:
            return True
        if not isinstance(held, ast.Name):
            return False
        if set(names) <= {*_OF_FRAMES, *_OF_FRAMES_TOO} and self._is_frame(held):
            return True
        made = [value for _, value in self._tracing.local(held)]
        by = {one for value in made for one in _MAKE_ARRAYS if _made_by(value, one)}
        same = len(by) == 1 and all(_made_by(value, *by) for value in made)
        return same and len(names) == 1 and names[0] in _OF_ARRAYS[by.pop()]

    def _is_frame(self, name: ast.Name) -> bool:
        """Whether it was made as a table, or is asked elsewhere for what only a table has."""
        made = (value for _, value in self._tracing.local(name))
        if any(isinstance(v, ast.Call) and name_of(v.func) in _MAKE_FRAMES for v in made):
            return True
        return any(
            one.attr in _ASKED_OF_FRAMES and name_of(one.value) == name.id
            for one in self._attributes
        )

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
        return owner is not None and self._was_made_table(owner)

    def _was_made_table(self, owner: ast.expr, depth: int = 0) -> bool:
        root = owner.value if isinstance(owner, ast.Subscript) else owner
        if not isinstance(root, ast.Name) or depth > DEEPEST:
            return False
        for _, made in self._tracing.local(root):
            if isinstance(made, ast.Call) and name_of(made.func) in _MAKES_TABLES:
                return True
            if isinstance(made, ast.Subscript) and self._was_made_table(made, depth + 1):
                return True
        return False


def thrown_away(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """Calls that change nothing of what they are called on, and that stand alone on their line: of
    what, which, and where. What that is, only those know who have it before them."""
    for call in _alone(ast.walk(tree)):
        owner, inplace = call.func.value, any(k.arg == "inplace" for k in call.keywords)
        if isinstance(owner, ast.Name) and call.func.attr in _GIVE_BACK and not inplace:
            yield owner.id, call.func.attr, call.lineno


def _chained(call: ast.Call) -> tuple[ast.expr, list[str]]:
    """`df`, and the names of the calls, of `df.dropna().reset_index()`."""
    names: list[str] = []
    node: ast.expr = call
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        names.insert(0, node.func.attr)
        node = node.func.value
    return node, names


def _refuses(node: ast.AST) -> TypeGuard[ast.With]:
    """`with pytest.raises(...)`: somebody only asks whether it can be done."""
    return isinstance(node, ast.With) and any(
        "raises" in ast.unparse(item.context_expr).lower() for item in node.items
    )


def _made_by(value: ast.expr, library: str) -> bool:
    made = value.func if isinstance(value, ast.Call) else None
    return (
        isinstance(made, ast.Attribute)
        and name_of(made.value) in (library, "numpy" if library == "np" else library)
        and made.attr in _MAKE_ARRAYS[library]
    )


def _alone(nodes: Iterable[ast.AST]) -> Iterator[Any]:
    """Calls of something's methods whose answers nobody takes."""
    for node in nodes:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            yield call
