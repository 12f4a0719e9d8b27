"""Where a metric, or a loss, picks the labels that it looks at, and where it lays them beside the
answers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from debugger.script.handed import Handed
from debugger.script.tracing import Function, assigned, name_of

_LOSSES = ("compute_loss", "forward", "training_step", "loss")
_LABELS = re.compile(r"^(y|l|ref)s?$|label|gold|target|truth|true|want|real", re.IGNORECASE)
_ANSWERS, _TRUTH = "predictions", "label_ids"
_IGNORED = "-100"


class Measuring:
    def __init__(self, tree: ast.AST, handed: Handed) -> None:
        self._tree = tree
        self._handed = handed

    def picks_some(self, argument: str) -> int | None:
        """Where a metric asks labels to be more than 0, or not to be 0."""
        return self._picked(self._metric(argument))

    def loss_picks_some(self) -> int | None:
        """Where a loss does so."""
        return self._picked(self._losses)

    def ignored_replaced(self, argument: str) -> int | None:
        """Where labels that are to be ignored are made something else."""
        for function in self._metric(argument):
            for node in ast.walk(function):
                for target, value in assigned(node):
                    held = target.value if isinstance(target, ast.Subscript) else target
                    put = isinstance(target, ast.Subscript) and _IGNORED in ast.unparse(
                        target.slice
                    )
                    if _LABELS.search(name_of(held)) and (put or _replaces(value)):
                        return value.lineno
        return None

    def compared(self, argument: str) -> int | None:
        """The first line that reads both answers and labels, beyond the one that takes them out."""
        for function in self._metric(argument):
            answers, labels = _sides(function)
            for one in sorted(_statements(function), key=lambda one: one.lineno):
                made = [value for node in ast.walk(one) for _, value in assigned(node)]
                values = made or [one]
                for value in values:
                    if _reads(value, answers, _ANSWERS) and _reads(value, labels, _TRUTH):
                        return value.lineno if isinstance(value, ast.expr) else one.lineno
        return None

    def taken(self, argument: str) -> int | None:
        """Where a metric gives the answers a name, or makes something of them alone."""
        for function in self._metric(argument):
            answers, labels = _sides(function)
            for node in ast.walk(function):
                for target, value in assigned(node):
                    alone = not _reads(value, labels, _TRUTH)
                    if name_of(target) in answers and _reads(value, set(), _ANSWERS) and alone:
                        return value.lineno
        return None

    def _picked(self, functions: Sequence[Function]) -> int | None:
        for function in functions:
            for node in ast.walk(function):
                if isinstance(node, ast.Compare) and _asks_for_some(node):
                    return node.lineno
        return None

    def _metric(self, argument: str) -> list[Function]:
        function = self._handed.function(argument)
        return [] if function is None else [function]

    @cached_property
    def _losses(self) -> list[Function]:
        return [n for n in ast.walk(self._tree) if isinstance(n, Function) and n.name in _LOSSES]


def _asks_for_some(node: ast.Compare) -> bool:
    """`labels > 0`, `labels != 0` and `labels >= 1`."""
    right, how = node.comparators[0], node.ops[0]
    number = right.value if isinstance(right, ast.Constant) else None
    parts = (part for part in ast.walk(node.left) if isinstance(part, ast.Name | ast.Attribute))
    names = [name_of(part) for part in parts]
    if not any(map(_LABELS.search, names)) or any(
        "pred" in one for one in names if one != _ANSWERS
    ):
        return False
    from_one = isinstance(how, ast.GtE) and number == 1
    return from_one or (isinstance(how, ast.Gt | ast.NotEq) and number == 0)


def _replaces(value: ast.expr) -> bool:
    """`np.where(labels == -100, other, labels)`, whichever way it asks."""
    if not isinstance(value, ast.Call) or name_of(value.func) not in ("where", "masked_fill"):
        return False
    return any(ast.unparse(one) == _IGNORED for part in value.args for one in ast.walk(part))


def _sides(function: Function) -> tuple[set[str], set[str]]:
    """The names of the answers and of the labels, as they are taken out of what is given."""
    taken = next(iter(function.args.args), None)
    answers, labels = set[str](), set[str]()
    for node in ast.walk(function):
        for target, value in assigned(node):
            parts = target.elts if isinstance(target, ast.Tuple) else []
            if len(parts) == 2 and taken is not None and name_of(value) == taken.arg:
                answers.add(name_of(parts[0]))
                labels.add(name_of(parts[1]))
    for _ in range(2):  # what is made of them counts as well
        for node in ast.walk(function):
            for target, value in assigned(node):
                of_answers = _reads(value, answers, _ANSWERS)
                of_labels = _reads(value, labels, _TRUTH)
                if of_answers != of_labels and isinstance(target, ast.Name):
                    (answers if of_answers else labels).add(target.id)
    return answers - {""}, labels - {""}


def _reads(value: ast.AST, names: set[str], attribute: str) -> bool:
    parts = list(ast.walk(value))
    held = any(isinstance(one, ast.Attribute) and one.attr == attribute for one in parts)
    return held or bool(names & {one.id for one in parts if isinstance(one, ast.Name)})


def _statements(function: Function) -> Iterator[ast.stmt]:
    """The innermost, in their order."""
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and not any(
            isinstance(inner, ast.stmt) for inner in ast.iter_child_nodes(node)
        ):
            yield node
