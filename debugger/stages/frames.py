"""Tables of pandas whose rows were moved, filled or laid beside each other in the wrong way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from debugger.pipelines.data import Data
from debugger.script.grouped import Grouped
from debugger.stages.judging import NO_SCRIPT, CannotJudge, Rule, Verdict, View, fault, look

FEWEST, OFTEN, SOME = 20, 5, 0.1
IN_TIME = re.compile(r"hour|day|week|month|year|date|season|quarter|minute|time", re.IGNORECASE)
MOSTLY, HALF = 0.5, 0.5
EMPTY, EXPECTED = 0.1, 30
"""Of what lies between the least and the most: so wide is the empty place above 0, in which so many
values would lie if they lay everywhere."""


def shifted_across_groups(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The row before, or behind, belongs to somebody else."""
    if not view.has_script:
        return NO_SCRIPT
    frames = view.places.frames
    moved = [] if seen.failure else list(frames.shifted())
    for one in moved:
        table = view.frame(one.table)
        if table is None or len(table) < FEWEST:
            continue
        asked = {other.column for other in moved if other.table == one.table}  # at their borders
        for key in sorted(frames.grouped_by & {str(name) for name in table.columns} - asked):
            values = table[key].to_numpy()
            kinds = len(set(values.tolist()))
            if IN_TIME.search(key) or values.dtype.kind == "f" or not 0 < abs(one.by) < len(values):
                continue
            apart = values[: -abs(one.by)] != values[abs(one.by) :]
            in_blocks = 0 < apart.sum() <= abs(one.by) * (kinds - 1)
            if 1 < kinds <= len(values) // OFTEN and (in_blocks or apart.mean() >= MOSTLY):
                made = look if in_blocks else fault
                told = {"column": one.column, "key": key, "rows": len(apart)}
                return made(one.line, **told, moved=int(apart.sum()))
    return None


def gaps_made_zero(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Of values that all lie far above 0, a 0 is none. What the script works out may well be 0."""
    if not view.has_script:
        return NO_SCRIPT
    for line, name, column, table in () if seen.failure else _zero_filled(view):
        made = view.places.frames.columns_made(name)
        for one in [column] if column else [one for one in table.columns if one not in made]:
            if one not in table.columns or table[one].dtype.kind not in "iuf":
                continue
            values = table[one].to_numpy().astype(float)
            zeros, others = int((values == 0).sum()), values[(values != 0) & np.isfinite(values)]
            if zeros < OFTEN or zeros > HALF * len(values) or len(others) < FEWEST:
                continue
            low, width = float(others.min()), float(np.ptp(others))
            if width and low >= EMPTY * width and len(others) * low >= EXPECTED * width:
                numbers = {"low": low, "high": low + width, "rows": zeros}
                return look(line, column=str(one), **numbers)
    return None


def label_counts_gaps(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What never came is not the same as what came at once."""
    if not view.has_script:
        return NO_SCRIPT
    for line, name, column, table in () if seen.failure else _zero_filled(view):
        for at, asked, most in view.places.frames.bounded(name):
            if asked not in table.columns or column not in ("", asked) or at < line or most <= 0:
                continue
            if table[asked].dtype.kind not in "iuf":
                continue
            values = table[asked].to_numpy().astype(float)
            zeros = int((values == 0).sum())
            if zeros >= OFTEN and (values >= 0).all():
                return look(line, column=asked, rows=zeros, of=len(values), at=at, most=most)
    return None


def column_of_other_rows(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """pandas lays columns beside each other by the numbers of the rows, and these are new ones."""
    if not view.has_script:
        return NO_SCRIPT
    for one in () if seen.failure else view.places.frames.taken_from_other():
        table, other = (view.frame(name) for name in (one.table, one.other))
        moved = _moved(table, other, one.column)
        if moved is not None and moved[0] >= MOSTLY * moved[1]:
            told = {"frame": one.table, "other": one.other, "column": one.column}
            return fault(one.line, **told, moved=moved[0], rows=moved[1])
    return None


def index_of_its_own(seen: Data, view: View) -> Verdict | CannotJudge | None:
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.frames.index_of_its_own()
    if found is None:
        return None
    return fault(found.line, frame=found.table, other=found.other, at=found.at)


def rows_by_old_index(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A shuffled table keeps its row numbers, and pandas goes by them."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.frames.by_old_index()
    return None if found is None else fault(found.moved, frame=found.table, at=found.laid)


def column_numbered_anew(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A column is numbered from 0 for a table whose rows are not."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.frames.numbered_anew()
    if found is None:
        return None
    return (fault if found.surely else look)(found.laid, frame=found.table, at=found.moved)


def groups_out_of_order(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What groupby makes comes in the order of the groups, and a table has an order of its own."""
    if not view.has_script:
        return NO_SCRIPT
    for one in () if seen.failure else view.places.laid_by_groups:
        if one.sorted_by == one.key:
            continue
        share = _beside_others(one, view) if one.values and one.call else None
        surely = bool(one.sorted_by) and not one.call if share is None else share >= SOME
        if share is None or surely:
            told = {"frame": one.table, "column": one.column, "key": one.key}
            return (fault if surely else look)(one.line, **told)
    return None


def window_holds_target(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A mean over the last days that counts the very day that is to be foretold."""
    if not view.has_script:
        return NO_SCRIPT
    found = () if seen.failure else view.places.frames.windows_with_target()
    for line, made, of in found:
        return look(line, made=made, of=of)
    return None


RULES: tuple[Rule, ...] = (
    rows_by_old_index,
    column_numbered_anew,
    shifted_across_groups,
    gaps_made_zero,
    label_counts_gaps,
    column_of_other_rows,
    index_of_its_own,
    groups_out_of_order,
    window_holds_target,
)


def _beside_others(one: Grouped, view: View) -> float | None:
    """Of the rows, those that got another group's value; None where the column was changed since,
    or the tables are not there any more."""
    table, of = view.frame(one.table), view.frame(one.of)
    if table is None or of is None:
        return None
    if not {one.key, one.column} <= {*table.columns} or not {one.key, one.values} <= {*of.columns}:
        return None
    own = getattr(of.groupby(one.key)[one.values], one.call)()
    if not {*table[one.column].dropna()} <= {*own.dropna()}:
        return None
    wanted = table[one.key].map(own)
    return float(((table[one.column] != wanted) & wanted.notna()).mean())


def _zero_filled(view: View) -> Iterator[tuple[int, str, str, Any]]:
    """Where gaps are made 0, the table's name, the column ("" of all), and the table itself."""
    for line, name, column in view.places.frames.zero_filled():
        table = view.frame(name)
        if table is not None and len(table) >= FEWEST:
            yield line, name, column, table


def _moved(table: Any, other: Any, column: str) -> tuple[int, int] | None:
    """In how many rows the two hold another value under the same number, where the one was made of
    rows of the other; None where nobody can tell."""
    if table is None or other is None or table is other:
        return None
    if column not in table.columns or column not in other.columns:
        return None
    both = table.index.intersection(other.index)
    if len(both) < FEWEST or not (table.index.is_unique and other.index.is_unique):
        return None
    here, there = (one.loc[both, column].to_numpy() for one in (table, other))
    known = set(other[column].tolist())
    if not all(one in known for one in here.tolist()[:FEWEST]):
        return None
    return int((here != there).sum()), len(both)
