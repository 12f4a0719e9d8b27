"""Where a value is written down, when it is only named where it is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

Function = ast.FunctionDef | ast.AsyncFunctionDef
ASKS = ("predict", "predict_on_batch")
ASKS_OR_MEASURES = (*ASKS, "evaluate")
TRAINING_STEPS = ("compute_loss", "training_step", "forward")
"""What a training step runs through that a script may write itself, the loss first."""
_FILLS = ("append", "extend", "insert")
_MOVES = ("shuffle", "sort", "reverse")
_HOLDS = (
    "tensor",
    "array",
    "asarray",
    "list",
    "Tensor",
    "LongTensor",
    "FloatTensor",
    "float",
    "int",
)
OF_JUDGING = re.compile(r"(^|[^a-z])(test|val|valid|validation|eval|dev)([^a-z]|$)", re.IGNORECASE)
"""A name, or what is made of it, that tells of rows to be judged by."""
_SETS = re.compile(r"(train|test|valid|val|eval|dev|(?<![a-z])(?:tr|te|va))(?![a-z])")
OF_TRAINING = re.compile(r"(^|[^a-z])train", re.IGNORECASE)
DEEPEST = 6
"""Names that stand for names: further than that nobody follows them."""


class Tracing:
    """Follows names through assignments, parameters, options of a command line and fields."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._scopes: dict[ast.AST, Function] = {}
        self._functions: dict[str, Function] = {}
        for function in (n for n in ast.walk(tree) if isinstance(n, Function)):
            self._functions[function.name] = function
            for part in function.body:
                self._scopes.update(dict.fromkeys(ast.walk(part), function))
        self._calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        self._classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        self._made_by = {part: one.name for one in self._classes for part in one.body}

    @cached_property
    def _ordered(self) -> list[tuple[ast.Call, bool]]:
        """All calls, those that have to do with an evaluation last."""
        known = [(call, _evaluates(call)) for call in self._calls]
        return sorted(known, key=lambda one: one[1])

    def setting(self, node: ast.expr) -> int | None:
        """The line of the number or the word that a setting comes down to, if it does."""
        found = self._plain(node)
        return None if found is None else found.lineno

    def valued(self, node: ast.expr) -> tuple[int, float] | None:
        """That line, and the number."""
        found = self._plain(node)
        value = found.value if isinstance(found, ast.Constant) else None
        return (found.lineno, float(value)) if found and isinstance(value, int | float) else None

    def constant(self, node: ast.expr) -> ast.Constant | None:
        """What is written down, where a value comes down to one word or one number."""
        found = self._plain(node)
        if isinstance(found, ast.UnaryOp) and isinstance(found.op, ast.USub):
            number = found.operand.value if isinstance(found.operand, ast.Constant) else None
            if isinstance(number, int | float):
                return ast.copy_location(ast.Constant(-number), found)
        return found if isinstance(found, ast.Constant) else None

    def written_down(self, node: ast.expr) -> ast.expr | None:
        """The number, the word or the list of them that a setting comes down to, if it does."""
        return self._plain(node)

    def _plain(self, node: ast.expr, depth: int = 0) -> ast.expr | None:
        if _is_plain(node):
            return node
        if depth > DEEPEST:
            return None
        if isinstance(node, ast.Name):
            found = self._named(node)
        elif isinstance(node, ast.Attribute):
            found = self._option(node)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            found = self.entry(node.slice.value)
        elif isinstance(node, ast.Call) and name_of(node.func) in ("float", "int") and node.args:
            found = node.args[0]
        else:
            found = None
        return None if found is None else self._plain(found, depth + 1)

    def made(self, node: ast.expr, depth: int = 0) -> int:
        """The line that puts together what a column, a list or an answer holds."""
        if depth > DEEPEST:
            return node.lineno
        if isinstance(node, ast.Call):
            inner = self._functions.get(name_of(node.func))
            if inner is not None:
                returned = self.returned(inner)
                return node.lineno if returned is None else self.made(returned, depth + 1)
            if name_of(node.func) in _HOLDS and node.args and isinstance(node.args[0], ast.Name):
                return self.made(node.args[0], depth + 1)
        if isinstance(node, ast.ListComp):
            own = isinstance(node.elt, ast.Call) and name_of(node.elt.func) in self._functions
            return self.made(node.elt, depth + 1) if own else node.elt.lineno
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            held = self.local(node.value)
            if held and isinstance(held[-1][1], ast.Call):
                return held[-1][0]
        if isinstance(node, ast.Subscript) and (kept := self._kept(node.value)) is not None:
            return kept.lineno
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            core = node.left
            if isinstance(core, ast.Name) and self._is_list(core):
                return self.made(core, depth + 1)
        if isinstance(node, ast.Name) and (filled := self._filled(node)) is not None:
            line, value = filled
            follows = isinstance(value, ast.Call | ast.BinOp) or (
                isinstance(value, ast.Name) and self._is_list(value)
            )
            return self.made(value, depth + 1) if value is not None and follows else line
        return node.lineno

    def _kept(self, field: ast.expr) -> ast.expr | None:
        """What a class makes of what it is given, and keeps as a field: not what it only keeps."""
        if not isinstance(field, ast.Attribute) or name_of(field.value) != "self":
            return None
        made = [
            value
            for one in self._classes
            for statement in ast.walk(one)
            for target, value in assigned(statement)
            if isinstance(target, ast.Attribute) and target.attr == field.attr
        ]
        return made[0] if len(made) == 1 and not isinstance(made[0], ast.Name) else None

    def local(self, name: ast.Name) -> list[tuple[int, ast.expr]]:
        """What the function around a name, or else the module, assigns to it, by line."""
        return self._assigned_in(self._scopes.get(name), name.id)

    def _assigned_in(self, scope: Function | None, name: str) -> list[tuple[int, ast.expr]]:
        return self._values.get((scope, name), [])

    @cached_property
    def _values(self) -> dict[tuple[Function | None, str], list[tuple[int, ast.expr]]]:
        """What each scope assigns to its names, by line."""
        found: dict[tuple[Function | None, str], list[tuple[int, ast.expr]]] = {}
        for statement in ast.walk(self._tree):
            for target, value in assigned(statement):
                if isinstance(target, ast.Name):
                    key = self._scopes.get(statement), target.id
                    found.setdefault(key, []).append((target.lineno, value))
        for values in found.values():
            values.sort(key=lambda one: one[0])
        return found

    def around(self, node: ast.AST) -> Function | None:
        """The function that it stands in."""
        return self._scopes.get(node)

    def unpacked(self, name: ast.Name) -> list[tuple[int, ast.expr, int | None]]:
        """Like `local`; also what a tuple is taken apart into, with the place in it."""
        scope = self._scopes.get(name)
        found: list[tuple[int, ast.expr, int | None]] = [
            (line, value, None) for line, value in self.local(name)
        ]
        for node in ast.walk(scope or self._tree):
            if not isinstance(node, ast.Assign) or self._scopes.get(node) is not scope:
                continue
            for target in (one for one in node.targets if isinstance(one, ast.Tuple | ast.List)):
                places = [n for n, one in enumerate(target.elts) if name_of(one) == name.id]
                if places and not isinstance(node.value, ast.Tuple):
                    found.append((node.lineno, node.value, places[-1]))
        return sorted(found, key=lambda one: one[0])

    def handed_in(self, name: ast.Name) -> ast.expr | None:
        """What a caller gives for a name that is a parameter of the function around it."""
        scope = self._scopes.get(name)
        parameters = [] if scope is None else [a.arg for a in _parameters(scope)]
        if scope is None or name.id not in parameters:
            return None
        return self._given(scope, name.id, parameters)

    def definitions(self, name: ast.Name) -> list[ast.expr]:
        """What a name may stand for, the nearest scope alone, the lowest line first: what is
        assigned to it, put into it, gone through by it, or handed in for it."""
        scope = self._scopes.get(name)
        while True:
            if found := self._defined_in(scope, name.id):
                return sorted(found, key=lambda one: -one.lineno)
            if scope is None:
                return []
            if name.id in (parameters := [a.arg for a in _parameters(scope)]):
                given = self._given(scope, name.id, parameters)
                return [] if given is None else [given]
            scope = self._scopes.get(scope)

    def _defined_in(self, scope: Function | None, name: str) -> list[ast.expr]:
        found: list[ast.expr] = []
        for node in ast.walk(scope or self._tree):
            if self._scopes.get(node) is not scope:
                continue
            bound = [*assigned(node), *_gone_through(node)]
            found += [value for target, value in bound if _binds(target, name)]
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                fills = node.func.attr in _FILLS and node.args
                if fills and name_of(_owner(node.func.value)) == name:
                    found.append(node.args[-1])
        return found

    def function(self, call: ast.Call) -> Function | None:
        """The function of the script that a call runs."""
        return self._functions.get(name_of(call.func))

    def _named(self, name: ast.Name) -> ast.expr | None:
        """What the name stands for in the function around it, in one around that, in the file."""
        scope = self._scopes.get(name)
        while scope is not None:
            if values := self._assigned_in(scope, name.id):
                return values[0][1] if len(values) == 1 else None
            if name.id in (parameters := [a.arg for a in _parameters(scope)]):
                return self._given(scope, name.id, parameters)
            scope = self._scopes.get(scope)
        outside = self._assigned_in(None, name.id)
        return outside[0][1] if len(outside) == 1 else None

    def _given(self, scope: Function, name: str, parameters: list[str]) -> ast.expr | None:
        """What callers hand over: themselves, by `partial`, or for `map` to hand on.

        What makes an object is called by the name of its class, and not handed the object.
        """
        makes = scope.name == "__init__"
        called = self._made_by.get(scope, "") if makes else scope.name
        default, missed = _defaults(scope).get(name), False
        for call, evaluates in self._ordered:
            if missed and default is not None and evaluates:
                return default  # what is learned from goes without
            own = name_of(call.func) == called
            by_others = any(name_of(one) == called for one in call.args[:1])
            if not own and not by_others:
                continue
            for keyword in call.keywords:
                if keyword.arg == name:
                    return keyword.value
                if keyword.arg == "fn_kwargs" and (found := _entry_of(keyword.value, name)):
                    return found
            handed = call.args if own else call.args[1:] if name_of(call.func) == "partial" else []
            place = parameters.index(name) - (parameters[0] in ("self", "cls"))
            if 0 <= place < len(handed) and not any(isinstance(a, ast.Starred) for a in handed):
                return handed[place]
            missed = True
        return default

    def _option(self, node: ast.Attribute) -> ast.expr | None:
        """Of a command line, of a class of settings, or of what was made with it."""
        made = self.local(node.value) if isinstance(node.value, ast.Name) else []
        kinds = [name_of(v.func) for _, v in made if isinstance(v, ast.Call)]
        other = any(word in name_of(node.value).lower() for word in ("token", "model", "config"))
        other |= any(kind[:1].isupper() and "Namespace" not in kind for kind in kinds)
        for call in [] if other else self._calls_of.get("add_argument", []):
            names = [a.value for a in call.args if isinstance(a, ast.Constant)]
            if node.attr in [str(n).lstrip("-").replace("-", "_") for n in names]:
                return keyword_of(call, "default")
        for settings in self._classes:
            for call in self._calls_of.get(settings.name, []):
                if found := keyword_of(call, node.attr):
                    return found
            value = self._fields[settings].get(node.attr)
            if isinstance(value, ast.Call) and name_of(value.func) == "field":
                return keyword_of(value, "default")
            if value is not None:
                return value
        if isinstance(node.value, ast.Name) and len(values := self.local(node.value)) == 1:
            made = values[0][1]
            return keyword_of(made, node.attr) if isinstance(made, ast.Call) else None
        return None

    @cached_property
    def _calls_of(self) -> dict[str, list[ast.Call]]:
        found: dict[str, list[ast.Call]] = {}
        for call in self._calls:
            found.setdefault(name_of(call.func), []).append(call)
        return found

    @cached_property
    def _fields(self) -> dict[ast.ClassDef, dict[str, ast.expr]]:
        """What each class makes of what it is given, or has from the beginning, by name."""
        found: dict[ast.ClassDef, dict[str, ast.expr]] = {}
        for one in self._classes:
            fields = found.setdefault(one, {})
            for statement in ast.walk(one):
                for target, value in assigned(statement):
                    fields.setdefault(name_of(target), value)
        return found

    def entry(self, key: object) -> ast.expr | None:
        """What a dictionary of settings holds, where one alone knows the word."""
        dicts = [node for node in ast.walk(self._tree) if isinstance(node, ast.Dict)]
        found = [value for one in dicts if (value := _entry_of(one, key)) is not None]
        found += [
            v for c in self._calls if name_of(c.func) == "dict" and (v := keyword_of(c, str(key)))
        ]
        return found[0] if len(found) == 1 else None

    def apart(self, name: str) -> int | None:
        """A setting that no call names: in a dictionary, a class of settings, or as an option."""
        found = self.entry(name)
        if found is not None and (line := self.setting(found)) is not None:
            return line
        for node in self._classes:
            if any(name_of(base).endswith("Arguments") for base in node.bases):
                for statement in node.body:
                    if any(name_of(target) == name for target, _ in assigned(statement)):
                        return statement.lineno
        typed = (n for n in ast.walk(self._tree) if isinstance(n, ast.Constant))
        words = (f"--{name}", f"--{name}".replace("_", "-"))
        calls = {id(a) for c in self._calls if name_of(c.func) == "add_argument" for a in c.args}
        return next((n.lineno for n in typed if n.value in words and id(n) not in calls), None)

    def _filled(self, name: ast.Name) -> tuple[int, ast.expr | None] | None:
        """The last line that puts something into a list, or in other places; else what it is."""
        return max(self.fills(name) or self.local(name), key=lambda one: one[0], default=None)

    def fills(self, name: ast.Name) -> list[tuple[int, ast.expr | None]]:
        """The lines that put something into a list, or in other places."""
        scope = self._scopes.get(name)
        fills: list[tuple[int, ast.expr | None]] = []
        for node in ast.walk(scope or self._tree):
            if self._scopes.get(node) is not scope:
                continue
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = name_of(node.func.value)
                if owner == name.id and node.func.attr in _FILLS and node.args:
                    fills.append((node.lineno, node.args[-1]))
                moved = node.args[0] if node.args else node.func.value
                if node.func.attr in _MOVES and name_of(moved) == name.id:
                    fills.append((node.lineno, None))
            for target, value in assigned(node):
                if isinstance(target, ast.Subscript) and name_of(target.value) == name.id:
                    fills.append((target.lineno, value))
        return fills

    def _is_list(self, name: ast.Name) -> bool:
        """A list put together here, not one thing out of another."""
        return any(
            isinstance(value, ast.List | ast.ListComp)
            or (isinstance(value, ast.BinOp) and _holds_list(value))
            or (isinstance(value, ast.Call) and name_of(value.func) in self._functions)
            for _, value in self.local(name)
        )

    def returned(self, function: Function) -> ast.expr | None:
        """The last that a function returns itself, and no other inside it."""
        returns = [
            node
            for node in ast.walk(function)
            if isinstance(node, ast.Return) and self._scopes.get(node) is function
        ]
        return max(returns, key=lambda one: one.lineno).value if returns else None


def of_any_set(said: str) -> str:
    """The same text for `x_train` and `x_test`, and for what is done to them."""
    return _SETS.sub("set", said)


def names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def assigned(statement: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target with its value; of tuples, each of its own."""
    if isinstance(statement, ast.AnnAssign | ast.AugAssign) and statement.value is not None:
        yield statement.target, statement.value
    if not isinstance(statement, ast.Assign):
        return
    for target in statement.targets:
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            yield from zip(target.elts, statement.value.elts, strict=False)
        else:
            yield target, statement.value


def _gone_through(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Names that stand for each of several things, one after the other, and those things."""
    if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        yield node.target, node.iter
    if isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr
    if isinstance(node, ast.NamedExpr):
        yield node.target, node.value


def _binds(target: ast.expr, name: str) -> bool:
    """Whether a target is, holds, or is a place in what has that name."""
    if isinstance(target, ast.Tuple | ast.List):
        return any(_binds(one, name) for one in target.elts)
    if isinstance(target, ast.Starred):
        return _binds(target.value, name)
    owner = _owner(target)
    return isinstance(owner, ast.Name) and owner.id == name


def _owner(node: ast.expr) -> ast.expr:
    """`rows` of `rows["text"][0]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def _is_plain(node: ast.expr) -> bool:
    """A number, a word, or what is reckoned of numbers alone."""
    if isinstance(node, ast.Constant):
        return node.value is not None
    if isinstance(node, ast.UnaryOp):
        return _is_plain(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_plain(node.left) and _is_plain(node.right)
    return isinstance(node, ast.Tuple | ast.List) and all(map(_is_plain, node.elts))


def _holds_list(node: ast.BinOp) -> bool:
    return any(isinstance(part, ast.List | ast.ListComp) for part in ast.walk(node))


def _parameters(function: Function) -> list[ast.arg]:
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def taken_by_place(function: Function) -> list[str]:
    """What a call of it may give without a name, but for the object whose method it is."""
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    return names[names[:1] in (["self"], ["cls"]) :]


def _evaluates(call: ast.Call) -> bool:
    """Whether a call has to do with rows to evaluate on, by what it is called on and given."""
    said = ast.unparse(call)
    return re.search(r"valid|test|eval|dev\b", said) is not None and "train" not in said


def _defaults(function: Function) -> dict[str, ast.expr]:
    given = function.args
    places = [*given.posonlyargs, *given.args]
    last = places[len(places) - len(given.defaults) :]
    found = {arg.arg: value for arg, value in zip(last, given.defaults, strict=True)}
    only = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return found | {arg.arg: value for arg, value in only if value is not None}


def _entry_of(node: ast.expr, key: object) -> ast.expr | None:
    if not isinstance(node, ast.Dict):
        return None
    pairs = zip(node.keys, node.values, strict=True)
    return next((v for k, v in pairs if isinstance(k, ast.Constant) and k.value == key), None)


def keyword_of(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)


def is_true(value: ast.AST) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def is_false(value: ast.AST | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


def name_of(node: ast.expr) -> str:
    """`tensor` of `torch.tensor`; "" of what has no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def stands_at(call: ast.Call, line: int | None) -> bool:
    """Whether a line is one of those that a call is written on."""
    return call.lineno <= (line or 0) <= (call.end_lineno or call.lineno)


def last(name: ast.expr) -> str:
    """`Trainer` of `transformers.Trainer`."""
    return ast.unparse(name).rpartition(".")[2]


def owner_of(call: ast.Call) -> str:
    """`trainer` of `trainer.train()`; "" of a plain function."""
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
