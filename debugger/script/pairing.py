"""What a script lays beside each other that no longer belongs together, as its text shows."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeGuard

from debugger.script.labelling import CALLED
from debugger.script.tracing import name_of, names_in

_LEAVE_OUT = ("dropna", "drop_duplicates", "query")
_BARE = ("list", "array", "asarray", "tuple", "to_numpy", "tolist")
_ROW_BY_ROW = (
    *("to_numpy", "tolist", "astype", "map", "replace", "copy", "fillna", "apply", "to_list"),
    *("clip", "round", "log", "log1p", "split", "lower", "strip", "eq", "gt", "lt"),
)
_SPLITS = "train_test_split"
_TESTED = re.compile(r"(^|_)(test|holdout)(_|$)", re.IGNORECASE)
_SCORES = re.compile(r"(^|_)(score|f1|accuracy|precision|recall|auc|mae|mse|metric)", re.IGNORECASE)
_JUDGES_BY = ("validation_data", "eval_dataset")
_STOPS_EARLY = ("EarlyStopping", "EarlyStoppingCallback")
_KEEPS_BEST = ("load_best_model_at_end", "save_best_only")
_CHOOSES = ("max", "min", "argmax", "argmin", "sorted")
_BY_KEY = r"loc\b|set_index|reindex|merge|join|sort_values|itertuples|iterrows|to_dict|groupby"
"""What finds a row of a table by what it holds, or goes through them one by one."""
_AXES, _BOTH = 3, 2
_AREAS = ("roc_auc_score", "average_precision_score")
_ANSWERS = re.compile(r"predict|pred|forecast|output|answer|logits", re.IGNORECASE)


@dataclass(frozen=True)
class Apart:
    """Two things that stand beside each other, by name, and the line where they came apart."""

    line: int
    one: str
    other: str


class Pairing:
    def __init__(self, tree: ast.AST) -> None:
        self._nodes = list(ast.walk(tree))
        self._calls = [node for node in self._nodes if isinstance(node, ast.Call)]
        blocks = (getattr(node, "body", None) for node in self._nodes)
        self._blocks = [block for block in blocks if isinstance(block, list)]

    def dropped_on_one_side(self) -> Apart | None:
        """Rows with gaps are left out of the inputs, and labels are taken from the whole table."""
        for block in self._blocks:
            made = [(one, name) for one in block if (name := _given_name(one))]
            for node, name in made:
                table = shortened(node.value)
                again = any(other == table and one.lineno > node.lineno for one, other in made)
                if not table or table == name or again or CALLED.fullmatch(name):
                    continue
                for beside, label in made:
                    read = names_in(beside.value)
                    whole = table in read and name not in read and not shortened(beside.value)
                    if _is_label(label, beside.value) and whole:
                        return Apart(node.lineno, name, label)
        return None

    def side_by_side(self) -> Iterator[tuple[int, str, str]]:
        """Two tables, by name, whose rows are laid beside each other as they stand."""
        for node in self._nodes:
            if isinstance(node, ast.Call) and name_of(node.func) == "concat" and node.args:
                axis = next((ast.unparse(k.value) for k in node.keywords if k.arg == "axis"), "")
                listed = node.args[0].elts if isinstance(node.args[0], ast.List) else []
                tables = [_table(one) for one in listed]
                if axis in ("1", "'columns'") and len(tables) == 2 and all(tables):
                    yield node.lineno, tables[0], tables[1]
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                into, value = name_of(node.targets[0].value), node.value
                if _is_bare_column(value) and into and _table(value) not in ("", into):
                    yield node.lineno, into, _table(value)
            if _is_method(node, "assign") and isinstance(node.func, ast.Attribute):
                into = _table(node.func.value)
                for one in (k.value for k in node.keywords if _is_bare_column(k.value)):
                    if into and _table(one) not in ("", into):
                        yield one.lineno, into, _table(one)

    def as_they_stand(self) -> Iterator[tuple[int, str]]:
        """Columns, by the name of their table, that are taken as they stand, where nothing in the
        script puts that table into another order, or looks its rows up by a key."""
        for node in (n for n in self._nodes if isinstance(n, ast.Assign)):
            table, into = _table(_bare(node.value)), name_of(node.targets[0])
            if is_column(node.value) and table and into and not self._is_looked_up(table):
                yield node.lineno, table

    def goes_over(self, name: str) -> bool:
        """Whether something is made for each of a list, one after the other."""
        overs = (n.iter for n in self._nodes if isinstance(n, ast.For | ast.comprehension))
        return any(name in names_in(one) for one in overs)

    def reads(self, table: str, column: str) -> bool:
        asked = (node for node in self._nodes if isinstance(node, ast.Subscript))
        keys = (node.slice for node in asked if name_of(node.value) == table)
        named = any(isinstance(one, ast.Constant) and one.value == column for one in keys)
        fields = (node for node in self._nodes if isinstance(node, ast.Attribute))
        return named or any(f.attr == column and name_of(f.value) == table for f in fields)

    def _is_looked_up(self, table: str) -> bool:
        told = (
            ast.unparse(node)
            for node in self._nodes
            if isinstance(node, ast.Call | ast.Subscript | ast.For | ast.comprehension)
        )
        return any(re.search(rf"\b{table}\.({_BY_KEY})|zip\(.*\b{table}\b", one) for one in told)

    def sorted_apart(self) -> Apart | None:
        """The keys of a dictionary in their order, beside its values in the order they came in."""
        for node in self._nodes:
            given = node.elts if isinstance(node, ast.Tuple) else []
            given = node.args if isinstance(node, ast.Call) else given
            ordered = {_held(one.args[0]) for one in given if _is_call(one, "sorted")}
            values = {_held(one) for one in map(_bare, given) if _is_method(one, "values")}
            if (both := (ordered & values) - {""}) and isinstance(node, ast.Tuple | ast.Call):
                held = both.pop()
                return Apart(node.lineno, f"sorted({held})", f"{held}.values()")
        return None

    def labels_unsplit(self) -> Apart | None:
        """As many labels as a half has rows, from the front of the table that was shuffled."""
        halves: dict[str, str] = {}
        for node in (n for n in self._nodes if isinstance(n, ast.Assign)):
            target, value = node.targets[0], node.value
            if _is_call(value, _SPLITS) and isinstance(target, ast.Tuple) and value.args:
                told = {k.arg: ast.unparse(k.value) for k in value.keywords}
                whole = name_of(value.args[0])
                if told.get("shuffle") != "False" and whole:
                    halves |= {name_of(one): halves.get(whole, whole) for one in target.elts}
        for node in (n for n in self._nodes if isinstance(n, ast.Assign)):
            cut = node.value if isinstance(node.value, ast.Subscript) else None
            part = cut.slice if cut is not None else None
            if cut is None or not isinstance(part, ast.Slice) or part.upper is None:
                continue
            by = part.upper.args[0] if _is_call(part.upper, "len") else None
            half = name_of(by) if by is not None else ""
            if half in halves and halves[half] in names_in(cut.value):
                return Apart(node.lineno, half, name_of(node.targets[0]))
        return None

    def two_orders(self) -> Apart | None:
        """One list gives names their numbers, and the same in another order gives them back."""
        found = [one for node in self._nodes if (one := _numbering(node)) is not None]
        for line, held, ordered, backwards in found:
            for at, other, also, way in found:
                if held == other and ordered != also and backwards and not way:
                    told = f"sorted({held})" if ordered else held
                    return Apart(line, told, f"sorted({held})" if also else f"{held} (line {at})")
        return None

    def evaluated_in_other_order(self) -> int | None:
        """Names that are laid beside what `evaluate` gives, which begins with the loss."""
        for call in self._calls:
            if name_of(call.func) != "zip" or len(call.args) != 2:
                continue
            names, given = call.args
            words = names.elts if isinstance(names, ast.List | ast.Tuple) else []
            said = [one.value for one in words if isinstance(one, ast.Constant)]
            if _is_method(given, "evaluate") and "loss" in said[1:]:
                return call.lineno
        return None

    def chosen_by_test(self) -> tuple[int, str] | None:
        """Where one of several is chosen by what it scores on the rows of the test."""
        for call in self._calls:
            if name_of(call.func) not in _CHOOSES:
                continue
            inner = [one for one in ast.walk(call) if isinstance(one, ast.Call) and one is not call]
            scored = [one for one in inner if _SCORES.search(name_of(one.func))]
            read = sorted(name for one in scored for name in names_in(one) if _TESTED.search(name))
            several = any(isinstance(one, ast.Lambda | ast.ListComp) for one in ast.walk(call))
            if read and several:
                return call.lineno, read[0]
        return None

    def epoch_chosen_by_test(self) -> tuple[int, str] | None:
        """Where a training whose best epoch is kept is given the rows of the test to choose it by,
        and is measured on them once more behind it."""
        named = {name_of(call.func) for call in self._calls}
        given = [(call, k) for call in self._calls for k in call.keywords]
        if not named & set(_STOPS_EARLY) and not any(k.arg in _KEEPS_BEST for _, k in given):
            return None
        for call, told in ((c, k) for c, k in given if k.arg in _JUDGES_BY):
            tested = _tested(told.value)
            if tested and any(self._measures(one, call, tested) for one in self._calls):
                return told.value.lineno, min(tested)
        return None

    def _measures(self, call: ast.Call, training: ast.Call, tested: set[str]) -> bool:
        """A Trainer that is given no rows takes those that it was made with."""
        if name_of(call.func) not in ("evaluate", "predict") or call.lineno < training.lineno:
            return False
        given = [*call.args, *(k.value for k in call.keywords)]
        bare = not given and name_of(training.func).endswith("Trainer")
        return bare or any(_tested(one) & tested for one in given)

    def drawn_apart(self) -> tuple[int, str, str] | None:
        """Two streams of turned and shuffled pictures that are laid beside each other, and draw
        their lots each by itself: where the second is made, and both by name."""
        for call in (one for one in self._calls if name_of(one.func) == "zip"):
            made = [self._made(a) if isinstance(a, ast.Name) else a for a in call.args]
            flows = [one for one in made if isinstance(one, ast.Call) and _is_flow(one)]
            if len(flows) != _BOTH or len(call.args) != _BOTH:
                continue
            told = [{k.arg: ast.unparse(k.value) for k in one.keywords} for one in flows]
            seeds = [one.get("seed", "None") for one in told]
            if all(one.get("shuffle") == "False" for one in told):
                continue
            if seeds[0] != seeds[1] or seeds[0] == "None":
                first, second = (ast.unparse(one) for one in call.args)
                return flows[1].lineno, first, second
        return None

    def undone_otherwise(self) -> tuple[int, str, str] | None:
        """A logarithm that is taken of amounts, and the power that does not undo it: where the
        answers are brought back by it, and both by name."""
        called = {name_of(call.func) for call in self._calls}
        for made, other, right in (("log1p", "exp", "expm1"), ("log", "expm1", "exp")):
            if made not in called or right in called or (made == "log" and "log1p" in called):
                continue
            for call in (one for one in self._calls if name_of(one.func) == other):
                said = " ".join(ast.unparse(one) for one in call.args)
                if _ANSWERS.search(said):
                    return call.lineno, made, other
        return None

    def hard_scores(self) -> int | None:
        """Where an area under a curve is taken of what was decided already."""
        for call in (one for one in self._calls if name_of(one.func) in _AREAS):
            given = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "y_score")]
            for one in given:
                made = self._made(one) if isinstance(one, ast.Name) else one
                if isinstance(_bare(made), ast.Compare) or _is_decided(made):
                    return call.lineno
        return None

    def _made(self, name: ast.Name) -> ast.expr:
        """What the name was given last, above the line that it stands in."""
        before = [
            node.value
            for node in self._nodes
            if isinstance(node, ast.Assign) and name_of(node.targets[0]) == name.id
            if node.lineno < name.lineno
        ]
        return before[-1] if before else name

    def row_shuffled(self) -> tuple[int, str] | None:
        """Where a function that is mapped over rows deals out what stands inside of one."""
        mapped = {
            name_of(call.args[0]) for call in self._calls if _is_method(call, "map") and call.args
        }
        for function in (n for n in self._nodes if isinstance(n, ast.FunctionDef)):
            first = function.args.args[0].arg if function.args.args else ""
            for call in (n for n in ast.walk(function) if isinstance(n, ast.Call)):
                shuffles = ast.unparse(call.func).endswith("random.shuffle") and call.args
                if function.name in mapped and shuffles and name_of(call.args[0]) == first:
                    return call.lineno, first
        return None

    def axis_moved(self) -> tuple[int, str] | None:
        """A reshape that is told the length of an axis at the place of another one."""
        for call in self._calls:
            if not _is_method(call, "reshape"):
                continue
            first = next(iter(call.args), None)
            given = first.elts if isinstance(first, ast.Tuple | ast.List) else call.args
            held = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            added = any(isinstance(one, ast.Constant) and one.value == 1 for one in given)
            if len(given) < _AXES or added:
                continue
            for place, one in enumerate(given):
                axis = _axis_of(one, held)
                if axis is not None and place > axis > 0:
                    return call.lineno, ast.unparse(call)
        return None


def _is_flow(call: ast.Call) -> bool:
    return name_of(call.func) in ("flow", "flow_from_directory", "flow_from_dataframe")


def _tested(value: ast.expr) -> set[str]:
    """The rows of a test in it: `y_test`, and `rows["test"]` by the name of the whole."""
    parts = [part for part in ast.walk(value) if isinstance(part, ast.Subscript)]
    named = {name for name in names_in(value) if _TESTED.search(name)}
    return named | {
        ast.unparse(part)
        for part in parts
        if isinstance(part.slice, ast.Constant) and _TESTED.search(str(part.slice.value))
    }


def _given_name(node: ast.stmt) -> str:
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) else ""


def shortened(value: ast.expr, asks: Callable[[ast.expr], bool] = lambda _: False) -> str:
    """The table of which rows are left out by what they hold: by a call, or in brackets that ask
    each row something."""
    leaves_out = False
    while isinstance(value, ast.Call | ast.Attribute | ast.Subscript):
        leaves_out |= isinstance(value, ast.Call) and _leaves_rows_out(value)
        leaves_out |= isinstance(value, ast.Subscript) and asks(value.slice)
        value = value.func if isinstance(value, ast.Call) else value.value
    return name_of(value) if leaves_out else ""


def _is_bare_column(value: ast.expr) -> bool:
    """Without the index by which pandas would lay rows beside each other."""
    return (isinstance(value, ast.Attribute) and value.attr == "values") or _is_method(
        value, "to_numpy"
    )


def _table(value: ast.expr) -> str:
    """`df` of `df`, `df["days"]`, `df[["days"]]` and `df["days"].to_numpy()`."""
    if isinstance(value, ast.Call):
        value = value.func
    if isinstance(value, ast.Attribute):
        value = value.value
    if isinstance(value, ast.Subscript) and not isinstance(value.slice, ast.Slice | ast.Compare):
        value = value.value
    return value.id if isinstance(value, ast.Name) else ""


def _leaves_rows_out(call: ast.Call) -> bool:
    """By what they hold; a column that is left out is another matter."""
    axis = next((k.value for k in call.keywords if k.arg == "axis"), None)
    of_columns = isinstance(axis, ast.Constant) and axis.value in (1, "columns")
    return name_of(call.func) in _LEAVE_OUT and not of_columns


def is_column(value: ast.expr) -> bool:
    """One column of a table, row by row, in whatever form."""
    return _column_key(value) is not None


def _column_key(value: ast.expr) -> ast.expr | None:
    value = _bare(value)
    while isinstance(value, ast.Call | ast.Attribute | ast.BinOp):
        if isinstance(value, ast.BinOp):
            value = value.left
            continue
        if isinstance(value, ast.Call) and name_of(value.func) not in _ROW_BY_ROW:
            return _column_key(value.args[0]) if _makes_rows(value) else None
        value = value.func if isinstance(value, ast.Call) else value.value
    return value.slice if isinstance(value, ast.Subscript) else None


def _makes_rows(call: ast.Call) -> bool:
    return bool(call.args) and name_of(call.func) in ("fit_transform", "transform", "get_dummies")


def _is_label(name: str, value: ast.expr) -> bool:
    key = _column_key(value)
    said = isinstance(key, ast.Constant) and isinstance(key.value, str)
    return said or (isinstance(key, ast.Name | ast.Attribute) and bool(CALLED.fullmatch(name)))


def _bare(value: ast.expr) -> ast.expr:
    while isinstance(value, ast.Call) and name_of(value.func) in _BARE and value.args:
        value = value.args[0]
    return value


def _is_decided(value: ast.expr) -> bool:
    """`logits.argmax(-1)`, and `(scores > 0.5).astype(int)`."""
    while isinstance(value, ast.Call):
        if name_of(value.func) in ("argmax", "round", "where"):
            return True
        value = value.func.value if isinstance(value.func, ast.Attribute) else value.func
    return isinstance(value, ast.Compare)


def _held(value: ast.expr) -> str:
    """`d` of `d`, `d.keys()` and `d.values()`."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return value.id if isinstance(value, ast.Name) else ""


def _is_call(node: ast.AST | None, name: str) -> TypeGuard[ast.Call]:
    """With something to be called for."""
    return isinstance(node, ast.Call) and name_of(node.func) == name and bool(node.args)


def _is_method(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr == name


def _axis_of(node: ast.expr, held: str) -> int | None:
    """2 of `x.shape[2]`, where that is of `x`."""
    shape = node.value if isinstance(node, ast.Subscript) else None
    if not isinstance(shape, ast.Attribute) or shape.attr != "shape":
        return None
    number = node.slice if isinstance(node, ast.Subscript) else None
    if ast.unparse(shape.value) != held or not isinstance(number, ast.Constant):
        return None
    return number.value if isinstance(number.value, int) else None


def _numbering(node: ast.AST) -> tuple[int, str, bool, bool] | None:
    """Of `{name: n for n, name in enumerate(names)}` and `dict(enumerate(sorted(names)))`: the
    line, the list, whether it is sorted first, and whether numbers lead to names."""
    over: ast.expr | None = None
    backwards = False
    if isinstance(node, ast.DictComp):
        over = node.generators[0].iter
        target = node.generators[0].target
        first = target.elts[0] if isinstance(target, ast.Tuple) else None
        backwards = first is not None and name_of(first) == name_of(node.key)
    elif isinstance(node, ast.Call) and name_of(node.func) == "dict" and node.args:
        over, backwards = node.args[0], True
    if not isinstance(over, ast.Call) or name_of(over.func) != "enumerate" or not over.args:
        return None
    given = over.args[0]
    ordered = _is_call(given, "sorted")
    if _is_call(given, "sorted"):
        given = given.args[0]
    held = ast.unparse(given).removeprefix("self.").removeprefix("cfg.")
    return (node.lineno, held, ordered, backwards) if isinstance(node, ast.expr) else None
