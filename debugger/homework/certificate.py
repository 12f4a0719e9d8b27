"""A student's certificate: what was solved and how, under one seal; and whether one is genuine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from debugger.homework.receipt import LEARNER, How, Receipt
from debugger.homework.receipt import read as read_receipt
from debugger.homework.seal import Refused, Seal
from debugger.homework.task import MOST_CASES, MOST_TITLE, Task
from debugger.room.naming import cleaned

WHAT = "training-clinic certificate"
MOST_NAME = 60
MOST_WORK = 1_000
MOST_SIZE = 400_000
_CLOSED = ConfigDict(extra="forbid")
Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]


@dataclass(frozen=True)
class Work:
    """One proved cure. `late` is None where no deadline was set."""

    __pydantic_config__ = _CLOSED

    case: int
    title: str
    how: How
    at: Time
    late: bool | None
    attempts: int
    hints: int
    finding_shown: bool
    receipt: str


@dataclass(frozen=True)
class Assigned:
    """The task that a certificate was made for."""

    __pydantic_config__ = _CLOSED

    title: Annotated[str, Field(max_length=MOST_TITLE)]
    until: Time | None
    cases: Annotated[tuple[int, ...], Field(max_length=MOST_CASES)]


@dataclass(frozen=True)
class Certificate:
    __pydantic_config__ = _CLOSED

    what: Literal["training-clinic certificate"]
    version: Literal[1]
    clinic: str
    name: Annotated[str, Field(max_length=MOST_NAME)]
    learner: Annotated[str, Field(pattern=LEARNER)]
    made: Time
    task: Assigned | None
    work: Annotated[tuple[Work, ...], Field(max_length=MOST_WORK)]


@dataclass(frozen=True)
class Checked:
    """One file of those that were handed in. `reason` is the code of why it is not taken, if so.

    `others` are the files that hold the same work.
    """

    file: str
    reason: str = ""
    certificate: Certificate | None = None
    seal: str = ""
    others: tuple[str, ...] = ()

    @property
    def genuine(self) -> bool:
        return not self.reason


_CERTIFICATE: TypeAdapter[Certificate] = TypeAdapter(Certificate)


def stamp(at: int) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def seconds(time: str) -> int:
    return int(datetime.fromisoformat(time).timestamp())


def taken(tokens: Iterable[str], learner: str, seal: Seal) -> tuple[list[Receipt], Counter[str]]:
    """The receipts that count for this learner, and why others do not, with how many."""
    found: dict[str, Receipt] = {}
    refused: Counter[str] = Counter()
    for token in tokens:
        try:
            receipt = read_receipt(token, seal)
        except Refused as why:
            refused[why.code] += 1
            continue
        if receipt.learner != learner:
            refused["other_browser"] += 1
        elif receipt.id in found:
            refused["twice"] += 1
        else:
            found[receipt.id] = receipt
    return sorted(found.values(), key=lambda one: one.at), refused


def issue(
    receipts: Sequence[Receipt],
    about: tuple[str, str],
    task: Task | None,
    now: int,
    title: Callable[[int], str],
    seal: Seal,
) -> dict[str, Any]:
    """The certificate as plain data, signed. `about` is the learner's number and the typed name.

    Where it is for a task, it holds what belongs to that.
    """
    learner, name = about
    wanted = [one for one in receipts if task is None or one.case in task.cases]
    made = Certificate(
        what=WHAT,
        version=1,
        clinic=seal.clinic,
        name=cleaned(name, MOST_NAME),
        learner=learner,
        made=stamp(now),
        task=_assigned(task),
        work=tuple(_work(one, task, title(one.case)) for one in wanted[:MOST_WORK]),
    )
    told = asdict(made)
    return told | {"seal": seal.over("certificate", told)}


def _assigned(task: Task | None) -> Assigned | None:
    if task is None:
        return None
    return Assigned(task.title, None if task.until is None else stamp(task.until), task.cases)


def _work(one: Receipt, task: Task | None, title: str) -> Work:
    late = None if task is None or task.until is None else task.late(one.at)
    about = {"attempts": one.attempts, "hints": one.hints, "finding_shown": one.shown}
    return Work(one.case, title, one.how, stamp(one.at), late, **about, receipt=one.id)


def in_text(text: str) -> list[Any]:
    """Every JSON value in a text, one after the other; what is none ends it with a None."""
    found: list[Any] = []
    reading, rest = json.JSONDecoder(object_pairs_hook=_once), text.removeprefix("\ufeff").strip()
    while rest:
        try:
            value, end = reading.raw_decode(rest)
        except (ValueError, RecursionError):
            return [*found, None]
        found += value if isinstance(value, list) else [value]
        rest = rest[end:].lstrip(" \t\r\n,")
    return found or [None]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key that stands twice would be read by others as something else than what was signed."""
    told = dict(pairs)
    if len(told) < len(pairs):
        raise ValueError("a key stands twice")
    return told


def check(file: str, told: Any, seal: Seal, task: Task | None = None) -> Checked:
    """Whether this clinic signed it as it stands. For a `task`, late is what is late for that."""
    if not isinstance(told, dict) or told.get("what") != WHAT:
        return Checked(file, "no_certificate")
    held = {name: value for name, value in told.items() if name != "seal"}
    if held.get("clinic") != seal.clinic:
        return Checked(file, "other_clinic")
    try:
        if not seal.fits("certificate", held, told.get("seal")):
            return Checked(file, "changed")
        certificate = _CERTIFICATE.validate_python(held)
    except (ValidationError, ValueError, RecursionError):
        return Checked(file, "other_version")
    if task is not None:
        certificate = _for(certificate, task)
    return Checked(file, "", certificate, str(told["seal"]))


def _for(certificate: Certificate, task: Task) -> Certificate:
    """Measured by that task, whichever one the student had opened."""
    late = task.late if task.until is not None else lambda at: None
    work = tuple(
        replace(one, late=late(seconds(one.at)))
        for one in certificate.work
        if one.case in task.cases
    )
    return replace(certificate, task=_assigned(task), work=work)


def together(checked: Sequence[Checked]) -> list[Checked]:
    """Those that hold the same work as another one are not taken: somebody passed it on.

    One student may hand in a later certificate under the same name.
    """
    told: list[Checked] = []
    for one in checked:
        others = _sharing(one, (other for other in checked if other is not one))
        told.append(replace(one, reason="passed_on", others=others) if others else one)
    return told


def _sharing(one: Checked, others: Iterable[Checked]) -> tuple[str, ...]:
    if one.certificate is None:
        return ()
    mine, name = {work.receipt for work in one.certificate.work}, one.certificate.name
    return tuple(
        dict.fromkeys(
            other.file
            for other in others
            if other.certificate is not None
            and mine & {work.receipt for work in other.certificate.work}
            and (other.seal == one.seal or not name or other.certificate.name != name)
        )
    )


def counted(certificate: Certificate) -> Mapping[str, int]:
    """Scenarios, each once: in all, typed, and late where no cure of it was in time."""
    by_case: dict[int, list[Work]] = {}
    for one in certificate.work:
        by_case.setdefault(one.case, []).append(one)
    return {
        "solved": len(by_case),
        "typed": sum(any(one.how == "typed" for one in group) for group in by_case.values()),
        "late": sum(all(one.late is True for one in group) for group in by_case.values()),
    }
