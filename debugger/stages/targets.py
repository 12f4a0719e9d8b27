"""Rules about what the loss is asked for: labels on other tokens, out of reach, or nowhere."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from debugger.experiments.signal import renumbered
from debugger.pipelines.answers import Answers
from debugger.pipelines.face import Batch, Data, Forward
from debugger.pipelines.rows import AMOUNTS
from debugger.pipelines.targets import Aims, Spans
from debugger.stages import endings
from debugger.stages.belonging import labels_by_words
from debugger.stages.judging import (
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Verdict,
    View,
    fault,
    look,
)

FEWEST_ROWS, MANY_ROWS = 8, 32
MANY_PLACES = 200
"""Of a batch; where a few are marked, so many hold one of them."""
NEARLY_ALL, MOSTLY_SEEN = 0.95, 0.5
HARDLY_ANY = 0.05
SHORTEST_TILE = 8
OWN = 0.5
AGREES = 0.95
DISAGREES = 0.8
OUTSIDE_SHARE = 0.2
ENOUGH_AMOUNTS = 20
SCALED, FAR_NARROWER, ALIKE = 4.0, 20.0, 0.25
"""So many times as far apart, and yet spread in the same way, but for a share of that distance."""
FAR = 5.0
OUT_OF_REACH = 2.0
AHEAD = 1e-3
"""Of what answers differ by. What cannot see a token does not move by it at all."""
SLIGHTLY = 0.05
FILLED, BESIDE, ASIDE = 0.02, 0.25, 2.0
"""Shares: of all amounts, those that are one; of the spread of the others, how far it lies off."""
MASKED_MUCH, MASKED_MOST = 0.4, 0.6
RENUMBERED = 0.3
"""So much more often right under other numbers."""
_OWN_LABELS = ("causal_lm", "masked_lm")
"""Whose collator makes labels of the tokens."""


def labels_not_finite(seen: Data, view: View) -> Verdict | CannotJudge | None:
    aims = _aims(seen)
    if aims is None or not aims.amounts:
        return NOT_FOR_THIS_TASK
    if not aims.not_finite or seen.unfelt:
        return None
    return fault(_labelling(view), labels=aims.not_finite, amounts=aims.amounts)


def labels_beyond_yes_or_no(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Of several labels at once each is asked for as a share: the loss takes any number for one."""
    aims = _aims(seen)
    if aims is None or view.facts.task != "multilabel":
        return NOT_FOR_THIS_TASK
    if aims.beyond is None or 0 <= aims.beyond <= 1:
        return None
    return fault(_labelling(view), value=aims.beyond)


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
    line = view.places.call(".repeat", ".tile", "tile") or _labelling(view)
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
    return look(_labelling(view), rows=len(rows), labels=len(rows[0]))


def labels_all_the_same(seen: Data, view: View) -> Verdict | CannotJudge | None:
    aims = _aims(seen)
    if aims is None or len(aims.quantiles) < 2 or view.facts.task != "regression":
        return NOT_FOR_THIS_TASK
    if aims.amounts < ENOUGH_AMOUNTS or aims.quantiles[0] != aims.quantiles[-1]:
        return None
    line = view.places.filled_again() or _labelling(view)
    return fault(line, value=aims.quantiles[0], rows=aims.amounts)


_OF_YES = (
    *("BCEWithLogitsLoss", "BCELoss", "binary_cross_entropy", "BinaryCrossentropy"),
    *("binary_cross_entropy_with_logits", "sigmoid_cross_entropy_with_logits"),
)
"""What a loss of yes and no is called."""


def labels_hardly_differ(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Most amounts are one and the same. That may be so; more often they were cut to whole ones."""
    aims = _aims(seen)
    if aims is None or len(aims.quantiles) < 2 or view.facts.task != "regression":
        return NOT_FOR_THIS_TASK
    least, *between, most = aims.quantiles
    if aims.amounts < ENOUGH_AMOUNTS or least == most or between[0] != between[-1]:
        return None
    if set(seen.train.labels if seen.train else ()) <= {0, 1} and view.places.call(*_OF_YES):
        return None
    return look(_labelling(view), value=between[0], rows=aims.amounts)


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
    line = view.places.call(".fillna", "nan_to_num") or _labelling(view)
    return look(line, value=value, rows=count, of=len(amounts), apart=apart)


def labels_lose_fractions(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The rows hold amounts, and what puts them together makes whole numbers of them."""
    if view.facts.task not in AMOUNTS:
        return NOT_FOR_THIS_TASK
    return None if seen.cut is None else fault(_labelling(view), was=seen.cut[0], now=seen.cut[1])


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
    aligned = aims.aligned if (aims := _aims(seen)) else None
    if aligned is None or view.facts.task != "tokens":
        return NOT_FOR_THIS_TASK
    if aligned.unequal <= HARDLY_ANY * aligned.rows:
        return None
    return fault(_labelling(view), rows=aligned.unequal, of=aligned.rows)


def labels_off_by_one(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The frame of a row shows it: a token of no text has the label of the word beside it."""
    aligned = aims.aligned if (aims := _aims(seen)) else None
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
    line = view.places.written.labels_of_words() or _labelling(view)
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


def spans_of_other_text(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What the marked tokens say is held against the answer that the rows were made of."""
    found = _answers(seen, view)
    if isinstance(found, CannotJudge):
        return found
    if not found.in_other_text or found.other < OUTSIDE_SHARE * found.rows:
        return None
    line = found.counted_at or view.places.written.under("answer_start", "answers")
    return fault(line, **_read(found))


def answers_in_first_text(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A question and a context changed places, and the answers are looked for in the second."""
    found = _answers(seen, view)
    if isinstance(found, CannotJudge):
        return found
    if found.in_first < NEARLY_ALL * max(1, found.rows):
        return None
    line = view.places.meant.first_text(view.tokenizing) or view.tokenizing
    return fault(line, **_read(found))


def spans_at_other_tokens(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The letters are right, and on the way to the tokens the places go astray."""
    found = _answers(seen, view)
    if isinstance(found, CannotJudge):
        return found
    if found.in_other_text or found.other < OUTSIDE_SHARE * found.rows:
        return None
    if isinstance(answers_in_first_text(seen, view), Verdict):
        return None  # which says why
    return fault(_spanning(view), **_read(found))


def eval_numbered_otherwise(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What words tell about the labels of one set holds for the other, under other numbers."""
    if view.facts.task != "classification" or _names_tell(seen):
        return NOT_FOR_THIS_TASK
    if isinstance(same_word_other_number(seen, view), Verdict):
        return NOT_FOR_THIS_TASK
    found = renumbered(*seen.both)
    if found is None:
        return CannotJudge("words_tell_too_little")
    if not found.moved or found.as_it_is > found.anew - RENUMBERED:
        return None
    train, other = (None if s is None else s.relabelled_at for s in (seen.train, seen.eval))
    line = other if other != train else None
    if view.facts.compiled is not None:
        line = view.places.making.numbering() or view.places.fits.validated(labels=True)
    line = line or view.places.parting.line() or view.places.making.evaluated()
    line = line or view.places.argument("eval_dataset")
    label, other = found.moved[0]
    return fault(
        line,
        label=label,
        other=other,
        moved=len(found.moved),
        as_it_is=found.as_it_is,
        anew=found.anew,
        rows=found.rows,
    )


def _names_tell(seen: Data) -> bool:
    """Both sets name their classes, and otherwise: see label_order."""
    here, there = (None if one is None else one.class_names for one in (seen.train, seen.eval))
    return here is not None and there is not None and here != there


def _aims(seen: Data) -> Aims | None:
    return seen.train.aims if seen.train else None


def _spans(seen: Data) -> Spans | None:
    return aims.spans if (aims := _aims(seen)) else None


def spans_all_absent(seen: Data, view: View) -> Verdict | CannotJudge | None:
    spans = _spans(seen)
    if spans is None or spans.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if spans.absent < spans.rows:
        return None
    return fault(view.places.condition_of(_spanning(view)), rows=spans.rows)


def spans_outside(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Places of letters in place of tokens: the loss ignores what lies behind the last token."""
    spans = _spans(seen)
    if spans is None:
        return NOT_FOR_THIS_TASK
    if not spans.outside:
        return None
    share = spans.outside / spans.rows
    verdict = fault if share >= OUTSIDE_SHARE else look
    return verdict(_spanning(view), rows=spans.outside, share=share)


def spans_reversed(seen: Data, view: View) -> Verdict | CannotJudge | None:
    spans = _spans(seen)
    if spans is None:
        return NOT_FOR_THIS_TASK
    share = spans.reversed / spans.rows
    if not spans.reversed:
        return None
    verdict = fault if share > HARDLY_ANY else look
    return verdict(_spanning(view), rows=spans.reversed, share=share)


def spans_of_one_token(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Answers of one word may be wanted. More often the start was given as the end, too."""
    spans = _spans(seen)
    if spans is None or spans.rows < MANY_ROWS:
        return NOT_FOR_THIS_TASK
    if not spans.of_one or spans.of_one + spans.absent < spans.rows:
        return None
    line = view.places.put_again("start_positions", "end_positions")
    line = line or view.places.written.under("end_positions") or _spanning(view)
    return look(line, rows=spans.of_one)


def spans_in_the_question(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Counted from where the context begins, and not from where the question does."""
    spans = _spans(seen)
    if spans is None or spans.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if spans.in_question < OUTSIDE_SHARE * spans.rows:
        return None
    if any(isinstance(one(seen, view), Verdict) for one in _OF_TEXTS):
        return None  # which read what stands there
    share = spans.in_question / spans.rows
    return look(_spanning(view), rows=spans.in_question, share=share)


_OF_TEXTS = (spans_of_other_text, answers_in_first_text, spans_at_other_tokens)


def same_word_other_number(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The words beside the labels go with other numbers in the other split."""
    train = seen.train.read if seen.train else None
    other = seen.eval.read if seen.eval else None
    if train is None or other is None or not train.spelled or not other.spelled:
        return NOT_FOR_THIS_TASK
    if train.spelled_in != other.spelled_in:
        return NOT_FOR_THIS_TASK
    numbers = {word: number for number, word in train.spelled.items()}
    moved = {w: n for n, w in other.spelled.items() if numbers.get(w, n) != n}
    if not moved:
        return None
    word = min(moved)
    line = _labelling(view)
    return fault(line, word=word, train=numbers[word], other=moved[word], moved=len(moved))


def nothing_to_learn(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    targets = seen.targets
    if targets is None:
        return NOT_FOR_THIS_TASK
    if targets.counted or not targets.ignored:
        return None
    return fault(view.places.ignoring() or _labelling(view), ignored=targets.ignored)


def nothing_masked(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A model that reads both ways sees the very word that it is asked for."""
    targets = seen.targets
    if targets is None or view.facts.task != "masked_lm":
        return NOT_FOR_THIS_TASK
    if targets.masked or (targets.same or 0.0) < NEARLY_ALL:
        return None
    line = view.places.argument("mlm") or view.places.handed.put("data_collator", "input_ids")
    return fault(line or view.places.argument("data_collator"), counted=targets.counted)


def visible_tokens_asked(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Some tokens are hidden, and the loss asks for all the others, too."""
    targets = seen.targets
    if targets is None or view.facts.task != "masked_lm":
        return NOT_FOR_THIS_TASK
    if not targets.masked or not (targets.same or 0.0) >= MOSTLY_SEEN:
        return None
    line = view.places.handed.put("data_collator", "labels") or view.places.written.labels()
    return fault(line, share=targets.same, counted=targets.counted, masked=targets.masked)


def visible_labelled_alike(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """What is not to be asked for was given a number that the loss takes for a word."""
    targets = seen.targets
    if targets is None or view.facts.task != "masked_lm":
        return NOT_FOR_THIS_TASK
    if not targets.masked or targets.alike is None or targets.only is not None:
        return None
    number, count = targets.alike
    if count < MOSTLY_SEEN * targets.counted:
        return None
    line = view.places.handed.put("data_collator", "labels") or view.places.written.labels()
    return fault(line, number=number, count=count, counted=targets.counted)


def masked_too_much(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Words are guessed from the words around them, and hardly any are left."""
    targets, padding = seen.targets, seen.padding
    if targets is None or padding is None or view.facts.task != "masked_lm" or not targets.masked:
        return NOT_FOR_THIS_TASK
    share = targets.masked / max(1, padding.real)
    if share < MASKED_MUCH:
        return None
    line = view.places.argument("mlm_probability")
    return (fault if share >= MASKED_MOST else look)(line, share=share)


def masked_for_causal(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    targets = seen.targets
    if targets is None or view.facts.task != "causal_lm":
        return NOT_FOR_THIS_TASK
    if not targets.masked or targets.ignored <= targets.counted:
        return None
    line = view.places.argument("mlm") or view.places.call("DataCollatorForLanguageModeling")
    return fault(line, masked=targets.masked, counted=targets.counted)


def labels_of_one_token(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A text to be written, of one word again and again: the padding, or what was never filled."""
    targets = seen.targets
    if targets is None or view.facts.task not in ("causal_lm", "masked_lm", "seq2seq"):
        return NOT_FOR_THIS_TASK
    if targets.only is None or targets.counted < MANY_ROWS or targets.same == 1:
        return None
    return fault(_labelling(view), counted=targets.counted, number=targets.only)


def labels_all_alike(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Of a model of one's own, with a label for each place: a whole batch says the same."""
    targets = seen.targets
    if targets is None or view.facts.task != "unknown":
        return NOT_FOR_THIS_TASK
    if targets.only is None or targets.counted < MANY_PLACES:
        return None
    line = view.places.handed.put("data_collator", "labels") or _labelling(view)
    return look(line, counted=targets.counted, number=targets.only)


def labels_of_other_text(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """What a causal model is asked for are the tokens that it reads, each a place further on."""
    targets = seen.targets
    if targets is None or view.facts.task != "causal_lm":
        return NOT_FOR_THIS_TASK
    if targets.same is None or targets.beside is None or targets.masked:
        return None
    if isinstance(labels_of_one_token(seen, view), Verdict):
        return None  # which says more
    if max(targets.same, targets.beside) >= OWN:
        return None
    return fault(_labelling(view), same=targets.same, counted=targets.counted)


def decoder_sees_answer(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The decoder's input is the answer moved by one. Unmoved, it has only to copy."""
    targets = seen.targets
    if targets is None or targets.decoder_same is None:
        return NOT_FOR_THIS_TASK
    if targets.decoder_same < NEARLY_ALL:
        return None
    line = view.places.naming("decoder_input_ids") or _labelling(view)
    return fault(line, counted=targets.counted)


def input_is_the_answer(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The same with arrays that somebody filled: the place was to be another one by one."""
    if not seen.answer:
        return None
    line = _labelling(view) or view.places.fits.validated() or view.places.call(".fit")
    return fault(line, name=seen.answer)


def targets_begin_late(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Answers without their first token: a model that writes on moves them by itself."""
    if seen.train is None or view.facts.task != "seq2seq":
        return NOT_FOR_THIS_TASK
    return None if seen.late is None else fault(_labelling(view), first=seen.late[0])


def targets_without_end(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The tokenizer ends every text with a token, and no answer ends so: nobody ever stops."""
    targets = seen.targets
    if targets is None or not targets.texts:
        return NOT_FOR_THIS_TASK
    if targets.ended or targets.texts < 2:
        return None
    if targets.ends_ignored:
        return None  # see ends_never_learned
    line = view.places.argument("add_special_tokens") or _labelling(view)
    return (fault if targets.generates else look)(line, rows=targets.texts)


def labels_copy_inputs(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    targets = seen.targets
    if targets is None or view.facts.task != "seq2seq":
        return NOT_FOR_THIS_TASK
    if targets.same is None or targets.same < 1:
        return None
    return look(
        view.places.column_given("text_target") or _labelling(view), counted=targets.counted
    )


def ends_never_learned(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The padding token is also the one that ends a text, and what is padding is not learned."""
    targets, places = seen.targets, view.places
    if targets is None or view.facts.task not in ("causal_lm", "seq2seq"):
        return NOT_FOR_THIS_TASK
    line = places.assignment("pad_token") or places.argument("pad_token")
    if targets.ends_ignored and targets.texts > 1 and not targets.ended:
        return (fault if targets.generates else look)(line, ends=targets.texts)
    if view.facts.task == "seq2seq" or not targets.ends or targets.ends_counted:
        return None
    return look(line, ends=targets.ends)


def looks_too_far_ahead(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Labels moved by the script and once more by the model: every second word is left out."""
    if view.facts.task not in ("causal_lm", "unknown"):
        return NOT_FOR_THIS_TASK
    if seen.asks is None or seen.asks < 2:
        return None
    return fault(_labelling(view), ahead=seen.asks, loss=seen.loss)


def sees_what_is_asked(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """The next token is asked for, and stands open before the model: nothing hides what is behind
    a place. To copy it is all that can be learned, and when it writes there is nothing to copy."""
    if seen.sees_ahead is None:
        return NOT_FOR_THIS_TASK
    if seen.sees_ahead <= AHEAD:
        return None
    places = view.places
    line = places.call("TransformerEncoder", "MultiHeadAttention", "MultiheadAttention")
    line = line or places.call("TransformerEncoderLayer", "Bidirectional")
    line = (
        line
        or places.argument("bidirectional")
        or places.returned_in(view.facts.model_class, "forward")
    )
    return fault(line, moved=seen.sees_ahead)


def asks_for_its_input(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A loss that moves nothing: the model is to say the token that it has just read."""
    if view.facts.task not in ("causal_lm", "unknown"):
        return NOT_FOR_THIS_TASK
    if seen.asks != 0:
        return None
    verdict = fault if view.facts.task == "causal_lm" else look
    return verdict(view.places.function("compute_loss") or _labelling(view), loss=seen.loss)


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
    line = line or _last_activation(low, high, view) or _labelling(view)
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
    spans_of_other_text,
    answers_in_first_text,
    spans_at_other_tokens,
    spans_all_absent,
    spans_outside,
    spans_reversed,
    spans_of_one_token,
    spans_in_the_question,
    same_word_other_number,
    eval_numbered_otherwise,
)
OF_A_BATCH: tuple[Rule, ...] = (
    labels_lose_fractions,
    nothing_to_learn,
    nothing_masked,
    visible_tokens_asked,
    visible_labelled_alike,
    masked_too_much,
    masked_for_causal,
    labels_of_one_token,
    labels_all_alike,
    labels_of_other_text,
    decoder_sees_answer,
    input_is_the_answer,
    targets_without_end,
    labels_copy_inputs,
    ends_never_learned,
)
OF_A_LOSS: tuple[Rule, ...] = (
    looks_too_far_ahead,
    asks_for_its_input,
    sees_what_is_asked,
    output_cannot_reach,
    labels_far_off,
)


def _spread_of(quantiles: tuple[float, ...]) -> float:
    """Between the eighth and the second of ten parts: no single row moves it far."""
    return quantiles[-3] - quantiles[2]


def _labelling(view: View) -> int | None:
    places = view.places
    given = places.argument("train_dataset") or places.fits.labelled()
    return places.written.labels() or given


def _answers(seen: Data, view: View) -> Answers | CannotJudge:
    found = seen.train.answers if seen.train else None
    known = found is not None and found.rows >= FEWEST_ROWS and view.facts.task == "spans"
    return found if found is not None and known else NOT_FOR_THIS_TASK


def _read(found: Answers) -> dict[str, Any]:
    return {"rows": found.other, "of": found.rows, "read": found.read, "wanted": found.wanted}


def _spanning(view: View) -> int | None:
    return view.places.written.under("start_positions") or _labelling(view)


def _squashed_at(low: float, high: float, view: View) -> int | None:
    """Where a model of one's own lets out no more than this."""
    if view.facts.compiled is not None:
        return None
    near = {(0, 1): ("sigmoid", "Sigmoid", "softmax"), (-1, 1): ("tanh", "Tanh")}
    for ends, names in near.items():
        if abs(ends[0] - low) < SLIGHTLY and abs(ends[1] - high) < SLIGHTLY:
            return view.places.handed.ending(*names)
    return view.places.handed.ending("relu", "ReLU", "clamp") if abs(low) < SLIGHTLY else None


def _last_activation(low: float, high: float, view: View) -> int | None:
    """What lets out no more than this, by the name that Keras calls it."""
    kept = {"sigmoid": (0, 1), "tanh": (-1, 1), "relu": (0, high)}
    named = (
        n for n, (a, b) in kept.items() if abs(a - low) < SLIGHTLY and abs(b - high) < SLIGHTLY
    )
    found = (view.places.last_naming(name) for name in named)
    return next(filter(None, found), None) if view.facts.compiled is not None else None


def _ending(name: str, view: View) -> int | None:
    return view.places.call(f".{name}", f".{name.capitalize()}", "ReLU") or _labelling(view)
