"""Where a number was chosen that is only handed on, by name or by place, where it is used."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from debugger.script.tracing import DEEPEST, Tracing, name_of, stands_at

_LENGTH_AT = {
    "get_linear_schedule_with_warmup": 2,
    "get_cosine_schedule_with_warmup": 2,
    "get_cosine_with_hard_restarts_schedule_with_warmup": 2,
    "get_polynomial_decay_schedule_with_warmup": 2,
    "get_scheduler": 3,
    "CosineAnnealingLR": 1,
    "StepLR": 1,
}
"""At which place a schedule is told its length."""
_OF_TABLES = ("Embedding.from_pretrained", "EmbeddingBag.from_pretrained")


class Chosen:
    """`calls` are in the order of Places, `reads` the names that are read, each as often."""

    def __init__(self, tracing: Tracing, calls: list[ast.Call], reads: Sequence[str]) -> None:
        self._tracing, self._calls, self._reads = tracing, calls, reads

    def argument(self, *names: str) -> int | None:
        """A name that is given as one of these arguments, and whose value serves elsewhere, too."""
        given = (k.value for n in names for c in self._calls for k in c.keywords if k.arg == n)
        return next(filter(None, map(self._by, given)), None)

    def first_given(self, name: str, line: int | None) -> int | None:
        """Where the call of that name at a line is given its first argument."""
        for call in self._calls:
            if stands_at(call, line) and name_of(call.func) == name and call.args:
                return call.args[0].lineno
        return line

    def frozen_untold(self) -> int | None:
        """Where a table of vectors is made of numbers that are there, and nothing is said of
        whether they are to stay."""
        for call in self._calls:
            named = {k.arg for k in call.keywords}
            of_table = ast.unparse(call.func).endswith(_OF_TABLES)
            if of_table and not named & {"freeze", None} and len(call.args) < 2:
                return call.lineno
        return None

    def schedule_length(self, before: int = 0) -> int | None:
        """Where the first schedule is told by place how many steps there are, or what stands
        `before` that."""
        for call in self._calls:
            place = _LENGTH_AT.get(name_of(call.func), len(call.args)) - before
            if 0 < place < len(call.args):
                given = call.args[place]
                return self._by(given) or self._tracing.setting(given) or given.lineno
        return None

    def _by(self, given: ast.expr) -> int | None:
        """Where a value was chosen that serves elsewhere, too: in the call of the function that
        has it for a parameter."""
        handed = 0
        while isinstance(given, ast.Name) and handed < DEEPEST:
            if (above := self._tracing.handed_in(given)) is None:
                break
            given, handed = above, handed + 1
        named = self._tracing.local(given) if isinstance(given, ast.Name) else []
        if named and isinstance(named[-1][1], ast.Attribute):  # a setting that has its own use
            return named[-1][0]
        plain = isinstance(given, ast.Name | ast.Attribute)
        often = plain and self._reads.count(ast.unparse(given)) > 1
        return given.lineno if often or handed else None
