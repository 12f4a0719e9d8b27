"""What stands in the inputs of rows, column by column: range, place and width."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from debugger.pipelines.layout import WINDOW, columns_last, counted_off
from debugger.pipelines.telling import Told, told_by_one

MOST_MEASURED = 500
FEWEST = 8
MOST_CELLS, MOST_COLUMNS = 20_000, 100
SORTS, AGAIN, FILLED_FAR = 20, 5, 1.0
NEARLY_SCALED, EXACTLY, NEARLY_EXACTLY, FEWEST_SCALED = 0.15, 1e-5, 1e-2, 30
MOST_CHANNELS = 32
OFF, NEAR = 1.0, 0.5
"""In spreads: a column that lies elsewhere, and one that may be the same."""
SURELY = 1 - 1e-6
NEARLY_ONE, NEARLY_ALL = 1e-3, 0.9
"""Off the length of 1; of it, what a column makes out where nearly nothing else is left."""
LARGEST_POWER, HARDLY = 30.0, 0.01
"""Of e; and of the spread of a label, what a column adds to it at least."""


@dataclass(frozen=True)
class Column:
    """`middle` is the median, `width` what eight in ten numbers lie within. `common`: of rows of
    whole numbers that are filled up with 0 behind, the share of the commonest before that.
    """

    name: str
    rows: int
    low: float
    high: float
    middle: float
    width: float
    fractions: bool
    common: float | None = None
    commonest: int = 0


@dataclass(frozen=True)
class Gap:
    """So many `rows`, `of` all, hold what is no number. `felt`: nor is the model's answer one."""

    name: str
    rows: int
    of: int
    felt: bool | None = None


@dataclass(frozen=True)
class Echo:
    """The number at a `place` in an input from which the label can be read off, in each row.

    `in_time`: a row is a window, step after step, of which it is the `step`.
    """

    name: str
    place: tuple[int, ...]
    rows: int
    in_time: bool
    step: int = 0


@dataclass(frozen=True)
class Summed:
    """Columns of an input that make up the label between them, or what it is the logarithm of: each
    times something, and the sum of it, in each of the `rows`."""

    name: str
    places: tuple[int, ...]
    rows: int


@dataclass(frozen=True)
class Filled:
    """A number that stands `times` in a column, far from all others: it may stand for none."""

    name: str
    place: int
    value: float
    times: int
    low: float
    high: float


@dataclass(frozen=True)
class CountedOff:
    """An input whose rows have these axes, and the axes in whose order their numbers fit."""

    name: str
    axes: tuple[int, ...]
    fitting: tuple[int, ...]


@dataclass(frozen=True)
class Standard:
    """An input whose columns, most of them, have a mean of 0 and a deviation of 1 over just these
    rows, to the last digit: by their own numbers, for nobody else's would give that."""

    name: str
    columns: int
    rows: int


@dataclass(frozen=True)
class Across:
    """An input whose rows have several steps, and whose columns have a mean of 0 and a deviation of
    1 at each of these: each step by its own numbers."""

    name: str
    columns: int
    steps: int
    rows: int


@dataclass(frozen=True)
class Same:
    """A column of numbers, of so many, in which all rows have the same."""

    name: str
    place: int
    value: float
    rows: int
    columns: int = 1


@dataclass(frozen=True)
class OwnLength:
    """Each of so many `rows` of `columns` is of length 1, and the column at `place` is nearly all
    of it: half of the rows have at least `share` there."""

    name: str
    rows: int
    columns: int
    place: int
    share: float


@dataclass(frozen=True)
class Columns:
    """`twice` are two inputs with the same numbers; `shared`: one layer reads them both.

    `embedded` is how many numbers the model has words for, at most. `full` is a vocabulary that has
    no room for more words: the number of those that it does not know, and its size.
    """

    inputs: tuple[Column, ...] = ()
    twice: tuple[str, str] | None = None
    shared: bool = False
    embedded: int = 0
    full: tuple[int, int] | None = None
    gaps: tuple[Gap, ...] = ()
    echo: Echo | None = None
    summed: Summed | None = None
    counted: CountedOff | None = None
    filled: Filled | None = None
    told: Told | None = None
    standard: Standard | None = None
    across: Across | None = None
    same: tuple[Same, ...] = ()
    levelled: OwnLength | None = None


def measured(found: Mapping[str, Sequence[Any]], labels: Sequence[Any]) -> Columns:
    """Of rows by the name of their input, what stands in them beside their labels, each of which
    may be a column of one."""
    labels = [y[0] if isinstance(y, list | tuple) and len(y) == 1 else y for y in labels]
    made = (column_of(name, rows) for name, rows in found.items())
    echoes = (echo_of(name, rows, labels) for name, rows in found.items())
    sums = (summed(name, rows, labels) for name, rows in found.items())
    gaps = ((name, len(without_number(rows)), len(rows)) for name, rows in found.items())
    off = ((name, counted_off(rows)) for name, rows in found.items())
    return Columns(
        inputs=tuple(one for one in made if one is not None),
        echo=next((one for one in echoes if one is not None), None),
        summed=next((one for one in sums if one is not None), None),
        gaps=tuple(Gap(*one) for one in gaps if one[1]),
        told=next(filter(None, (told_by_one(n, rows, labels) for n, rows in found.items())), None),
        standard=next(filter(None, (standard(*one) for one in found.items())), None),
        levelled=next(filter(None, (levelled(*one) for one in found.items())), None),
        filled=next(filter(None, (filled(*one) for one in found.items())), None),
        counted=next((CountedOff(name, *one) for name, one in off if one is not None), None),
    )


def levelled(name: str, rows: Sequence[Any]) -> OwnLength | None:
    """Of rows of a table, where each was divided by its own length."""
    if len(rows) < FEWEST_SCALED or {np.ndim(row) for row in rows} != {1}:
        return None
    if len({np.shape(row) for row in rows}) > 1 or not 2 < len(rows[0]) <= MOST_COLUMNS:
        return None
    values = np.stack(list(rows[:MOST_MEASURED]))
    if values.dtype.kind != "f" or not np.isfinite(values).all():
        return None
    lengths = np.sqrt((values.astype(float) ** 2).sum(axis=1))
    middles = np.median(np.abs(values), axis=0)
    place = int(middles.argmax())
    split = len(np.unique(values)) > SORTS  # one-hot rows are of length 1 as well
    if not split or np.abs(lengths - 1).max() > NEARLY_ONE or middles[place] < NEARLY_ALL:
        return None
    return OwnLength(name, len(rows), values.shape[1], place, float(middles[place]))


def standard(name: str, rows: Sequence[Any]) -> Standard | None:
    """Only where all rows are known."""
    if not FEWEST_SCALED <= len(rows) < MOST_MEASURED or len({row.shape for row in rows}) > 1:
        return None
    values = np.stack(list(rows))
    if values.dtype.kind not in "iuf" or not 1 < values.ndim <= WINDOW:
        return None
    values = values.astype(float)
    if not np.isfinite(values).all():
        return None
    of_rows = values.reshape(len(values), -1)
    means, widths = of_rows.mean(axis=1), of_rows.std(axis=1)
    if np.abs(means).max() < NEARLY_EXACTLY and np.abs(widths - 1).max() < NEARLY_EXACTLY:
        return None  # each row by itself, which is another thing
    table = values.reshape(-1, values.shape[-1])
    moving = table[:, table.std(axis=0) > 0]
    exact = [column for column in moving.T[:MOST_COLUMNS] if is_standard(column)]
    many = 2 * len(exact) >= moving.shape[1] and len(exact) > 0
    return Standard(name, len(exact), len(rows)) if many else None


def across(name: str, rows: Sequence[Any]) -> Across | None:
    """Rows of a length of their own are looked at one by one; steps that hold zeros alone are what
    rows are filled up with."""
    chosen = [np.asarray(row) for row in rows[:FEWEST_SCALED]]
    if len(chosen) < FEWEST or any(r.ndim != 2 or r.dtype.kind != "f" for r in chosen):
        return None
    for axis in (0, 1):
        columns = {row.shape[axis] for row in chosen}
        steps = [row.shape[1 - axis] for row in chosen]
        if len(columns) > 1 or not 3 <= min(columns) <= MOST_CHANNELS or min(steps) <= min(columns):
            continue
        table = np.concatenate([np.moveaxis(row, axis, -1) for row in chosen]).astype(float)
        table = table[np.any(table != 0, axis=1)]
        if not len(table) or not np.isfinite(table).all():
            continue
        widths = [table.std(axis=1, ddof=ddof) for ddof in (0, 1)]
        even = np.abs(table.mean(axis=1)).max() < NEARLY_EXACTLY
        if even and any(np.abs(width - 1).max() < NEARLY_EXACTLY for width in widths):
            return Across(name, min(columns), max(steps), len(chosen))
    return None


def same(name: str, rows: Sequence[Any]) -> list[Same]:
    """Of a table whose rows are one list of numbers each."""
    chosen = [np.asarray(row) for row in rows[:MOST_MEASURED]]
    if len(chosen) < FEWEST or len({row.shape for row in chosen}) > 1 or chosen[0].ndim > 1:
        return []
    table = np.stack(chosen)
    if table.dtype.kind not in "iuf":
        return []
    table = table.reshape(len(table), -1)[:, :MOST_COLUMNS]
    alone = [place for place, column in enumerate(table.T) if (column == column[0]).all()]
    value = [float(table[0, place]) for place in alone]
    return [Same(name, p, v, *table.shape) for p, v in zip(alone, value, strict=True)]


def is_standard(values: Any) -> bool:
    """With either of the two deviations that there are."""
    width, rows = float(np.std(values)), len(values)
    widths = (1.0, ((rows - 1) / rows) ** 0.5)
    return abs(float(np.mean(values))) < EXACTLY and any(abs(width - w) < EXACTLY for w in widths)


def filled(name: str, rows: Sequence[Any]) -> Filled | None:
    """Of columns with numbers of all sorts, the first with one at its end that comes again and
    again and lies as far from the rest as no other does."""
    chosen = list(rows[:MOST_MEASURED])
    if not chosen or len({row.shape for row in chosen}) > 1:
        return None
    values = np.stack(chosen)
    if values.dtype.kind not in "iuf" or values.ndim > WINDOW or not np.isfinite(values).all():
        return None
    plain, values = values.dtype.kind in "iu", columns_last(values)
    table = values.reshape(-1, values.shape[-1] if values.ndim > 1 else 1)
    for place, column in enumerate(table.T[:MOST_COLUMNS]):
        kinds, counts = np.unique(column, return_counts=True)
        if len(kinds) < SORTS:
            continue
        for end, rest in ((0, kinds[1:]), (-1, kinds[:-1])):
            beside = rest[0] if end == 0 else rest[-1]
            far = abs(kinds[end] - beside) > FILLED_FAR * (rest[-1] - rest[0])
            told = stands_for_none(float(kinds[end])) if plain else kinds[end] != 0
            if far and counts[end] >= AGAIN and told:  # 0 is what rows are filled up with
                told = float(kinds[end]), int(counts[end]), float(rest[0]), float(rest[-1])
                return Filled(name, place, *told)
    return None


def stands_for_none(value: float) -> bool:
    """Whether people write that number where there is none: -1, 99, -999.0."""
    return re.fullmatch(r"-?(1|9+(\.9+)?)", f"{value:g}") is not None


def column_of(name: str, rows: Sequence[Any]) -> Column | None:
    """None where the rows hold no numbers, or do not fit together."""
    chosen = list(rows[:MOST_MEASURED])
    if not chosen or len({np.shape(row) for row in chosen}) > 1:
        return None
    values = np.stack(chosen)
    if values.dtype.kind not in "iuf" or not values.size or not np.isfinite(values).all():
        return None
    common, commonest = _common(values)
    low, middle, high = np.quantile(values, (0.1, 0.5, 0.9))
    return Column(
        name=name,
        rows=len(rows),
        low=float(values.min()),
        high=float(values.max()),
        middle=float(middle),
        width=float(high - low),
        fractions=values.dtype.kind == "f" or values.ndim > 2,
        common=common,
        commonest=commonest,
    )


def filled_elsewhere(rows: Sequence[Any], labels: Sequence[Any]) -> tuple[int, int] | None:
    """Of rows that are filled up behind, and have a label for each place: how many have as many
    labels of nothing, and those in front; and how many rows were filled up at all."""
    if not rows or len(rows) != len(labels) or len({r.shape for r in rows}) > 1:
        return None
    words, told = np.stack(rows[:MOST_MEASURED]), list(labels[:MOST_MEASURED])
    if words.dtype.kind not in "iu" or words.ndim != 2:
        return None
    if any(np.shape(one) != words[0].shape for one in told):
        return None
    tags = np.asarray(told)
    first, counts = np.unique(tags[:, 0], return_counts=True)
    nothing = first[counts.argmax()]
    behind, before = _run(words == 0, -1), _run(tags == nothing, 1)
    filled = (behind > 0) & (behind < words.shape[1])
    moved = filled & (before == behind) & (tags[:, -1] != nothing)
    return (int(moved.sum()), int(filled.sum())) if filled.sum() >= FEWEST else None


def _run(flags: Any, way: int) -> Any:
    """How many places in a row are so, from one end on."""
    return np.cumprod(flags[:, ::way], axis=1).sum(axis=1)


def given_twice(names: Sequence[str], leaves: Sequence[Sequence[Any]]) -> tuple[int, int] | None:
    """Two inputs that hold the same numbers in all rows, and not the same in each row."""
    for one, other in combinations(range(len(names)), 2):
        here, there = leaves[one][:MOST_MEASURED], leaves[other][:MOST_MEASURED]
        if len(here) < FEWEST or all(np.array_equal(row, here[0]) for row in here):
            continue
        if all(np.array_equal(a, b) for a, b in zip(here, there, strict=True)):
            return one, other
    return None


def without_number(rows: Sequence[Any]) -> list[int]:
    """The rows in which something is nan or without end."""
    return [
        place
        for place, row in enumerate(rows)
        if row.dtype.kind == "f" and not np.isfinite(row).all()
    ]


def first_gap(fields: Mapping[str, Any]) -> tuple[str, int, int] | None:
    """The field of a batch that holds no number somewhere; in how many rows, and of how many."""
    numbers = {name: rows for name, rows in fields.items() if rows.ndim and rows.dtype.kind == "f"}
    lost = ((name, len(without_number(rows)), len(rows)) for name, rows in numbers.items())
    return next((one for one in lost if one[1]), None)


def echo_of(name: str, rows: Sequence[Any], labels: Sequence[Any]) -> Echo | None:
    """Where one number of a row tells the label, times something and moved by something.

    A row of a single number is all that a label can be made of.
    """
    told = [y for y in labels[:MOST_MEASURED] if isinstance(y, int | float)]
    count = min(len(told), len(rows))
    if count < 2 * FEWEST or len(set(told)) < FEWEST or len({r.shape for r in rows[:count]}) > 1:
        return None
    values = np.stack(rows[:count])
    if values.dtype.kind != "f" or not 1 < values[0].size <= MOST_CELLS:
        return None
    if not np.isfinite(values).all():
        return None
    cells, wanted = values.reshape(count, -1).astype(float), np.asarray(told[:count], float)
    cells, wanted = cells - cells.mean(0), wanted - wanted.mean()
    sizes = np.sqrt((cells**2).sum(0)) * np.sqrt((wanted**2).sum())
    if not np.isfinite(sizes).all() or not sizes.any():
        return None
    like = np.abs(wanted @ cells) / np.where(sizes > 0, sizes, np.inf)
    best = int(like.argmax())
    if like[best] < SURELY:
        return None
    place = tuple(int(one) for one in np.unravel_index(best, values.shape[1:]))
    steps = values.shape[1:].index(max(values.shape[1:]))  # of few columns in many steps
    return Echo(name, place, count, in_time=len(place) == 2, step=place[steps])


def summed(name: str, rows: Sequence[Any], labels: Sequence[Any]) -> Summed | None:
    """A few columns of many that add up to the label. All of them together may well make it."""
    told = [y for y in labels[:MOST_MEASURED] if isinstance(y, int | float)]
    count = min(len(told), len(rows))
    if count < 2 * FEWEST or len(set(told)) < FEWEST or len({r.shape for r in rows[:count]}) > 1:
        return None
    values, wanted = np.stack(rows[:count]).astype(float), np.asarray(told[:count], float)
    if values.ndim != 2 or not 4 <= values.shape[1] <= count // 4:
        return None
    if not np.isfinite(values).all() or not np.isfinite(wanted).all():
        return None
    powers = [np.exp(wanted)] if abs(wanted).max() < LARGEST_POWER else []
    if abs(wanted.mean()) < NEARLY_SCALED and abs(wanted.std() - 1) < NEARLY_SCALED:
        powers.append(_power_of_scaled(values, wanted))
    for target in (wanted, *powers):
        places = _terms(values, target)
        if 1 < len(places) <= values.shape[1] // 2:
            return Summed(name, places, count)
    return None


def _power_of_scaled(values: Any, wanted: Any) -> Any:
    """Of logarithms that were scaled, in a deviation that nobody knows any more: the powers of the
    one that the columns add up to best."""
    table = np.column_stack([values, np.ones(len(values))])
    best = 1.0
    for width in (0.1, 0.01, 0.001):
        tried = best + width * np.arange(-9, 11)
        best = min(
            (one for one in tried if one > width / 2),
            key=lambda k: _left(table, np.exp(k * wanted)),
        )
    return np.exp(best * wanted)


def _left(table: Any, target: Any) -> float:
    """What the columns do not tell of it, as a share of its deviation."""
    factors = np.linalg.lstsq(table, target, rcond=None)[0]
    return float((target - table @ factors).std() / (target.std() or 1.0))


def _terms(values: Any, target: Any) -> tuple[int, ...]:
    """The columns that a target is the sum of, as one half of the rows shows for the other."""
    table = np.column_stack([values, np.ones(len(values))])
    half = np.arange(len(values)) % 2 == 0
    factors = np.linalg.lstsq(table[half], target[half], rcond=None)[0]
    left = target[~half] - table[~half] @ factors
    spread = float(target[~half].std())
    if not spread or float(left.std()) > (1 - SURELY) ** 0.5 * spread:
        return ()
    shares = np.abs(factors[:-1]) * values.std(axis=0) / spread
    return tuple(int(one) for one in np.flatnonzero(shares > HARDLY))


def swapped(learned: Any, other: Any) -> tuple[tuple[int, int], ...]:
    """Columns, the last axis, of other rows that lie where another column does in those that were
    learned from: where each is, and whose place that is. Both are arrays."""
    if learned.ndim != other.ndim or learned.shape[1:] != other.shape[1:] or learned.ndim < 2:
        return ()
    if learned.dtype.kind not in "iuf" or other.dtype.kind not in "iuf":
        return ()
    if min(len(learned), len(other)) < 2 * FEWEST or not 1 < learned.shape[-1] <= MOST_COLUMNS:
        return ()
    if not np.isfinite(learned).all() or not np.isfinite(other).all():
        return ()
    apart = _apart(_ends(other), _ends(learned))
    place = _paired(apart)
    own, best = np.diag(apart), apart[np.arange(len(place)), place]
    moved = [
        (one, to)
        for one, to in enumerate(place)
        if one != to and own[one] > OFF and apart[one, to] < NEAR
    ]
    return tuple(moved) if len(moved) > 1 and best.sum() < own.sum() / 4 else ()


def _paired(apart: Any) -> list[int]:
    """To each column a place of its own, the nearest pairs first."""
    left, place = apart.copy(), [0] * len(apart)
    for _ in place:
        one, to = np.unravel_index(int(left.argmin()), left.shape)
        place[int(one)] = int(to)
        left[one], left[:, to] = np.inf, np.inf
    return place


def two_columns(learned: Any, other: Any) -> tuple[Column, Column] | None:
    """Of rows of one shape, all their numbers together; None where they are no fractions."""
    if learned.shape[1:] != other.shape[1:] or min(len(learned), len(other)) < 2 * FEWEST:
        return None
    here, there = column_of("inputs", list(learned)), column_of("inputs", list(other))
    if here is None or there is None or not (here.fractions or there.fractions):
        return None
    return (here, there) if here.width and there.width else None


def wider(pair: tuple[Column, Column]) -> float:
    here, there = pair
    return max(here.width, there.width) / min(here.width, there.width)


def _ends(values: Any) -> Any:
    """Of each column, the numbers that so many of its values lie below."""
    return np.quantile(values.reshape(-1, values.shape[-1]), (0.05, 0.25, 0.5, 0.75, 0.95), axis=0)


def _apart(here: Any, there: Any) -> Any:
    """How far each column of the one lies from each of the other, in their spreads."""
    most = np.abs(here[:, :, None] - there[:, None, :]).max(0)
    spread = np.maximum((here[-1] - here[0])[:, None], (there[-1] - there[0])[None, :])
    return np.minimum(most / np.maximum(spread, 1e-9), 10.0)


def _common(values: Any) -> tuple[float | None, int]:
    """Of the numbers in rows that are filled up with 0 behind; None where they are no such rows."""
    if values.dtype.kind not in "iu" or values.ndim != 2 or values.shape[1] < 4 or values.min() < 0:
        return None, 0
    filled = np.flip(np.cumprod(np.flip(values == 0, 1), 1), 1).astype(bool)
    text = values[~filled]
    if not text.size or not (text > 0).all():
        return None, 0
    found, counts = np.unique(text, return_counts=True)
    return float(counts.max() / text.size), int(found[counts.argmax()])
