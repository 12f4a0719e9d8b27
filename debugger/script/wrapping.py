"""Sums that are made in bytes, which begin at 0 again behind 255."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from debugger.script.tracing import Tracing, name_of

_BYTES = ("uint8", "byte")
_DRAWS = ("integers", "randint", "randrange", "uniform", "random_integers")
_AROUND_0 = ("normal", "randn", "standard_normal", "gauss", "randn_like")
_LEAST = ("low", "a", "minval", "loc", "mean")
_KEEPS_LOW = ("clip", "clamp", "minimum", "clip_by_value", "argmax", "isin", "isnan")
"""Whose answers are brought below some number, or are none but 0 and 1."""


@dataclass(frozen=True)
class Wrapped:
    """`made` is what becomes bytes and is then reckoned with; `below`: it may lie below 0."""

    line: int
    made: str
    below: bool


def wrapped(tree: ast.Module, tracing: Tracing) -> Wrapped | None:
    """The first such sum: of a draw that may lie below 0, else of two arrays."""
    sums = (node for node in ast.walk(tree) if isinstance(node, ast.BinOp))
    found: list[Wrapped] = []
    for node in (one for one in sums if isinstance(one.op, ast.Add | ast.Sub | ast.Mult)):
        sides = (node.left, node.right)
        numbers = any(tracing.constant(side) is not None for side in sides)
        for side in sides:
            made = _cast(_held(side, tracing))
            if made is None:
                continue
            value = _held(made, tracing)
            if _below(value, tracing):
                found.append(Wrapped(node.lineno, ast.unparse(made), True))
            elif not isinstance(node.op, ast.Mult) and not numbers and not _is_low(value):
                found.append(Wrapped(node.lineno, ast.unparse(made), False))
    return min(found, key=lambda one: (not one.below, one.line), default=None)


def _held(node: ast.expr, tracing: Tracing) -> ast.expr:
    made = tracing.local(node) if isinstance(node, ast.Name) else []
    return made[0][1] if len(made) == 1 else node


def _cast(node: ast.expr) -> ast.expr | None:
    """`x` of `x.astype(np.uint8)`, `x.to(torch.uint8)`, `np.uint8(x)` and `tf.cast(x, "uint8")`."""
    if not isinstance(node, ast.Call):
        return None
    name, given = name_of(node.func), [*node.args, *(k.value for k in node.keywords)]
    if name in _BYTES and isinstance(node.func, ast.Attribute):
        return given[0] if given else node.func.value
    if name in ("astype", "to", "type") and isinstance(node.func, ast.Attribute):
        return node.func.value if any(map(_is_bytes, given)) else None
    return given[0] if name == "cast" and any(map(_is_bytes, given[1:])) else None


def _is_bytes(node: ast.expr) -> bool:
    return (node.value if isinstance(node, ast.Constant) else name_of(node)) in _BYTES


def _below(made: ast.expr, tracing: Tracing) -> bool:
    """A draw that may lie below 0."""
    if not isinstance(made, ast.Call):
        return False
    name = name_of(made.func)
    given = [*made.args, *(k.value for k in made.keywords if k.arg in _LEAST)]
    numbers = [one.value for one in map(tracing.constant, given) if one is not None]
    if name in _AROUND_0:
        first = tracing.constant(given[0]) if given else None
        shaped = not given or isinstance(given[0], ast.Tuple | ast.List)
        return "rand" in name or (shaped and len(given) < 2) or getattr(first, "value", 1) == 0
    return name in _DRAWS and any(isinstance(n, int | float) and n < 0 for n in numbers)


def _is_low(made: ast.expr) -> bool:
    """Small numbers, of which no sum gets to 255, or 0 and 1."""
    parts = list(ast.walk(made))
    asks = any(isinstance(one, ast.Compare) for one in parts)
    return asks or any(
        name_of(one.func) in _KEEPS_LOW for one in parts if isinstance(one, ast.Call)
    )
