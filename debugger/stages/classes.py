"""Rules about the labels of rows: are they there, in range, and of more than one class?"""

from __future__ import annotations

from collections import Counter

from debugger.pipelines.data import Data, Split
from debugger.stages import belonging
from debugger.stages.chance import interval
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault, look
from debugger.stages.sets import data_line, nothing_to_see

IMBALANCED_SHARE = 0.75
BY_LUCK = 1e-6
"""So seldom are all rows of one class where they are drawn by lot."""
FLATTERING_SHARE = 0.9
MARKED = 0.15
UNMET_SHARE = 0.05
ENOUGH_ASKED = 20
MOST_CLASSES = 20
ABOUT_CLASSES = ("classification", "multilabel", "regression")


def label_column_misnamed(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split, blind = _labelled(seen, view)
    if split is None:
        return blind
    candidates = [name for name in split.few_valued if name != "idx"]
    if split.label_column is not None or not candidates:
        return None
    name = candidates[0]
    line = (
        view.places.written.renamed_to(name) or view.places.written.under(name) or data_line(view)
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
    return fault(split.unlabelled_at or data_line(view), columns=", ".join(split.columns))


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
            line = view.places.argument(f"{name}_dataset") or data_line(view)
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
    line = view.places.call("cast_column", "cast") or data_line(view)
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
    line = view.places.call(*choosing) or data_line(view)
    return verdict(line, name=named(str(label), split), share=share, classes=len(counts))


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
    return fault(line, name=named(str(labels.pop()), split), rows=split.looked_at)


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
    name = named(str(min(unmet)), naming_split(seen, split))
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
    name = named(str(asked[0]), naming_split(seen, split))
    return fault(_ordering_line(view), name=name, rows=len(asked), share=share)


OF_ROWS: tuple[Rule, ...] = (
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
)


def _labels_line(view: View) -> int | None:
    return view.places.written.labels() or view.places.fits.labelled() or data_line(view)


def _ordering_line(view: View) -> int | None:
    places = view.places
    line = places.making.ordered() or places.argument_in("train_test_split", "shuffle")
    line = line or places.cut_in_two()
    line = line or places.call(".select") or places.argument("eval_dataset", "validation_split")
    return line or places.fits.validated()


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


def _labelled(seen: Data, view: View) -> tuple[Split | None, CannotJudge]:
    """The training split, where a rule about labels can judge it; else the reason why not."""
    if view.facts.task not in ABOUT_CLASSES:
        return None, NOT_FOR_THIS_TASK
    if seen.train is None:
        return None, nothing_to_see(seen)
    if seen.train.label_column is None and not view.facts.known_collator:
        return None, CannotJudge("own_collator")
    return seen.train, NOT_FOR_THIS_TASK


def _integers(split: Split) -> list[int]:
    return [y for y in split.labels if isinstance(y, int) and not isinstance(y, bool)]


def named(label: str, split: Split) -> str:
    names = split.class_names or ()
    inside = label.isdigit() and int(label) < len(names)
    return f"{label} {names[int(label)]}" if inside else label


def naming_split(seen: Data, split: Split) -> Split:
    """The one that knows the names of the classes: the other may have lost them."""
    known = (one for one in (split, seen.train, seen.eval) if one and one.class_names)
    return next(known, split)
