"""The loop of a script's own in which a line stands: what it goes over, and what it does there."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any, TypeGuard

from debugger.script.tracing import Function, is_false, name_of

_COUNTS = ("range", "trange")
_SHOWS, _DEALS = ("enumerate", "tqdm", "list"), ("split", "chunk", "array_split", "tensor_split")
_HOLDS = ("iterable", "sequence", "dataloader", "loader")
"""What wraps something to go over keeps it under one of these names, as a bar of progress does."""
PUT = "_put_by_the_clinic"
"""What an item stands under in a turn."""
_TURN = "_turn_of_the_clinic"
"""What the number of a turn stands under that a `while` goes round."""


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
        given = self.node.iter
        while isinstance(given, ast.Call) and given.args and name_of(given.func) in _SHOWS:
            given = given.args[0]
        deals = isinstance(given, ast.Call) and name_of(given.func) in _DEALS
        held = asked(given, names) if deals else value_of(given, names)
        return held if isinstance(held, list | tuple) else ()

    def given(self, names: Mapping[str, Any]) -> ast.expr | None:
        """What it goes over, as it is written, without what only shows or counts it; None of what
        would be used up if it were gone through once more."""
        given = self.node.iter
        while isinstance(given, ast.Call) and given.args and name_of(given.func) in _SHOWS:
            given = given.args[0]
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

    @property
    def counts(self) -> bool:
        calls = (part for part in ast.walk(self.node.iter) if isinstance(part, ast.Call))
        return any(name_of(call.func) in _COUNTS for call in calls)

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


def _is_loader(call: ast.Call) -> bool:
    return "loader" in name_of(call.func).lower()


def take(turn: CodeType, put: Mapping[str, Any], names: Mapping[str, Any]) -> None:
    """Do once what the loop does, with some names put in. What it makes of names is forgotten."""
    exec(turn, {**names, **put})


def around(
    tree: ast.Module, line: int, function: str, file: str, running: Collection[str] = ()
) -> list[Loop]:
    """The loops around a line that stand in the same function, the innermost first; also a
    comprehension that calls one of the `running` functions for each item."""
    loops: list[Loop] = []

    def enter(node: ast.AST, held: list[Loop], name: str) -> None:
        for part in ast.iter_child_nodes(node):
            if not getattr(part, "lineno", 0) <= line <= (getattr(part, "end_lineno", 0) or 0):
                continue
            if isinstance(part, Function):
                enter(part, [], part.name)
                continue
            loop = _loop(part, file, line) or _in_one_line(part, file, running)
            inner = held if loop is None else [loop, *held]
            if name == function and len(inner) >= len(loops):
                loops[:] = inner
            enter(part, inner, name)

    enter(tree, [], "<module>")
    return loops


def _loop(node: ast.AST, file: str, line: int) -> Loop | None:
    """Also a `while` that counts, as if it were a `for`, in its first turn at a line."""
    if isinstance(node, ast.For):
        return Loop(node, file)
    ends = _ends(node) if isinstance(node, ast.While) else None
    if not isinstance(node, ast.While) or ends is None:
        return None
    counter, end = ends
    counting = [one for one in _always(node) if _counted_up(one) == counter]
    within = [one for one in ast.walk(node) if isinstance(one, ast.For)]
    by_inner = any(one in counting for loop in within for one in ast.walk(loop))
    begin: ast.expr = ast.Name(counter, ast.Load())
    if any(getattr(one, "lineno", line) < line for one in counting):
        begin = ast.BinOp(begin, ast.Sub(), ast.Constant(1))
    numbers = ast.Call(ast.Name("range", ast.Load()), [begin, end], keywords=[])
    made = ast.For(ast.Name(_TURN, ast.Store()), numbers, node.body, [])
    return Loop(ast.fix_missing_locations(ast.copy_location(made, node)), file, by_inner, counter)


def _in_one_line(node: ast.AST, file: str, running: Collection[str]) -> Loop | None:
    if not is_plain_comprehension(node) or not calls_in([node.elt], *running):
        return None
    over = node.generators[0]
    made = ast.For(over.target, over.iter, [ast.Expr(node.elt)], [])
    return Loop(ast.fix_missing_locations(ast.copy_location(made, node)), file)


def is_plain_comprehension(node: ast.AST) -> TypeGuard[ast.ListComp | ast.GeneratorExp]:
    """Goes over one thing, and leaves nothing out."""
    if not isinstance(node, ast.ListComp | ast.GeneratorExp):
        return False
    return len(node.generators) == 1 and not node.generators[0].ifs


def _ends(node: ast.While) -> tuple[str, ast.expr] | None:
    """What it counts up by one, and to which number: it goes on below that, or breaks off there."""
    counters = {_counted_up(part) for part in _always(node)} - {None}
    breaks = [part for part in ast.walk(node) if isinstance(part, ast.If) and _breaks(part)]
    asked = [(node.test, _BELOW, _ABOVE), *((part.test, _ABOVE, _BELOW) for part in breaks)]
    for test, here, turned in asked:
        for one in test.values if isinstance(test, ast.BoolOp) else [test]:
            if not isinstance(one, ast.Compare) or len(one.ops) > 1:
                continue
            for name, op, end in (
                (one.left, here, one.comparators[0]),
                (one.comparators[0], turned, one.left),
            ):
                if isinstance(one.ops[0], op) and name_of(name) in counters:
                    return name_of(name), end
    return None


_BELOW, _ABOVE = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE, ast.Eq)


def _always(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in it, but for what is done only if something is so."""
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, ast.If):
            yield part
            yield from _always(part)


def _breaks(fork: ast.If) -> bool:
    return any(isinstance(one, ast.Break) for one in fork.body)


def _counted_up(node: ast.AST) -> str | None:
    """The name that it counts up by one."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add):
        return None
    one = isinstance(node.value, ast.Constant) and node.value.value == 1
    return node.target.id if one and isinstance(node.target, ast.Name) else None


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
        if name_of(node.func) == "zip":
            return True
        function = asked(node.func, names)
        return hasattr(getattr(function, "__func__", function), "__code__")
    return isinstance(value_of(node, names), list | tuple)


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


def waits(tree: ast.Module, line: int, function: str) -> bool:
    """Whether a line stands in a `while` of that function of which nobody knows how often it goes
    round."""
    for node in ast.walk(tree):
        inside = isinstance(node, Function) and node.name == function
        if not inside and not (function == "<module>" and isinstance(node, ast.Module)):
            continue
        for part in ast.walk(node):
            stands = isinstance(part, ast.While) and part.lineno <= line <= (part.end_lineno or 0)
            if stands and isinstance(part, ast.While) and _ends(part) is None:
                return True
    return False


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
