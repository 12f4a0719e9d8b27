"""Rules about what belongs together: two texts, words and labels, sources and targets, two sets."""

from __future__ import annotations

from debugger.pipelines.face import Batch, Data, Split
from debugger.stages.judging import (
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Verdict,
    View,
    fault,
    look,
)

FEWEST_ROWS = 20
NEARLY_ALL = 0.95
BY_WORDS = 0.9
HARDLY_OWN = 0.7
CHANCE = 3.0
HEAPED = 0.3
LONGER = 1.3
FEW, MANY = 0.2, 0.5


def text_given_twice(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Two texts that a model is to compare, and they are one."""
    split = seen.train
    if split is None or split.parts.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if split.parts.twice < NEARLY_ALL * split.parts.rows:
        return None
    line = view.places.handed.same_twice() or view.tokenizing
    return fault(line, rows=split.parts.twice)


def labels_by_words(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A word of several tokens moves all labels behind it, where they are laid out one by one."""
    split = seen.train
    if split is None or view.facts.task != "tokens" or not split.parts.split:
        return NOT_FOR_THIS_TASK
    if split.parts.by_words < max(2, BY_WORDS * split.parts.split):
        return None
    return fault(view.places.labels_written(), rows=split.parts.by_words, of=split.parts.rows)


def labels_on_other_words(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The words and their own labels are known, and most tokens have the label of another word."""
    split = seen.train
    if split is None or view.facts.task != "tokens" or split.parts.words < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if split.parts.own >= HARDLY_OWN or isinstance(labels_by_words(seen, view), Verdict):
        return None
    return fault(view.places.labels_written(), share=split.parts.own, words=split.parts.words)


def pairs_unrelated(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Dealt out anew, sources and targets go together as well as they do now."""
    split = seen.train
    if split is None or view.facts.task != "seq2seq" or split.parts.related is None:
        return NOT_FOR_THIS_TASK
    if split.parts.related >= CHANCE:
        return None
    return look(
        view.places.handed.shuffled() or view.places.labels_written(), rows=split.parts.rows
    )


def words_out_of_order(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What cuts texts into blocks keeps their order, or there is nothing left to learn from it."""
    found = seen.train.disorder if seen.train else None
    if found is None or found.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if found.moved < MANY * found.rows:
        return None
    line = view.places.handed.disordering() or view.places.call(".map")
    return fault(line, rows=found.moved, of=found.rows)


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


def rows_mixed(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """What stood in one row stands in several: a view or a transpose the wrong way round."""
    if seen.mixed is None:
        return NOT_FOR_THIS_TASK
    if 2 * seen.mixed.parts < seen.mixed.rows:
        return None
    line = view.places.handed.reshaping("data_collator")
    return fault(line or _collating(view), rows=seen.mixed.parts, of=seen.mixed.rows)


def labels_of_other_rows(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    if seen.mixed is None:
        return NOT_FOR_THIS_TASK
    if seen.mixed.labels < max(2, FEW * seen.mixed.rows):
        return None
    line = view.places.handed.put("data_collator", "labels")
    return fault(line or _collating(view), rows=seen.mixed.labels, of=seen.mixed.rows)


def labels_made_equal(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Rows of several classes go into the collator, and all come out with one."""
    if seen.mixed is None:
        return NOT_FOR_THIS_TASK
    if seen.mixed.levelled is None:
        return None
    line = view.places.handed.put("data_collator", "labels") or _collating(view)
    return fault(line, rows=seen.mixed.rows, value=seen.mixed.levelled)


OF_A_BATCH: tuple[Rule, ...] = (rows_mixed, labels_of_other_rows, labels_made_equal)
RULES: tuple[Rule, ...] = (
    text_given_twice,
    labels_by_words,
    labels_on_other_words,
    pairs_unrelated,
    words_out_of_order,
    sets_change_places,
    inputs_cut_shorter,
    targets_cut_shorter,
)


def _collating(view: View) -> int | None:
    return view.places.argument("data_collator")


def _cut_shorter(seen: Data, view: View, which: str) -> Verdict | CannotJudge | None:
    """Cut rows heap up at the limit. In the other set many are longer than that."""
    here, there = _counted(seen.train, which), _counted(seen.eval, which)
    if min(len(here), len(there)) < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    longest = max(here)
    heaped = here.count(longest) / len(here)
    beyond = sum(one > longest for one in there) / len(there)
    if heaped < HEAPED or beyond < FEW or max(there) < LONGER * longest:
        return None
    line = view.places.argument_of_value(longest, "max_length", "max_target_length")
    line = line or view.tokenizing
    numbers = {"length": longest, "heaped": heaped, "share": beyond, "longest": max(there)}
    return (fault if beyond >= MANY else look)(line, **numbers)


def _counted(split: Split | None, which: str) -> tuple[int, ...]:
    return () if split is None else getattr(split, which)
