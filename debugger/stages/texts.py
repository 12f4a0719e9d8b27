"""Rules about texts: what is left of them, how they fall into words, what they tell of labels."""

from __future__ import annotations

from statistics import median

from debugger.pipelines.face import Data, Split
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault, look
from debugger.stages.tokens import FEWEST_ROWS, tokenizing

CONTRADICTING_SHARE = 0.2
LITTLE_TOLD = 0.25
SHORT_LIMIT = 16
LITTLE_KEPT = 1 / 3
PARTLY_KEPT = 0.6
SECOND_LOST = 0.5
TOLD_SHARE = 0.95
_OF_TEXT = {"input_ids", "attention_mask", "token_type_ids", "labels", "label", "label_ids"}


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
    line = view.places.slips.seeded_again() or view.places.handed.one_place()
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


OF_ROWS: tuple[Rule, ...] = (
    text_mostly_cut,
    letters_for_words,
    words_not_split,
    words_numbered_twice,
    second_sentence_cut,
    identical_rows,
    contradicting_labels,
    label_in_text,
)


def _other_inputs(split: Split) -> bool:
    return bool(set(split.kept) - _OF_TEXT)
