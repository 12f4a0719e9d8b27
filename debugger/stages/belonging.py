"""Rules about what belongs together: two texts, words and labels, sources and targets, two sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from debugger.experiments.signal import moved
from debugger.pipelines.batch import Batch
from debugger.pipelines.data import Data, Split
from debugger.stages.judging import (
    NO_SCRIPT,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Verdict,
    View,
    fault,
    found_in,
    look,
)

_COLLATORS = ("data_collator", "collate_fn")
FEWEST_ROWS = 20
NEARLY_ALL = 0.95
BY_WORDS = 0.9
HARDLY_OWN = 0.7
CHANCE = 3.0
HEAPED = 0.3
LONGER = 1.3
FEW_LABELS = 20
"""Of many more than that, some are rare."""
FEW, MANY, MOSTLY = 0.2, 0.5, 0.75


def text_given_twice(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Two texts that a model is to compare, and they are one."""
    split = seen.train
    if split is None or split.parts.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if split.parts.twice < NEARLY_ALL * split.parts.rows:
        return None
    line = view.places.preparing.same_twice() or view.tokenizing
    return fault(line, rows=split.parts.twice)


def labels_by_words(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A word of several tokens moves all labels behind it, where they are laid out one by one."""
    split = seen.train
    if split is None or view.facts.task != "tokens" or not split.parts.split:
        return NOT_FOR_THIS_TASK
    if split.parts.by_words < max(2, BY_WORDS * split.parts.split):
        return None
    line = view.places.written.labels_of_words() or view.places.written.labels()
    return fault(line, rows=split.parts.by_words, of=split.parts.rows)


def labels_on_other_words(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The words and their own labels are known, and most tokens have the label of another word."""
    split = seen.train
    if split is None or view.facts.task != "tokens" or split.parts.words < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if split.parts.own >= HARDLY_OWN or isinstance(labels_by_words(seen, view), Verdict):
        return None
    written = view.places.written
    line = written.labels_of_words() or written.labels()
    return fault(line, share=split.parts.own, words=split.parts.words)


def pieces_of_next_word(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A name begins in the word before it, at the second token of that."""
    split = seen.train
    if split is None or view.facts.task != "tokens" or not split.parts.pieces:
        return NOT_FOR_THIS_TASK
    if not split.parts.of_next or isinstance(labels_by_words(seen, view), Verdict):
        return None
    written = view.places.written
    line = written.labels_of_words() or written.labels()
    return fault(line, pieces=split.parts.pieces, of_next=split.parts.of_next)


def pairs_unrelated(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Dealt out anew, sources and targets go together as well as they do now."""
    split = seen.train
    if split is None or view.facts.task != "seq2seq" or split.parts.related is None:
        return NOT_FOR_THIS_TASK
    if split.parts.related >= CHANCE:
        return None
    return look(
        view.places.preparing.shuffled() or view.places.written.labels(), rows=split.parts.rows
    )


def words_out_of_order(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What cuts texts into blocks keeps their order, or there is nothing left to learn from it."""
    found = seen.train.disorder if seen.train else None
    if found is None or found.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if found.moved < MANY * found.rows:
        return None
    line = view.places.preparing.disordering() or view.places.call(".map")
    return fault(line, rows=found.moved, of=found.rows)


def labels_of_next_rows(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Texts and labels are paired off with a step between them."""
    if view.facts.task != "classification":
        return NOT_FOR_THIS_TASK
    found = moved(seen.worded)
    if found is None:
        return None
    line = view.places.preparing.stepping_aside() or view.places.written.labels()
    numbers = {"as_it_is": found.as_it_is, "anew": found.anew, "majority": found.majority}
    return fault(line or view.places.argument("train_dataset"), by=found.by, **numbers)


def rows_never_reached(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A data set of one's own that has more rows than it says: those behind are never asked for."""
    split = seen.train
    if split is None:
        return NOT_FOR_THIS_TASK
    if split.uncounted is None:
        return None
    name, rows = split.uncounted
    made = fault if 2 * split.count <= rows else look
    return made(view.places.flows.length_of(name), name=name, rows=split.count, held=rows)


def texts_of_other_rows(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A row is put together of texts from several: the lists that they came in were cut or laid
    side by side in two ways."""
    read = seen.train.read if seen.train else None
    if read is None or not read.strange:
        return NOT_FOR_THIS_TASK
    name, share = max(read.strange.items(), key=lambda one: one[1])
    if share < MANY:
        return None
    return (fault if share >= MOSTLY else look)(view.tokenizing, name=name, share=share)


def texts_begin_otherwise(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What is put before the texts of one set, as a prefix of T5, and not before the other's."""
    reads = [None if one is None else one.read for one in (seen.train, seen.eval)]
    firsts = [{} if one is None else one.firsts for one in reads]
    rows = [0 if one is None else one.rows for one in reads]
    if min(rows) < FEWEST_ROWS or not all(firsts):
        return NOT_FOR_THIS_TASK
    for here, there in (firsts, firsts[::-1]):
        token = max(here, key=here.__getitem__)
        if here[token] >= NEARLY_ALL and there.get(token, 0.0) <= FEW:
            shares = {"train": firsts[0].get(token, 0.0), "share": firsts[1].get(token, 0.0)}
            return fault(view.places.parting.line() or view.tokenizing, token=token, **shares)
    return None


def labels_cut_to_fit(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Rows are left out by what they hold, and of the labels as many at the end."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.labels_cut_to_fit()
    if found is None or seen.train is None:
        return None
    return look(found.line, rows=found.rows, at=found.at)


def zip_stops_short(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Some rows are left out of one list and not of the other, and zip cuts the longer one."""
    if not view.has_script:
        return NO_SCRIPT
    for one in () if seen.failure else view.places.zipped_short:
        held = [view.names.get(name) for name in (one.rows, one.whole)]
        counts = [len(given) for given in held if isinstance(given, list)]
        if len(counts) == 2 and counts[0] == counts[1]:
            continue
        made = fault if len(counts) == 2 else look
        return made(one.line, rows=one.rows, at=one.at, whole=one.whole)
    return None


def labels_never_there(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Of several labels at once, some that no training row has: always to say no is right there."""
    if view.facts.task != "multilabel":
        return NOT_FOR_THIS_TASK
    here = _yes(seen.train)
    if not here or (seen.train is not None and seen.train.looked_at < FEWEST_ROWS):
        return NOT_FOR_THIS_TASK
    never = [place for place, count in enumerate(here) if not count]
    if not never or (seen.train is not None and alike(seen.train)):  # see one_class
        return None
    names = view.facts.label_names
    name = names[never[0]] if names and len(names) == len(here) else str(never[0])
    made = fault if 2 * len(never) >= len(here) <= FEW_LABELS else look
    line = view.places.written.labels() or view.places.argument("train_dataset")
    return made(line, count=len(never), of=len(here), name=name)


def alike(split: Split) -> bool:
    """Whether all rows have the same several labels."""
    rows = [row for row in split.labels if isinstance(row, list | tuple)]
    return bool(rows) and len(rows) == split.looked_at and all(row == rows[0] for row in rows)


def _yes(split: Split | None) -> list[int]:
    """How many rows have each of several labels."""
    rows = [] if split is None else [row for row in split.labels if isinstance(row, list | tuple)]
    if not rows or len({len(row) for row in rows}) != 1:
        return []
    return [sum(value > 0 for value in column) for column in zip(*rows, strict=True)]


def sets_change_places(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Each is handed over by the other's name, and there are more rows to judge by than to learn
    from."""
    if seen.train is None or seen.eval is None:
        return NOT_FOR_THIS_TASK
    line = view.places.judged.crossed()
    if line is None or seen.eval.count <= seen.train.count:
        return None
    return fault(line, rows=seen.train.count, eval_rows=seen.eval.count)


def inputs_cut_shorter(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What is learned from ends where what is judged by goes on."""
    return _cut_shorter(seen, view, "lengths")


def targets_cut_shorter(seen: Data, view: View) -> Verdict | CannotJudge | None:
    if view.facts.task != "seq2seq":
        return NOT_FOR_THIS_TASK
    return _cut_shorter(seen, view, "target_lengths")


def evaluation_cut_shorter(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What is judged by ends where what is learned from goes on."""
    here, there = _counted(seen.eval, "lengths"), _counted(seen.train, "lengths")
    found = _cut(here, there)
    if found is None or found["share"] < MANY:
        return NOT_FOR_THIS_TASK if not here else None
    line = view.places.parting.line()
    line = line or view.places.argument_of_value(found["length"], "max_length")
    return look(line or view.tokenizing, **found)


def rows_mixed(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """What stood in one row stands in several: a view or a transpose the wrong way round."""
    if seen.mixed is None:
        return NOT_FOR_THIS_TASK
    if 2 * seen.mixed.parts < seen.mixed.rows:
        return None
    handed = view.places.handed
    line = _in_collator(handed.dealing) or _in_collator(handed.reshaping)
    return fault(line or _collating(view), rows=seen.mixed.parts, of=seen.mixed.rows)


def labels_of_other_rows(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    if seen.mixed is None:
        return NOT_FOR_THIS_TASK
    if seen.mixed.labels < max(2, FEW * seen.mixed.rows):
        return None
    handed = view.places.handed
    line = _in_collator(handed.dealing) or _in_collator(handed.put, "labels")
    return fault(line or _collating(view), rows=seen.mixed.labels, of=seen.mixed.rows)


def labels_made_equal(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Rows of several classes go into the collator, and all come out with one."""
    if seen.mixed is None:
        return NOT_FOR_THIS_TASK
    if seen.mixed.levelled is None:
        return None
    line = _in_collator(view.places.handed.put, "labels") or _collating(view)
    return fault(line, rows=seen.mixed.rows, value=seen.mixed.levelled)


def learns_evaluation_rows(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A loader of one's own that reads from the other set."""
    if seen.mixed is None:
        return NOT_FOR_THIS_TASK
    if 2 * seen.mixed.foreign < seen.mixed.rows:
        return None
    line = view.places.function("get_train_dataloader") or view.places.argument("train_dataset")
    return fault(line, rows=seen.mixed.foreign, of=seen.mixed.rows)


OF_A_BATCH: tuple[Rule, ...] = (
    rows_mixed,
    labels_of_other_rows,
    labels_made_equal,
    learns_evaluation_rows,
)
RULES: tuple[Rule, ...] = (
    text_given_twice,
    labels_by_words,
    labels_on_other_words,
    pieces_of_next_word,
    pairs_unrelated,
    words_out_of_order,
    labels_of_next_rows,
    rows_never_reached,
    texts_of_other_rows,
    texts_begin_otherwise,
    labels_cut_to_fit,
    zip_stops_short,
    labels_never_there,
    sets_change_places,
    inputs_cut_shorter,
    targets_cut_shorter,
    evaluation_cut_shorter,
)


def _collating(view: View) -> int | None:
    return view.places.argument(*_COLLATORS)


def _in_collator(find: Callable[..., int | None], *what: str) -> int | None:
    return found_in(_COLLATORS, find, *what)


def _cut_shorter(seen: Data, view: View, which: str) -> Verdict | CannotJudge | None:
    here, there = _counted(seen.train, which), _counted(seen.eval, which)
    if min(len(here), len(there)) < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    found = _cut(here, there)
    if found is None:
        return None
    line = view.places.argument_of_value(found["length"], "max_length", "max_target_length")
    return (fault if found["share"] >= MANY else look)(line or view.tokenizing, **found)


def _cut(here: tuple[int, ...], there: tuple[int, ...]) -> dict[str, Any] | None:
    """Cut rows heap up at the limit. In the other set many are longer than that."""
    if min(len(here), len(there)) < FEWEST_ROWS:
        return None
    longest = max(here)
    heaped = here.count(longest) / len(here)
    beyond = sum(one > longest for one in there) / len(there)
    if heaped < HEAPED or beyond < FEW or max(there) < LONGER * longest:
        return None
    return {"length": longest, "heaped": heaped, "share": beyond, "longest": max(there)}


def _counted(split: Split | None, which: str) -> tuple[int, ...]:
    return () if split is None else getattr(split, which)
