"""The numbers that a script prints behind its training, for answers that somebody made up."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WRAPPED = re.compile(r"\b(?:np|numpy)\.\w+\(([^()]*)\)")
_NUMBER = r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?|-?inf|nan"
_NAMED = re.compile(
    rf"(?:([A-Za-z_][\w /%()@-]*?)['\"]?(?:\s*[:=]\s*|\s+)|\A|[\s:=(\[,])({_NUMBER})\b"
)


@dataclass(frozen=True)
class Printed:
    """One of them, called `name`, from the statement at `line`.

    `some` and `other` are for answers drawn by lot, `dealt` for those of `some` given to other
    rows, `low` and `high` for answers far below and far above. From `same_at` on nothing is
    otherwise whatever was answered; `one_at` makes one number of the answers for all rows.
    `shape` is that of the answers. `of` is what `evaluate` has called this very number, if it comes
    from there. `perfect` is the number for answers that are what the labels say, None where nobody
    knows those. `off` is the name of what the two sides that were compared differ in: answers, or
    what they are held against. `within` is the number for one and the same answer to all: the
    least, the middle and the most of the amounts that were learned, which lie a `span` apart.
    `made_by`: the labels that were learned are those that are known here under this function.
    `beside`: it is made of labels alone that came along with the answers.
    `single`: of several labels of a row, as `several` rows have them, only the first is said.
    """

    name: str
    line: int | None
    some: float = 0.0
    other: float = 0.0
    dealt: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 0.0
    same_at: int | None = None
    one_at: int | None = None
    shape: tuple[int, ...] = ()
    of: str = ""
    perfect: float | None = None
    off: str = ""
    within: tuple[float, ...] = ()
    span: float = 0.0
    single: float | None = None
    several: int = 0
    made_by: str = ""
    beside: bool = False


def numbers_in(text: str) -> list[tuple[str, float]]:
    """Each number of a text, with the words that stand before it."""
    plain = _WRAPPED.sub(r"\1", text)
    return [
        (name.strip(), float(number))
        for line in plain.splitlines()
        for name, number in _NAMED.findall(line)
    ]
