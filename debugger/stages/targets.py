"""Rules about what the loss is asked for: labels on other tokens, out of reach, or nowhere."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from debugger.pipelines.batch import Batch
from debugger.pipelines.data import Data
from debugger.pipelines.forward import Forward
from debugger.pipelines.rows import AMOUNTS
from debugger.pipelines.targets import Aims
from debugger.stages import endings
from debugger.stages.belonging import labels_by_words
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault, look

FEWEST_ROWS, MANY_ROWS = 8, 32
NEARLY_ALL = 0.95
HARDLY_ANY = 0.05
SHORTEST_TILE = 8
OWN = 0.5
AGREES = 0.95
DISAGREES = 0.8
ENOUGH_AMOUNTS = 20
SCALED, FAR_NARROWER, ALIKE = 4.0, 20.0, 0.25
"""So many times as far apart, and yet spread in the same way, but for a share of that distance."""
FAR = 5.0
OUT_OF_REACH = 2.0
SLIGHTLY = 0.05
FILLED, BESIDE, ASIDE = 0.02, 0.25, 2.0
"""Shares: of all amounts, those that are one; of the spread of the others, how far it lies off."""
_OWN_LABELS = ("causal_lm", "masked_lm")
"""Whose collator makes labels of the tokens."""


def labels_not_finite(seen: Data, view: View) -> Verdict | CannotJudge | None:
    aims = aims_of(seen)
    if aims is None or not aims.amounts:
        return NOT_FOR_THIS_TASK
    if not aims.not_finite or seen.unfelt:
        return None
    return fault(labelling(view), labels=aims.not_finite, amounts=aims.amounts)


def labels_beyond_yes_or_no(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Of several labels at once each is asked for as a share: the loss takes any number for one."""
    aims = aims_of(seen)
    if aims is None or view.facts.task != "multilabel":
        return NOT_FOR_THIS_TASK
    if aims.beyond is None or 0 <= aims.beyond <= 1:
        return None
    return fault(labelling(view), value=aims.beyond)


def labels_tiled(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Who wants each label several times, and gets all of them one behind the other."""
    labels = seen.train.labels if seen.train else ()
    rows = [one for one in labels if isinstance(one, (list, tuple)) and one]
    rows = [row for row in rows if isinstance(row[0], int)]
    if len(rows) < MANY_ROWS:
        return NOT_FOR_THIS_TASK
    blocks = [_tile(row) for row in rows]
    tiled = [block for block in blocks if block is not None]
    if len(tiled) < NEARLY_ALL * len(rows) or len(set(tiled)) == 1:
        return None
    times = len(rows[0]) // len(blocks[0] or rows[0])
    line = view.places.call(".repeat", ".tile", "tile") or labelling(view)
    return fault(line, rows=len(tiled), of=len(rows), times=times)


def _tile(row: Sequence[Any]) -> tuple[Any, ...] | None:
    """The block that a row of labels is nothing but copies of, where labels change in it."""
    for size in range(SHORTEST_TILE, len(row) // 2 + 1):
        block = tuple(row[:size])
        if len(row) % size == 0 and tuple(row) == block * (len(row) // size):
            return block if len(set(block)) > 1 else None
    return None


def one_label_of_several(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A model that may say yes several times a row, and rows that never do."""
    split = seen.train
    if split is None or view.facts.task != "multilabel":
        return NOT_FOR_THIS_TASK
    rows = [row for row in split.labels if isinstance(row, (list, tuple)) and len(row) > 2]
    if len(rows) < MANY_ROWS or len(rows) < len(split.labels):
        return CannotJudge("no_rows")
    if any(sum(value > OWN for value in row) > 1 for row in rows):
        return None
    return look(labelling(view), rows=len(rows), labels=len(rows[0]))


def labels_all_the_same(seen: Data, view: View) -> Verdict | CannotJudge | None:
    aims = aims_of(seen)
    if aims is None or len(aims.quantiles) < 2 or view.facts.task != "regression":
        return NOT_FOR_THIS_TASK
    if aims.amounts < ENOUGH_AMOUNTS or aims.quantiles[0] != aims.quantiles[-1]:
        return None
    line = view.places.filled_again() or labelling(view)
    return fault(line, value=aims.quantiles[0], rows=aims.amounts)


_OF_YES = (
    *("BCEWithLogitsLoss", "BCELoss", "binary_cross_entropy", "BinaryCrossentropy"),
    *("binary_cross_entropy_with_logits", "sigmoid_cross_entropy_with_logits"),
)
"""What a loss of yes and no is called."""


def labels_hardly_differ(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Most amounts are one and the same. That may be so; more often they were cut to whole ones."""
    aims = aims_of(seen)
    if aims is None or len(aims.quantiles) < 2 or view.facts.task != "regression":
        return NOT_FOR_THIS_TASK
    least, *between, most = aims.quantiles
    if aims.amounts < ENOUGH_AMOUNTS or least == most or between[0] != between[-1]:
        return None
    if set(seen.train.labels if seen.train else ()) <= {0, 1} and view.places.call(*_OF_YES):
        return None
    return look(labelling(view), value=between[0], rows=aims.amounts)


def labels_stand_for_none(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Many amounts are one and the same, far from all others: what was filled in for a missing one.

    A shop that is closed sells nothing, too: it may well be right.
    """
    split = seen.train
    if split is None or view.facts.task != "regression":
        return NOT_FOR_THIS_TASK
    amounts = [float(y) for y in split.labels if isinstance(y, int | float) and math.isfinite(y)]
    value, count = Counter(amounts).most_common(1)[0] if amounts else (0.0, 0)
    others = [y for y in amounts if y != value]
    if count < FILLED * len(amounts) or len(others) < ENOUGH_AMOUNTS or len(set(others)) == 1:
        return None
    least, most, apart = min(others), max(others), min(abs(y - value) for y in others)
    # Stars and halves of them are as far from each other as the lowest is from the rest.
    among = max(b - a for a, b in pairwise(sorted(others)))
    if apart < max(BESIDE * (most - least), ASIDE * among) or least < value < most:
        return None
    line = view.places.call(".fillna", "nan_to_num") or labelling(view)
    return look(line, value=value, rows=count, of=len(amounts), apart=apart)


def labels_lose_fractions(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The rows hold amounts, and what puts them together makes whole numbers of them."""
    if view.facts.task not in AMOUNTS:
        return NOT_FOR_THIS_TASK
    return None if seen.cut is None else fault(labelling(view), was=seen.cut[0], now=seen.cut[1])


def labels_of_another_scale(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The amounts of the one split are those of the other, times a number and moved by one. The
    last part of a course of time may well lie within a part of what came before."""
    train, other = ((s.aims if s else None) for s in (seen.train, seen.eval))
    if train is None or other is None or not train.quantiles or not other.quantiles:
        return NOT_FOR_THIS_TASK
    here, there = _spread_of(train.quantiles), _spread_of(other.quantiles)
    if min(train.amounts, other.amounts) < ENOUGH_AMOUNTS or not here or not there:
        return CannotJudge("too_few_amounts")
    times = there / here
    if 1 / SCALED < times < SCALED:
        return None
    ends = train.quantiles[0], train.quantiles[-1]
    within = ends[0] <= other.quantiles[0] <= other.quantiles[-1] <= ends[1]
    if within and times > 1 / FAR_NARROWER:
        return None
    moved = [b - times * a for a, b in zip(train.quantiles, other.quantiles, strict=True)][1:-1]
    alike = (max(moved) - min(moved)) / 2 <= ALIKE * there
    places = view.places
    made = places.fits.validated(labels=True) if times > 1 else places.fits.fitted(labels=True)
    line = places.argument("fn_kwargs") or places.parting.line() or places.written.labels() or made
    low, high = ends
    others = {"other_low": other.quantiles[0], "other_high": other.quantiles[-1]}
    return (fault if alike else look)(line, low=low, high=high, **others)


def labels_not_aligned(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A collator fills them up to the tokens, without a word: then they sit anywhere."""
    aligned = aims.aligned if (aims := aims_of(seen)) else None
    if aligned is None or view.facts.task != "tokens":
        return NOT_FOR_THIS_TASK
    if aligned.unequal <= HARDLY_ANY * aligned.rows:
        return None
    return fault(labelling(view), rows=aligned.unequal, of=aligned.rows)


def labels_off_by_one(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The frame of a row shows it: a token of no text has the label of the word beside it."""
    aligned = aims.aligned if (aims := aims_of(seen)) else None
    if aligned is None or view.facts.task != "tokens" or aligned.unequal:
        return NOT_FOR_THIS_TASK
    if isinstance(labels_by_words(seen, view), Verdict):
        return None
    most, least = NEARLY_ALL * aligned.framed, HARDLY_ANY * aligned.framed
    left = aligned.first >= most and max(aligned.last, aligned.last_word) <= least
    right = max(aligned.first, aligned.first_word) <= least and 2 * aligned.last > aligned.framed
    if aligned.agree is not None:
        here, *moved = aligned.agree
        left = left or (here < DISAGREES and moved[0] >= AGREES)
        right = right or (here < DISAGREES and moved[1] >= AGREES)
    if aligned.rows < FEWEST_ROWS or not aligned.framed or not (left or right):
        return None
    line = view.places.written.labels_of_words() or labelling(view)
    return fault(line, rows=aligned.framed, moved=-1 if left else 1)


def labels_left_by_format(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The labels stand in the data set, and its format leaves them out of each row."""
    split = seen.train
    if split is None or split.label_column is None or view.facts.task in _OWN_LABELS:
        return NOT_FOR_THIS_TASK
    if split.label_column not in split.hidden:
        return None
    if not view.facts.known_collator:
        return CannotJudge("own_collator")
    given = ", ".join(name for name in split.columns if name not in split.hidden)
    at = view.places
    calls = ("set_format", "with_format")
    line = next(filter(None, (at.argument_in(one, "columns") for one in calls)), None)
    return fault(line or at.call(*calls), name=split.label_column, columns=given)


def nothing_to_learn(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    targets = seen.targets
    if targets is None:
        return NOT_FOR_THIS_TASK
    if targets.counted or not targets.ignored:
        return None
    return fault(view.places.ignoring() or labelling(view), ignored=targets.ignored)


def targets_begin_late(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Answers without their first token: a model that writes on moves them by itself."""
    if seen.train is None or view.facts.task != "seq2seq":
        return NOT_FOR_THIS_TASK
    return None if seen.late is None else fault(labelling(view), first=seen.late[0])


def output_cannot_reach(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A sigmoid, a tanh or a ReLU at the end, and labels beyond what it lets out."""
    if seen.bounds is not None and seen.label_range is not None:
        name, low, high = seen.bounds
        least, most = seen.label_range
        if low <= least and most <= high:
            return None
        line = view.places.fits.paired() if seen.rebuilds else None
        line = line or _last_activation(low, high, view) or _ending(name, view)
        return fault(line, low=low, high=high, least=least, most=most)
    asked = seen.asked
    if asked is None or asked.form != "amounts" or asked.reach is None or asked.wanted is None:
        return NOT_FOR_THIS_TASK
    (low, high), (least, most) = asked.reach, asked.wanted
    if high - low <= endings.ALIKE:
        return None  # see output_always_same
    margin = SLIGHTLY * (most - least)
    if least >= low - margin and most <= high + margin:
        return None
    if not asked.plain:
        return CannotJudge("own_loss")
    line = _squashed_at(low, high, view) or view.places.function("compute_loss")
    line = line or _last_activation(low, high, view) or labelling(view)
    return fault(line, low=low, high=high, least=least, most=most)


def labels_far_off(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Adam moves a weight by about the learning rate a step, however far it has to go.

    Real trainings, small and large, went at most 1.4 times as far as that makes them.
    """
    if seen.distance is None or seen.reach is None:
        return NOT_FOR_THIS_TASK
    if seen.distance < max(FAR, seen.reach) or isinstance(output_cannot_reach(seen, view), Verdict):
        return None
    verdict = fault if seen.distance > OUT_OF_REACH * seen.reach else look
    places = view.places  # they are right where they are made, and handed on as they are
    line = places.written.labels() or places.argument("train_dataset")
    line = line or places.fits.fitted(labels=True)
    return verdict(line, distance=seen.distance, reach=seen.reach)


OF_ROWS: tuple[Rule, ...] = (
    labels_not_finite,
    labels_beyond_yes_or_no,
    labels_tiled,
    one_label_of_several,
    labels_all_the_same,
    labels_hardly_differ,
    labels_stand_for_none,
    labels_of_another_scale,
    labels_not_aligned,
    labels_off_by_one,
    targets_begin_late,
    labels_left_by_format,
)
OF_A_BATCH: tuple[Rule, ...] = (labels_lose_fractions, nothing_to_learn)
OF_A_LOSS: tuple[Rule, ...] = (output_cannot_reach, labels_far_off)


def _spread_of(quantiles: tuple[float, ...]) -> float:
    """Between the eighth and the second of ten parts: no single row moves it far."""
    return quantiles[-3] - quantiles[2]


def aims_of(seen: Data) -> Aims | None:
    return seen.train.aims if seen.train else None


def labelling(view: View) -> int | None:
    places = view.places
    given = places.argument("train_dataset") or places.fits.labelled()
    return places.written.labels() or given


def _squashed_at(low: float, high: float, view: View) -> int | None:
    """Where a model of one's own lets out no more than this."""
    if view.facts.compiled is not None:
        return None
    near = {(0, 1): ("sigmoid", "Sigmoid", "softmax"), (-1, 1): ("tanh", "Tanh")}
    for ends, names in near.items():
        if abs(ends[0] - low) < SLIGHTLY and abs(ends[1] - high) < SLIGHTLY:
            return view.places.stepping.ending(*names)
    return view.places.stepping.ending("relu", "ReLU", "clamp") if abs(low) < SLIGHTLY else None


def _last_activation(low: float, high: float, view: View) -> int | None:
    """What lets out no more than this, by the name that Keras calls it."""
    kept = {"sigmoid": (0, 1), "tanh": (-1, 1), "relu": (0, high)}
    named = (
        n for n, (a, b) in kept.items() if abs(a - low) < SLIGHTLY and abs(b - high) < SLIGHTLY
    )
    found = (view.places.last_naming(name) for name in named)
    return next(filter(None, found), None) if view.facts.compiled is not None else None


def _ending(name: str, view: View) -> int | None:
    return view.places.call(f".{name}", f".{name.capitalize()}", "ReLU") or labelling(view)
