"""What a loop does again and again, and what it leaves to be done once, behind it."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from debugger.script.tracing import assigned, is_false, name_of, names_in

_SPLITS = re.compile(r"split", re.IGNORECASE)
_COPIES = re.compile(r"(over|up)_?sampl|resampl|augment|fit_resample|duplicate", re.IGNORECASE)
_OF_A_ROW = ("word_ids", "sequence_ids", "tokens")
"""What an encoding of several texts says of the first of them, where no number is given."""


def first_row_asked(tree: ast.AST) -> int | None:
    """Where a loop asks an encoding that was made before it, and does not say about which row."""
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For | ast.ListComp):
            continue
        bound = {
            part.id
            for part in ast.walk(loop)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        turns = loop.body if isinstance(loop, ast.For) else [loop.elt]
        for call in (part for turn in turns for part in ast.walk(turn)):
            if not isinstance(call, ast.Call) or call.args or call.keywords:
                continue
            asked = call.func
            if (
                isinstance(asked, ast.Attribute)
                and asked.attr in _OF_A_ROW
                and isinstance(asked.value, ast.Name)
                and asked.value.id not in bound
            ):
                return call.lineno
    return None


def copied_before_split(tree: ast.AST) -> int | None:
    """Where rows are copied that are split only afterwards: the copies stand on both sides."""
    nodes = list(ast.walk(tree))
    calls = [one for one in nodes if isinstance(one, ast.Call)]
    copying = {one.name for one in nodes if isinstance(one, ast.FunctionDef) and _copies(one)}
    made = [(target, value) for one in nodes for target, value in assigned(one)]
    for split in (one for one in calls if _SPLITS.search(name_of(one.func))):
        for given in split.args:
            if _copies(given, copying):
                return split.lineno
            names = names_in(given) if isinstance(given, ast.Name | ast.Subscript) else set()
            before = [
                value
                for target, value in made
                if names_in(target) & names and value.lineno < split.lineno
            ]
            last = max(before, key=lambda one: one.lineno, default=None)
            if last is not None and _copies(last, copying):
                return last.lineno
    return None


def _copies(node: ast.AST, own: Collection[str] = ()) -> bool:
    for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
        drawn = [k.value for k in call.keywords if k.arg == "replace" and not is_false(k.value)]
        again = drawn and name_of(call.func) == "sample"
        if again or name_of(call.func) in own or _COPIES.search(name_of(call.func)):
            return True
    return False


def stepped_behind(tree: ast.AST) -> int | None:
    """Where an optimizer steps once behind a loop that sets the gradients of each batch to zero.

    Without that they add up, and one step for all batches is a way to train.
    """
    for outer in ast.walk(tree):
        body = getattr(outer, "body", None)
        statements = body if isinstance(body, list) else []
        for place, loop in enumerate(statements):
            if not isinstance(loop, ast.For):
                continue
            done = _methods(loop)
            owners = {owner for owner, _ in done.get("zero_grad", ())}
            if not owners or "backward" not in done or "step" in done:
                continue
            for behind in statements[place + 1 :]:
                for owner, line in _methods(behind).get("step", ()):
                    if owner in owners:
                        return line
    return None


def filled_again(tree: ast.AST) -> int | None:
    """Where each turn of a loop writes into one and the same thing and puts that into a list: what
    the last turn wrote then stands in all places."""
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For | ast.While):
            continue
        parts = [part for turn in loop.body for part in ast.walk(turn)]
        anew = {
            part.id
            for part in ast.walk(loop)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        kept = {
            part.args[0].id
            for part in parts
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute)
            if part.func.attr == "append" and part.args and isinstance(part.args[0], ast.Name)
        }
        for part in parts:
            if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
                owner = part.value
                if isinstance(owner, ast.Name) and owner.id in kept - anew:
                    return part.lineno
    return None


def _methods(tree: ast.AST) -> dict[str, list[tuple[str, int]]]:
    """The methods that are called in it: of what, and where."""
    found: dict[str, list[tuple[str, int]]] = {}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            owner = ast.unparse(call.func.value)
            found.setdefault(call.func.attr, []).append((owner, call.lineno))
    return found
