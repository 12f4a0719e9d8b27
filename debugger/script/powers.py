"""Where a script makes a perplexity of a loss, and as a power of which number."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from debugger.script.tracing import name_of

_POWERS = {"exp": "e", "exp2": "2"}


@dataclass(frozen=True)
class Power:
    """A power of `base` to a loss that was evaluated."""

    base: str
    line: int


def powers(tree: ast.Module) -> list[Power]:
    return sorted(_found(tree), key=lambda one: one.line)


def _found(tree: ast.Module) -> Iterator[Power]:
    losses = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _holds_loss(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) == 1:
            base, raised = _POWERS.get(name_of(node.func)), node.args[0]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            base, raised = _number(node.left), node.right
        else:
            continue
        named = isinstance(raised, ast.Name) and raised.id in losses
        if base is not None and (named or _holds_loss(raised)):
            yield Power(base, node.lineno)


def _number(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return f"{node.value:g}"
    return "e" if name_of(node) == "e" else None


def _holds_loss(node: ast.expr) -> bool:
    """A loss as an evaluation names it: results["eval_loss"]."""
    return any(
        isinstance(part, ast.Constant) and part.value in ("eval_loss", "test_loss", "val_loss")
        for part in ast.walk(node)
    )
