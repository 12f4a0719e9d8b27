"""Where a model is asked for answers, and what of that once it is trained."""

from __future__ import annotations

import ast
import re

from debugger.script.loops import calls_in
from debugger.script.statements import Statements
from debugger.script.tracing import last, name_of, names_in

_MODEL = re.compile(
    r"(?!(?:save|load|get|build|make|create|train|export)_)"
    r"(\w+_)?(model|net|network|tower|encoder|embedder)"
)
"""Names by which scripts call a model itself."""
_LOOKS = ("no_grad", "inference_mode")


class Answered(Statements):
    """The lines that ask, and whether any does behind the training."""

    def answered_for(self, line: int | None) -> int | None:
        """Where a model was asked for what a statement at a line goes by, if by way of others."""
        names, known = {n.id for n in self._names_at(line)}, set[str]()
        while names - known:
            if (asked := self._answered(names, line)) is not None:
                return asked
            known |= names
            made = self._made_before(names, line)
            names = set[str]().union(*(names_in(one.value) for one in made))
        return None

    def handed_answers(self, line: int | None) -> int | None:
        """Where a model was asked for what a statement at a line hands on as it is."""
        taken_apart = {n.value for n in ast.walk(self._tree) if isinstance(n, ast.Attribute)}
        return self._answered({n.id for n in self._names_at(line) if n not in taken_apart}, line)

    def _names_at(self, line: int | None) -> list[ast.Name]:
        return [n for n in ast.walk(self._tree) if isinstance(n, ast.Name) and n.lineno == line]

    def _answered(self, names: set[str], line: int | None) -> int | None:
        asked = (
            node.lineno
            for node in self._made_before(names, line)
            if any(map(_is_answer, ast.walk(node.value)))
        )
        return max(asked, default=None)

    def _made_before(self, names: set[str], line: int | None) -> list[ast.Assign]:
        return [
            node
            for node in self._assignments
            if names & set(map(name_of, node.targets)) and node.lineno < (line or 0)
        ]

    def measures_after_training(self) -> bool:
        """Does anything evaluate or predict after the training, or in a function of the script?"""
        return self._after_training(r"eval|\w*(evaluat|predict)\w*")

    def predicts_after_training(self) -> bool:
        """Does the script ask for answers of its own, so that it can measure them by hand?"""
        return self._after_training(r"predict(_on_batch|_step)?|generate") or self._asks_model()

    def evaluates_others_after_training(self) -> bool:
        """Is it evaluated behind the training, on rows that are handed over there and then?"""
        given = {ast.unparse(one) for c in self._trainings.calls() for one in _rows_given(c)}
        behind = (c for c in self._calls if last(c.func) == "evaluate")
        return any(
            ast.unparse(one) not in given
            for call in behind
            if call.lineno > self._trained_at()
            for one in _rows_given(call)
        )

    def _asks_model(self) -> bool:
        """Behind the training the model is called as a function, and not within a loss; or what is
        called, by whatever name, leaves no gradients, as in a function that is called there."""
        within = [
            (one.lineno, one.end_lineno or one.lineno)
            for one in ast.walk(self._tree)
            if isinstance(one, ast.ClassDef)
        ]
        named = [(c.lineno, last(c.func)) for c in self._calls]
        looks = {f.name for f in self._functions if calls_in([f], *_LOOKS)} | set(_LOOKS)
        asks = [line for line, name in named if name in looks or _MODEL.fullmatch(name)]
        behind = [line for line in asks if line > self._trained_at()]
        return any(not any(low <= line <= high for low, high in within) for line in behind)

    def _trained_at(self) -> int:
        trains = [c.lineno for c in self._calls if last(c.func) == "train"]
        return min(trains or [c.lineno for c in self._trainings.calls()], default=0)

    def _after_training(self, named: str) -> bool:
        trained = self._trained_at()
        spans = [(f.lineno, f.end_lineno or f.lineno) for f in self._functions]
        apart = [span for span in spans if not span[0] <= trained <= span[1]]
        return any(
            call.lineno > trained or any(low <= call.lineno <= high for low, high in apart)
            for call in self._calls
            if re.fullmatch(named, last(call.func), re.IGNORECASE)
        )

    def trains(self) -> bool:
        """Whether a Trainer's training, or a model's `fit`, stands in the script."""
        return bool(self._trainings.calls())

    def trains_again(self) -> bool:
        """Whether the script seems to train more than once: further down, or on the same line."""
        return self._trainings.again()


def _rows_given(call: ast.Call) -> list[ast.expr]:
    """What a training or an evaluation is handed first."""
    named = [k.value for k in call.keywords if k.arg in ("x", "eval_dataset")]
    return [*call.args[:1], *named][:1]


def _is_answer(node: ast.AST) -> bool:
    """What a model of Keras is asked, and what a Trainer's answer holds."""
    asked = isinstance(node, ast.Call) and name_of(node.func) == "predict"
    return asked or (isinstance(node, ast.Attribute) and node.attr == "predictions")
