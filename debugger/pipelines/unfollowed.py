"""What the clinic cannot look into, and what stands in the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from debugger.failure import first_line


@dataclass(frozen=True)
class Refused:
    """A training that is not looked into: the code of a finding, its line and its numbers."""

    code: str
    line: int | None
    numbers: Mapping[str, Any] = field(default_factory=dict)


class NotFollowed(Exception):
    """Why a loop by hand is not: the code of a finding, and its numbers."""

    def __init__(self, code: str, **numbers: Any) -> None:
        super().__init__(code)
        self.code, self.numbers = code, numbers

    @classmethod
    def of_a_turn(cls, error: Exception) -> NotFollowed:
        """It cannot be taken by itself."""
        text, name = first_line(str(error)), type(error).__name__
        return cls("loop_of_no_turns", said=f"{name}: {text}" if text else name)

    def at(self, line: int | None) -> Refused:
        return Refused(self.code, line, self.numbers)
