"""Rows that were cut in two as they stood, and are of other kinds in the one than in the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from debugger.pipelines.data import Data
from debugger.stages.judging import NO_SCRIPT, CannotJudge, Rule, Verdict, View, look

FEWEST, MOST_KINDS, MOST_ROWS = 20, 12, 5000
OFTEN = 3
"""Rows of a kind that there are at least, or it is no kind."""
UNSEEN = 0.9
_MEANT = re.compile(r"date|time|month|season|year|day|week|quarter|split|fold|set$|part$", re.I)
_TIMES = re.compile(
    r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*$"
    r"|(spring|summer|autumn|fall|winter|morning|noon|evening|night)",
    re.I,
)


def held_out_of_one_kind(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A field by whose words the rows stand in order: those behind the cut have words that no row
    before it has."""
    if not view.has_script:
        return NO_SCRIPT
    for cut in () if seen.failure else view.places.halved:
        held: list[Any] = [view.names.get(one) for one in (cut.first, cut.rest)]
        here, there = (dict(_kinds(one)) for one in held)
        for field in (one for one in here if one in there):
            first, rest = here[field], there[field]
            known, kinds = set(first), {*first, *rest}
            new = [one for one in rest if one not in known]
            rare = len(first) + len(rest) < OFTEN * len(kinds)
            if len(kinds) > MOST_KINDS or rare or len(new) < UNSEEN * len(rest):
                continue
            # A number may tell of time, and people hold out a site or a season on purpose.
            meant = _MEANT.search(str(field)) or any(re.search(r"\d", one) for one in kinds)
            if not meant and not any(_TIMES.match(one) for one in kinds):
                told = {"one": cut.first, "other": cut.rest, "field": str(field)}
                return look(cut.line, **told, kind=new[0], rows=len(new))
    return None


def sorted_then_cut(seen: Data, view: View) -> Verdict | CannotJudge | None:
    if not view.has_script:
        return NO_SCRIPT
    if isinstance(held_out_of_one_kind(seen, view), Verdict):
        return None  # which says more
    cut = next((one for one in view.places.halved if one.sorted_at is not None), None)
    if seen.failure or cut is None or cut.sorted_at is None:
        return None
    return look(cut.sorted_at, name=cut.whole, at=cut.line, other=cut.rest)


RULES: tuple[Rule, ...] = (held_out_of_one_kind, sorted_then_cut)


def _kinds(rows: Any) -> Iterator[tuple[object, list[str]]]:
    """Each field of rows whose values are words, with those."""
    for name, column in _columns(rows).items():
        if len(column) >= FEWEST and all(isinstance(one, str) for one in column):
            yield name, column


def _columns(rows: Any) -> dict[Any, list[Any]]:
    if type(rows).__name__ == "DataFrame":
        return {name: rows[name].tolist()[:MOST_ROWS] for name in rows.columns}
    if isinstance(rows, list) and rows and all(isinstance(one, Mapping) for one in rows):
        return {name: [row.get(name) for row in rows[:MOST_ROWS]] for name in rows[0]}
    return {}
