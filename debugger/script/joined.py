"""Texts that a script puts together, one behind the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Joined:
    """Two columns whose texts become one, with nothing between them."""

    line: int
    first: str
    second: str


def joined(tree: ast.Module) -> Iterator[Joined]:
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            pairs = [(_last(node.left), node.right)]
        elif isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.FormattedValue) else p for p in node.values]
            pairs = list(pairwise(parts))
        else:
            continue
        for first, second in pairs:
            one, other = _key(first), _key(second)
            if one and other and one != other:
                yield Joined(node.lineno, one, other)


def _last(node: ast.expr) -> ast.expr:
    """`b` of `a + b`."""
    added = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
    return node.right if added and isinstance(node, ast.BinOp) else node


def _key(node: ast.expr) -> str:
    """`title` of `row["title"]`."""
    by = node.slice if isinstance(node, ast.Subscript) else None
    return by.value if isinstance(by, ast.Constant) and isinstance(by.value, str) else ""
