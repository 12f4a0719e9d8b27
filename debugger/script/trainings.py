"""Where a script trains, as far as its text tells, and whether it does so more than once."""

from __future__ import annotations

import ast
from copy import copy
from itertools import combinations
from typing import Self

from debugger.script.tracing import last, owner_of


class Trainings:
    """Of a whole script, whose calls may be fewer: those that are looked at."""

    def __init__(self, tree: ast.Module, calls: list[ast.Call]) -> None:
        self._calls = calls
        self._functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        self._assignments = [n for n in ast.walk(tree) if isinstance(n, ast.Assign)]
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        self._own = {
            one.name
            for one in classes
            if not any(ast.unparse(base).endswith("Trainer") for base in one.bases)
        }
        """Classes of the script's own, which are no Trainers of a library, whatever their names."""
        self._loops = [n for n in ast.walk(tree) if isinstance(n, ast.For | ast.While)]
        self._forks = [node for node in ast.walk(tree) if isinstance(node, ast.If | ast.IfExp)]
        self._top = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        self._names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    def among(self, calls: list[ast.Call]) -> Self:
        """The same script, of which fewer calls are looked at."""
        narrowed = copy(self)
        narrowed._calls = calls
        return narrowed

    def calls(self) -> list[ast.Call]:
        """`trainer.train()` of what is a Trainer, or is called so; `fit`."""
        made = [
            (target.id, node.value)
            for node in self._assignments
            for target in node.targets
            if isinstance(target, ast.Name)
        ]
        trainers = {name for name, value in made if self._makes_trainer(value)}
        others = {name for name, value in made if self._is_own(value)}
        methods = [call for call in self._calls if isinstance(call.func, ast.Attribute)]
        owners = {id(call): owner_of(call) for call in methods}
        compiled = {owners[id(call)] for call in methods if last(call.func) == "compile"}
        return [
            call
            for call in methods
            if (
                last(call.func) == "train"
                and owners[id(call)] not in others
                and self._trains(call, trainers, owners[id(call)])
            )
            or (last(call.func) == "fit" and (owners[id(call)] in compiled or _by_epochs(call)))
        ]

    def _trains(self, call: ast.Call, trainers: set[str], owner: str) -> bool:
        made = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        called_so = owner.lower().endswith("trainer")
        return owner in trainers or called_so or self._makes_trainer(made)

    def _makes_trainer(self, node: ast.expr) -> bool:
        named = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Trainer")
        return named and not self._is_own(node)

    def _is_own(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and ast.unparse(node.func) in self._own

    def again(self) -> bool:
        """Whether the script seems to train more than once: further down, or on the same line."""
        trainings = self.calls()
        both = any(not self._either_or(*pair) for pair in combinations(trainings, 2))
        return both or any(self._is_repeated(call) for call in trainings)

    def _either_or(self, one: ast.Call, other: ast.Call) -> bool:
        """Whether an `if` runs the one, and its `else` the other."""
        for fork in self._forks:
            arms = [[node for part in arm for node in ast.walk(part)] for arm in _arms(fork)]
            if any(one in a and other in b for a, b in (arms, arms[::-1])):
                return True
        return False

    def _is_repeated(self, call: ast.Call) -> bool:
        """In a loop, or in a function that is called in one or more than once."""
        if any(call in ast.walk(loop) for loop in self._loops):
            return True
        return any(
            len(callers) > 1 or any(self._is_repeated(caller) for caller in callers)
            for function in self._functions
            if call in ast.walk(function)
            and (callers := self._callers(function.name))
            and call not in callers
        )

    def _callers(self, name: str) -> list[ast.Call]:
        """What calls a function; not what stands in a function that nothing in the script names."""
        idle = [call for one in self._functions if self._is_idle(one) for call in ast.walk(one)]
        return [c for c in self._calls if ast.unparse(c.func) == name and c not in idle]

    def _is_idle(self, function: ast.FunctionDef) -> bool:
        """For others to call, such as the `_mp_fn` of every official example."""
        return function in self._top and function.name not in self._names


def _arms(fork: ast.If | ast.IfExp) -> tuple[list[ast.AST], list[ast.AST]]:
    if isinstance(fork, ast.If):
        return [*fork.body], [*fork.orelse]
    return [fork.body], [fork.orelse]


def _by_epochs(call: ast.Call) -> bool:
    """As only Keras fits: a scaler or a tokenizer has neither."""
    return bool({"epochs", "validation_data", "steps_per_epoch"} & {k.arg for k in call.keywords})
