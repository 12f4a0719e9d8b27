"""What flows through a script's functions: values that nobody reads, and what outlives a call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from debugger.script.scaling import to_whole
from debugger.script.tracing import TRAINING_STEPS, Function, Tracing, assigned, name_of, owner_of

_GROWS = ("append", "extend", "add", "insert", "update", "add_batch")
_CLEANS = ("sub", "subn", "translate", "findall", "maketrans")
_WEIGHTS = ("named_parameters", "named_modules", "named_children", "modules")
_ROUNDS = ("round", "rint", "floor", "trunc")
_EXTRACTS = ("extractor", "processor")
_TEACHES = ("teacher", "guide", "expert")


class Flows:
    """Looks for the line where something was lost on its way, or is left from before."""

    def __init__(self, tree: ast.Module, tracing: Tracing) -> None:
        self._tree, self._tracing = tree, tracing
        self._nodes = list(ast.walk(tree))
        self._functions = [node for node in self._nodes if isinstance(node, Function)]
        self._calls = [node for node in self._nodes if isinstance(node, ast.Call)]

    def overwritten(self) -> int | None:
        """Where a training step puts another loss in the place of one that nobody has read."""
        for function in self._stepping():
            for block in _blocks(function):
                if (line := _written_over(block)) is not None:
                    return line
        return None

    def made_loss(self) -> int | None:
        """Where a training step first puts a value under a loss's name."""
        for function in self._stepping():
            for node in ast.walk(function):
                for target, value in assigned(node):
                    named = isinstance(target, ast.Name) and "loss" in target.id.lower()
                    if named and not isinstance(value, ast.Constant):
                        return value.lineno
        return None

    def kept_in_step(self) -> int | None:
        """Where a training step takes a part of something that was kept, by places of its own."""
        for function in self._stepping():
            for node in ast.walk(function):
                if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
                    continue
                kept = isinstance(node.value, ast.Attribute) and name_of(node.value.value) == "self"
                if (kept or self._is_global(node.value)) and not _is_plain(node.slice):
                    return node.lineno
        return None

    def without_backward(self) -> int | None:
        """What a training step of one's own returns, where it never asks for gradients."""
        for function in (one for one in self._functions if one.name == "training_step"):
            calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
            if any(name_of(call.func) in ("backward", "training_step") for call in calls):
                continue
            returns = [n.lineno for n in ast.walk(function) if isinstance(n, ast.Return)]
            return max(returns, default=function.lineno)
        return None

    def gradients_off(self) -> int | None:
        """Where a training step switches gradients off, and not for a block alone."""
        for function in self._stepping():
            around = {
                part
                for node in ast.walk(function)
                if isinstance(node, ast.With)
                for item in node.items
                for part in ast.walk(item.context_expr)
            }
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and name_of(node.func) == "set_grad_enabled":
                    off = node.args and _is(node.args[0], False)
                    if node not in around and off:
                        return node.lineno
        return None

    def taken_away(self) -> int | None:
        """Where a gradient is set to nothing by hand, as in `weight.grad = None`."""
        made = [
            target.lineno
            for node in self._nodes
            for target, _ in assigned(node)
            if isinstance(target, ast.Attribute) and target.attr == "grad"
        ]
        made += [c.lineno for c in self._calls if "grad" in owner_of(c) and _zeroes(c)]
        return min(made, default=None)

    def remembering(self, function: Function | None) -> int | None:
        """The first line of a function that adds to something which outlives the call."""
        if function is None:
            return None
        own = {name_of(t) for n in ast.walk(function) for t, _ in assigned(n)}
        own |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and _is_stored(n)}
        lent = {
            name
            for node in ast.walk(function)
            if isinstance(node, ast.Global | ast.Nonlocal)
            for name in node.names
        }
        own -= lent
        found = [
            node.lineno
            for node in ast.walk(function)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _GROWS
            and node.args
            and _root(node.func.value) not in own
        ]
        found += [
            node.lineno
            for node in ast.walk(function)
            if isinstance(node, ast.AugAssign) and (_root(node.target) in lent | {"self"})
        ]
        return min(found, default=None)

    def removing(self) -> int | None:
        """The last line that takes characters out of a text by a pattern or a table."""
        made = [call for call in self._calls if name_of(call.func) in _CLEANS]
        made += [
            call
            for call in self._calls
            if name_of(call.func) == "encode" and any(_is(a, "ignore") for a in _values(call))
        ]
        return max((call.lineno for call in made if _cleans(call)), default=None)

    def scaled_by(self) -> int | None:
        """Where the factor of a LambdaLR is worked out: its function, or what that returns."""
        for call in self._calls:
            if name_of(call.func) not in ("LambdaLR", "MultiplicativeLR"):
                continue
            named = [k.value for k in call.keywords if k.arg == "lr_lambda"]
            for given in named or call.args[1:2]:
                return self._behind(given)
        return None

    def length_of(self, attribute: str) -> int | None:
        """Where a data set of one's own says that it is as long as what has that name."""
        for function in (one for one in self._functions if one.name == "__len__"):
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and node.attr == attribute:
                    return node.lineno
        return next((one.lineno for one in self._functions if one.name == "__len__"), None)

    def extracted(self) -> int | None:
        """Where what the first call of a feature extractor is handed was made."""
        for call in self._calls:
            named = name_of(call.func).lower()
            if call.args and any(word in named for word in _EXTRACTS) and "." not in named:
                return self._tracing.made(self._handed(call.args[0]))
        return None

    def _handed(self, given: ast.expr) -> ast.expr:
        made = self._tracing.local(given) if isinstance(given, ast.Name) else []
        return made[-1][1] if made else given

    def made_whole(self) -> int | None:
        """The last line that makes whole numbers of what is no label: those are long ones."""
        found: list[tuple[bool, int]] = []
        for node in self._calls:
            if not to_whole(node) and name_of(node.func) not in _ROUNDS:
                continue
            about = ast.unparse(node).lower()
            if not any(word in about for word in ("label", "target")):
                long = any(word in about for word in ("int64", "long"))
                found.append((not long, node.end_lineno or node.lineno))
        return max(found, default=(False, None))[1]

    def said(self, name: str, value: object) -> int | None:
        """Where an argument or an entry of that name is given just this."""
        given: list[tuple[object, ast.expr]] = [
            (k.arg, k.value) for call in self._calls for k in call.keywords
        ]
        for node in (one for one in self._nodes if isinstance(one, ast.Dict)):
            keys = (k.value if isinstance(k, ast.Constant) else None for k in node.keys)
            given.extend(zip(keys, node.values, strict=True))
        return next((v.lineno for k, v in given if k == name and _is(v, value)), None)

    def teaching(self) -> int | None:
        """Where a model that is called a teacher is made."""
        made = [
            value.lineno
            for node in self._nodes
            for target, value in assigned(node)
            if isinstance(value, ast.Call) and any(w in name_of(target).lower() for w in _TEACHES)
        ]
        return min(made, default=None)

    def picking(self) -> Iterator[tuple[int, tuple[str, ...], bool]]:
        """Each condition by which parts of a model are picked by name: the line where the words
        stand, the words, and whether a whole name has to be one of them."""
        for loop in (node for node in self._nodes if isinstance(node, ast.For)):
            goes = [n for n in ast.walk(loop.iter) if isinstance(n, ast.Call)]
            if not any(name_of(call.func) in _WEIGHTS for call in goes):
                continue
            names = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
            for node in ast.walk(loop):
                if isinstance(node, ast.If) and _changes(node.body):
                    yield from self._words(node.test, names)

    def _words(
        self, test: ast.expr, names: set[str]
    ) -> Iterator[tuple[int, tuple[str, ...], bool]]:
        found: list[tuple[int, tuple[str, ...], bool]] = []
        for node in ast.walk(test):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.Eq):
                left, right = node.left, node.comparators[0]
                if name_of(left) in names:  # name in ("query", "value"), name == "classifier"
                    found.append(self._written(right, True))
                elif name_of(right) in names:  # "classifier" in name
                    found.append(self._written(left, False))
            if isinstance(node, ast.Call) and _is_end(node) and owner_of(node) in names:
                found.append(self._written(node.args[0], False))
            if isinstance(node, ast.GeneratorExp):
                left = node.elt.left if isinstance(node.elt, ast.Compare) else None
                bound = node.generators[0]
                if left is not None and name_of(left) == name_of(bound.target):
                    found.append(self._written(bound.iter, False))
        known = [one for one in found if one[1]]
        if known:
            words = tuple(word for one in known for word in one[1])
            yield known[0][0], words, all(one[2] for one in known)

    def _written(self, node: ast.expr, whole: bool) -> tuple[int, tuple[str, ...], bool]:
        plain = self._tracing.written_down(node)
        if isinstance(plain, ast.Constant) and isinstance(plain.value, str):
            return plain.lineno, (plain.value,), whole
        parts = plain.elts if isinstance(plain, ast.Tuple | ast.List | ast.Set) else []
        words = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]
        return node.lineno if plain is None else plain.lineno, tuple(words), whole

    def _behind(self, given: ast.expr) -> int:
        if isinstance(given, ast.Lambda):
            return given.lineno
        own = next((f for f in self._functions if f.name == name_of(given)), None)
        returned = None if own is None else self._tracing.returned(own)
        return given.lineno if returned is None else returned.lineno

    def _stepping(self) -> list[Function]:
        known = [one for one in self._functions if one.name in TRAINING_STEPS]
        return sorted(known, key=lambda one: TRAINING_STEPS.index(one.name))

    def _is_global(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Name):
            return False
        return not self._tracing.local(node) and any(
            name_of(target) == node.id for part in self._tree.body for target, _ in assigned(part)
        )


def _blocks(function: Function) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(function):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _written_over(block: list[ast.stmt]) -> int | None:
    """A line of this very block that puts a new value under a loss's name before it was read."""
    held: dict[str, int] = {}
    for statement in block:
        read = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and not _is_stored(n)}
        for name in read:
            held.pop(name, None)
        for target, value in assigned(statement):
            name = target.id if isinstance(target, ast.Name) else ""
            if "loss" not in name.lower() or isinstance(statement, ast.AugAssign):
                continue
            if name in held:
                return statement.lineno
            if isinstance(value, ast.Call | ast.BinOp):
                held[name] = statement.lineno
    return None


def _is_end(call: ast.Call) -> bool:
    return name_of(call.func) in ("startswith", "endswith") and bool(call.args)


def _zeroes(call: ast.Call) -> bool:
    return name_of(call.func) in ("zero_", "fill_", "mul_", "zero_grad")


def _changes(body: list[ast.stmt]) -> bool:
    """Whether it puts something into a model, or makes weights learn or stay."""
    parts = [part for statement in body for part in ast.walk(statement)]
    calls = {name_of(part.func) for part in parts if isinstance(part, ast.Call)}
    if calls & {"setattr", "requires_grad_", "add_module", "register_forward_hook"}:
        return True
    return any(
        isinstance(part, ast.Attribute) and part.attr == "requires_grad" and _is_stored(part)
        for part in parts
    )


def _cleans(call: ast.Call) -> bool:
    """A pattern of characters that are left, or that go: not one of blanks or of digits."""
    texts = [a.value for a in _values(call) if isinstance(a, ast.Constant)]
    patterns = [one for one in texts if isinstance(one, str)]
    return not patterns or any("[" in one or "\\W" in one for one in patterns) or "ignore" in texts


def _values(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return name_of(node)


def _is_plain(node: ast.expr) -> bool:
    """A number or a word: the same part each time."""
    return isinstance(node, ast.Constant | ast.UnaryOp)


def _is_stored(node: ast.Name | ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is(node: ast.expr, value: object) -> bool:
    return (isinstance(node, ast.Constant) and node.value is value) or (
        isinstance(node, ast.Constant) and isinstance(value, str) and node.value == value
    )
