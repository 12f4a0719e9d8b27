"""Where a script parts labels from their rows: gives them another order, or draws them by lot."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from debugger.script.tracing import name_of

_LABELS = re.compile(r"(.*_)?(y|ys|labels?|targets?|classes|tags?|ratings?|stars)(_.*|\d*)", re.I)
_KEYS = ("label", "labels")
_ORDERS = ("permutation", "randperm")
_MOVES = (*_ORDERS, "shuffle", "permuted", "roll")
_SORTS = ("sorted", "sort")
IN_ORDER = "in order"
_FED = ("from_tensor_slices", "fit")
_SPLITS = "train_test_split"
_DRAWS = ("randint", "randrange", "integers", "getrandbits")
_PICKS = ("dropna", "drop_duplicates", "query", "filter", "compress", "unique")
_HOLDS = ("list", "array", "asarray", "constant", "tensor", "copy", "deepcopy", "int", "float")


def torn(tree: ast.Module) -> int | None:
    """The first such line. Rows may well be made of labels that were shuffled before: whether the
    two belong together, only a training shows."""
    scopes = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))]
    behind = (line for scope in scopes for line in _moved_behind(scope.body))
    ordered = _ordered(tree)
    alone = (line for scope in scopes for line in _rows_alone(ordered, scope.body))
    return min((*_lines(tree), *_split_alone(tree), *behind, *alone), default=None)


def rows_made_of(tree: ast.Module, line: int) -> bool:
    """Whether rows may be made of the labels that a line moved: they are gone through by themselves
    below it, and not beside rows."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    here = {one.id for one in names if one.lineno == line and _is_label(one)}
    gone = [n.iter for n in ast.walk(tree) if isinstance(n, ast.For | ast.comprehension)]
    bare = [
        one.args[0] if _is(one, ("enumerate",)) and isinstance(one, ast.Call) and one.args else one
        for one in gone
        if one.lineno >= line
    ]
    return any(isinstance(one, ast.Name) and one.id in here for one in bare)


@dataclass(frozen=True)
class Shortened:
    """Rows, by name, of which some are left out at a line, and labels that are only cut."""

    rows: str
    at: int
    line: int


def cut_to_fit(tree: ast.Module) -> Shortened | None:
    """Labels that are cut to the number of rows, where what was left out stood anywhere."""
    scopes = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))]
    for scope in scopes:
        left: dict[str, int] = {}
        given: dict[str, int] = {}
        for node in (one for one in scope.body if isinstance(one, ast.Assign)):
            value, cut = node.value, _cut_by(node.value)
            of = "" if cut is None else name_of(cut[0])
            at = left.get(cut[1], 0) if cut is not None else 0
            if cut is not None and at and _is_label(cut[0]) and given.get(of, 0) < at:
                return Shortened(cut[1], at, node.lineno)
            for target in (one for one in node.targets if isinstance(one, ast.Name)):
                given[target.id] = node.lineno
                left.pop(target.id, None)
                if _leaves_some_out(value):
                    left[target.id] = node.lineno
    return None


@dataclass(frozen=True)
class CutShort:
    """Two lists of the same rows that are gone through side by side: `rows`, which leaves some out
    at a line, and `whole`, made at `line`, which leaves out others or none."""

    rows: str
    at: int
    whole: str
    line: int


def zipped_short(tree: ast.Module) -> Iterator[CutShort]:
    """zip stops where the shorter list ends, and says nothing."""
    scopes = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))]
    for scope in scopes:
        made: dict[str, tuple[str, str, int]] = {}
        for node in (one for one in scope.body if isinstance(one, ast.Assign)):
            for target in (one for one in node.targets if isinstance(one, ast.Name)):
                made.pop(target.id, None)
                if (picked := _picked(node.value)) is not None:
                    made[target.id] = (*picked, node.lineno)
        calls = (part for one in scope.body for part in ast.walk(one) if isinstance(part, ast.Call))
        for call in (one for one in calls if name_of(one.func) == "zip" and not one.keywords):
            names = [one.id for one in call.args if isinstance(one, ast.Name) and one.id in made]
            by_ifs = sorted(names, key=lambda name: not made[name][1])
            for one, other in zip(by_ifs, by_ifs[::-1], strict=True):
                (of, left, at), (of_other, left_other, line) = made[one], made[other]
                if of == of_other and left and left != left_other:
                    yield CutShort(one, at, other, line)


def _picked(value: ast.expr) -> tuple[str, str] | None:
    """Of `[f(row) for row in rows if row]` what it goes through, and which rows it takes."""
    over = value.generators if isinstance(value, ast.ListComp) else []
    if len(over) != 1 or not isinstance(over[0].iter, ast.Name):
        return None
    return over[0].iter.id, ", ".join(ast.unparse(one) for one in over[0].ifs)


def _cut_by(value: ast.expr) -> tuple[ast.expr, str] | None:
    """Of `y[: len(x)]` both, and of `y[: x.shape[0]]`."""
    value = _bare(value)
    part = value.slice if isinstance(value, ast.Subscript) else None
    if not isinstance(value, ast.Subscript) or not isinstance(part, ast.Slice):
        return None
    upper = part.upper
    if part.lower is not None or part.step is not None or upper is None:
        return None
    if isinstance(upper, ast.Call) and name_of(upper.func) == "len" and upper.args:
        return value.value, name_of(upper.args[0])
    shape = upper.value if isinstance(upper, ast.Subscript) else None
    if isinstance(shape, ast.Attribute) and shape.attr == "shape":
        return value.value, name_of(shape.value)
    return None


def _leaves_some_out(value: ast.expr) -> bool:
    """Whether rows are picked by what they hold."""
    if isinstance(value, ast.ListComp):
        return any(one.ifs for one in value.generators)
    if isinstance(value, ast.Call):
        return name_of(value.func) in _PICKS
    if not isinstance(value, ast.Subscript):
        return False
    asked = any(isinstance(one, ast.Compare | ast.Invert) for one in ast.walk(value.slice))
    return asked and not isinstance(value.slice, ast.Slice | ast.Tuple)


def place_lost(tree: ast.Module) -> tuple[int, str, str] | None:
    """Where a list is given another order though a place in it was noted, which is read later on:
    the line, the list, and the name of the place."""
    bodies = (getattr(node, "body", None) for node in ast.walk(tree))
    for block in (body for body in bodies if isinstance(body, list)):
        for number, statement in enumerate(block):
            call = statement.value if isinstance(statement, ast.Expr) else None
            held = _reordered(call) if isinstance(call, ast.Call) else None
            if not isinstance(held, ast.Name):
                continue
            noted = _noted(block[:number], held.id)
            if noted and any(_reads(one, noted) for one in _until_set(block[number + 1 :], noted)):
                return statement.lineno, held.id, noted
    return None


def _reordered(call: ast.Call) -> ast.expr | None:
    """The list that a call gives another order, in place."""
    if name_of(call.func) == "shuffle" and len(call.args) == 1:
        return call.args[0]
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return owner if name_of(call.func) in ("sort", "reverse") and not call.args else None


def _noted(block: list[ast.stmt], held: str) -> str:
    """The name of a place in a list: where something was put, or where something stood."""
    noted = ""
    for part in (part for statement in block for part in ast.walk(statement)):
        if isinstance(part, ast.Assign) and name_of(part.targets[0]) == held:
            noted = ""
        made = part.value if isinstance(part, ast.Assign) else part
        if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute):
            continue
        if name_of(made.func.value) != held:
            continue
        if made.func.attr == "index" and isinstance(part, ast.Assign):
            noted = name_of(part.targets[0])
        if made.func.attr == "insert" and made.args and isinstance(made.args[0], ast.Name):
            noted = made.args[0].id
    return noted


def _until_set(block: list[ast.stmt], name: str) -> Iterator[ast.stmt]:
    for statement in block:
        if isinstance(statement, ast.Assign) and name_of(statement.targets[0]) == name:
            return
        yield statement


def _reads(statement: ast.stmt, name: str) -> bool:
    names = (part for part in ast.walk(statement) if isinstance(part, ast.Name))
    return any(part.id == name and isinstance(part.ctx, ast.Load) for part in names)


def _lines(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (moved := _moved(node)) is not None and _is_label(moved):
            yield node.lineno
        if isinstance(node, ast.Subscript) and _is_label(node.value) and _is(node.slice, _ORDERS):
            yield node.lineno
        for value in _labelling(node):
            made = _bare(value.elt if isinstance(value, ast.ListComp) else value)
            if _is(made, _DRAWS) or _moved(made) is not None:
                yield made.lineno
        for value in _handed_on(node):
            made = _bare(value)
            if isinstance(made, ast.Call) and name_of(made.func) in _SORTS:
                yield from (made.lineno for one in made.args[:1] if _is_label(one))


def _split_alone(tree: ast.Module) -> Iterator[int]:
    """Rows and labels, each split by a call of its own that draws its own lot."""
    splits = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and name_of(node.func) == _SPLITS and len(node.args) == 1
    ]
    lots = [lot_of(call) for call in splits]
    if len(splits) < 2 or (lots[0] is not None and len(set(lots)) == 1):
        return
    yield from (call.lineno for call in splits if _is_label(call.args[0]))


def _moved_behind(body: list[ast.stmt]) -> Iterator[int]:
    """Rows that are given another order once their labels were taken from them."""
    taken: set[str] = set()
    for node in (n for n in body if isinstance(n, ast.Assign)):
        made = node.targets[0]
        if not isinstance(made, ast.Name):
            continue
        if made.id in taken and _reorders(node.value, made.id):
            yield node.lineno
        taken.discard(made.id)  # another table from here on
        if _is_label(made) and _is_column(node.value):
            taken |= {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}


def _ordered(tree: ast.Module) -> list[tuple[str, str]]:
    """What is picked by a name, and by which."""
    return [
        (name_of(node.value), name_of(node.slice))
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name)
    ]


def _rows_alone(ordered: list[tuple[str, str]], body: list[ast.stmt]) -> Iterator[int]:
    """Rows that take an order of their own, and labels of the same set that never take it."""
    orders, labels = set[str](), set[str]()
    for node in (n for n in body if isinstance(n, ast.Assign)):
        made = node.targets[0]
        if not isinstance(made, ast.Name):
            continue
        if _is_label(made):
            labels.add(made.id)
        if _is(node.value, _ORDERS):
            orders.add(made.id)
        taken = node.value
        if not isinstance(taken, ast.Subscript) or name_of(taken.value) != made.id:
            continue
        by = name_of(taken.slice)
        beside = {one for one in labels if _of_set(one) == _of_set(made.id)}
        follow = {one for one, order in ordered if order == by}
        alone = not _is_label(made) and not any(map(_LABELS.fullmatch, follow))
        if by in orders and beside and alone:
            yield node.lineno


def _of_set(name: str) -> str:
    """`train` of `X_train` and of `train_labels`; "" of `x` and of `labels`."""
    found = re.search(r"train|test|valid|val|eval|dev", name)
    return found[0] if found else ""


def _reorders(value: ast.expr, name: str) -> bool:
    """Whether the whole of it comes back in another order: `.sample(frac=1)` and what follows."""
    for call in (n for n in ast.walk(value) if isinstance(n, ast.Call)):
        moved = _moved(call)
        if isinstance(moved, ast.Name) and moved.id == name:
            return True
    return False


def _is_column(value: ast.expr) -> bool:
    """A column of a table whose name says that it holds the labels, in whatever form."""
    return any(isinstance(part, ast.Subscript) for part in ast.walk(value))


def lot_of(call: ast.Call) -> str | None:
    """What a split is drawn by; None where it is another one each time."""
    told = {k.arg: ast.unparse(k.value) for k in call.keywords}
    if told.get("shuffle") == "False":
        return IN_ORDER
    seed = told.get("random_state", "None")
    return None if seed == "None" else seed


def _handed_on(node: ast.AST) -> Iterator[ast.expr]:
    """What goes on beside rows: a mere list of the classes is sorted in many scripts."""
    yield from _labelling(node)
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        yield from node.value.elts
    if isinstance(node, ast.Call) and name_of(node.func) in _FED:
        given = [*node.args, *(k.value for k in node.keywords)]
        yield from (one for arg in given for one in (arg.elts if _is_tuple(arg) else [arg]))


def _labelling(node: ast.AST) -> Iterator[ast.expr]:
    """What a dictionary holds as labels."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from (v for k, v in pairs if isinstance(k, ast.Constant) and k.value in _KEYS)


def _moved(node: ast.expr) -> ast.expr | None:
    """What a call gives another order."""
    if not isinstance(node, ast.Call):
        return None
    name, owner = name_of(node.func), getattr(node.func, "value", None)
    if name in _MOVES:
        return node.args[0] if node.args else None
    if name != "sample":
        return None
    whole = len(node.args) == 2 and _is(node.args[1], ("len",))
    shares = [k for k in node.keywords if k.arg == "frac"]
    return node.args[0] if whole else owner if shares else None


def _is_label(node: ast.expr) -> bool:
    node = _bare(node)
    if isinstance(node, ast.Subscript):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        named = isinstance(key, str)
        return _LABELS.fullmatch(key) is not None if named else _is_label(node.value)
    return _LABELS.fullmatch(name_of(node)) is not None


def _bare(node: ast.expr) -> ast.expr:
    """Without what only holds it in another form."""
    while isinstance(node, ast.Call) and name_of(node.func) in _HOLDS and node.args:
        node = node.args[0]
    return node


def _is_tuple(node: ast.expr) -> TypeGuard[ast.Tuple]:
    return isinstance(node, ast.Tuple)


def _is(node: ast.expr, names: tuple[str, ...]) -> bool:
    return isinstance(node, ast.Call) and name_of(node.func) in names
