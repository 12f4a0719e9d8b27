"""A learner's progress as a file: written, read, and put together with what is already here."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from pydantic import TypeAdapter, ValidationError

from debugger.homework.receipt import MOST_RECEIPTS
from debugger.web.visit import MOST_CASES, Case, Record, as_object, readable

_RECORD: TypeAdapter[Record] = TypeAdapter(Record)
VERSION, NOBODY = Record().version, Record().learner


class RecordError(ValueError):
    """A file that is not what a clinic exported: the code of the sentence that says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def export_record(record: Record) -> str:
    return _RECORD.dump_json(record, indent=1).decode()


def import_record(text: str) -> tuple[Record, list[str]]:
    """What a file holds, and the names of the cases in it that nobody understands."""
    raw = as_object(text)
    if raw is None or not isinstance(raw.get("cases"), dict):
        raise RecordError("not_json")
    if raw.get("version", VERSION) != VERSION:
        raise RecordError("other_version")
    cases, wrong = readable(raw["cases"])
    with suppress(ValidationError):
        return Record(learner=raw.get("learner", NOBODY), cases=cases), wrong
    return Record(cases=cases), wrong


def merged(mine: Record, loaded: Record) -> Record:
    """Both together. Where both know a scenario the one that got further stays: nothing is lost.

    A browser that has begun nothing goes on as the one whose file it is: its receipts count there.
    """
    if not mine.cases and loaded.learner != NOBODY:
        mine = replace(mine, learner=loaded.learner)
    cases = dict(mine.cases)
    for name, case in loaded.cases.items():
        cases[name] = _both(cases[name], case) if name in cases else case
    return replace(mine, cases=dict(islice(cases.items(), MOST_CASES)))


def _both(mine: Case, loaded: Case) -> Case:
    """The one that got further, with the times of both: first solved, last solved, last touched."""
    further = max(mine, loaded, key=_how_far)
    first = further if further.first else max(mine, loaded, key=lambda case: bool(case.first))
    return replace(
        further,
        typed=further.typed or mine.typed or loaded.typed,
        checks=further.checks or mine.checks or loaded.checks,
        receipts=tuple(dict.fromkeys((*mine.receipts, *loaded.receipts)))[:MOST_RECEIPTS],
        at=_latest(case.at for case in (mine, loaded)),
        solved_at=min(filter(None, (mine.solved_at, loaded.solved_at)), default=None),
        again_at=_latest(case.again_at for case in (mine, loaded)),
        unaided=mine.alone or loaded.alone,
        first=first.first,
        first_sure=first.first_sure,
    )


def _latest(times: Iterable[str | None]) -> str | None:
    return max(filter(None, times), default=None)


def _how_far(case: Case) -> tuple[bool, str, bool, int]:
    """Of two that are solved, the one that was touched last: it may have been started over."""
    touched = case.at or "" if case.solved else ""
    done = len(case.answers) + len(case.tried)
    return case.solved, touched, case.sure is not None, done
