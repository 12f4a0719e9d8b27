"""What learns from all rows how to prepare them, before some are set aside to judge by."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from debugger.script.remainder import made_of, reads
from debugger.script.tracing import Function, assigned, keyword_of, name_of, owner_of

_LEARNS = re.compile(
    r"(?:Standard|MinMax|MaxAbs|Robust)Scaler|(?:Quantile|Power)Transformer|\w+Imputer"
    r"|PCA|TruncatedSVD|TfidfVectorizer|SelectKBest|SelectPercentile"
)
"""Classes of scikit-learn whose answer for one row depends on the others."""


@dataclass(frozen=True)
class Foreseen:
    """`kind` is the class that learns at `line`, `split` the line that sets rows aside."""

    line: int
    kind: str
    split: int


def foreseen(tree: ast.Module) -> Foreseen | None:
    for scope in _scopes(tree):
        kinds = dict(_kinds(scope))
        for split, given in _parted(scope):
            for value in _behind(scope, given):
                found = _learned(scope, value, kinds)
                if found is not None and max(found[0], value.lineno) <= split:
                    return Foreseen(*found, split)
    return None


def _behind(scope: ast.Module, given: ast.expr) -> Iterator[ast.expr]:
    """What is given, all that has made it, and what was put into columns of that."""
    made = [given, *(value for _, value in made_of(scope, given))]
    yield from made
    names = {name for one in made for name in reads(one)}
    for node in ast.walk(scope):
        for target, value in assigned(node):
            if isinstance(target, ast.Subscript | ast.Attribute) and reads(target) & names:
                yield value


def _scopes(tree: ast.Module) -> Iterator[ast.Module]:
    """The open script and each function, without what stands in functions of their own: a name is
    another thing there."""
    for node in (tree, *(one for one in ast.walk(tree) if isinstance(one, Function))):
        kept = [one for one in node.body if not isinstance(one, Function | ast.ClassDef)]
        yield ast.Module(kept, [])


def _kinds(scope: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(scope):
        for target, value in assigned(node):
            kind = name_of(value.func) if isinstance(value, ast.Call) else ""
            if _LEARNS.fullmatch(kind):
                yield ast.unparse(target), kind


def _learned(scope: ast.Module, value: ast.expr, kinds: dict[str, str]) -> tuple[int, str] | None:
    """Where what has made a value has learned from all that it was given, and its class."""
    for call in (one for one in ast.walk(value) if isinstance(one, ast.Call)):
        made = call.func.value if isinstance(call.func, ast.Attribute) else None
        kind = name_of(made.func) if isinstance(made, ast.Call) else kinds.get(owner_of(call), "")
        if not _LEARNS.fullmatch(kind):
            continue
        if name_of(call.func) == "fit_transform":
            return call.lineno, kind
        if name_of(call.func) == "transform" and (line := _fitted(scope, call)) is not None:
            return line, kind
    return None


def _fitted(scope: ast.Module, transform: ast.Call) -> int | None:
    """Where it learned from the very rows that it prepares."""
    asked = owner_of(transform), list(map(ast.unparse, transform.args[:1]))
    for call in (one for one in ast.walk(scope) if isinstance(one, ast.Call)):
        given = owner_of(call), list(map(ast.unparse, call.args[:1]))
        if name_of(call.func) == "fit" and given == asked:
            return call.lineno
    return None


def _parted(scope: ast.Module) -> Iterator[tuple[int, ast.expr]]:
    """What rows are set aside from, and the line that does so. Who has parted them with care scales
    all that is left to learn from, of which Keras takes a share to watch by."""
    calls = [one for one in ast.walk(scope) if isinstance(one, ast.Call)]
    apart = any(name_of(call.func) == "train_test_split" for call in calls)
    for call in calls:
        if name_of(call.func) == "train_test_split":
            yield from ((call.lineno, one) for one in call.args)
        if (
            name_of(call.func) == "fit"
            and not apart
            and keyword_of(call, "validation_split") is not None
        ):
            given = call.args[0] if call.args else keyword_of(call, "x")
            if given is not None:
                yield call.lineno, given
    ended: set[tuple[str, str]] = set()
    again = [n for n in ast.walk(scope) if isinstance(n, ast.For | ast.While)]
    windows = {part for loop in again for part in ast.walk(loop)}
    for node in (one for one in ast.walk(scope) if one not in windows):
        for _, value in assigned(node):
            if not isinstance(value, ast.Subscript):
                continue
            cut = value.slice.elts[0] if isinstance(value.slice, ast.Tuple) else value.slice
            if not isinstance(cut, ast.Slice) or cut.step is not None:
                continue
            rows = ast.unparse(value.value)
            if cut.lower is not None and (rows, ast.unparse(cut.lower)) in ended:
                yield value.lineno, value.value
            if cut.upper is not None:
                ended.add((rows, ast.unparse(cut.upper)))
