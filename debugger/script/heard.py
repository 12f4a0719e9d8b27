"""What a script's own lines did while it ran, and neither its text nor a value shows."""

from __future__ import annotations

import ast
import builtins
import itertools
import types
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from debugger.pipelines.layout import Swapped, is_swap

_NUMBERS = itertools.count()
_TRACED = ("forward", "call", "__call__", "compute_loss", "training_step")
"""Whose lines a library may read and compile anew, and where tensors are listened to anyway."""
_BESIDE = ("np", "numpy", "torch")
_OF_ZERO = "divide by zero encountered in log"
_OF_COPIES = "ChainedAssignmentError"
"""What pandas warns with from version 3 on; before, the same lines did what they say."""


@dataclass
class Heard:
    """`counted_off`: lines that read an array's numbers into its own axes in another order.
    `logs_of_zero`: lines that took a logarithm of 0. `set_on_copies`: lines that pandas says of
    that they change a copy, which is gone at once."""

    counted_off: list[Swapped] = field(default_factory=list)
    logs_of_zero: list[int] = field(default_factory=list)
    set_on_copies: list[int] = field(default_factory=list)

    def compiled(self, text: str, filename: str) -> types.CodeType:
        """The script, that says of each `reshape` what it was given and what came of it."""
        notes = _Notes(f"__clinic_note_{next(_NUMBERS)}__")
        tree = ast.fix_missing_locations(notes.visit(ast.parse(text, filename)))
        setattr(builtins, notes.name, _Listener(self, notes.lines).note)
        return compile(tree, filename, "exec", dont_inherit=True)

    def warned(self, caught: Iterable[warnings.WarningMessage], filename: str) -> None:
        own = [one for one in caught if one.filename == filename]
        zero = (one.lineno for one in own if str(one.message).startswith(_OF_ZERO))
        self.logs_of_zero.extend(dict.fromkeys(zero))
        copies = (one.lineno for one in own if one.category.__name__ == _OF_COPIES)
        self.set_on_copies.extend(dict.fromkeys(copies))


@dataclass
class _Listener:
    heard: Heard
    lines: list[int]
    given: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def note(self, call: int, made: bool, value: Any) -> Any:
        """What goes into a call, and what comes out of it: handed on as it is."""
        shape = getattr(value, "shape", None)
        if not isinstance(shape, tuple) or getattr(value, "requires_grad", False):
            return value  # what a model made of its rows is listened to elsewhere
        if not made:
            self.given[call] = tuple(shape)
            return value
        before = self.given.pop(call, None)
        line = self.lines[call]
        known = any(line == one.line for one in self.heard.counted_off)
        if before is not None and not known and _mixes(before, shape, value):
            self.heard.counted_off.append(Swapped(before, tuple(shape), line))
        return value


def _mixes(before: tuple[int, ...], after: tuple[int, ...], made: Any) -> bool:
    if not is_swap(before, after):
        return False
    values = np.asarray(made)
    return values.size > 0 and bool((values != values.flat[0]).any())


@dataclass
class _Notes(ast.NodeTransformer):
    """Puts a note around what is reshaped, and around what came of it: the call itself stays in the
    script's own frame, and fails there."""

    name: str
    lines: list[int] = field(default_factory=list)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if node.name in _TRACED or node.decorator_list else self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id=module), attr="reshape") if module in _BESIDE:
                if not node.args or isinstance(node.args[0], ast.Starred):
                    return node
                node.args[0] = self._noted(node.args[0], made=False)
            case ast.Attribute(value=given, attr="reshape" | "view") as called:
                called.value = self._noted(given, made=False)
            case _:
                return node
        noted = self._noted(node, made=True)
        self.lines.append(node.lineno)
        return noted

    def _noted(self, what: ast.expr, made: bool) -> ast.Call:
        told: list[ast.expr] = [ast.Constant(len(self.lines)), ast.Constant(made), what]
        call = ast.Call(ast.Name(self.name, ast.Load()), told, [])
        for node in (call, call.func, *told[:2]):
            ast.copy_location(node, what)
        return call
