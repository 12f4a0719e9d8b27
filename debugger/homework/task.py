"""An assignment: scenarios, a title and a deadline, all of it in one signed link."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from debugger.homework.seal import Refused, Seal
from debugger.room.naming import cleaned

MOST_TITLE, MOST_CASES = 80, 60
MOST_DAYS = 3 * 366
DAY = 86_400


@dataclass(frozen=True)
class Task:
    """`cases` are numbers of scenarios, as addresses carry them; `until` is in seconds of UTC."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    title: Annotated[str, Field(max_length=MOST_TITLE)]
    cases: Annotated[tuple[int, ...], Field(min_length=1, max_length=MOST_CASES)]
    until: int | None = None

    def late(self, at: int) -> bool:
        return self.until is not None and at > self.until


_TASK: TypeAdapter[Task] = TypeAdapter(Task)


def made(told: Mapping[str, Any], known: Collection[int], now: int) -> Task:
    """The task that an instructor asks for, or a Refused."""
    cases, until = told.get("cases"), told.get("until")
    title = cleaned(str(told.get("title", "")), MOST_TITLE)
    if not title:
        raise Refused("no_title")
    if not isinstance(cases, list) or not cases:
        raise Refused("no_cases")
    if len(cases) > MOST_CASES:
        raise Refused("too_many_cases", most=MOST_CASES)
    if any(type(case) is not int or case not in known for case in cases):
        raise Refused("no_such_case")
    if until is not None and (type(until) is not int or not now < until < now + MOST_DAYS * DAY):
        raise Refused("no_such_deadline")
    return Task(title, tuple(dict.fromkeys(cases)), until)


def linked(task: Task, seal: Seal) -> str:
    return seal.token("task", asdict(task))


def read(link: str, seal: Seal) -> Task:
    """From its token, or from the whole link that carries it."""
    token = link.strip().rpartition("of=")[2].partition("&")[0].partition("#")[0]
    told = seal.opened("task", token)
    try:
        return _TASK.validate_python(told)
    except ValidationError:
        raise Refused("other_version") from None
