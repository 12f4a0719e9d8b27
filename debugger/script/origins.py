"""Where a script makes what a training begins with: its weights, its rows, its arguments."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Sequence

from debugger.script.tracing import Function, Tracing, assigned, is_false, is_true, name_of

_CONSTANT = ("zeros_", "zero_", "constant_", "ones_", "fill_")
_BY_LOT = (
    *("normal_", "uniform_", "trunc_normal_", "xavier_uniform_", "xavier_normal_"),
    *("kaiming_uniform_", "kaiming_normal_", "orthogonal_", "sparse_", "reset_parameters"),
)
_WHOLE = ("init_weights", "_init_weights", "initialize_weights", "_initialize_weights")
_SWITCHES = ("set_grad_enabled", "no_grad", "inference_mode")
_PREPARES = ("map", "with_transform", "with_format", "rename_column", "batch")
_LOADS = ("from_pretrained", "Trainer")
_TAKES = ("head", "take", "sample", "islice", "train_test_split")
DEEPEST = 6
TELLING = 10
"""So long is a name that others are not called alike by chance."""


class Origins:
    """Looks for the line that makes something. `calls` are in the order of Places."""

    def __init__(self, tree: ast.Module, tracing: Tracing, calls: list[ast.Call]) -> None:
        self._tree, self._tracing, self._calls = tree, tracing, calls
        self._functions = [node for node in ast.walk(tree) if isinstance(node, Function)]

    def drawing(self, constant: bool) -> int | None:
        """The first call that gives weights one number for all of them, or numbers by lot.

        Biases are left out: those begin at 0 anyway.
        """
        names = _CONSTANT if constant else _BY_LOT
        made = [call for call in self._calls if name_of(call.func) in names]
        return next((call.lineno for call in made if "bias" not in ast.unparse(call)), None)

    def zeroing(self, weights: Sequence[str]) -> int | None:
        """The first line that makes one of these weights zero: by a call, or else from the start.

        Weights such as `up` are named by what they are called in the class that has them.
        """
        names = {part for one in weights for part in one.split(".")[-2:] if part != "weight"}
        calls = [c for c in self._calls if name_of(c.func) in _CONSTANT]
        said = [c.lineno for c in calls if _holds(c, names)]
        made = [
            target.lineno
            for node in ast.walk(self._tree)
            for target, value in assigned(node)
            if isinstance(target, ast.Attribute)
            and target.attr in names
            and "zeros" in ast.unparse(value)
        ]
        return next(iter(said), None) or min(made, default=None) or self.drawing(constant=True)

    def redrawing(self) -> int | None:
        """What draws the weights of a whole model anew: by apply, by a method, in a loop."""
        drawing = (one for one in self._functions if _draws(one) and not _calls(one, _LOADS))
        own = {one.name for one in drawing} | set(_WHOLE)
        inside = {part for f in self._functions if f.name in own for part in ast.walk(f)}
        open_ = [call for call in self._calls if call not in inside]
        for call in open_:
            handed = {name_of(one) for one in call.args}
            drawn = handed & own or any(map(_draws, call.args))
            applied = name_of(call.func) == "apply" and drawn
            if applied or name_of(call.func) in own:
                return call.lineno
        made = (call for call in open_ if name_of(call.func) in (*_BY_LOT, *_CONSTANT))
        return next((call.lineno for call in made if "bias" not in ast.unparse(call)), None)

    def table(self, size: int, follow: bool = False) -> int | None:
        """Where an embedding with so many entries is made; to `follow` is to go on to where that
        number is written."""
        for call in self._calls:
            if name_of(call.func) != "Embedding":
                continue
            named = [k.value for k in call.keywords if k.arg in ("num_embeddings", "input_dim")]
            for given in (*call.args[:1], *named):
                if (at := self._tracing.valued(given)) is not None and at[1] == size:
                    return at[0] if follow and not self._serves_elsewhere(given) else call.lineno
        return None

    def only_table(self) -> int | None:
        """Where an embedding gets the number of its entries, if there is no other."""
        calls = [call for call in self._calls if name_of(call.func) == "Embedding"]
        if len(calls) != 1:
            return None
        named = [k.value for k in calls[0].keywords if k.arg in ("num_embeddings", "input_dim")]
        given = next(iter((*calls[0].args[:1], *named)), None)
        made = self._tracing.definitions(given) if isinstance(given, ast.Name) else []
        return made[0].lineno if made else calls[0].lineno

    def _serves_elsewhere(self, given: ast.expr) -> bool:
        """A number that other calls are given, too, was wrongly chosen here."""
        if not isinstance(given, ast.Name):
            return False
        handed = (one for call in self._calls for one in _values(call))
        return sum(isinstance(one, ast.Name) and one.id == given.id for one in handed) > 1

    def handed(self, name: str) -> int | None:
        """Where what a keyword argument is given was made, under a name; else the argument."""
        given = self._given(name)
        if given is None:
            return None
        if isinstance(given, ast.Name) and self._is_prepared_from(given.id):
            return given.lineno  # what was to be handed over has another name
        for _ in range(DEEPEST):
            made = self._tracing.local(given) if isinstance(given, ast.Name) else []
            if not made:
                break
            line, value = made[-1]
            if not isinstance(value, ast.Name):
                return line
            given = value
        return given.lineno

    def _is_prepared_from(self, name: str) -> bool:
        """Whether something else is made of what has that name: `other = name.map(prepare)`."""
        return any(
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr in _PREPARES
            and name_of(value.func.value) == name
            and name_of(target) != name
            for node in ast.walk(self._tree)
            for target, value in assigned(node)
        )

    def first_handed(self, *names: str) -> int | None:
        """What the first call of that name is handed first: where that was put together."""
        for call in self._calls:
            if name_of(call.func) in names and call.args:
                given = call.args[0]
                made = self._tracing.local(given) if isinstance(given, ast.Name) else []
                return made[-1][0] if made else given.lineno
        return None

    def taking(self, count: int, name: str) -> int | None:
        """Where so many rows are taken out of more, for what a keyword argument is given."""
        lines = (line for part in self._behind(name) for line in self._cut(part, count))
        return next(lines, None) or next(self._cut(self._tree, count), None)

    def named_argument(self, said: str, line: int | None) -> int | None:
        """The line of a keyword argument that a message names, of the call at a line; of another
        call only where it is plainly named as one."""
        named = re.findall(r"--(\w+)|[`'\"](\w+)[`'\"]|\b(\w+)=|\b([a-z]+_\w+)\b", said)
        plainly = re.findall(r"--(\w+)|`(?:args\.)?(\w+)`", said)
        longer = re.findall(r"no attribute '(\w+)'", said)
        here = [c for c in self._calls if line and c.lineno <= line <= (c.end_lineno or c.lineno)]
        for calls, found in ((here, named), (self._calls, plainly)):
            for name in (one for names in found for one in names if one):
                given = (k.lineno for call in calls for k in call.keywords if k.arg == name)
                if (at := next(given, None)) is not None:
                    return at
        begun = [
            k.lineno
            for call in self._calls
            for k in call.keywords
            for name in longer
            if k.arg and len(k.arg) >= TELLING and name.startswith(k.arg)
        ]
        return next(iter(begun), None) or self._switched_on(said, line)

    def _switched_on(self, said: str, line: int | None) -> int | None:
        """The line of an argument that is True and a word of a message, anywhere in the statement
        at a line: a layer in a list is made where the list is written."""
        words = set(re.findall(r"\w+", said))
        around = [
            one
            for one in ast.walk(self._tree)
            if isinstance(one, ast.stmt)
            and line is not None
            and one.lineno <= line <= (one.end_lineno or one.lineno)
        ]
        for statement in reversed(around):
            for call in (one for one in ast.walk(statement) if isinstance(one, ast.Call)):
                for keyword in call.keywords:
                    value = keyword.value
                    if is_true(value) and keyword.arg in words:
                        return value.lineno
        return None

    def function(self, called: str) -> int | None:
        """Where what Python calls `Mine.forward` or `main.<locals>.measure` is written."""
        *around, name = called.split(".")
        owner = around[-1] if around else ""
        inside = [
            part
            for node in ast.walk(self._tree)
            if isinstance(node, ast.ClassDef) and node.name == owner
            for part in node.body
        ]
        known = [one for one in self._functions if one.name == name]
        return next(
            (one.lineno for one in known if one in inside or owner in ("", "<locals>")), None
        )

    def gradients_off(self) -> int | None:
        """Where gradients are switched off around what trains, or for good."""
        for node in ast.walk(self._tree):
            if not isinstance(node, ast.With | Function) or not _calls(node, ("train",)):
                continue
            if isinstance(node, ast.With):
                switches = [item.context_expr for item in node.items]
            else:
                switches = node.decorator_list
            for switch in switches:
                if name_of(getattr(switch, "func", switch)) in _SWITCHES:
                    return switch.lineno
        return next((c.lineno for c in self._calls if name_of(c.func) == _SWITCHES[0]), None)

    def stopping(self) -> tuple[int, str] | None:
        """Where a callback ends the training whatever happens, and at which event."""
        made = {name_of(call.func) for call in self._calls}
        for node in ast.walk(self._tree):
            if not isinstance(node, ast.ClassDef) or node.name not in made:
                continue
            for event in (one for one in node.body if isinstance(one, Function)):
                for statement in event.body:
                    if any(isinstance(part, ast.Return) for part in ast.walk(statement)):
                        break  # what follows depends on something
                    if isinstance(statement, ast.Assign) and _stops(statement):
                        return statement.lineno, event.name
        return None

    def stopping_in(self, called: str) -> int | None:
        """The condition under which a class of that name ends the training."""
        inside = [
            part
            for node in ast.walk(self._tree)
            if isinstance(node, ast.ClassDef) and node.name == called
            for part in ast.walk(node)
        ]
        ends = [n for n in inside if isinstance(n, ast.Assign) and _names_stop(n)]
        forks = [n for n in inside if isinstance(n, ast.If) and ends and ends[0] in ast.walk(n)]
        return forks[-1].lineno if forks else next((one.lineno for one in ends), None)

    def thawing_in(self, called: str) -> int | None:
        """The first line of a class of that name that lets weights train."""
        lines = [
            part.lineno
            for node in ast.walk(self._tree)
            if isinstance(node, ast.ClassDef) and node.name == called
            for part in ast.walk(node)
            if isinstance(part, ast.stmt | ast.expr) and _thaws(part)
        ]
        return min(lines, default=None)

    def _given(self, name: str) -> ast.expr | None:
        given = (k.value for c in self._calls for k in c.keywords if k.arg == name)
        return next(given, None)

    def _behind(self, name: str) -> Iterator[ast.AST]:
        """What an argument is given, and then what the names in it were made of, step by step."""
        given = self._given(name)
        known: set[str] = set()
        parts = [] if given is None else [given]
        for part in parts:  # grows on the way
            yield part
            for node in ast.walk(part):
                if isinstance(node, ast.Name) and node.id not in known and len(known) < 20:
                    known.add(node.id)
                    parts += [value for _, value in reversed(self._tracing.local(node))]

    def _cut(self, within: ast.AST, count: int) -> Iterator[int]:
        """The lines that say how many rows are taken, where it is that many."""
        for node in ast.walk(within):
            given: list[tuple[ast.expr | None, ast.expr | None]] = []
            if isinstance(node, ast.Slice):
                given = [(node.lower, node.upper)]
            elif isinstance(node, ast.Call) and name_of(node.func) in _TAKES:
                given = [(None, one) for one in _values(node)]
            elif isinstance(node, ast.Call) and name_of(node.func) == "select":
                given = [ends for one in _values(node) if (ends := _range(one)) is not None]
            elif isinstance(node, ast.Constant) and f"[:{count}]" in str(node.value):
                yield node.lineno  # split="train[:10]"
            for first, last in given:
                found = None if last is None else self._tracing.valued(last)
                if found is not None and found[1] - self._number(first) == count:
                    yield found[0]

    def _number(self, node: ast.expr | None) -> float:
        if node is None:
            return 0.0
        found = self._tracing.valued(node)
        return math.nan if found is None else found[1]


def _range(node: ast.expr) -> tuple[ast.expr | None, ast.expr] | None:
    """From where to where `range` goes."""
    if not isinstance(node, ast.Call) or name_of(node.func) != "range" or not node.args:
        return None
    return (node.args[0], node.args[1]) if len(node.args) > 1 else (None, node.args[0])


def _values(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (keyword.value for keyword in call.keywords)


def _holds(call: ast.Call, names: set[str]) -> bool:
    """Whether a call is made on something of one of these names, or is handed it."""
    return any(isinstance(n, ast.Attribute) and n.attr in names for n in ast.walk(call))


def _stops(statement: ast.Assign) -> bool:
    return _names_stop(statement) and is_true(statement.value)


def _names_stop(statement: ast.Assign) -> bool:
    return any(name_of(one) == "should_training_stop" for one in statement.targets)


def _thaws(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return name_of(node.func) == "requires_grad_" and not any(map(is_false, node.args))
    return any(
        isinstance(target, ast.Attribute) and target.attr == "requires_grad" and not is_false(value)
        for target, value in assigned(node)
    )


def _draws(node: ast.AST) -> bool:
    return _calls(node, (*_BY_LOT, *_CONSTANT, *_WHOLE))


def _calls(node: ast.AST, names: tuple[str, ...]) -> bool:
    return any(isinstance(p, ast.Call) and name_of(p.func) in names for p in ast.walk(node))
