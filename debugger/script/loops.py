"""The loop of a script's own in which a line stands: what it goes over, and what it does there."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import CodeType, FunctionType
from typing import Any

from debugger.script.tracing import Function, is_false, keyword_of, name_of, taken_by_place

_COUNTS = ("range", "trange")
_SHOWS, _DEALS = ("enumerate", "tqdm", "list"), ("split", "chunk", "array_split", "tensor_split")
_HOLDS = ("iterable", "sequence", "dataloader", "loader")
"""What wraps something to go over keeps it under one of these names, as a bar of progress does."""
PUT = "_put_by_the_clinic"
"""What an item stands under in a turn."""


@dataclass(frozen=True)
class Loop:
    """What stands in it is a turn: what is done with one item. A `while` has a `counter`; where
    that is counted `by_inner`, it goes by the turns of a loop within, and not by its own."""

    node: ast.For
    file: str
    by_inner: bool = False
    counter: str = ""

    def goes_over(self, names: Mapping[str, Any], made: Any = None) -> Any:
        """What gives the items, taken out of what only counts or shows them; `made` is what a call
        on this very line has given them, where that makes or fetches a loader."""
        given = self.node.iter
        while isinstance(given, ast.Call) and given.args and not _is_loader(given):
            if name_of(given.func) in (*_COUNTS, *_SIZES, "zip"):
                return None
            given = given.args[0]
        if isinstance(given, ast.Call) and _is_loader(given):
            return made
        held = value_of(given, names)
        for _ in range(len(_HOLDS)):
            inner = (getattr(held, name, None) for name in _HOLDS)
            held = next((one for one in inner if hasattr(one, "__iter__")), held)
        return held

    def times(self, names: Mapping[str, Any]) -> int | None:
        """How often, where that is a number that is counted to."""
        numbers = self.numbers(names)
        return None if numbers is None else len(numbers)

    def numbers(self, names: Mapping[str, Any]) -> range | None:
        """What it counts through."""
        given = self.node.iter
        while isinstance(given, ast.Call) and name_of(given.func) not in _COUNTS and given.args:
            given = given.args[0]
        if not isinstance(given, ast.Call) or name_of(given.func) not in _COUNTS:
            return None
        ends = [value_of(one, names) for one in given.args]
        whole = [one for one in ends if isinstance(one, int)]
        return range(*whole) if whole and len(whole) == len(ends) else None

    def parts(self, names: Mapping[str, Any]) -> Sequence[Any]:
        """What it goes over, where that is a whole dealt out in parts, as a torch.split makes."""
        given = self._bare
        deals = isinstance(given, ast.Call) and name_of(given.func) in _DEALS
        held = asked(given, names) if deals else value_of(given, names)
        return held if isinstance(held, list | tuple) else ()

    @property
    def _bare(self) -> ast.expr:
        given = self.node.iter
        while isinstance(given, ast.Call) and given.args and name_of(given.func) in _SHOWS:
            given = given.args[0]
        return given

    def given(self, names: Mapping[str, Any]) -> ast.expr | None:
        """What it goes over, as it is written, without what only shows or counts it; None of what
        would be used up if it were gone through once more."""
        given = self._bare
        parts = [part for part in ast.walk(given) if isinstance(part, ast.Name | ast.Attribute)]
        used_up = any(isinstance(value_of(part, names), Iterator) for part in parts)
        return None if used_up or name_of(getattr(given, "func", given)) in _COUNTS else given

    def later(self, names: Mapping[str, Any]) -> dict[str, Any]:
        """What a turn knows that is not the first of a `while`: much is done in that only."""
        count = names.get(self.counter)
        return dict(names) | ({self.counter: count + 1} if isinstance(count, int) else {})

    def within(self, line: int) -> ast.For | ast.While | None:
        """The loop in a turn of it in which a line stands: of several batches, say, whose gradients
        add up."""
        for part in (part for one in self.node.body for part in ast.walk(one)):
            stands = isinstance(part, ast.For | ast.While)
            if stands and part.lineno < line <= (part.end_lineno or 0):
                return part
        return None

    def over(self, node: ast.For) -> Loop:
        """The same, with another turn."""
        return replace(self, node=ast.fix_missing_locations(ast.copy_location(node, self.node)))

    def with_names(self, said: Mapping[str, ast.expr]) -> Loop:
        """Over the same, with what stands for some of its names."""
        if not said:
            return self

        class Saying(ast.NodeTransformer):
            def visit_Name(self, node: ast.Name) -> ast.AST:
                return said.get(node.id, node)

        over = Saying().visit(copy.deepcopy(self.node.iter))
        return self.over(ast.For(self.node.target, over, self.node.body, []))

    @property
    def counts(self) -> bool:
        return counts(self.node.iter)

    @property
    def breaks_at(self) -> int | None:
        """Where each turn ends the loop, whatever has come."""
        return next((one.lineno for one in self.node.body if isinstance(one, ast.Break)), None)

    def makes(self) -> set[str]:
        """The names that a turn gives something."""
        parts = (part for part in ast.walk(self.node) if isinstance(part, ast.Name))
        return {part.id for part in parts if isinstance(part.ctx, ast.Store)}

    @property
    def turn(self) -> CodeType | None:
        """None of a turn that cannot be taken by itself."""
        if any(isinstance(part, ast.Return | ast.Yield | ast.Await) for part in _inside(self.node)):
            return None
        counted = (
            isinstance(self.node.iter, ast.Call) and name_of(self.node.iter.func) == "enumerate"
        )
        put: ast.expr = ast.Name(PUT, ast.Load())
        if counted:
            # Not the first: much is done there only, such as setting gradients to zero.
            put = ast.Tuple([ast.Constant(1), put], ast.Load())
        once = ast.For(self.node.target, ast.Tuple([put], ast.Load()), self.node.body, [])
        module = ast.Module([ast.copy_location(once, self.node)], [])
        return compile(ast.fix_missing_locations(module), self.file, "exec")


def counts(given: ast.expr) -> bool:
    """Whether what is gone over counts, and may be shown besides."""
    return bool(calls_in([given], *_COUNTS))


def _is_loader(call: ast.Call) -> bool:
    return "loader" in name_of(call.func).lower()


def take(turn: CodeType, put: Mapping[str, Any], names: Mapping[str, Any]) -> None:
    """Do once what the loop does, with some names put in. What it makes of names is forgotten."""
    with _known_to_functions(put, names):
        exec(turn, {**names, **put})


@contextmanager
def _known_to_functions(put: Mapping[str, Any], names: Mapping[str, Any]) -> Iterator[None]:
    """While open, functions that the turn calls read what is put in, too."""
    known = [name for name in put if name in names]
    if not known:  # an item of a loader has no name that a function could read
        yield
        return
    functions = (part for one in names.values() for part in (one, *_methods(one)))
    homes = {id(f.__globals__): f.__globals__ for f in functions if isinstance(f, FunctionType)}
    changed = [
        (home, name, home[name])
        for home in homes.values()
        for name in known
        if home.get(name) is names[name]
    ]
    try:
        for home, name, _ in changed:
            home[name] = put[name]
        yield
    finally:
        for home, name, value in changed:
            home[name] = value


def _methods(kind: Any) -> Iterable[Any]:
    return vars(kind).values() if isinstance(kind, type) else ()


def value_of(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """Of a name, what it holds, or a sum of such, or how many there are. None where it has none."""
    for part in ast.walk(node):
        counts = isinstance(part, ast.Call) and name_of(part.func) in _SIZES
        if not counts and not isinstance(part, _PLAIN):
            return None
    return asked(node, names)


def asked(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """What it gives; None where that fails."""
    try:
        return eval(compile(ast.Expression(node), "<loop>", "eval"), dict(names))
    except _FAILS:
        return None


def is_function_or_list(node: ast.expr, names: Mapping[str, Any]) -> bool:
    """Whether it can be asked for once more: a list, or a call of the script's own function."""
    if isinstance(node, ast.Call):
        return name_of(node.func) == "zip" or asks_function(node, names)
    return isinstance(value_of(node, names), list | tuple)


def asks_function(call: ast.Call, names: Mapping[str, Any]) -> bool:
    """Whether it calls what is written in Python: a function, or a method of an object."""
    return hasattr(asked(call.func, names), "__code__")


_FAILS = (
    *(LookupError, AttributeError, TypeError, ValueError, ArithmeticError, NameError),
    RuntimeError,
)


_SIZES = ("len", "size", "min", "max", "int")
_PLAIN = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp, ast.operator, ast.UnaryOp),
    *(ast.unaryop, ast.expr_context),
)


def _inside(node: ast.For) -> list[ast.AST]:
    """What stands in it, but not in a function that is defined in it."""
    found: list[ast.AST] = []
    left: list[ast.AST] = list(node.body)
    while left:
        part = left.pop()
        found.append(part)
        if not isinstance(part, (Function, ast.Lambda)):
            left += ast.iter_child_nodes(part)
    return found


def given_as(name: str, function: ast.FunctionDef, call: ast.Call) -> ast.expr | None:
    """What a call of that function gives one of its arguments."""
    plain = not any(isinstance(one, ast.Starred) for one in call.args)
    by_place = dict(zip(taken_by_place(function), call.args, strict=False)) if plain else {}
    return keyword_of(call, name) or by_place.get(name)


def calls_in(parts: Iterable[ast.AST], *names: str) -> list[ast.Call]:
    """What stands in several of the parts comes several times."""
    calls = (one for part in parts for one in ast.walk(part) if isinstance(one, ast.Call))
    return [call for call in calls if name_of(call.func) in names]


def sets_mode(tree: ast.AST, training: bool) -> list[ast.Call]:
    """The calls that set a model to that mode, as `model.eval()` does."""
    calls = (part for part in ast.walk(tree) if isinstance(part, ast.Call))
    methods = [call for call in calls if isinstance(call.func, ast.Attribute)]
    return [call for call in methods if _mode(call) is training]


def _mode(call: ast.Call) -> bool | None:
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if name_of(call.func) == "eval" and not given:
        return False
    if name_of(call.func) != "train" or len(given) > 1:
        return None
    return not given or not is_false(given[0])


def stuck_in_eval(trees: list[ast.Module], epochs: ast.For) -> int | None:
    """The line that sets that mode in each epoch, where nothing that an epoch may come to sets it
    back."""
    functions = [
        part
        for tree in trees
        for part in ast.walk(tree)
        if isinstance(part, Function) and epochs not in ast.walk(part)
    ]
    if any(sets_mode(one, training=True) for one in (epochs, *functions)):
        return None
    called = {name_of(part.func) for part in ast.walk(epochs) if isinstance(part, ast.Call)}
    reached = [epochs, *(one for one in functions if one.name in called)]
    lines = [call.lineno for one in reached for call in sets_mode(one, training=False)]
    return min(lines, default=None)
