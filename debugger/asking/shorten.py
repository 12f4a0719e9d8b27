"""Delta debugging: a script without what its symptom can do without, found by running it.

Groups of statements and arguments go first, the longest before others, then halves of them, then
each by itself, until nothing more can go. Every shorter script is one more run, so what nothing
names goes along unasked.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Generator, Iterable

from debugger.asking.text import Part, Text

SECONDS = 60
MOST_RUNS = 40

Asking = Generator[str, bool, bool]


class Shortening:
    """One search. Run `candidate`, `answer` whether it shows the symptom, until there is none.

    `script` is the shortest so far that does. Any may be the last one: a search can be left early.
    What is not `possible`, as its text alone tells, is never a candidate.
    """

    def __init__(self, script: str, possible: Callable[[str], bool] = lambda _: True) -> None:
        self.script, self.before = script, script
        self.runs = 0
        self._possible = possible
        self._text = Text(script)
        self._left_out: set[Part] = set()
        self._needed: set[Part] = set()
        self._refused: set[str] = {script}
        self._search = self._searched()
        self.candidate = next(self._search, None)

    @property
    def early(self) -> bool:
        """Whether there was more to try."""
        return self.candidate is not None

    def answer(self, shows: bool) -> None:
        assert self.candidate is not None
        self.runs += 1
        if shows:
            self.script = self.candidate
        try:
            self.candidate = self._search.send(shows)
        except StopIteration:
            self.candidate = None

    def _searched(self) -> Generator[str, bool, None]:
        """What is needed at first may not be needed when something else is gone: it is tried again.

        What nothing names is tried before everything else, all of it at once.
        """
        yield from self._halved(_in_order(self._text.dead(set(), set())))
        before = None
        while before != self._left_out:
            before = set(self._left_out)
            self._needed.clear()
            while layer := self._text.loose(self._left_out, self._needed):
                groups: dict[ast.AST, list[Part]] = {}
                for part in layer:
                    groups.setdefault(part.owner, []).append(part)
                for group in sorted(groups.values(), key=_length, reverse=True):
                    yield from self._halved(group)

    def _halved(self, parts: list[Part]) -> Generator[str, bool, None]:
        parts = [part for part in parts if part not in self._left_out]
        if not parts or (yield from self._tried(parts)):
            return
        if len(parts) == 1:
            self._needed.add(parts[0])
            return
        middle = len(parts) // 2
        yield from self._halved(parts[:middle])
        yield from self._halved(parts[middle:])

    def _tried(self, parts: list[Part]) -> Asking:
        """With all that nothing names then; of a single part that may be too much."""
        alone = self._left_out | set(parts)
        dead = self._text.dead(alone, self._needed)
        if (yield from self._accepted(alone | dead)):
            return True
        return len(parts) == 1 and bool(dead) and (yield from self._accepted(alone))

    def _accepted(self, left_out: set[Part]) -> Asking:
        text = self._text.without(left_out)
        if text is None or text in self._refused or not self._possible(text):
            return False
        shows = yield text
        if shows:
            self._left_out = left_out
        else:
            self._refused.add(text)
        return shows


def shortened(
    script: str,
    still_shows: Callable[[str], bool],
    seconds: float = SECONDS,
    most: int = MOST_RUNS,
    possible: Callable[[str], bool] = lambda _: True,
    now: Callable[[], float] = time.monotonic,
) -> Shortening:
    """The search when it has come to its end, or has used up its runs or its time."""
    search, until = Shortening(script, possible), now() + seconds
    while search.candidate is not None and search.runs < most and now() < until:
        search.answer(still_shows(search.candidate))
    return search


def _length(parts: Iterable[Part]) -> int:
    return sum(part.end - part.start for part in parts)


def _in_order(parts: Iterable[Part]) -> list[Part]:
    return sorted(parts, key=lambda part: -part.start)
