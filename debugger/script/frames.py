"""What a script does with its tables of pandas: what it shifts, fills, lays beside each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from debugger.script.loops import calls_in
from debugger.script.tracing import is_true, name_of, names_in

_SHIFTS = ("shift", "diff", "pct_change")
_WINDOWS = ("rolling", "expanding", "ewm")
_ASKED = re.compile(r"y|ys|target|targets|labels?|y_(all|raw|full)")
_LOSES = ("drop_duplicates", "dropna", "query", "sample", "sort_values", "nlargest")
_ORDERS = ("sample", "sort_values", "nlargest", "shuffle", "train_test_split")
_NUMBERS_ANEW = ("reset_index", "set_index", "reindex")
_LISTS = ("tolist", "to_list", "list", "array", "asarray", "to_numpy", "arange", "range")
_BARE = ("values", "to_numpy", "tolist", "array")
_ZERO = ("0", "0.0")
_FORETOLD = re.compile(r"target|label|next|future|ahead|tomorrow|^y$|_y$")


@dataclass(frozen=True)
class Shifted:
    """A column of a table that is moved by so many rows, with no regard to what they belong to."""

    line: int
    table: str
    column: str
    by: int


@dataclass(frozen=True)
class Beside:
    """A table beside which another one is laid by the numbers of the rows; `at` is the line that
    has moved them or left some out. `column` is what is taken from the other, "" of all."""

    line: int
    table: str
    other: str
    at: int | None = None
    column: str = ""


@dataclass(frozen=True)
class OldIndex:
    """A table whose rows keep their numbers since a line, and where values that are numbered from 0
    become a column of it. `surely`: its rows have another order, and are not only fewer."""

    moved: int
    laid: int
    table: str
    surely: bool
    listed: bool


class Frames:
    def __init__(self, tree: ast.Module) -> None:
        self._nodes = list(ast.walk(tree))
        self._calls = [node for node in self._nodes if isinstance(node, ast.Call)]
        statements = (node for node in self._nodes if isinstance(node, ast.Assign))
        self._made = sorted(statements, key=lambda one: one.lineno)

    @cached_property
    def grouped_by(self) -> frozenset[str]:
        """Columns that anything is grouped by."""
        given = (c.args[0] for c in self._calls if name_of(c.func) == "groupby" and c.args)
        parts = (part for one in given for part in ast.walk(one))
        told = (part.value for part in parts if isinstance(part, ast.Constant))
        return frozenset(one for one in told if isinstance(one, str))

    def shifted(self) -> Iterator[Shifted]:
        for call in self._calls:
            held = call.func.value if isinstance(call.func, ast.Attribute) else None
            column = column_of(held)
            if name_of(call.func) in _SHIFTS and column is not None:
                yield Shifted(call.lineno, *column, _by(call))

    def target_from_behind(self) -> int | None:
        """Where what is to be foretold is taken from rows before: a shift that goes forward."""
        for node in self._made:
            target = node.targets[0]
            key = target.slice if isinstance(target, ast.Subscript) else None
            name = key.value if isinstance(key, ast.Constant) else name_of(target)
            shifts = (
                part
                for part in ast.walk(node.value)
                if isinstance(part, ast.Call) and name_of(part.func) == "shift" and part.args
            )
            if _FORETOLD.search(str(name)) and any(not _is_negative(c.args[0]) for c in shifts):
                return node.lineno
        return None

    def bounded(self, table: str) -> Iterator[tuple[int, str, float]]:
        """Columns of a table of which another is made by whether they are at most, or below, a
        number."""
        for node in (part for made in self._made for part in ast.walk(made.value)):
            if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Lt | ast.LtE):
                continue
            column, most = column_of(node.left), getattr(node.comparators[0], "value", None)
            if column is not None and column[0] == table and isinstance(most, int | float):
                yield node.lineno, column[1], float(most)

    def zero_filled(self) -> Iterator[tuple[int, str, str]]:
        """Tables whose gaps are made 0, and the column, "" of all of them."""
        for node in self._made:
            target, made = node.targets[0], node.value
            if isinstance(target, ast.Name) and isinstance(made, ast.Call) and made.args:
                whole = name_of(made.func) == "fillna" and ast.unparse(made.args[0]) in _ZERO
                if whole and isinstance(getattr(made.func, "value", None), ast.Call):
                    yield made.lineno, target.id, ""
        for call in self._calls:
            given = [ast.unparse(one) for one in call.args[:1]]
            if name_of(call.func) != "fillna" or not set(given) & set(_ZERO):
                continue
            held = call.func.value if isinstance(call.func, ast.Attribute) else None
            column = column_of(held)
            if column is not None:
                yield call.lineno, *column
            elif isinstance(held, ast.Name):
                yield call.lineno, held.id, ""

    def columns_made(self, table: str) -> set[str]:
        """Of a table, the columns that a line of the script puts something into."""
        put = [column_of(node.targets[0]) for node in self._made]
        return {column for held, column in filter(None, put) if held == table}

    def windows_with_target(self) -> Iterator[tuple[int, str, str]]:
        """Columns that are made of the rows up to each row, itself with them, of what is to be
        foretold there: the line, the column, and what it is made of. Where rows are put together to
        windows, they may well end with the row before."""
        if any(map(_cuts_windows, self._nodes)):
            return
        asked = {
            column[1]
            for node in self._made
            if _ASKED.fullmatch(name_of(node.targets[0])) and not calls_in([node.value], *_SHIFTS)
            for column in map(column_of, ast.walk(node.value))
            if column is not None
        }
        groups: dict[str, str] = {}
        moved = {(one.table, one.column) for one in self.shifted()}
        for node in self._made:
            target, into = node.targets[0], column_of(node.targets[0])
            of = next(filter(None, (self._of_column(p, groups) for p in ast.walk(node.value))), "")
            if isinstance(target, ast.Name) and of and calls_in([node.value], "groupby"):
                groups[target.id] = of
            left = any(
                k.arg == "closed" for k in ast.walk(node.value) if isinstance(k, ast.keyword)
            )
            if into is None or into in moved or of not in asked or left:
                continue
            if calls_in([node.value], *_WINDOWS) and not calls_in([node.value], *_SHIFTS):
                yield node.lineno, into[1], of

    @staticmethod
    def _of_column(part: ast.AST, groups: dict[str, str]) -> str:
        """`y` of `t["y"]` and of `t.groupby("who")["y"]`, or of a name for it."""
        if isinstance(part, ast.Name):
            return groups.get(part.id, "")
        by = part.slice if isinstance(part, ast.Subscript) else None
        held = part.value if isinstance(part, ast.Subscript) else None
        if not isinstance(by, ast.Constant) or not isinstance(by.value, str):
            return ""
        grouped = isinstance(held, ast.Call) and name_of(held.func) == "groupby"
        return by.value if grouped or isinstance(held, ast.Name) else ""

    def taken_from_other(self) -> Iterator[Beside]:
        """Columns that a table is given from a column of another, as they stand there."""
        for node in self._made:
            into = column_of(node.targets[0])
            if into is None or _is_bare(node.value):
                continue
            parts = [part for part in ast.walk(node.value) if isinstance(part, ast.Subscript)]
            for table, column in filter(None, map(column_of, parts)):
                if table != into[0] and not _is_mapped(node.value):
                    yield Beside(node.lineno, into[0], table, column=column)

    def index_of_its_own(self) -> Beside | None:
        """A table that is made of rows which kept their old numbers, and has new ones itself."""
        moved: dict[str, int] = {}
        fresh: dict[str, tuple[str, int]] = {}
        for node in self._made:
            target, value = node.targets[0], node.value
            if (laid := _laid(value)) is not None:
                held, other = laid
                if held in moved and fresh.get(other, ("", 0))[0] == held:
                    return Beside(node.lineno, held, other, moved[held])
            if not isinstance(target, ast.Name):
                continue
            moved.pop(target.id, None)
            fresh.pop(target.id, None)
            calls = {name_of(c.func) for c in ast.walk(value) if isinstance(c, ast.Call)}
            if calls & {*_LOSES} and not calls & {*_NUMBERS_ANEW} and not _ignores_index(value):
                moved[target.id] = value.lineno
            elif name_of(getattr(value, "func", value)) in ("DataFrame", "Series"):
                of = next((one for one in moved if one in names_in(value)), None)
                told = {k.arg for k in getattr(value, "keywords", ())}
                if of is not None and "index" not in told and _loses_index(value):
                    fresh[target.id] = (of, value.lineno)
        return None

    def by_old_index(self) -> OldIndex | None:
        """A column that is made anew, row by row, for a table that no longer stands in order."""
        return next((one for one in self._laid_by_number() if one.listed and one.surely), None)

    def numbered_anew(self) -> OldIndex | None:
        """A column that loses its numbers on the way to a table whose rows still have theirs."""
        return next((one for one in self._laid_by_number() if not one.listed), None)

    def _laid_by_number(self) -> Iterator[OldIndex]:
        blocks = (getattr(node, "body", None) for node in self._nodes)
        for block in (one for one in blocks if isinstance(one, list)):
            moved: dict[str, tuple[int, bool]] = {}
            for node in block:
                for name in [name for name in moved if _renumbers(node, name)]:
                    del moved[name]
                if not isinstance(node, ast.Assign):
                    continue
                target, value = node.targets[0], node.value
                table = name_of(target.value) if isinstance(target, ast.Subscript) else ""
                listed = _is_listed(value)
                if table in moved and (listed or _is_numbered_from_0(value)):
                    at, surely = moved[table]
                    surely &= listed or table in names_in(value)  # another may stand as before
                    yield OldIndex(at, node.lineno, table, surely, listed)
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                for one in (name for name in names if isinstance(name, ast.Name)):
                    moved.pop(one.id, None)
                    if (surely := _moves_rows(value)) is not None:
                        moved[one.id] = (node.lineno, surely)


def _cuts_windows(node: ast.AST) -> bool:
    """`x[i - 30 : i]`, or a call of a library that cuts such."""
    if isinstance(node, ast.Call):
        name = name_of(node.func).lower()
        return any(one in name for one in ("window", "sequence", "timeseries", "lookback"))
    if not isinstance(node, ast.Slice):
        return False
    ends = [one for one in (node.lower, node.upper) if one is not None]
    return any(isinstance(one, ast.BinOp) and names_in(one) for one in ends)


def _moves_rows(made: ast.expr) -> bool | None:
    """Whether its rows come in another order, and keep their numbers; False where some are left
    out, None where nothing is moved or they are numbered anew."""
    calls = {name_of(part.func) for part in ast.walk(made) if isinstance(part, ast.Call)}
    if calls & {*_NUMBERS_ANEW} or _ignores_index(made):
        return None
    if calls & {*_ORDERS}:
        return True
    asks = isinstance(made, ast.Subscript) and isinstance(made.slice, ast.Compare)
    return False if asks or calls & {*_LOSES} else None


def _renumbers(node: ast.stmt, table: str) -> bool:
    """`df.index = ...`, `df.reset_index(drop=True, inplace=True)`, alone or among others, and what
    may give it anew on one of two ways."""
    parts = list(ast.walk(node))
    given = [t for part in parts if isinstance(part, ast.Assign) for t in part.targets]
    if any(ast.unparse(one) == f"{table}.index" for one in given):
        return True
    if isinstance(node, ast.Assign):
        return False
    anew = any(isinstance(one, ast.Call) and name_of(one.func) in _NUMBERS_ANEW for one in parts)
    return table in names_in(node) and (anew or table in map(name_of, given))


def _is_numbered_from_0(made: ast.expr) -> bool:
    """`other["b"].reset_index(drop=True)`, and what is done to each of its values."""
    while isinstance(made, ast.Call | ast.Attribute):
        if isinstance(made, ast.Call) and name_of(made.func) == "reset_index":
            return any(k.arg == "drop" and is_true(k.value) for k in made.keywords)
        if isinstance(made, ast.Call) and name_of(made.func) == "concat":
            return any(k.arg == "ignore_index" and is_true(k.value) for k in made.keywords)
        if name_of(made) in _BARE:
            return False
        made = made.func if isinstance(made, ast.Call) else made.value
    return False


def _is_listed(made: ast.expr) -> bool:
    """`pd.Series([...])`: it has numbers of its own, from 0 on."""
    if not isinstance(made, ast.Call) or name_of(made.func) != "Series" or not made.args:
        return False
    given = made.args[0]
    listed = isinstance(given, ast.List | ast.ListComp)
    listed |= isinstance(given, ast.Call) and name_of(given.func) in _LISTS
    return listed and not any(k.arg == "index" for k in made.keywords)


def column_of(node: ast.AST | None) -> tuple[str, str] | None:
    """`table` and `cost` of `table["cost"]`."""
    by = node.slice if isinstance(node, ast.Subscript) else None
    held = node.value if isinstance(node, ast.Subscript) else None
    if isinstance(held, ast.Name) and isinstance(by, ast.Constant) and isinstance(by.value, str):
        return held.id, by.value
    return None


def _by(call: ast.Call) -> int:
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "periods")]
    said = ast.unparse(given[0]) if given else "1"
    return int(said) if said.lstrip("-").isdigit() else 1


def _is_negative(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def _is_bare(value: ast.expr) -> bool:
    """Something in it takes the numbers of the rows away."""
    parts = list(ast.walk(value))
    names = {name_of(p) for p in parts if isinstance(p, ast.Attribute)}
    return bool(names & {*_BARE, "iloc", "loc"})


def _is_mapped(value: ast.expr) -> bool:
    """A table is asked by a key, or only for one number."""
    calls = {name_of(part.func) for part in ast.walk(value) if isinstance(part, ast.Call)}
    summed = {"mean", "median", "std", "max", "min", "sum", "mode", "quantile", "nunique", "len"}
    return bool(calls & {"map", "merge", "reindex", "isin", "unique", "set_index", *summed})


def _laid(value: ast.expr) -> tuple[str, str] | None:
    """The table, and what is laid beside it by the numbers of the rows."""
    if not isinstance(value, ast.Call):
        return None
    func, told = value.func, {k.arg: ast.unparse(k.value) for k in value.keywords}
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and value.args:
        by_index = told.get("left_index") == told.get("right_index") == "True"
        joined = func.attr == "join" and "on" not in told
        if joined or (func.attr == "merge" and by_index):
            return func.value.id, name_of(value.args[0])
    listed = value.args[0].elts if value.args and isinstance(value.args[0], ast.List) else []
    if name_of(func) == "concat" and told.get("axis") in ("1", "'columns'") and len(listed) == 2:
        return name_of(listed[0]), name_of(listed[1])
    return None


def _ignores_index(value: ast.expr) -> bool:
    calls = (part for part in ast.walk(value) if isinstance(part, ast.Call))
    return any(k.arg == "ignore_index" for call in calls for k in call.keywords)


def _loses_index(value: ast.expr) -> bool:
    """What is handed over was made by something that knows of no table, as a scaler."""
    calls = {name_of(part.func) for part in ast.walk(value) if isinstance(part, ast.Call)}
    return bool(
        calls & {"fit_transform", "transform", "tolist", "list", "array", "to_numpy", "toarray"}
    )
