"""Where a script parts labels from their rows: gives them another order, or draws them by lot."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from debugger.script.tracing import name_of

_LABELS = re.compile(r"(.*_)?(y|ys|labels?|targets?|classes|tags?|ratings?|stars)(_.*|\d*)", re.I)
_KEYS = ("label", "labels")
_ORDERS = ("permutation", "randperm")
_MOVES = (*_ORDERS, "shuffle", "permuted", "roll")
_SORTS = ("sorted", "sort")
_FED = ("from_tensor_slices", "fit")
_DRAWS = ("randint", "randrange", "integers", "getrandbits")
_HOLDS = ("list", "array", "asarray", "constant", "tensor", "copy", "deepcopy", "int", "float")


def torn(tree: ast.Module) -> int | None:
    """The first such line. Rows may well be made of labels that were shuffled before: whether the
    two belong together, only a training shows."""
    return min(_lines(tree), default=None)


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
        return key in _KEYS if isinstance(key, str) else _is_label(node.value)
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
