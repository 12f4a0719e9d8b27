"""Where the rows to be judged by are made otherwise than the rows to learn from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from debugger.script.tracing import Tracing, assigned, name_of, names_in, of_any_set, owner_of

_HERE, _THERE = "train_dataset", "eval_dataset"
_OF_A_SET = (
    *("seed", "random_state", "split", "name", "data_files", "shuffle", "path", "start", "stop"),
    *("n", "count", "size", "num", "rows", "samples", "num_rows", "num_samples"),
)
"""Arguments in which two sets differ in any script."""
_SCALES = re.compile(r"fit_transform|scale|normali[sz]e|standardi[sz]e", re.IGNORECASE)
_IN_PLACE = ("set_format", "set_transform", "drop", "sort", "reverse", "shuffle", "reset_format")
DEEPEST = 16


class Parting:
    """Follows both sets back, step by step, for as long as the same was done to both."""

    def __init__(self, tree: ast.AST, tracing: Tracing) -> None:
        self._nodes = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
        self._calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        self._conditions = [node for node in ast.walk(tree) if isinstance(node, ast.IfExp)]
        self._tracing = tracing

    def line(self) -> int | None:
        """The first step that one of them takes, going back, and the other does not."""
        for call in self._calls:
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            if _HERE in given and _THERE in given:
                return self._parted(given[_HERE], given[_THERE])
        return None

    def scaled_if(self) -> int | None:
        """A line that scales rows on a condition, and else takes them as they are."""
        for node in self._conditions:
            for done, left in ((node.body, node.orelse), (node.orelse, node.body)):
                given = done.args[:1] if isinstance(done, ast.Call) else []
                called = ast.unparse(done.func) if isinstance(done, ast.Call) else ""
                if _SCALES.search(called) and [ast.unparse(left)] == list(map(ast.unparse, given)):
                    return node.lineno
        return None

    def of_fit(self) -> int | None:
        """The same of the inputs that `fit` of Keras learns from, and those it is judged by."""
        for call in self._calls:
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            here = call.args[0] if call.args else given.get("x")
            there = given.get("validation_data")
            if isinstance(there, ast.Tuple) and there.elts:
                there = there.elts[0]
            if name_of(call.func) == "fit" and here is not None and there is not None:
                return self._parted(here, there)
        return None

    def _parted(self, here: ast.expr, there: ast.expr, depth: int = 0) -> int | None:
        if depth > DEEPEST or _are_of_a_set(here, there):
            return None
        if isinstance(here, ast.Name) or isinstance(there, ast.Name):
            wrapped = self._is_wrapped(here, there) or self._is_wrapped(there, here)
            return there.lineno if wrapped else self._of_names(here, there, depth)
        if isinstance(here, ast.Call) and isinstance(there, ast.Call):
            return self._of_calls(here, there, depth)
        if isinstance(here, ast.Subscript) and isinstance(there, ast.Subscript):
            done = self._done_to_one(here, there)
            done = done or self._parted(here.value, there.value, depth + 1)
            made = any(isinstance(one, ast.Call | ast.List) for one in (here.slice, there.slice))
            return self._parted(here.slice, there.slice, depth + 1) if made and not done else done
        if type(here) is not type(there):
            return there.lineno
        return self._of_parts(here, there, depth)

    def _of_names(self, here: ast.expr, there: ast.expr, depth: int) -> int | None:
        if (done := self._done_to_one(here, there)) is not None:
            return done
        one, other = self._behind(here), self._behind(there)
        if one is None or other is None:
            # what nobody follows further back stands for itself
            both = isinstance(here, ast.Name) and isinstance(there, ast.Name)
            plain = any(isinstance(n, ast.Subscript | ast.Attribute) for n in (here, there))
            return None if both or plain else there.lineno
        return None if one is other else self._parted(one, other, depth + 1)

    def _is_wrapped(self, whole: ast.expr, bare: ast.expr) -> bool:
        """Whether the one is made of what the other is, by a call or by reckoning: `scale(x_train)`
        beside `x_test`."""
        if not isinstance(bare, ast.Name) or not isinstance(whole, ast.Call | ast.BinOp):
            return False
        called = {name_of(whole.func)} if isinstance(whole, ast.Call) else set[str]()
        return of_any_set(bare.id) in map(of_any_set, names_in(whole) - called)

    def _of_calls(self, here: ast.Call, there: ast.Call, depth: int) -> int | None:
        if name_of(here.func) != name_of(there.func):
            return there.lineno
        if isinstance(here.func, ast.Attribute) and isinstance(there.func, ast.Attribute):
            found = self._parted(here.func.value, there.func.value, depth + 1)
            if found is not None:
                return found
        for one, other in zip(here.args, there.args, strict=False):
            if (found := self._parted(one, other, depth + 1)) is not None:
                return found
        named, also = _named(here), _named(there)
        for name in sorted(set(named) & set(also)):
            if self._settings_differ(named[name], also[name]):
                return also[name].lineno
            if (found := self._parted(named[name], also[name], depth + 1)) is not None:
                return found
        return there.lineno if set(named) != set(also) else None

    def _settings_differ(self, one: ast.expr, other: ast.expr) -> bool:
        """Two words or two numbers that are written down, and are not the same."""
        values = [self._tracing.constant(given) for given in (one, other)]
        return all(values) and len({ast.unparse(value) for value in values if value}) > 1

    def _of_parts(self, here: ast.AST, there: ast.AST, depth: int) -> int | None:
        one, other = list(_parts(here)), list(_parts(there))
        if len(one) != len(other):
            return getattr(there, "lineno", None)
        for mine, theirs in zip(one, other, strict=True):
            if (found := self._parted(mine, theirs, depth + 1)) is not None:
                return found
        return None

    def _behind(self, node: ast.expr) -> ast.expr | None:
        """What a name was last given above the line that it stands at; another node is itself."""
        if not isinstance(node, ast.Name):
            return node
        made = [value for line, value, _ in self._tracing.unpacked(node) if line < node.lineno]
        return made[-1] if made else self._tracing.handed_in(node)

    def _done_to_one(self, here: ast.expr, there: ast.expr) -> int | None:
        """A statement that changes the one of them, and that there is none like for the other."""
        done = [self._changes(one) for one in (here, there)]
        for mine, theirs in (done, done[::-1]):
            alone = [line for what, line in mine.items() if what not in theirs]
            if alone:
                return min(alone)
        return None

    def _changes(self, node: ast.expr) -> dict[str, int]:
        said, found = ast.unparse(node), dict[str, int]()
        for statement in self._nodes:
            for target, _ in assigned(statement):
                below = isinstance(target, ast.Subscript) and ast.unparse(target.value) == said
                if below and isinstance(target, ast.Subscript):
                    found[ast.unparse(target.slice)] = statement.lineno
                elif not isinstance(node, ast.Name) and ast.unparse(target) == said:
                    found["itself"] = statement.lineno
            call = statement.value if isinstance(statement, ast.Expr) else None
            known = isinstance(call, ast.Call) and name_of(call.func) in _IN_PLACE
            if known and isinstance(call, ast.Call) and owner_of(call) == said:
                found[name_of(call.func)] = statement.lineno
        return found


def _named(call: ast.Call) -> dict[str, ast.expr]:
    return {k.arg: k.value for k in call.keywords if k.arg and k.arg not in _OF_A_SET}


def _parts(node: ast.AST) -> Iterator[ast.expr]:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.comprehension):
            yield from (part.iter, *part.ifs)
        elif isinstance(part, ast.expr):
            yield part


def _are_of_a_set(one: ast.expr, other: ast.expr) -> bool:
    """The same thing, or what two sets are told apart by: sizes, places, files, seeds."""
    said = [ast.unparse(one), ast.unparse(other)]
    plain = isinstance(one, ast.Constant) and isinstance(other, ast.Constant)
    return plain or said[0] == said[1] or any("seed" in text.lower() for text in said)
