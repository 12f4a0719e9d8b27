"""What a metric counts: judged by what it says of answers that were made up."""

from __future__ import annotations

import ast
import math
import re

from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.trials import same
from debugger.stages.amounts import accuracy_of_amounts
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Verdict, View, fault, look
from debugger.stages.scores import GIVEN_AS, NOT_TRIED, SHARES, first, in_metric, metric_line, share
from debugger.stages.tagged import metric_counts_ignored, metric_takes_first_places

HARDLY_RIGHT = 0.02
FLATTERED = 1.5
"""So many times as well as by guessing, for always saying the same."""
ROUNDED = 1e-4
_WHATEVER_THE_CLASSES = ("accuracy", "matthews_correlation")
_HIGHER_IS_BETTER = ("accuracy", "f1", "precision", "recall", "matthews_correlation")
_PERFECT = (1.0, 100.0)
_FEW_PERCENT = 20.0


def metric_flatters_constant(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Always guessing the same class must not score as well as being right."""
    if seen.constant is None or seen.perfect is None:
        return CannotJudge("metric_not_tried")
    known = next((n for n in seen.perfect if _plainly(n) in _HIGHER_IS_BETTER), None)
    name = known or next(iter(seen.perfect), None)
    if name is None or seen.constant.get(name) != seen.perfect[name]:
        return None
    if known is None and seen.constant != seen.perfect:
        return None  # a number of another kind beside the one that measures
    verdict = fault if known else look
    return verdict(metric_line(view, name), name=name, value=seen.perfect[name])


def metric_wrong_on_perfect(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A metric may count to 1 or in percent. Means over classes want every class to be there."""
    perfect = _of_choices(seen, view) if seen.perfect is None else seen.perfect
    if perfect is None:
        return _of_tokens(seen, view)
    if isinstance(metric_remembers(seen, view), Verdict):
        return None  # which says more
    every_class = seen.tried_classes is None or seen.tried_classes == seen.num_labels
    every_class = every_class and seen.perfect is not None
    names = _HIGHER_IS_BETTER if every_class else _WHATEVER_THE_CLASSES
    wrong = [n for n, v in perfect.items() if _plainly(n) in names and not _is_perfect(v)]
    if not wrong:
        return None
    line = seen.strays_at or metric_line(view, wrong[0])
    return fault(line, name=wrong[0], value=perfect[wrong[0]])


def _of_choices(seen: Evaluate, view: View) -> dict[str, float] | None:
    """A choice among several has no classes that could be missing: it has places."""
    tried = seen.trials
    chosen = tried is not None and tried.kind == "classes"
    return tried.perfect if tried and chosen and view.facts.task == "multiple_choice" else None


def _of_tokens(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Every token that counts is right. A number that counts the others too is another matter."""
    tried = seen.trials
    if tried is None or tried.kind != "tokens":
        return CannotJudge("metric_not_tried")
    more = (metric_counts_ignored, metric_blind, metric_remembers)
    if any(isinstance(one(seen, view), Verdict) for one in more):
        return None  # which say more
    perfect = tried.perfect
    shares = [n for n in perfect if any(word in n.lower() for word in SHARES)]
    wrong = [n for n in shares if _is_no_share(perfect[n])]
    if all(_is_perfect(perfect.get(n, 0.0)) for n in ("precision", "recall")):
        wrong += [n for n in shares if n == "f1" and not _is_perfect(perfect[n])]
    if not wrong:
        return None  # where it is less than all, classes that never occur may be counted
    return fault(metric_line(view, wrong[0]), name=wrong[0], value=perfect[wrong[0]])


def metric_remembers(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """It says something else of the same answers once it has seen others. It may only draw lots."""
    tried = seen.trials
    if tried is None:
        return NOT_TRIED
    if tried.again is None:
        return None
    changed = [n for n, v in tried.perfect.items() if v != tried.again.get(n, v)]
    if not changed:
        return None
    name = changed[0]
    functions = (view.places.handed.function(one) for one in GIVEN_AS)
    line = view.places.flows.remembering(next(filter(None, functions), None))
    made = look if line is None else fault
    numbers = {"first": tried.perfect[name], "again": tried.again[name]}
    return made(line or metric_line(view, name), name=name, **numbers)


def metric_misses_nearest(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Each question's vector is that of its answer, and another is taken for the nearest."""
    tried = seen.trials
    if tried is None or tried.kind != "halves":
        return NOT_TRIED
    name = first(tried)
    if name is None or tried.perfect[name] > HARDLY_RIGHT:
        return None
    return fault(seen.strays_at or metric_line(view, name), name=name, value=tried.perfect[name])


def metric_blind(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Right, always the same, drawn by lot: the metric says the same of all of them."""
    tried = seen.trials
    if tried is None:
        return NOT_TRIED
    if not same(tried.perfect, tried.drawn) or not same(tried.perfect, tried.constant):
        return None
    if isinstance(metric_misses_nearest(seen, view), Verdict):
        return None
    more = (accuracy_of_amounts, metric_counts_ignored)
    if any(isinstance(one(seen, view), Verdict) for one in more) or tried.always is not None:
        return None  # which says more
    name, value = next(iter(tried.perfect.items()))
    made = fault if first(tried) or "mse" in name.lower() else look
    largest = in_metric(view.places.handed.largest_looked_for)
    of_all = largest[0] if largest is not None and largest[1] in (None, 0) else None
    return made(of_all or seen.strays_at or metric_line(view, name), name=name, value=value)


def metric_all_or_nothing(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A share of right answers that is 0 or 1 and nothing between was cut to a whole number."""
    tried = seen.trials
    if tried is None or not tried.partly:
        return NOT_TRIED
    name = first(tried) or (next(iter(tried.perfect)) if len(tried.perfect) == 1 else None)
    if name is None or tried.perfect[name] not in (1.0, 100.0):
        return None
    quarter, half, most = (one.get(name, math.nan) for one in tried.partly)
    value = tried.perfect[name]
    if quarter != 0 or {half, most} - {0.0, value}:
        return None
    line = metric_line(view, name)
    return fault(line, name=name, quarter=quarter, half=half, most=most, value=value)


def f1_of_rows(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Averaged over all, F1 is the accuracy, and rare classes weigh next to nothing in it."""
    tried = seen.trials
    if tried is None or not tried.averages or tried.kind not in ("classes", "tokens"):
        return NOT_TRIED
    for name, value in tried.drawn.items():
        means = {kind: each["f1"] for kind, each in tried.averages.items()}
        named = "f1" in name.lower() and "micro" not in name.lower()
        plain = _near(value, means["micro"]) and not _near(value, means["macro"])
        constant = tried.constant.get(name, 0.0)
        flattered = share(constant) > FLATTERED / (view.facts.num_labels or 2)
        if named and plain and not _near(value, means["weighted"]) and flattered:
            line = in_metric(view.places.handed.calls, "f1_score") or metric_line(view, name)
            return look(line, name=name, constant=constant)
    return None


def metric_prefers_chance(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    tried = seen.trials
    if tried is None:
        return NOT_TRIED
    name = first(tried)
    if name is None or tried.drawn.get(name, 0.0) <= tried.perfect[name] + 1e-6:
        return None
    more = (metric_misses_nearest, metric_takes_first_places, metric_counts_ignored)
    if any(isinstance(one(seen, view), Verdict) for one in more) or tried.again is not None:
        return None  # which say more
    right, drawn = tried.perfect[name], tried.drawn[name]
    line = seen.strays_at or metric_line(view, name)
    return fault(line, name=name, value=right, drawn=drawn)


def accuracy_of_cells(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Of one class among several most cells are 0, and a wrong answer is right about them."""
    compiled, classes = view.facts.compiled, view.facts.num_labels or 0
    loss = "" if compiled is None else compiled.loss.lower().replace("_", "")
    of_one = view.facts.task == "classification" and loss.endswith("categoricalcrossentropy")
    if not of_one or classes <= 2:
        return NOT_FOR_THIS_TASK
    if "binary_accuracy" not in seen.known_metrics:
        return None
    line = view.places.argument("metrics")
    return fault(line, classes=classes, wrong=1 - 2 / classes, none=1 - 1 / classes)


def average_named_otherwise(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    tried = seen.trials
    if tried is None or not tried.averages:
        return NOT_TRIED
    for name, value in tried.drawn.items():
        named = next((kind for kind in tried.averages if kind in name.lower()), None)
        what = next((one for one in ("precision", "recall", "f1") if one in name.lower()), None)
        if named is None or what is None or _near(value, tried.averages[named][what]):
            continue
        others = [kind for kind, each in tried.averages.items() if _near(value, each[what])]
        if others:
            return fault(metric_line(view, name), name=name, average=others[0])
    return None


def score_named_otherwise(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """What is called a precision is the recall, what is called the root is the square."""
    tried = seen.trials
    if tried is None or not (tried.averages or tried.errors):
        return NOT_TRIED
    kinds = [*tried.averages.values(), tried.errors]
    for name, value in tried.drawn.items():
        words = set(re.findall(r"[a-z0-9]+", name.lower()))
        for said in words & {one for kind in kinds for one in kind}:
            others = {
                one
                for kind in kinds
                for one, known in kind.items()
                if math.isclose(value, known, rel_tol=ROUNDED)
            }
            if others and said not in others and len(others) == 1:
                line = metric_line(view, name)
                return fault(line, name=name, other=others.pop())
    return None


def auc_of_choices(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The area under a curve goes by how sure each answer is, and it is handed bare choices."""
    tried = seen.trials
    if tried is None or tried.sure is None or tried.unsure is None:
        return NOT_TRIED
    for name, value in tried.sure.items():
        named = bool(re.search(r"auc|average_precision", name.lower()))
        if named and tried.unsure.get(name) == value:
            line = in_metric(view.places.handed.calls, "roc_auc_score") or metric_line(view, name)
            return fault(line, name=name, value=value)
    return None


def metric_leaves_class_out(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Nothing is ever counted of the rows of a class, as of what fills rows up."""
    tried = seen.trials
    if tried is None or tried.kind != "classes":
        return NOT_TRIED
    name = first(tried)
    if len(tried.left_out) != 1 or name is None or same(tried.perfect, tried.drawn):
        return None
    names = view.facts.label_names or ()
    (number,) = tried.left_out
    label = names[number] if number < len(names) else str(number)
    line = in_metric(view.places.handed.compares, ast.Gt, ast.NotEq) or metric_line(view, name)
    return fault(line, name=name, label=label, value=tried.perfect[name])


def _plainly(name: str) -> str:
    """As it is called that Keras calls `sparse_categorical_accuracy`."""
    kinds = ("acc", "binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy")
    return "accuracy" if name in kinds else name


def _is_perfect(value: float) -> bool:
    return any(math.isclose(value, best, rel_tol=1e-3) for best in _PERFECT)


def _is_no_share(value: float) -> bool:
    """Of 1 or of a hundred. A metric in percent that says less of all right answers than
    `_FEW_PERCENT` is none."""
    return not _is_perfect(value) and (1 < value < _FEW_PERCENT or value > max(_PERFECT))


def _near(value: float, other: float) -> bool:
    return abs(share(value) - other) < 1e-4
