"""What does the model really receive? Look at `trainer.train_dataset`, not at what came before."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from debugger.evidence.tables import own_table, ragged, say, table
from debugger.experiments.signal import signal
from debugger.outcome import Evidence
from debugger.pipelines.face import Data, Entry, Facts, Pipeline, Split
from debugger.stages import (
    belonging,
    columns,
    cutting,
    fitting,
    frames,
    misuse,
    numbering,
    oversights,
    pairing,
    slips,
    spans,
    targets,
    texts,
    tokens,
    unkept,
)
from debugger.stages.chance import interval
from debugger.stages.judging import (
    NO_SCRIPT,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Stage,
    Verdict,
    View,
    fault,
    look,
    note,
    snippet,
    traceback_shown,
)

IMBALANCED_SHARE = 0.75
BY_LUCK = 1e-6
"""So seldom are all rows of one class where they are drawn by lot."""
FLATTERING_SHARE = 0.9
LEAKED_SHARE = 0.05
SURELY_LEAKED = 0.10
MARKED = 0.15
DUPLICATED_SHARE = 0.10
MANY_WORDED = 100
"""Rows whose words say nothing of their labels: so many are no accident."""
CUT_SHARE = 0.20
WIDE, TOO_WIDE = 128, 4
"""Tokens of a row, and how many times the longest text goes into them, where filling costs time."""
UNMET_SHARE = 0.05
MOSTLY_RAW = 0.8
HANDFUL, JUDGED_BY_MORE = 64, 1.5
"""So few rows to learn from, and so many times as many to be judged by."""
ENOUGH_ASKED = 20
SHOWN_LENGTHS = 8
FEWEST_WORDS = 3
MOST_CLASSES = 20
_PAIRS = {
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("question1", "question2"),
    ("question", "sentence"),
    ("question", "context"),
    ("text_a", "text_b"),
}
_ABOUT_CLASSES = ("classification", "multilabel", "regression")


def observe(pipeline: Pipeline, *_: Any) -> Data:
    return pipeline.data()


def measured(seen: Data) -> dict[str, Any]:
    return {
        name: {
            "rows": split.count,
            "labels": _counts(split),
            "digest": split.digest,
            "words": split.words,
            "numbered_digest": split.numbered_digest,
            "named_digest": split.named_digest,
            "bare_digest": split.bare_digest,
            "sample": list(split.sample),
            "columns": list(split.columns),
            "judged": _judged(seen, split),
        }
        for name, split in (("train", seen.train), ("eval", seen.eval))
        if split is not None
    }


def show(seen: Data, facts: Facts) -> list[Evidence]:
    shown = traceback_shown("data", seen.failure, snippet(facts, "data"))
    if seen.entry is not None:
        shown.append(_entry(seen.entry, facts))
    if seen.train is None:
        first = seen.lengths[: facts.batch_size or SHOWN_LENGTHS]
        return shown + ragged("data", {facts.main_input: first}, snippet(facts, "collision"))
    split = seen.train
    rows = [list(row.values()) for row in split.first_rows]
    columns = list(split.types)
    shown.append(own_table("first_rows", "data", columns, rows, snippet(facts, "first_rows")))
    fates = [[name, split.types.get(name, ""), _fate(name, split)] for name in split.columns]
    columns = ["column", "type", "fate"]
    shown.append(table("columns", "data", columns, fates, snippet(facts, "columns")))
    if split.tokens:
        shown.append(_tokens(split, facts))
    counts = [[_named(label, split), count] for label, count in _counts(split).items()]
    if counts:
        typed = snippet(facts, "label_counts")
        shown.append(table("label_counts", "data", ["label", "rows"], counts, typed))
    return shown


def dataset_dict(seen: Data, view: View) -> Verdict | None:
    return fault(_data_line(view)) if seen.is_dataset_dict else None


def raw_text(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split = seen.train
    if split is None:
        return _nothing_to_see(seen)
    if view.facts.main_input in split.kept or not split.texts or not split.texts[0]:
        return None
    if not view.facts.known_collator:
        return CannotJudge("own_collator")
    places = view.places.unkept
    made = places.mute_map() or places.thrown_away()
    line, texts = made[0] if made else _data_line(view), ", ".join(split.texts[0])
    return fault(line, columns=", ".join(split.columns), texts=texts, wanted=view.facts.main_input)


def label_column_misnamed(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split, blind = _labelled(seen, view)
    if split is None:
        return blind
    candidates = [name for name in split.few_valued if name != "idx"]
    if split.label_column is not None or not candidates:
        return None
    name = candidates[0]
    line = (
        view.places.written.renamed_to(name) or view.places.written.under(name) or _data_line(view)
    )
    return fault(line, name=name, distinct=split.few_valued[name])


def labels_missing(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split, blind = _labelled(seen, view)
    if split is None:
        return blind
    if split.label_column is not None or any(name != "idx" for name in split.few_valued):
        return None
    if not split.columns:
        return None  # its rows have no names at all: the batch tells that
    return fault(split.unlabelled_at or _data_line(view), columns=", ".join(split.columns))


def string_labels(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split, blind = _labelled(seen, view)
    if split is None:
        return blind
    strings = sorted({label for label in split.labels if isinstance(label, str)})
    if not strings:
        return None
    line = view.places.written.word(*strings) or view.places.written.labels_copied()
    line = line or _labels_line(view)
    return fault(line, examples=", ".join(strings[:4]))


def labels_shifted(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Labels that count from 1: nobody ever has class 0, and the last one is outside."""
    split, blind = _labelled(seen, view)
    if split is None:
        return blind
    labels, classes = _integers(split), view.facts.num_labels
    if not labels or min(labels) != 1 or classes is None or classes < 2 or max(labels) < 2:
        return None
    names = split.class_names
    if max(labels) < (len(names) if names else classes):
        return None
    line = view.places.written.numbered_from_one() or _labels_line(view)
    return fault(line, low=1, high=max(labels))


def labels_out_of_range(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split, blind = _labelled(seen, view)
    if split is None:
        return blind
    labels, names = _integers(split), split.class_names
    if names is None:
        return CannotJudge("no_class_names")
    wrong = [y for y in labels if y != -100 and not 0 <= y < len(names)]
    if not wrong or len(wrong) == len(labels):
        return None
    share = len(wrong) / len(labels)
    line = _labels_line(view)
    return fault(line, label=wrong[0], rows=len(wrong), share=share, classes=len(names))


def wrong_split(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The test split of a benchmark hides its labels: every one of them is -1."""
    split, blind = _labelled(seen, view)
    if split is None:
        return blind
    for name, part in (("train", split), ("eval", seen.eval)):
        labels = [] if part is None else _integers(part)
        if labels and all(label == -1 for label in labels):
            line = view.places.argument(f"{name}_dataset") or _data_line(view)
            return fault(line, split=name, rows=len(labels))
    return None


def classes_as_amounts(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Fractions that are all whole, from 0 on without a gap, and a model that fits amounts."""
    split, blind = _labelled(seen, view)
    if split is None or view.facts.task != "classification":
        return blind or NOT_FOR_THIS_TASK
    values = set(split.labels) if view.facts.num_labels == 1 else set()
    if not 2 <= len(values) <= MOST_CLASSES or not all(isinstance(y, float) for y in values):
        return None
    if values != set(range(len(values))):
        return None
    line = view.places.call("cast_column", "cast") or _data_line(view)
    return look(line, classes=len(values), last=len(values) - 1)


def imbalanced(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split, blind = _labelled(seen, view)
    if split is None or view.facts.task != "classification":
        return blind or NOT_FOR_THIS_TASK
    counts = Counter(_integers(split))
    if len(counts) < 2:
        return None
    label, most = counts.most_common(1)[0]
    share = most / sum(counts.values())
    if share < IMBALANCED_SHARE or max(seen.drawn.values(), default=1.0) < IMBALANCED_SHARE:
        return None
    if split.looked_at < split.count and _comes_and_goes(_integers(split), label):
        return CannotJudge("no_rows")
    # Rare classes are a fact of life. They are a fault where somebody made them rare by the way
    # rows were chosen, and nothing weighs or measures them.
    unanswered = not seen.weighs and seen.metrics is not None and set(seen.metrics) <= {"accuracy"}
    chosen = _chosen_in_order(split, label, view) or _rarer_elsewhere(seen.eval, label, share)
    verdict = fault if share >= FLATTERING_SHARE and unanswered and chosen else look
    choosing = (".select", ".filter", ".shard", ".take", "concatenate_datasets")
    line = view.places.call(*choosing) or _data_line(view)
    return verdict(line, name=_named(str(label), split), share=share, classes=len(counts))


def one_class(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split, blind = _labelled(seen, view)
    if split is not None and view.facts.task == "multilabel":
        return _one_vector(split, view)
    if split is None or view.facts.task != "classification":
        return blind or NOT_FOR_THIS_TASK
    labels = set(_integers(split))
    if len(labels) != 1 or labels == {-1} or split.looked_at < 20 or _are_choices(split, view):
        return None
    narrowed = (one.line for one in split.made if one.kinds[0] > one.kinds[1] == 1)
    line = next(filter(None, narrowed), None) or view.places.filled_again() or _labels_line(view)
    return fault(line, name=_named(str(labels.pop()), split), rows=split.looked_at)


def _are_choices(split: Split, view: View) -> bool:
    """A row holds as many things as there are classes: whoever scores each of them by itself, as
    word2vec does, may have the right one always stand in the same place."""
    compiled, classes = view.facts.compiled, view.facts.num_labels or 0
    if compiled is None or "sparse" in compiled.loss.lower() or not split.first_rows or classes < 2:
        return False
    held = split.first_rows[0].items()
    return any(split.types.get(name) == "list[int]" and len(one) == classes for name, one in held)


def _one_vector(split: Split, view: View) -> Verdict | CannotJudge | None:
    """Of several labels at once: every row has the very same."""
    if split.looked_at < ENOUGH_ASKED or not belonging.alike(split):
        return None
    name = ", ".join(f"{value:g}" for value in split.labels[0])
    line = view.places.filled_again() or _labels_line(view)
    return fault(line, name=f"[{name}]", rows=split.looked_at)


def classes_only_in_eval(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Rows in order of their labels, cut in two: what comes last is never learned."""
    split, blind = _labelled(seen, view)
    if split is None or view.facts.task != "classification":
        return blind or NOT_FOR_THIS_TASK
    if seen.eval is None or split.looked_at < split.count:
        return CannotJudge("no_eval_set" if seen.eval is None else "no_rows")
    known, asked = set(_integers(split)), _integers(seen.eval)
    unmet = [y for y in asked if y >= 0 and y not in known]
    share = len(unmet) / max(1, len(asked))
    if not known or len(asked) < ENOUGH_ASKED or share < UNMET_SHARE:
        return None
    name = _named(str(min(unmet)), _naming(seen, split))
    return fault(_ordering_line(view), name=name, rows=len(unmet), share=share)


def eval_of_one_class(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Rows in order of their labels, cut in two: what is judged by is the last class alone."""
    split, blind = _labelled(seen, view)
    if split is None or view.facts.task != "classification":
        return blind or NOT_FOR_THIS_TASK
    if seen.eval is None:
        return CannotJudge("no_eval_set")
    trained, asked = _integers(split), _integers(seen.eval)
    if len(asked) < ENOUGH_ASKED or len(set(asked)) > 1 or asked[0] < 0 or not trained:
        return None
    share = trained.count(asked[0]) / len(trained)
    if share ** len(asked) > BY_LUCK or isinstance(classes_only_in_eval(seen, view), Verdict):
        return None
    if seen.eval.looked_at < seen.eval.count:
        return CannotJudge("no_rows")
    name = _named(str(asked[0]), _naming(seen, split))
    return fault(_ordering_line(view), name=name, rows=len(asked), share=share)


def few_rows(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A handful to learn from, and far more to be judged by: the part that a trial run took."""
    split, other = seen.train, seen.eval
    if split is None or other is None:
        return _nothing_to_see(seen) if split is None else CannotJudge("no_eval_set")
    if split.count > HANDFUL or other.count < JUDGED_BY_MORE * split.count:
        return None
    line = view.places.origins.taking(split.count, "train_dataset") or _data_line(view)
    return look(line, rows=split.count, eval_rows=other.count)


def keys_counted(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The length of a dictionary is how many keys it has, and not how many rows."""
    split = seen.train
    if split is None:
        return _nothing_to_see(seen)
    if split.counted is None:
        return None
    name, rows = split.counted
    return fault(view.places.flows.length_of(name), name=name, rows=split.count, held=rows)


def rates_differ(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Sounds of several rates, all as they came: in one of them everything is twice as fast."""
    here = None if seen.train is None else seen.train.sounds
    there = None if seen.eval is None else seen.eval.sounds
    if here is None:
        return NOT_FOR_THIS_TASK
    known = [one for one in (here, there) if one is not None and one.raw > MOSTLY_RAW]
    rates = sorted({rate for one in known for rate in one.rates})
    if len(rates) < 2:
        return None
    line = view.places.flows.extracted() or view.tokenizing or _data_line(view)
    return fault(line, low=rates[0], high=rates[-1])


def labels_shuffled_apart(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A line parts labels from their rows, and the words of a row do not tell its label.

    Rows may well be made of labels that were shuffled before: then their words tell them.
    """
    if not view.has_script:
        return NO_SCRIPT
    words = signal(seen.worded)
    if words is None:
        return NOT_FOR_THIS_TASK
    line = view.places.labels_torn()
    if line is None or words.found or view.places.slips.split_apart() is not None:
        return None  # see split_apart
    proved = words.rows >= MANY_WORDED and not view.places.rows_made_of_labels(line)
    told = {"rows": words.rows, "accuracy": words.accuracy, "majority": words.majority}
    return (fault if proved else look)(line, **told)


def place_noted_too_early(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Where the right answer stands was noted, and then all answers were shuffled once more."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.place_lost() if seen.failure is None else None
    return None if found is None else look(found[0], name=found[1], place=found[2])


def duplicates(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split = seen.train
    if split is None:
        return _nothing_to_see(seen)
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
        return _nothing_to_see(seen)
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


def text_cut(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split = seen.train
    if split is None:
        return _nothing_to_see(seen)
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
        return _nothing_to_see(seen)
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
        return _nothing_to_see(seen)
    if view.facts.task not in (*_ABOUT_CLASSES, "multiple_choice"):
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
                    line = view.places.handed.same_twice() or view.tokenizing
                    return fault(line, gone=gone, kept=kept)
    return None


def labels_in_the_inputs(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The labels stand among the inputs, and `compile` was given a loss that waits for `y`.

    The training step of transformers finds them there for it. A loss that was told of its logits is
    none the worse for that; one that was named by a string was told nothing.
    """
    compiled = view.facts.compiled
    if compiled is None:
        return None
    if seen.entry is None:
        return _nothing_to_see(seen)
    loss = compiled.loss
    if seen.entry.inside is None or "y" in seen.entry.parts or loss in ("", "none"):
        return None
    line = view.places.fits.compiled("loss") or _data_line(view)
    return (fault if "loss" in compiled.strings else note)(line, label=seen.entry.inside, loss=loss)


def ragged_rows(seen: Data, view: View) -> Verdict | None:
    """Rows of unequal length, and nothing between them and the batch that could fill them up."""
    if view.facts.compiled is None or seen.failure is None:
        return None
    if not seen.failure.says("same shape") and not seen.failure.says("inhomogeneous"):
        return None
    line = view.places.call("to_tf_dataset", "prepare_tf_dataset")
    lengths = seen.lengths or (0,)
    return fault(line, shortest=min(lengths), longest=max(lengths))


RULES: tuple[Rule, ...] = (
    labels_in_the_inputs,
    ragged_rows,
    dataset_dict,
    misuse.no_rows_left,
    raw_text,
    label_column_misnamed,
    labels_missing,
    string_labels,
    labels_shifted,
    labels_out_of_range,
    wrong_split,
    classes_as_amounts,
    imbalanced,
    one_class,
    classes_only_in_eval,
    few_rows,
    keys_counted,
    rates_differ,
    eval_of_one_class,
    labels_shuffled_apart,
    place_noted_too_early,
    duplicates,
    leak,
    eval_rows_drawn_anew,
    text_cut,
    filled_far,
    second_sentence_dropped,
    *fitting.OF_ROWS,
    *tokens.RULES,
    *texts.OF_ROWS,
    *targets.OF_ROWS,
    *spans.RULES,
    *numbering.RULES,
    *columns.RULES,
    *belonging.RULES,
    *unkept.RULES,
    *slips.OF_ROWS,
    *oversights.OF_ROWS,
    *pairing.OF_ROWS,
    *cutting.RULES,
    *frames.RULES,
)
DATA = Stage("data", observe, show, measured, RULES)


def _data_line(view: View) -> int | None:
    made = view.places.call("to_tf_dataset", "prepare_tf_dataset")
    return view.places.argument("train_dataset") or made or view.places.fits.fitted()


def _labels_line(view: View) -> int | None:
    return view.places.written.labels() or view.places.fits.labelled() or _data_line(view)


def _ordering_line(view: View) -> int | None:
    places = view.places
    line = places.making.ordered() or places.argument_in("train_test_split", "shuffle")
    line = line or places.cut_in_two()
    line = line or places.call(".select") or places.argument("eval_dataset", "validation_split")
    return line or places.fits.validated()


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


def _chosen_in_order(split: Split, label: int, view: View) -> bool:
    """All rows of a class in one piece: they were taken from rows in order."""
    if view.places.call(".sort", ".sort_values", ".filter", "concatenate_datasets"):
        return True
    places = [place for place, one in enumerate(split.labels) if one == label]
    return places[-1] - places[0] == len(places) - 1


def _comes_and_goes(labels: list[int], label: int) -> bool:
    """Whether rows seem to stand in the order of their labels: some say nothing of the rest."""
    cut = len(labels) * 3 // 4
    shares = [part.count(label) / max(1, len(part)) for part in (labels[:cut], labels[cut:])]
    return abs(shares[0] - shares[1]) > MARKED


def _rarer_elsewhere(split: Split | None, label: int, share: float) -> bool:
    labels = [] if split is None else _integers(split)
    if not labels:
        return False
    return interval(labels.count(label) / len(labels), len(labels))[1] < share - MARKED


def _nothing_to_see(seen: Data) -> CannotJudge:
    return CannotJudge("streamed_data" if seen.streamed else "no_rows")


def _labelled(seen: Data, view: View) -> tuple[Split | None, CannotJudge]:
    """The training split, where a rule about labels can judge it; else the reason why not."""
    if view.facts.task not in _ABOUT_CLASSES:
        return None, NOT_FOR_THIS_TASK
    if seen.train is None:
        return None, _nothing_to_see(seen)
    if seen.train.label_column is None and not view.facts.known_collator:
        return None, CannotJudge("own_collator")
    return seen.train, NOT_FOR_THIS_TASK


def _integers(split: Split) -> list[int]:
    return [y for y in split.labels if isinstance(y, int) and not isinstance(y, bool)]


def _counts(split: Split) -> dict[str, int]:
    plain = [y for y in split.labels if isinstance(y, (int, str))]
    counts = Counter(str(label) for label in plain)
    return dict(sorted(counts.items())) if len(counts) <= 50 else {}


def _named(label: str, split: Split) -> str:
    names = split.class_names or ()
    inside = label.isdigit() and int(label) < len(names)
    return f"{label} {names[int(label)]}" if inside else label


def _fate(name: str, split: Split) -> dict[str, Any]:
    return say("kept" if name in split.kept else "dropped")


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


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())


def _judged(seen: Data, split: Split) -> list[list[str]]:
    """Rows for a person to judge, with what their labels are called."""
    naming = _naming(seen, split)
    return [[text, _named(str(label), naming)] for text, label in split.judged]


def _naming(seen: Data, split: Split) -> Split:
    """The one that knows the names of the classes: the other may have lost them."""
    known = (one for one in (split, seen.train, seen.eval) if one and one.class_names)
    return next(known, split)


def _tokens(split: Split, facts: Facts) -> Evidence:
    rows = [
        {
            "tokens": list(tokens),
            "mask": [int(place < length) for place in range(len(tokens))],
            "label": _named(str(label), split),
        }
        for tokens, length, label in zip(
            split.tokens, split.lengths, (*split.labels, *[""] * len(split.tokens)), strict=False
        )
    ]
    return Evidence("tokens", "decoded", "data", {"rows": rows}, snippet(facts, "decoded"))


def _entry(entry: Entry, facts: Facts) -> Evidence:
    """One batch as it enters the model: what stands in x, and whether there is a y."""
    rows: list[list[Any]] = [
        ["y" if name == "y" else "x", name, str(list(f.shape)), f.dtype, f.low, f.high]
        for name, f in entry.fields.items()
    ]
    if "y" not in entry.parts:
        rows.append(["y", say("nothing"), "", "", None, None])
    loss = (facts.compiled and facts.compiled.loss) or say("models_own")
    rows.append([say("loss"), loss, "", "", None, None])
    columns = ["part", "name", "shape", "dtype", "low", "high"]
    return table("entry", "data", columns, rows, snippet(facts, "entry"))
