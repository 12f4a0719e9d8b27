"""Rows that were cut in two as they stood, and are of other kinds in the one than in the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from debugger.pipelines.face import Data
from debugger.stages.judging import NO_SCRIPT, CannotJudge, Rule, Verdict, View, fault, look

FEWEST, MOST_KINDS, MOST_ROWS = 20, 12, 5000
OFTEN = 3
"""Rows of a kind that there are at least, or it is no kind."""
UNSEEN = 0.9


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
            if not any(re.search(r"\d", one) for one in kinds):  # a number may tell of time
                told = {"one": cut.first, "other": cut.rest, "field": str(field)}
                return fault(cut.line, **told, kind=new[0], rows=len(new))
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
