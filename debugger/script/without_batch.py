"""A single row that a model is asked about as if it were a batch of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from debugger.script.tracing import ASKS, DEEPEST, Tracing, name_of, names_in, owner_of

_TAKES = (*ASKS, "fit", "evaluate", "flow", "from_tensor_slices")
_LIKE = (
    *("array", "asarray", "constant", "convert_to_tensor", "cast", "float32", "copy", "astype"),
    *("numpy", "preprocess_input", "resize", "img_to_array", "cvtColor", "normalize", "convert"),
)
_PICTURES = ("load_img", "imread", "open_image")
_DRAWS = ("randint", "randrange", "integers", "argmax", "argmin", "int")


@dataclass(frozen=True)
class Single:
    """Asked about at a line, under that name; `of` are the rows that it is one of, by name, and ""
    of a picture that was just read."""

    line: int
    name: str
    of: str


def asked_of_one(tree: ast.Module, tracing: Tracing) -> Iterator[Single]:
    """Each call that asks a fitted model about one row which nobody put an axis in front of."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    fitted = {owner_of(call) for call in calls if name_of(call.func) in ("fit", "compile")} - {""}
    whole = {
        name
        for call in calls
        if name_of(call.func) in _TAKES
        for given in (*call.args, *(k.value for k in call.keywords))
        for name in _whole(given)
    }
    for call in calls:
        owner = owner_of(call)
        asks = name_of(call.func) in ASKS and (owner in fitted or owner.endswith("model"))
        itself = isinstance(call.func, ast.Name) and call.func.id in fitted
        if not asks and not itself:
            continue
        given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "x")]
        of = _single(given[0], tracing, call.lineno) if given else None
        if of is not None and (not of or of in whole):
            yield Single(call.lineno, ast.unparse(given[0]), of)


def _whole(given: ast.expr) -> Iterator[str]:
    """Names of what is handed over from its first row on."""
    for one in given.elts if isinstance(given, ast.Tuple | ast.List) else [given]:
        if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Slice):
            one = one.value
        if isinstance(one, ast.Name):
            yield one.id


def _single(node: ast.expr, tracing: Tracing, before: int, depth: int = 0) -> str | None:
    """What it is one row of; "" of a picture; None of what may be several."""
    if depth > DEEPEST:
        return None
    if isinstance(node, ast.Subscript):
        owner = node.value
        if isinstance(owner, ast.Attribute) and owner.attr == "iloc":
            owner = owner.value
        held = isinstance(owner, ast.Name)
        return owner.id if held and _is_place(node.slice, tracing) else None
    if isinstance(node, ast.BinOp):
        return _single(node.left, tracing, before, depth + 1)
    if isinstance(node, ast.Call):
        called = name_of(node.func)
        if called in _PICTURES or (called == "open" and owner_of(node) == "Image"):
            return ""
        if called not in _LIKE:
            return None
        first = node.args[0] if node.args else None
        inside = first if first is not None and _has_rows(first) else None
        if isinstance(node.func, ast.Attribute) and inside is None:
            inside = node.func.value
        found = None if inside is None else _single(inside, tracing, before, depth + 1)
        if found is None and isinstance(node.func, ast.Attribute):
            return _single(node.func.value, tracing, before, depth + 1)
        return found
    if isinstance(node, ast.Name):
        made = [(line, value) for line, value in tracing.local(node) if line < before]
        if made:
            line, value = made[-1]
            own = node.id in names_in(value)  # picture = picture / 255
            if own and len(made) > 1:
                outer = made[-2]
                kept = isinstance(value, ast.BinOp) or (
                    isinstance(value, ast.Call) and name_of(value.func) in _LIKE
                )
                return _single(outer[1], tracing, outer[0] + 1, depth + 1) if kept else None
            return None if own else _single(value, tracing, line + 1, depth + 1)
        given = tracing.handed_in(node)
        return None if given is None else _single(given, tracing, given.lineno + 1, depth + 1)
    return None


def _has_rows(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Subscript | ast.Call | ast.BinOp)


def _is_place(node: ast.expr, tracing: Tracing) -> bool:
    """A number, or what stands for one."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int) and not isinstance(node.value, bool)
    if isinstance(node, ast.Call):
        sized = any(k.arg == "size" for k in node.keywords) or len(node.args) > 2
        return name_of(node.func) in _DRAWS and not sized
    if not isinstance(node, ast.Name):
        return False
    made = tracing.local(node)
    return bool(made) and all(
        not isinstance(value, ast.Name) and _is_place(value, tracing) for _, value in made
    )
