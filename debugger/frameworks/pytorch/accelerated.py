"""accelerate counts the turns of a loop, for a whole process: making a Trainer sets that back, and
a turn that is only tried counts as one more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from accelerate import Accelerator
from accelerate.state import GradientState

from debugger.pipelines.kept import Attributes
from debugger.pipelines.turns import fields_of


class Counted:
    """How far it has counted, where a name, or a field of what has one, is an Accelerator; else
    nothing."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        known = {**dict(fields_of(names)), **names}
        self._theirs = {k: one for k, one in known.items() if isinstance(one, Accelerator)}
        shared = [GradientState()] if self._theirs else []
        self._kept = [Attributes(one) for one in (*self._theirs.values(), *shared)]
        self.divides_by = max(
            (o.gradient_accumulation_steps for o in self._theirs.values()), default=1
        )
        """By how much its backward divides a loss."""

    def now(self) -> Counted:
        return Counted(self._theirs)

    def restore(self) -> None:
        for one in self._kept:
            one.restore()

    @contextmanager
    def in_place(self) -> Iterator[None]:
        before = self.now()
        self.restore()
        try:
            yield
        finally:
            before.restore()
