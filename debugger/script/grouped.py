"""What a script makes group by group, and then lays beside a table's rows without their numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from debugger.script.frames import column_of
from debugger.script.loops import calls_in
from debugger.script.tracing import is_true, name_of, names_in

_BARE = ("to_numpy", "tolist", "to_list")
_HOLDS = ("array", "asarray", "list")
_GROUPS = ("mean", "sum", "max", "min", "median", "std", "count", "nunique", "first", "last")
_ROWS = ("apply", "rolling", "expanding", "ewm")
_MADE_ANEW = ("groupby", "drop_duplicates", "set_index", "sort_index", "unique")


@dataclass(frozen=True)
class Grouped:
    """A column of a table, made of another's groups by a `key`: one value a group, by the call of
    that name, or, with "", one a row, group after group. `sorted_by` is what the table's rows were
    sorted by last, "" where nobody sorts them."""

    line: int
    table: str
    column: str
    of: str
    key: str
    values: str
    call: str
    sorted_by: str


def laid_by_groups(tree: ast.Module) -> Iterator[Grouped]:
    made = sorted(
        (node for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.Expr)),
        key=lambda one: one.lineno,
    )
    groups: dict[str, ast.expr] = {}
    sorts: dict[str, str | None] = {}
    for node in made:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        into = column_of(target)
        if into is not None and sorts.get(into[0], "") is not None:
            found = _made_by_groups(node.value, groups)
            if found is not None:
                yield Grouped(node.lineno, *into, *found, sorts.get(into[0]) or "")
        if isinstance(target, ast.Name):
            groups.pop(target.id, None)
            if calls_in([node.value], "groupby"):
                groups[target.id] = node.value
            sorts[target.id] = _sorting(node.value, sorts)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            owner = node.value.func.value if isinstance(node.value.func, ast.Attribute) else None
            if isinstance(owner, ast.Name) and name_of(node.value.func) == "sort_values":
                sorts[owner.id] = _sorted_by(node.value)


def _sorting(made: ast.expr, known: dict[str, str | None]) -> str | None:
    """None where rows may come in the order of groups, whatever they are called."""
    if calls_in([made], *_MADE_ANEW):
        return None
    if sorting := calls_in([made], "sort_values"):
        return _sorted_by(sorting[0])
    if calls_in([made], "sample", "shuffle"):
        return ""
    return next((known[name] for name in sorted(names_in(made)) if name in known), "")


def _sorted_by(call: ast.Call) -> str | None:
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "by")]
    return _first_text(given[0]) if given else None


def _first_text(node: ast.expr) -> str | None:
    if isinstance(node, ast.List | ast.Tuple) and node.elts:
        node = node.elts[0]
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _made_by_groups(
    value: ast.expr, groups: dict[str, ast.expr]
) -> tuple[str, str, str, str] | None:
    """The table, the key, the column and the call of `t.groupby(key)[column].mean().to_numpy()`."""
    inner = _bare(value)
    if inner is None:
        return None
    calls: list[ast.Call] = []
    column, left = "", dict(groups)  # each name is followed once
    while not isinstance(inner, ast.Name) or inner.id in left:
        if isinstance(inner, ast.Name):
            inner = left.pop(inner.id)
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
            calls.append(inner)
            inner = inner.func.value
        elif isinstance(inner, ast.Subscript):
            column = column or _first_text(inner.slice) or ""
            inner = inner.value
        else:
            return None
    names = [name_of(call.func) for call in calls]
    if "groupby" not in names:
        return None
    at = names.index("groupby")
    grouping, behind = calls[at], names[:at]
    told = {k.arg: k.value for k in grouping.keywords}
    key = _first_text(grouping.args[0]) if grouping.args else None
    if key is None or "group_keys" in told or ("sort" in told and not is_true(told["sort"])):
        return None
    if len(behind) == 1 and behind[0] in _GROUPS and not calls[0].args:
        return inner.id, key, column, behind[0]
    return (inner.id, key, column, "") if set(behind) & {*_ROWS} else None


def _bare(value: ast.expr) -> ast.expr | None:
    """What numbers of rows are taken from: by `.to_numpy()`, `.values`, `np.array(...)`."""
    if isinstance(value, ast.Attribute) and value.attr == "values":
        return value.value
    if not isinstance(value, ast.Call):
        return None
    if name_of(value.func) in _BARE and isinstance(value.func, ast.Attribute):
        return value.func.value
    return value.args[0] if name_of(value.func) in _HOLDS and value.args else None
