"""Things that belong together row by row, where one alone is given another order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from debugger.script.tracing import Function, assigned, name_of, names_in

_LABELS = re.compile(
    r"(.*_)?(y|ys|labels?|lbls?|targets?|ratings?|stars|answers?)(_.*|\d*)|[a-z]+_?(Y|Labels?)"
    r"|y[A-Z]\w*",
    re.IGNORECASE,
)
_WANTED = re.compile(r"neg|wrong|other|random|shuf|perm|noise|corrupt|control|baseline|fake", re.I)
"""Names of what is put beside other rows on purpose."""
_TOGETHER = re.compile(
    r"fit$|evaluate$|TensorDataset$|from_tensor_slices|train_test_split|zip$|from_dict|^[A-Z]\w*"
    r"|data|batch|split|flow$|loader",
)
"""Calls that take rows and what belongs to them."""
_ORDERS, _SORTS = ("permutation", "randperm"), ("argsort",)
_DEALS = ("shuffle", "permutation")
_HOLDS = ("list", "array", "asarray", "tolist", "numpy", "from_numpy", "tensor", "long")
_COUNTS = ("range", "arange")
_PICKS = ("take", "gather", "index_select", "take_along_axis")
_SEEDS = (
    *("seed", "manual_seed", "set_state", "setstate", "set_seed", "set_random_seed"),
    *("default_rng", "RandomState", "Random", "Generator", "set_rng_state"),
)
_KEEPS = (
    *("astype", "copy", "numpy", "to_numpy", "float", "long", "int", "tolist", "to", "to_list"),
    *("fillna", "map", "apply", "reset_index", "clone", "detach", "round", "clip", "replace"),
    *("reshape", "view", "squeeze", "unsqueeze", "ravel", "flatten", "transpose", "drop"),
)
_SCALES = ("fit_transform", "transform")
_REDUCES = re.compile(
    r"^(len|set|sum|mean|std|min|max|unique|Counter|bincount|sorted|range|print|iter|any|all"
    r"|arg\w+|where|value_counts|zip|choice|sample|concatenate|[vh]stack|append|isin|cut|linspace"
    r"|join|nunique|quantile|median|compute_\w+|dict|next|str|int|float|enumerate|mean_\w+)$"
)


@dataclass(frozen=True)
class Reordered:
    """`moved` takes an order of its own at a line, and `kept` does not, or one that another lot was
    drawn for (`both`); they are laid beside each other at a line behind it."""

    line: int
    moved: str
    kept: str
    both: bool
    at: int


@dataclass(frozen=True)
class _Order:
    """`lot` is alike for two orders that are the same; `own`: what it is given to has no other
    name afterwards; `by`: the names that it was reckoned from."""

    line: int
    lot: str
    own: bool = False
    by: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Rows:
    """What a name stands for: since when, and in which orders it was put since. `part` is what
    was cut out of it last."""

    name: str
    born: int
    orders: tuple[_Order, ...] = ()
    part: str = ""


def reordered_apart(tree: ast.Module) -> Reordered | None:
    """The first line that gives rows another order than what stands beside them."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    seeds = [call.lineno for call in calls if name_of(call.func) in _SEEDS]
    plain = any(
        isinstance(node, ast.ImportFrom) and node.module == "random" for node in ast.walk(tree)
    )
    found: list[Reordered] = []
    for scope in (tree, *(node for node in ast.walk(tree) if isinstance(node, Function))):
        reading = _Reading(seeds, plain)
        if isinstance(scope, Function):
            reading.begin([arg.arg for arg in scope.args.args], scope.lineno)
        found += reading.read(scope.body)
    for kind in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        reading = _Reading(seeds, plain)
        methods = [node for node in kind.body if isinstance(node, Function)]
        methods.sort(key=lambda one: one.name != "__init__")
        for method in (*methods, *(one for one in methods if one.name != "__init__")):
            reading.begin([arg.arg for arg in method.args.args], method.lineno)
            found += [one for one in reading.read(method.body) if "self." in one.moved + one.kept]
    return min(found, key=lambda one: one.line, default=None)


class _Reading:
    """Goes through the statements of a scope, line by line."""

    def __init__(self, seeds: Sequence[int], plain: bool) -> None:
        self._seeds, self._plain = seeds, plain
        self._rows: dict[str, _Rows] = {}
        self._lots: dict[str, _Order] = {}
        self._counted: set[str] = set()

    def begin(self, names: Sequence[str], line: int) -> None:
        """A function: what it does not keep as fields of its own is gone."""
        self._rows = {n: one for n, one in self._rows.items() if n.startswith("self.")}
        self._lots = {n: one for n, one in self._lots.items() if n.startswith("self.")}
        self._rows |= {name: _Rows(name, line) for name in names}

    def read(self, body: Sequence[ast.stmt]) -> Iterator[Reordered]:
        statements = list(_flat(body))
        for statement in statements:
            yield from self._beside(statement)
            self._put(statement)
        for one, other in pairwise(statements):
            parts = [_cut(one), _cut(other)]
            if parts[0] is not None and parts[0] == parts[1]:
                made = [next(assigned(statement))[0] for statement in (one, other)]
                yield from self._told(made, other.lineno, True)

    def _beside(self, statement: ast.stmt) -> Iterator[Reordered]:
        for node in _own(statement):
            line = getattr(node, "lineno", statement.lineno)
            if isinstance(node, ast.Return | ast.Yield) and isinstance(node.value, ast.Tuple):
                yield from self._told(node.value.elts, line, False, mine=True)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
                cuts = [one.slice for one in node.value.elts if isinstance(one, ast.Subscript)]
                alike = len({ast.unparse(one) for one in cuts}) == 1
                if alike and len(cuts) == len(node.value.elts) and isinstance(cuts[0], ast.Slice):
                    yield from self._told(node.value.elts, line, True)
            elif isinstance(node, ast.Call) and _TOGETHER.search(name_of(node.func)):
                given = [*node.args, *(k.value for k in node.keywords)]
                inside = [one for one in given if isinstance(one, ast.Tuple | ast.Dict)]
                surely = bool(re.search("fit$|Tensor|slices|split", name_of(node.func)))
                yield from self._told(given, line, surely)
                for one in inside:
                    parts = one.elts if isinstance(one, ast.Tuple) else one.values
                    yield from self._told(parts, line, surely)

    def _told(
        self, given: Sequence[ast.expr], line: int, surely: bool, *, mine: bool = False
    ) -> Iterator[Reordered]:
        """`mine`: what is given another order in that very place has no other name."""
        known: list[_Rows] = []
        for one in given:
            if (rows := self._of(one)) is not None:
                known.append(_owned(rows) if mine else rows)
        if len(known) < 2 or len({rows.name for rows in known}) < len(known):
            return  # rows beside themselves in another order are mixed on purpose
        for one, other in combinations(known, 2):
            labelled = [_is_label(rows.name) for rows in (one, other)]
            if labelled[0] == labelled[1] and not (surely and len(given) == 2 and not labelled[0]):
                continue
            first, second = (one, other) if labelled[1] else (other, one)
            if (found := self._apart(first, second, line)) is not None:
                yield found

    def _apart(self, rows: _Rows, labels: _Rows, line: int) -> Reordered | None:
        since = max(rows.born, labels.born)
        mine, theirs = ([o for o in x.orders if o.line > since] for x in (rows, labels))
        if rows.name == labels.name or _set(rows.name) != _set(labels.name):
            return None
        while mine and theirs and mine[0].lot == theirs[0].lot:  # the table's own, of both
            mine, theirs = mine[1:], theirs[1:]
        if not mine and not theirs:
            return None
        if mine and theirs:
            low, high = sorted((mine[-1].line, theirs[-1].line))
            if any(low <= one <= high for one in self._seeds):
                return None
            return Reordered(theirs[-1].line, labels.name, rows.name, True, line)
        moved, kept, orders = (rows, labels, mine) if mine else (labels, rows, theirs)
        same_cut = bool(moved.part) and moved.part == kept.part
        if not same_cut and not all(one.own for one in orders):
            return None
        if any(_last(kept.name) in one.by for one in orders) or _WANTED.search(moved.name):
            return None
        return Reordered(orders[0].line, moved.name, kept.name, False, line)

    def _put(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            self._dealt(statement.value)
            return
        if isinstance(statement, ast.For):
            self._fresh(statement.target, statement.lineno)
        for node in (part for part in _own(statement) if isinstance(part, ast.NamedExpr)):
            self._fresh(node.target, node.lineno)
        if not isinstance(statement, ast.Assign | ast.AnnAssign):
            return
        made = [(t, v, self._of(v), self._lot(v)) for t, v in assigned(statement)]
        for target, value, rows, lot in made:
            name = _text(target)
            if not name:
                self._fresh(target, statement.lineno)
                continue
            self._lots.pop(name, None)
            self._counted.discard(name)
            if lot is not None:
                self._lots[name] = lot
            if name_of(getattr(_bare(value), "func", value)) in _COUNTS:
                self._counted.add(name)
            if rows is None and self._is_ordered(value):
                self._rows.pop(name, None)  # in some order, and nobody knows in which
                continue
            if rows is None:
                rows = _Rows(name, statement.lineno)
            self._rows[name] = replace(_owned(rows) if rows.name == name else rows, name=name)

    def _is_ordered(self, node: ast.expr) -> bool:
        """Whether it is made of rows that were put into another order, or of an order."""
        names = {_text(part) for part in ast.walk(node) if isinstance(part, ast.expr)}
        known = (self._rows[name] for name in names if name in self._rows)
        return bool(names & set(self._lots)) or any(rows.orders for rows in known)

    def _fresh(self, target: ast.expr, line: int) -> None:
        for name in names_in(target) if _text(target) or isinstance(target, ast.Tuple) else ():
            self._rows[name] = _Rows(name, line)
            self._lots.pop(name, None)

    def _dealt(self, call: ast.Call) -> None:
        """`rng.shuffle(rows)`, in place."""
        name = _text(call.args[0]) if len(call.args) == 1 else ""
        own = isinstance(call.func, ast.Attribute) or self._plain
        if name_of(call.func) != "shuffle" or not name or not own:
            return
        order = _Order(call.lineno, _lot_of(call), True)
        if name in self._counted:
            self._lots[name] = order
        elif (rows := self._rows.get(name)) is not None:
            self._rows[name] = replace(rows, orders=(*rows.orders, order))

    def _lot(self, node: ast.expr) -> _Order | None:
        """An order that was drawn, or that something was sorted by."""
        node = _bare(node)
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
            return self._lot(node.value)
        if (name := _text(node)) in self._lots:
            return self._lots[name]
        if not isinstance(node, ast.Call):
            return None
        called, said = name_of(node.func), ast.unparse(node)
        counted = any(f"{one}(" in said for one in _COUNTS)
        if called in _SORTS or (called == "sorted" and counted):
            return _Order(node.lineno, said, by=frozenset(names_in(node)))
        if called in _ORDERS or (called in ("sample", "shuffle") and counted):
            return _Order(node.lineno, _lot_of(node))
        return None

    def _of(self, node: ast.expr) -> _Rows | None:
        """The rows that an expression stands for, in the order that it has them."""
        name = _text(node)
        if name and name in self._rows:
            return self._rows[name]
        if isinstance(node, ast.Attribute) and node.attr in ("values", "array"):
            return self._of(node.value)
        if isinstance(node, ast.Subscript):
            return self._picked(node)
        if isinstance(node, ast.ListComp) and len(node.generators) == 1:
            return self._listed(node)
        if isinstance(node, ast.BinOp):
            both = [(self._of(one), one) for one in (node.left, node.right)]
            if any(rows is None and self._is_ordered(one) for rows, one in both):
                return None
            sides = [rows for rows, _ in both if rows is not None]
            sides.sort(key=lambda one: not one.orders)  # the others are a mean, or a number
            lots = {tuple(o.lot for o in one.orders) for one in sides if one.name == sides[0].name}
            return sides[0] if len(lots) == 1 else None
        return self._called(node) if isinstance(node, ast.Call) else None

    def _picked(self, node: ast.Subscript) -> _Rows | None:
        owner = node.value
        if isinstance(owner, ast.Attribute) and owner.attr in ("iloc", "loc"):
            owner = owner.value
        rows, by = self._of(owner), node.slice
        by = by.elts[0] if isinstance(by, ast.Tuple) and by.elts else by
        if rows is None:
            return None
        if isinstance(by, ast.Slice):
            return replace(rows, part=ast.unparse(by))
        if isinstance(by, ast.Constant):
            return rows if isinstance(by.value, str) else None
        if (lot := self._lot(by)) is not None:
            part = ast.unparse(by.slice) if isinstance(by, ast.Subscript) else ""
            return replace(rows, orders=(*rows.orders, _here(lot, node)), part=part)
        return None

    def _listed(self, node: ast.ListComp) -> _Rows | None:
        turn = node.generators[0]
        if turn.ifs or not names_in(turn.target) <= names_in(node.elt):
            return None
        lot = self._lot(turn.iter)
        if lot is None:
            return self._of(turn.iter)
        rows = self._of(node.elt.value) if isinstance(node.elt, ast.Subscript) else None
        return None if rows is None else replace(rows, orders=(*rows.orders, _here(lot, node)))

    def _called(self, node: ast.Call) -> _Rows | None:
        called = name_of(node.func)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        of_it = self._of(owner) if owner is not None else None
        first = self._of(node.args[0]) if node.args else None
        told = {k.arg for k in node.keywords}
        if called == "sample" and of_it is not None and "frac" in told:
            order = _Order(node.lineno, _lot_of(node))
            return replace(of_it, orders=(*of_it.orders, order))
        if called == "sort_values" and of_it is not None:
            given = [*node.args, *(k.value for k in node.keywords)]
            order = _Order(node.lineno, "by " + ", ".join(map(ast.unparse, given)))
            return replace(of_it, orders=(*of_it.orders, order))
        if called in _DEALS and first is not None and len(node.args) == 1 and "axis" not in told:
            order = _Order(node.lineno, _lot_of(node))
            return replace(first, orders=(*first.orders, order))
        if called in _PICKS:
            rows, by = (of_it, node.args[:1]) if of_it is not None else (first, node.args[1:])
            lot = next((lot for one in by if (lot := self._lot(one)) is not None), None)
            if rows is None or lot is None:
                return None
            return replace(rows, orders=(*rows.orders, _here(lot, node)))
        if called in _SCALES and first is not None:
            return first
        if of_it is not None:
            return of_it if called in _KEEPS else None
        return None if _REDUCES.search(called) else first


def _flat(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements, those inside of others behind them, and none of functions and classes."""
    for statement in body:
        if isinstance(statement, Function | ast.ClassDef):
            continue
        yield statement
        for name in ("body", "orelse", "finalbody"):
            yield from _flat(getattr(statement, name, ()))
        for handler in getattr(statement, "handlers", ()):
            yield from _flat(handler.body)


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """A statement and what stands in it, without the statements inside."""
    yield statement
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt | ast.ExceptHandler):
            yield from ast.walk(child)


def _cut(statement: ast.stmt) -> str | None:
    """`:n` of `x_train = x[:n]`."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        return ast.unparse(value.slice)
    return None


def _text(node: ast.expr) -> str:
    """How a name, a field of `self` or a column is called; "" of all else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return ast.unparse(node) if name_of(node.value) == "self" else ""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return ""
    column = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return ast.unparse(node) if isinstance(column, str) else ""


def _bare(node: ast.expr) -> ast.expr:
    """Without what only holds it in another form."""
    while isinstance(node, ast.Call) and name_of(node.func) in _HOLDS:
        if isinstance(node.func, ast.Attribute) and not node.args:
            node = node.func.value
        elif node.args:
            node = node.args[0]
        else:
            break
    return node


def _lot_of(call: ast.Call) -> str:
    """What is alike for two calls that draw the same order; its place, where no two do."""
    seeded = [k.value for k in call.keywords if k.arg in ("random_state", "seed")]
    if seeded and not (isinstance(seeded[0], ast.Constant) and seeded[0].value is None):
        return f"seed {ast.unparse(seeded[0])}"
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(owner, ast.Call) and owner.args:
        return ast.unparse(owner)
    return f"{call.lineno}:{call.col_offset}"


def _here(lot: _Order, node: ast.expr) -> _Order:
    return replace(lot, line=node.lineno, own=False)


def _owned(rows: _Rows) -> _Rows:
    return replace(rows, orders=tuple(replace(one, own=True) for one in rows.orders))


def _last(name: str) -> str:
    return name.removeprefix("self.")


def _is_label(name: str) -> bool:
    key = re.search(r"\['([^']*)'\]$", name)
    return _LABELS.fullmatch(key[1] if key else _last(name)) is not None


def _set(name: str) -> str:
    """`train` of `X_train` and of `trainY`; "" of `x` and of `labels`."""
    found = re.search(r"train|test|val|eval|dev", name, re.IGNORECASE)
    return found[0].lower() if found else ""
