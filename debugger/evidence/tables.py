"""Tables as stages make them. What people read in them are codes, for `words` to say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from debugger.outcome import Evidence, StageName


def say(code: str, **numbers: Any) -> dict[str, Any]:
    """Something to be said in words. Whatever is not made by this is shown as it stands."""
    return {"say": code, **numbers}


def table(
    code: str,
    stage: StageName,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    typed: str = "",
) -> Evidence:
    """`columns` are codes, `column.<code>` in words."""
    return own_table(code, stage, [say(column) for column in columns], rows, typed)


def own_table(
    code: str,
    stage: StageName,
    columns: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    typed: str = "",
) -> Evidence:
    """A table of the learner's own, whose columns have the names that their data set gives them."""
    data = {"columns": list(columns), "rows": [list(row) for row in rows]}
    return Evidence("table", code, stage, data, typed)


def pairs(
    code: str, stage: StageName, rows: Iterable[tuple[str | dict[str, Any], Any]], typed: str = ""
) -> Evidence:
    """A value beside each name. A name is a code, `cell.<code>` in words."""
    named = [[say(name) if isinstance(name, str) else name, value] for name, value in rows]
    return table(code, stage, ["what", "value"], named, typed)


def ragged(
    stage: StageName, lengths: Mapping[str, Sequence[int]], typed: str = ""
) -> list[Evidence]:
    """The first field whose rows bump against the rectangle that they are to become, if any."""
    code = "collision" if stage == "batch" else "first_lengths"
    uneven = {name: list(rows) for name, rows in lengths.items() if len(set(rows)) > 1}
    if not uneven:
        return []
    field = next(iter(uneven))
    return [Evidence("ragged", code, stage, {"field": field, "lengths": uneven[field]}, typed)]


def matrix(
    code: str,
    stage: StageName,
    guesses: Mapping[tuple[int, int], int],
    names: Sequence[str] | None,
    typed: str = "",
) -> Evidence:
    """Label against answer: `guesses` counts the rows of each pair. Classes without rows count."""
    known = names or ()
    classes = sorted({*range(len(known)), *(number for pair in guesses for number in pair)})
    named = [known[n] if 0 <= n < len(known) else str(n) for n in classes]
    counts = [[guesses.get((label, answer), 0) for answer in classes] for label in classes]
    return Evidence("matrix", code, stage, {"classes": named, "counts": counts}, typed)
