"""What a script puts under a name: of a column, of a key."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from debugger.script.tracing import Tracing, assigned, last

Put = tuple[Sequence[ast.expr | None], ast.expr]
"""The names that a value may stand under, and the value."""
_FILLS = ("append", "extend", "insert")
_HANDS_ON = (
    *("tensor", "as_tensor", "LongTensor", "FloatTensor", "Tensor", "array", "asarray", "stack"),
    *("list", "tolist", "int", "float", "long", "clone", "copy", "get", "pop"),
)
"""Calls whose answer says no more than what they are given."""


def values_put(
    calls: Sequence[ast.Call],
    assignments: Sequence[ast.Assign | ast.AugAssign],
    dicts: Sequence[ast.Dict],
) -> list[Put]:
    """Each value with the names that it may stand under: in a column, in a dictionary."""
    put: list[Put] = []
    renames = [a for c in calls if last(c.func) == "rename_columns" for a in c.args]
    for call in calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "add_column":
            named = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "name")]
            put.append((named, call.args[1] if len(call.args) > 1 else call))
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr in _FILLS and call.args:
            put += [([one], call.args[-1]) for one in slices(func.value)]
        if last(call.func) in ("dict", "assign"):
            put += [([ast.Constant(k.arg)], k.value) for k in call.keywords]
    for node in assignments:
        for target, value in assigned(node):
            if isinstance(node, ast.AugAssign):  # what stood there counts too
                value = ast.copy_location(ast.BinOp(node.target, node.op, value), node)
            put += [([one], value) for one in slices(target)]
    for node in dicts:
        if node not in renames:
            put += [([k], v) for k, v in zip(node.keys, node.values, strict=True)]
    return put


def slices(target: ast.expr) -> list[ast.expr]:
    """Of `row["labels"][0]` both."""
    found: list[ast.expr] = []
    while isinstance(target, ast.Subscript):
        found.append(target.slice)
        target = target.value
    return found


def says(names: Sequence[ast.expr | None], key: str) -> bool:
    return any(isinstance(one, ast.Constant) and one.value == key for one in names)


def hands_on(value: ast.expr, keys: Sequence[str]) -> bool:
    """Whether a value is only what stood under one of these keys before, maybe as a tensor."""
    parts = list(ast.walk(value))
    calls = [last(part.func) for part in parts if isinstance(part, ast.Call)]
    reckons = any(
        isinstance(one, ast.BinOp | ast.Compare | ast.IfExp | ast.BoolOp) for one in parts
    )
    read = any(isinstance(one, ast.Constant) and one.value in keys for one in parts)
    return read and not reckons and all(name in _HANDS_ON for name in calls)


MANY = 1000
"""Columns that are taken by what they hold, however many they are."""


def columns_listed(tree: ast.AST, tracing: Tracing) -> int | None:
    """Where the names of several columns are listed that a table is asked for, or is to lose."""
    taken = (node.slice for node in ast.walk(tree) if isinstance(node, ast.Subscript))
    found: list[tuple[bool, int, int]] = []
    for given in taken:
        named = isinstance(given, ast.Name)
        plain = tracing.written_down(given) if named else given
        names = plain.elts if isinstance(plain, ast.List) else []
        words = [one for one in names if isinstance(one, ast.Constant) and type(one.value) is str]
        if plain is not None and len(words) == len(names) > 1:
            found.append((named, len(words), plain.lineno))
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.comprehension)):
        for asked in (one for one in node.ifs if isinstance(one, ast.Compare)):
            plain = tracing.written_down(asked.comparators[0])
            if isinstance(asked.ops[0], ast.NotIn) and isinstance(plain, ast.List | ast.Tuple):
                found.append((True, MANY, plain.lineno))
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if last(call.func) == "select_dtypes":
            found.append((False, MANY, call.lineno))
        if last(call.func) != "drop":
            continue
        for given in (*call.args[:1], *(k.value for k in call.keywords if k.arg == "columns")):
            if isinstance(given, ast.List | ast.Constant):
                found.append((False, len(getattr(given, "elts", (given,))), call.lineno))
    return max(found)[2] if found else None
