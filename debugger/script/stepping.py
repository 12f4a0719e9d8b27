"""What a training step runs through: where it makes its loss, and its masks."""

from __future__ import annotations

import ast
from functools import cached_property

from debugger.script.functions import Functions, is_value
from debugger.script.tracing import name_of

_CUTS = ("detach", "item", "numpy", "tolist", "argmax", "no_grad", "inference_mode", "data")
_MAKES = ("tensor", "as_tensor", "Tensor", "FloatTensor", "Variable", "Parameter", "full")
_FLATTENS = ("relu", "relu_", "clamp", "clip", "round", "sign", "threshold", "ReLU")
RESHAPES = ("view", "reshape", "transpose", "permute", "swapaxes", "chunk", "split")
_LOSSES = ("compute_loss", "forward", "training_step", "__call__")


class Stepping(Functions):
    """Looks into the loss and the model that a script wrote itself."""

    @cached_property
    def _bare(self) -> list[ast.Expr]:
        return [node for node in ast.walk(self._tree) if isinstance(node, ast.Expr)]

    def cut_off(self) -> int | None:
        """The line that takes a loss from the graph, in what a training step runs through.

        A tensor that is made anew as one to learn is surely none of a graph. What is only printed
        or logged takes nothing away.
        """
        made = [line for line in self._stepping(_MAKES) if line in self._learnt()]
        said = {line for line in self._stepping(_CUTS) if line not in self._only_said()}
        return min(made, default=None) or min(said, default=None)

    def cut_at(self, line: int | None) -> str:
        """What takes a loss from the graph at a line, as it is written there."""
        for node in (n for function in self._functions for n in ast.walk(function)):
            name = name_of(getattr(node, "func", node)) if isinstance(node, ast.Call) else ""
            if getattr(node, "lineno", None) == line and name in (*_MAKES, *_CUTS):
                return ast.unparse(node)
        return ""

    def _learnt(self) -> set[int]:
        """The lines that make something with requires_grad=True."""
        return {c.lineno for c in self._calls for k in c.keywords if k.arg == "requires_grad"}

    def _only_said(self) -> set[int]:
        """The lines of statements that keep nothing of what they call, such as print and log."""
        spans = [range(node.lineno, (node.end_lineno or node.lineno) + 1) for node in self._bare]
        return {line for span in spans for line in span}

    def squashing(self) -> int | None:
        """The last line of a training step's that makes probabilities."""
        return max(self._stepping(("softmax", "sigmoid", "Softmax", "Sigmoid")), default=None)

    def softmax_layer(self) -> int | None:
        """Where a softmax stands as the last of the layers in a row."""
        rows = [c for c in self._calls if name_of(c.func) == "Sequential" and c.args]
        last = (c.args[-1] for c in rows)
        found = (one for one in last if isinstance(one, ast.Call))
        return next((c.lineno for c in found if name_of(c.func) in ("Softmax", "Sigmoid")), None)

    def ending(self, *names: str) -> int | None:
        """The last line of a training step's that calls one of these."""
        return max(self._stepping(names), default=None)

    def using_loss(self) -> int | None:
        """Where a loss that was made beforehand and kept, as `self.loss`, is asked."""
        kept = {
            name_of(target)
            for node in self._assignments
            if isinstance(node.value, ast.Call) and name_of(node.value.func).endswith("Loss")
            for target in node.targets
            if isinstance(target, ast.Attribute)
        }
        return next((c.lineno for c in self._calls if name_of(c.func) in kept), None)

    def flat(self) -> int | None:
        """The last line of a training step's that makes one and the same of many numbers."""
        return max(self._stepping(_FLATTENS), default=None)

    def _stepping(self, names: tuple[str, ...]) -> list[int]:
        """The lines that call something of that name in what a training step runs through."""
        loss = self.function("compute_loss_func")
        return [
            node.lineno
            for function in self._functions
            if function.name in _LOSSES or function is loss
            for node in ast.walk(function)
            if isinstance(node, ast.Call | ast.Attribute)
            and name_of(getattr(node, "func", node)) in names
        ]

    def masking(self) -> int | None:
        """Where what a model runs through makes another mask of the mask that it is given."""
        made = [
            node
            for function in self._functions
            if function.name in _LOSSES
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            and any("mask" in name_of(target) for target in node.targets)
            and "mask" in ast.unparse(node.value)
        ]
        turned = [node for node in made if _turns(node.value)]
        return next((node.lineno for node in (*turned, *made)), None)

    def pooling(self) -> int | None:
        """Where it makes one of the numbers of all positions."""
        return min(
            self._stepping(("mean", "sum", "max", "amax", "AdaptiveAvgPool1d")), default=None
        )

    def turning(self) -> int | None:
        """Where a training step brings a tensor into another shape."""
        return min(self._stepping((*RESHAPES, "mean", "sum", "softmax", "expand")), default=None)


def _turns(node: ast.expr) -> bool:
    """`1 - mask`, `~mask`, `mask == 0` and the like."""
    parts = list(ast.walk(node))
    minus = (p for p in parts if isinstance(p, ast.BinOp) and isinstance(p.op, ast.Sub))
    turned = any(is_value(one.left, 1) or is_value(one.left, 1.0) for one in minus)
    inverted = any(isinstance(p, ast.UnaryOp) and isinstance(p.op, ast.Invert) for p in parts)
    return turned or inverted or any(isinstance(p, ast.Compare) for p in parts)
