"""Rules about texts: what is left of them, how they fall into words, what they tell of labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from statistics import median
from typing import Any

from debugger.pipelines.data import Data, Split
from debugger.stages.classes import ABOUT_CLASSES
from debugger.stages.judging import (
    NO_SCRIPT,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Verdict,
    View,
    fault,
    look,
)
from debugger.stages.sets import nothing_to_see
from debugger.stages.tokens import FEWEST_ROWS, tokenizing

CUT_SHARE = 0.20
WIDE, TOO_WIDE = 128, 4
"""Tokens of a row, and how many times the longest text goes into them, where filling costs time."""
FEWEST_WORDS = 3
_PAIRS = {
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("question1", "question2"),
    ("question", "sentence"),
    ("question", "context"),
    ("text_a", "text_b"),
}
CONTRADICTING_SHARE = 0.2
LITTLE_TOLD = 0.25
SHORT_LIMIT = 16
LITTLE_KEPT = 1 / 3
PARTLY_KEPT = 0.6
SECOND_LOST = 0.5
TOLD_SHARE = 0.95
MOST_JOINED, MOSTLY = 200, 0.5
_OF_TEXT = {"input_ids", "attention_mask", "token_type_ids", "labels", "label", "label_ids"}


def text_cut(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split = seen.train
    if split is None:
        return nothing_to_see(seen)
    if not split.lengths:
        return NOT_FOR_THIS_TASK
    counts = Counter(split.lengths)
    longest = max(counts)
    if max(split.widths, default=0) > longest:  # every row had room left
        return None
    if view.places.argument("return_overflowing_tokens") is not None:  # what is cut goes on
        return None
    limits = view.places.numbers_given("max_length", "model_max_length", "maxlen")
    if longest not in limits and longest < max(limits, default=0):  # it never came to that
        return None
    cut, share = counts[longest], counts[longest] / len(split.lengths)
    # Cutting heaps up rows at the limit; without it the longest rows are the rarest.
    heaped = len(counts) > 1 and cut >= 3 * counts[longest - 1]
    at_the_limit = view.places.comes_down_to(longest, "max_length", "model_max_length")
    if share < CUT_SHARE or not (heaped or at_the_limit):
        return None
    line = view.places.argument_of_value(longest, "max_length", "model_max_length")
    return look(line, rows=cut, share=share, length=longest)


def filled_far(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """It spoils no answer, and nothing shows it but a training that takes its time."""
    split = seen.train
    if split is None:
        return nothing_to_see(seen)
    if not split.lengths:
        return NOT_FOR_THIS_TASK
    longest, widths = max(split.lengths), set(split.widths)
    if len(widths) != 1 or not longest:
        return None
    (width,) = widths
    if width < WIDE or width < TOO_WIDE * longest:
        return None
    named = view.places.argument_of_value(width, "max_length", "model_max_length", "maxlen")
    return look(
        named or view.tokenizing,
        rows=split.looked_at,
        width=width,
        longest=longest,
        share=1 - sum(split.lengths) / (width * len(split.lengths)),
        times=width / longest,
    )


def second_sentence_dropped(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split = seen.train
    if split is None:
        return nothing_to_see(seen)
    if view.facts.task not in (*ABOUT_CLASSES, "multiple_choice"):
        return NOT_FOR_THIS_TASK
    if not split.decoded:
        return CannotJudge("no_tokenizer")
    if view.facts.task == "multiple_choice":
        return _never_read(split, view)
    names = set(split.texts[0]) if split.texts else set()
    for first, second in sorted(_PAIRS):
        if {first, second} <= names:
            for gone, kept in ((second, first), (first, second)):
                if not _reaches(gone, split) and _reaches(kept, split):
                    line = view.places.preparing.same_twice() or view.tokenizing
                    return fault(line, gone=gone, kept=kept)
    return None


def text_mostly_cut(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Long documents are always cut. A limit of a few tokens is another matter."""
    read = seen.train.read if seen.train else None
    if seen.short is not None and seen.short.kept < PARTLY_KEPT:
        verdict = fault if seen.short.kept < LITTLE_KEPT else look
        line = view.places.cut_off_at(seen.short.width) or tokenizing(view)
        return verdict(line, kept=seen.short.kept, length=seen.short.width)
    if read is None or len(read.kept) < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    kept = median(read.kept)
    if kept >= PARTLY_KEPT:
        return None
    line = view.places.argument_of_value(read.limit, "max_length", "model_max_length")
    line = line or tokenizing(view)
    verdict = fault if kept < LITTLE_KEPT and read.limit <= SHORT_LIMIT else look
    return verdict(line, kept=kept, length=read.limit)


def letters_for_words(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Python goes through a text letter by letter, where a list of words was meant."""
    if not seen.spelled_out:
        return None
    return look(view.places.meant.joined_letters() or tokenizing(view), text=seen.spelled_out)


def words_not_split(seen: Data, view: View) -> Verdict | None:
    """Every text that is not just like another is one more word, and next to none are met again."""
    found = seen.unsplit
    if found is None or view.places.argument("is_split_into_words") is not None:
        return None
    line = view.places.call("Tokenizer", "PreTrainedTokenizerFast") or tokenizing(view)
    return fault(line, texts=found.texts, words=found.words)


def words_numbered_twice(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The same word has one number in one set and another in the other."""
    if seen.renumbered is None:
        return None
    name, line = seen.renumbered
    return fault(line, name=name)


def second_sentence_cut(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Cut from the end, a pair loses its second sentence first. All of them: see dropped. Where
    rows say the texts of others, nothing was cut."""
    read = seen.train.read if seen.train else None
    if read is None or not read.lost:
        return NOT_FOR_THIS_TASK
    if any(share >= SECOND_LOST for share in read.strange.values()):
        return None
    cut = {name: share for name, share in read.lost.items() if SECOND_LOST <= share < 1}
    if not cut:
        return None
    gone, share = max(cut.items(), key=lambda item: item[1])
    line = view.places.argument_of_value(read.limit, "max_length") or tokenizing(view)
    return fault(line, gone=gone, share=share, length=read.limit)


def identical_rows(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split = seen.train
    read = split.read if split else None
    if split is None or read is None or read.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if _other_inputs(split):
        return CannotJudge("other_inputs")
    if read.inputs > 1:
        return None
    made = tokenizing(view)
    line = view.places.slips.seeded_again() or view.places.preparing.one_place()
    line = line or view.places.filled_again()
    line = line or view.places.flows.removing() or view.places.written.copied_onto(made) or made
    return fault(line, rows=read.rows)


def contradicting_labels(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The same input under several labels: no model can answer both.

    Where a text is never read at all, that is the cause, and has a rule of its own.
    """
    split = seen.train
    read = split.read if split else None
    if split is None or read is None or read.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if _other_inputs(split):
        return CannotJudge("other_inputs")
    share = read.contradicting / read.rows
    if share < CONTRADICTING_SHARE or read.inputs == 1:
        return None
    told = (read.ceiling - read.majority) / max(1e-9, 1 - read.majority)
    verdict = fault if told < LITTLE_TOLD and 1.0 not in read.lost.values() else look
    numbers = {"ceiling": read.ceiling, "majority": read.majority}
    return verdict(tokenizing(view), rows=read.contradicting, share=share, **numbers)


def label_in_text(seen: Data, view: View) -> Verdict | CannotJudge | None:
    read = seen.train.read if seen.train else None
    if read is None or read.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if read.told < TOLD_SHARE or read.told_others > 1 - TOLD_SHARE:
        return None
    return look(tokenizing(view), share=read.told)


def joined_without_space(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The last word of one text and the first of the next become one that nobody knows."""
    if not view.has_script:
        return NO_SCRIPT
    for one in () if seen.failure else view.places.joined:
        pairs = _pairs(view.names.values(), one.first, one.second)
        run_on = [pair for pair in pairs if pair[0][-1:].isalnum() and pair[1][:1].isalnum()]
        spelled = [a for a, b in run_on if a.isascii() and b.isascii() and " " in a + b]
        if len(pairs) >= FEWEST_ROWS and len(spelled) > MOSTLY * len(pairs):
            first, second = next((a, b) for a, b in run_on if a in spelled)
            word = first.split()[-1] + second.split()[0]
            return look(one.line, first=one.first, second=one.second, word=word)
    return None


OF_LENGTHS: tuple[Rule, ...] = (text_cut, filled_far)
OF_ROWS: tuple[Rule, ...] = (
    text_mostly_cut,
    letters_for_words,
    words_not_split,
    words_numbered_twice,
    second_sentence_cut,
    identical_rows,
    contradicting_labels,
    label_in_text,
    joined_without_space,
)


def _reaches(column: str, split: Split) -> bool:
    return any(
        _letters(row[column])[:24] in _letters(text)
        for row, text in zip(split.texts, split.decoded, strict=False)
    )


def _never_read(split: Split, view: View) -> Verdict | None:
    """What answers are chosen for stands in a column of its own, whatever that is called."""
    names = set.intersection(*map(set, split.texts)) if split.texts else set()
    words = {n: min(len(row[n].split()) for row in split.texts) for n in sorted(names)}
    kept = [name for name in words if _reaches(name, split)]
    gone = [n for n, fewest in words.items() if fewest >= FEWEST_WORDS and n not in kept]
    return look(view.tokenizing, gone=gone[0], kept=kept[0]) if kept and gone else None


def _pairs(values: Iterable[Any], first: str, second: str) -> list[tuple[str, str]]:
    """The texts of two columns, of the first table that has both."""
    for table in values:
        kind = type(table).__name__
        names = getattr(table, "column_names" if kind == "Dataset" else "columns", ())
        if kind not in ("Dataset", "DataFrame") or not {first, second} <= {*names}:
            continue
        columns = (list(table[:MOST_JOINED][name]) for name in (first, second))
        pairs = list(zip(*columns, strict=True))
        if all(isinstance(text, str) for pair in pairs for text in pair):
            return [(a, b) for a, b in pairs if a and b]
    return []


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())


def _other_inputs(split: Split) -> bool:
    return bool(set(split.kept) - _OF_TEXT)
