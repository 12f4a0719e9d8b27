"""What a value was made of: through a script's text, backwards from where it is used."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from debugger.script.putting import Put, says
from debugger.script.tracing import TRAINING_STEPS, Function, Tracing, assigned, name_of

MOST = 400
"""So many values are gone back through, and no more."""
_USED = ("value", "iter", "test", "exc")
_HOLDS = (
    *("array", "asarray", "tensor", "as_tensor", "list", "tolist", "to_list", "from_list"),
    *("get", "fillna", "where", "full", "append", "numpy"),
)
"""Calls whose answer holds what they are given."""
_NUMBER = r"-?\d*\.?\d+(?:[eE][-+]?\d+)?"
_TYPED = {"type", "action", "choices", "nargs"}
_SPLITS = "train_test_split"


class Behind:
    """Follows values through names, columns, fields, calls of the script's own functions."""

    def __init__(self, tree: ast.Module, tracing: Tracing, put: Sequence[Put]) -> None:
        self._tracing, self._put = tracing, put
        nodes = list(ast.walk(tree))
        self._statements = [node for node in nodes if isinstance(node, ast.stmt)]
        self._functions = [node for node in nodes if isinstance(node, Function)]
        self._classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        self._expressions = [node for node in nodes if isinstance(node, ast.expr)]
        self._fields: dict[str, list[ast.expr]] = {}
        for node in nodes:
            for target, value in assigned(node):
                if isinstance(target, ast.Attribute) and name_of(target.value) == "self":
                    self._fields.setdefault(target.attr, []).append(value)

    def flow(self, start: Iterable[ast.expr]) -> Iterator[ast.expr]:
        """The values that these come from, the nearest first."""
        waiting, known = deque(start), set[ast.expr]()
        while waiting and len(known) < MOST:
            value = waiting.popleft()
            if value in known:
                continue
            known.add(value)
            yield value
            for part in ast.walk(value):
                waiting.extend(self._sources(part))

    def at(self, line: int | None) -> list[ast.expr]:
        """What the statement at a line works with."""
        around = [
            node
            for node in self._statements
            if line is not None and node.lineno <= line <= (node.end_lineno or node.lineno)
        ]
        if not around:
            return []
        nearest = max(around, key=lambda node: (node.lineno, node.col_offset))
        held = (getattr(nearest, name, None) for name in _USED)
        return [one for one in held if isinstance(one, ast.expr)]

    def under(self, *keys: str) -> list[ast.expr]:
        """What is put under one of these keys, the last first."""
        found = [value for names, value in self._put for key in keys if says(names, key)]
        return sorted(found, key=lambda one: -one.lineno)

    def first(
        self, start: Iterable[ast.expr], wanted: Callable[[ast.AST], bool]
    ) -> ast.expr | None:
        """The nearest part of where these come from that is such a one."""
        for value in self.flow(start):
            for part in ast.walk(value):
                if isinstance(part, ast.expr) and wanted(part):
                    return part
        return None

    def plain(
        self, start: Iterable[ast.expr], wanted: Callable[[ast.expr], bool]
    ) -> ast.expr | None:
        """The nearest value that is such a one itself, and no part of what it is reckoned from."""
        return next(
            (one for value in self.flow(start) for one in _hearts(value) if wanted(one)), None
        )

    def makers(self, line: int | None, names: Iterable[str]) -> list[ast.expr]:
        """What was put under one of these names, the one nearest to what stands at a line: what
        was put there last before it comes first."""
        among = set(names)
        used = self.first(self.at(line), lambda p: isinstance(p, ast.Name) and p.id in among)
        made = self._tracing.definitions(used) if isinstance(used, ast.Name) else []
        above = [one for one in made if line is None or one.lineno < line]
        return [*above, *(one for one in made if one not in above)]

    def is_of(self, name: str, value: ast.expr) -> bool:
        """Whether that value is put under a name."""
        return any(
            made is value and any(name_of(one) == name for one in _leaves(target))
            for node in self._statements
            for target, made in assigned(node)
        )

    def anywhere(self, wanted: Callable[[ast.AST], bool]) -> ast.expr | None:
        """The first such part: of a training step, else of the script."""
        step = (part for part in self.stepping() if isinstance(part, ast.expr) and wanted(part))
        rest = (part for part in self._expressions if wanted(part))
        return next(step, None) or next(rest, None)

    def column(self, line: int | None, name: str) -> int | None:
        """Of the table that a line makes: where what stands under a name was made."""
        for part in (part for value in self.flow(self.at(line)) for part in ast.walk(value)):
            pairs = zip(part.keys, part.values, strict=True) if isinstance(part, ast.Dict) else ()
            for key, held in pairs:
                if says([key], name):
                    made = self._tracing.definitions(held) if isinstance(held, ast.Name) else []
                    return next(iter(made), held).lineno
        return None

    def around(self, line: int | None) -> int | None:
        """Where the innermost function begins that a line stands in."""
        found = [
            one.lineno
            for one in self._functions
            if line is not None and one.lineno <= line <= (one.end_lineno or one.lineno)
        ]
        return max(found, default=None)

    def lacking(self, name: str, method: str) -> int | None:
        """Where the script's own class of that name stands, which has no such method."""
        for one in self._classes:
            if one.name == name and method not in {getattr(part, "name", "") for part in one.body}:
                return one.lineno
        return None

    def parent_left_out(self, name: str) -> int | None:
        """The `__init__` of a class that is made from another, and does not begin that one."""
        for one in (one for one in self._classes if one.name == name and one.bases):
            for part in (node for node in one.body if isinstance(node, Function)):
                inside = "".join(map(ast.unparse, part.body))
                if part.name == "__init__" and "__init__(" not in inside:
                    return part.lineno
        return None

    def mute(self, name: str) -> int | None:
        """The last line of a function of that name which returns nothing anywhere."""
        for one in (one for one in self._functions if one.name == name):
            if not any(isinstance(n, ast.Return | ast.Raise | ast.Yield) for n in ast.walk(one)):
                return one.body[-1].lineno
        return None

    def argument(self, line: int, kind: str, names: Sequence[str]) -> ast.keyword | None:
        """Of the calls at a line: the argument that is given such a thing, under one of these
        names or made on the spot."""
        for call in (part for part in self._expressions if isinstance(part, ast.Call)):
            if not call.lineno <= line <= (call.end_lineno or call.lineno):
                continue
            for keyword in call.keywords:
                value = keyword.value
                made = isinstance(value, ast.Call) and name_of(value.func) == kind
                if made or (isinstance(value, ast.Name) and value.id in names):
                    return keyword
        return None

    def given(self, name: str) -> list[ast.expr]:
        """What calls are given under a name."""
        calls = (part for part in self._expressions if isinstance(part, ast.Call))
        return [k.value for call in calls for k in call.keywords if k.arg == name]

    def block(self, start: Iterable[ast.expr]) -> int | None:
        """Where the length of the blocks is written that a mapped function cuts all text into."""
        for value in self.flow(start):
            for call in (part for part in ast.walk(value) if isinstance(part, ast.Call)):
                names = {name_of(one) for one in (*call.args, *(k.value for k in call.keywords))}
                if name_of(call.func) != "map":
                    continue
                for own in (one for one in self._functions if one.name in names):
                    for part in ast.walk(own):
                        if not isinstance(part, ast.BinOp) or not isinstance(part.op, ast.FloorDiv):
                            continue
                        if (line := self._tracing.setting(part.right)) is not None:
                            return line
        return None

    def read_as_text(self, line: int | None) -> tuple[int, str] | None:
        """Of what a line works with, where something is read that nobody makes a number of."""
        for value in self.flow(self.at(line)):
            for part in ast.walk(value):
                if (
                    found := _written_so(part)
                    or self._option(part)
                    or _of_environment(part)
                    or self._yaml(part)
                ):
                    return found
        return None

    def _option(self, part: ast.AST) -> tuple[int, str] | None:
        """An option of a command line without a type, and a number as what it is by itself."""
        if not isinstance(part, ast.Attribute):
            return None
        for call in (one for one in self._expressions if isinstance(one, ast.Call)):
            given = {k.arg: k.value for k in call.keywords}
            if name_of(call.func) != "add_argument" or _TYPED & set(given):
                continue
            if not _says_number(given.get("default")):
                continue
            names = [str(a.value) for a in call.args if isinstance(a, ast.Constant)]
            if part.attr in [name.lstrip("-").replace("-", "_") for name in names]:
                return call.lineno, names[-1]
        return None

    def _yaml(self, part: ast.AST) -> tuple[int, str] | None:
        """An entry of settings in a text, written in a way that is no number to YAML."""
        key = part.slice if isinstance(part, ast.Subscript) else None
        name = key.value if isinstance(key, ast.Constant) else getattr(part, "attr", None)
        if not isinstance(name, str):
            return None
        for node in self._expressions:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for below, line in enumerate(node.value.split("\n")):
                    if re.match(rf"\s*{re.escape(name)}\s*:\s*-?\d+e-?\d+", line, re.IGNORECASE):
                        return node.lineno + below, name
        return None

    def returns_nothing(self, call: ast.Call) -> bool:
        """Whether it runs a function of the script's own that gives nothing back."""
        own = self._tracing.function(call)
        if own is None or any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(own)):
            return False
        return self._tracing.returned(own) is None

    def halves(self, line: int | None) -> tuple[int, str, str] | None:
        """Of a split that a line works with: where its parts are taken in another order than they
        come, and two that are of one list, though they are handed on side by side."""
        for value in self.flow(self.at(line)):
            if not isinstance(value, ast.Call) or name_of(value.func) != _SPLITS:
                continue
            for node in (one for one in self._statements if isinstance(one, ast.Assign)):
                if node.value is not value or len(value.args) < 2:
                    continue
                names = [name_of(one) for one in _leaves(node.targets[0])]
                for one, other in zip(names[::2], names[1::2], strict=False):
                    if self._side_by_side(one, other):
                        return node.lineno, one, other
        return None

    def _side_by_side(self, one: str, other: str) -> bool:
        for part in self._expressions:
            given = part.args if isinstance(part, ast.Call) else getattr(part, "values", [])
            if {one, other} <= {name_of(held) for held in given}:
                return True
        return False

    def stepping(self) -> Iterator[ast.AST]:
        """All that stands in what a training step runs through, the loss first."""
        names: deque[str] = deque(TRAINING_STEPS)
        known: set[str] = set()
        while names:
            name = names.popleft()
            if name in known:
                continue
            known.add(name)
            for function in (one for one in self._functions if one.name == name):
                for part in ast.walk(function):
                    yield part
                    if isinstance(part, ast.Call):
                        names.append(name_of(part.func))

    def _sources(self, part: ast.AST) -> list[ast.expr]:
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            return self._tracing.definitions(part)
        if isinstance(part, ast.Attribute) and name_of(part.value) == "self":
            return self._fields.get(part.attr, [])
        if isinstance(part, ast.Call) and (own := self._tracing.function(part)) is not None:
            returned = self._tracing.returned(own)
            return [] if returned is None else [returned]
        if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant):
            key = part.slice.value
            return self.under(key) if isinstance(key, str) else []
        return []


def _hearts(value: ast.expr) -> Iterator[ast.expr]:
    """A value, and those that it is one of, holds, or is only brought to another type from."""
    waiting = [value]
    for one in waiting:  # grows on the way
        yield one
        if isinstance(one, ast.IfExp):
            waiting += [one.body, one.orelse]
        elif isinstance(one, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            waiting.append(one.elt)
        elif isinstance(one, ast.List | ast.Tuple):
            waiting += one.elts
        elif isinstance(one, ast.Lambda):
            waiting.append(one.body)
        elif isinstance(one, ast.Call) and name_of(one.func) in _HOLDS:
            waiting += [*one.args, *(keyword.value for keyword in one.keywords)]
            waiting += [one.func.value] if isinstance(one.func, ast.Attribute) else []


def _written_so(part: ast.AST) -> tuple[int, str] | None:
    """A number in quotes that a call is given under a name."""
    given = part.keywords if isinstance(part, ast.Call) else []
    quoted = (one for one in given if one.arg and _says_number(one.value))
    return next(((one.value.lineno, str(one.arg)) for one in quoted), None)


def _of_environment(part: ast.AST) -> tuple[int, str] | None:
    if isinstance(part, ast.Subscript) and ast.unparse(part.value).endswith("environ"):
        return part.lineno, ast.unparse(part.slice)
    if not isinstance(part, ast.Call):
        return None
    if name_of(part.func) == "input":
        return part.lineno, "input()"
    reads = ast.unparse(part.func).endswith(("getenv", "environ.get"))
    numeric = len(part.args) == 1 or _says_number(part.args[-1] if part.args else None)
    return (part.lineno, ast.unparse(part.args[0])) if reads and part.args and numeric else None


def _says_number(value: ast.expr | None) -> bool:
    text = value.value if isinstance(value, ast.Constant) else None
    return isinstance(text, str) and re.fullmatch(_NUMBER, text.strip()) is not None


def _leaves(target: ast.expr) -> list[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
