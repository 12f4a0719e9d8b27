"""Rules about the two sets: how many rows there are, and which of them are met again."""

from __future__ import annotations

from typing import Any

from debugger.pipelines.data import Data, Split
from debugger.stages.chance import interval
from debugger.stages.judging import NO_SCRIPT, CannotJudge, Rule, Verdict, View, fault, look

LEAKED_SHARE = 0.05
SURELY_LEAKED = 0.10
DUPLICATED_SHARE = 0.10
HANDFUL, JUDGED_BY_MORE = 64, 1.5
"""So few rows to learn from, and so many times as many to be judged by."""


def few_rows(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A handful to learn from, and far more to be judged by: the part that a trial run took."""
    split, other = seen.train, seen.eval
    if split is None or other is None:
        return nothing_to_see(seen) if split is None else CannotJudge("no_eval_set")
    if split.count > HANDFUL or other.count < JUDGED_BY_MORE * split.count:
        return None
    line = view.places.origins.taking(split.count, "train_dataset") or data_line(view)
    return look(line, rows=split.count, eval_rows=other.count)


def keys_counted(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The length of a dictionary is how many keys it has, and not how many rows."""
    split = seen.train
    if split is None:
        return nothing_to_see(seen)
    if split.counted is None:
        return None
    name, rows = split.counted
    return fault(view.places.flows.length_of(name), name=name, rows=split.count, held=rows)


def duplicates(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split = seen.train
    if split is None:
        return nothing_to_see(seen)
    share = _repeated(split)
    if _holds_one_number(split):
        return CannotJudge("one_number_alone")
    numbers = {"rows": split.duplicates, "looked_at": split.looked_at, "share": share}
    return look(None, **numbers) if share > DUPLICATED_SHARE else None


def leak(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Evaluation rows that the model was trained on. All of them: the evaluate stage says so.

    Texts that repeat themselves do so in both splits: where the training rows repeat each other
    like that, it proves nothing. Of two rows alike, one in the other split is counted in full there
    and as half a pair here.
    """
    if seen.train is None:
        return nothing_to_see(seen)
    if seen.eval is None:
        return CannotJudge("no_eval_set")
    share = seen.shared_rows / max(1, seen.eval.looked_at)
    if not LEAKED_SHARE <= share < 0.95:
        return None
    at = view.places
    copied = at.copied_before_split()
    line = seen.picked_line or copied or at.argument("eval_dataset") or at.fits.validated()
    at_least = interval(share, seen.eval.looked_at)[0]
    proved = at_least > SURELY_LEAKED + 2 * max(_repeated(seen.train), _repeated(seen.eval))
    verdict = fault if proved or copied else look
    return verdict(line, rows=seen.shared_rows, looked_at=seen.eval.looked_at, share=share)


def eval_rows_drawn_anew(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What makes training rows harder is done to those to be judged by, too, each time by lot."""
    if seen.eval is None:
        return CannotJudge("no_eval_set")
    here, there = seen.drawn_anew
    if not there:
        return None
    line = view.places.origin("eval_dataset") or view.places.argument("eval_dataset")
    told = view.facts.task in ("classification", "regression")  # to clear up noise is a task, too
    return (fault if here == there and told else look)(line, name=there)


def split_drawn_anew(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A stream that is shuffled each time, and split: each epoch draws the two sets anew."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.split_behind_shuffle()
    return None if found is None else fault(found[0], stream=found[1], at=found[2])


OF_COUNTS: tuple[Rule, ...] = (few_rows, keys_counted)
OF_BOTH: tuple[Rule, ...] = (duplicates, leak, split_drawn_anew, eval_rows_drawn_anew)


def data_line(view: View) -> int | None:
    made = view.places.call("to_tf_dataset", "prepare_tf_dataset")
    return view.places.argument("train_dataset") or made or view.places.fits.fitted()


def nothing_to_see(seen: Data) -> CannotJudge:
    return CannotJudge("streamed_data" if seen.streamed else "no_rows")


def _holds_one_number(split: Split) -> bool:
    """Rows of a single number are alike by chance."""
    row = next(iter(split.first_rows), dict[str, Any]())
    given = [value for name, value in row.items() if name != split.label_column]
    value = given[0] if len(given) == 1 else None
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return isinstance(value, int | float)


def _repeated(split: Split) -> float:
    return split.duplicates / max(1, split.looked_at)
