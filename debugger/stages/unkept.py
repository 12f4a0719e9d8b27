"""Rules about what a script makes of its rows and then leaves lying."""

from __future__ import annotations

from debugger.pipelines.data import Data
from debugger.stages.columns import gap_in
from debugger.stages.judging import NO_SCRIPT, CannotJudge, Rule, Verdict, View, fault, look

SURE = (
    *("rename_column", "rename_columns", "remove_columns", "cast_column", "with_transform"),
    *("with_format", "class_encode_column", "align_labels_with_mapping"),
)
"""What nobody says to look at the answer, as the last line of a notebook's cell may."""


def result_thrown_away(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A data set never changes: what its methods give is a new one. Nor do tables and arrays."""
    if seen.thrown_away is None and not view.has_script:
        return NO_SCRIPT
    found = seen.thrown_away or _left_lying(seen, view)
    if found is None:
        return None
    name, call, line, surely = found
    return (fault if surely else look)(line, name=name, call=call)


def _left_lying(seen: Data, view: View) -> tuple[str, str, int, bool] | None:
    """What a line gives back, of which call, where, and whether it was surely to be kept."""
    unkept = view.places.unkept
    found = unkept.thrown_away()
    if found is not None and seen.train is not None and view.facts.compiled is None:
        line, name, call = found
        return name, call, line, call in SURE
    left = unkept.table_left() if seen.failure is None else None
    if left is None:
        return None
    line, name, call, surely = left
    return name, call, line, surely


def map_returns_nothing(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Where nothing comes back, `map` keeps the rows as they were, and says no word."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.unkept.mute_map()
    if found is None or seen.train is None or view.facts.main_input not in seen.train.kept:
        return None  # where nothing else makes the inputs, raw_text tells it
    line, name = found
    return look(line, name=name)


def filled_a_copy(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """`table["x"].fillna(0, inplace=True)` fills what `table["x"]` gave, and not the table."""
    if not view.has_script:
        return NO_SCRIPT
    found, line = gap_in(seen), view.places.unkept.filling(view.heard.set_on_copies)
    if found is None or line is None:
        return None
    made = fault if found.felt else look
    return made(line, name=found.name, rows=found.rows, of=found.of)


def set_on_a_copy(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Whatever else was to be changed so."""
    if not view.has_script:
        return NO_SCRIPT
    if not view.heard.set_on_copies or isinstance(filled_a_copy(seen, view), Verdict):
        return None
    return look(view.heard.set_on_copies[0])


RULES: tuple[Rule, ...] = (result_thrown_away, map_returns_nothing, filled_a_copy, set_on_a_copy)
