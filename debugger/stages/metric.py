"""What a metric counts: judged by what it says of answers that were made up."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

from debugger.pipelines.face import Evaluate
from debugger.pipelines.trials import HIGHER_IS_BETTER, NUDGE, Trials, same
from debugger.stages.judging import (
    NO_SCRIPT,
    NOT_FOR_THIS_TASK,
    OUTSIDE,
    CannotJudge,
    Rule,
    Verdict,
    View,
    fault,
    look,
)

ERRORS = ("mse", "mae", "r2", "error", "pearson", "spearman", "corr", "mape", "variance")
_ERRORS = {"mae", "mse", "rmse", "mape", "rmsle", "error"}
_RANKS = ("argsort", "argpartition", "topk", "top_k")
NO_MATTER, NOT_NOTHING, HARDLY_BETTER = 1e-5, 0.1, 0.5
NEARLY_RIGHT, HARDLY_RIGHT = 0.999, 0.02
OFTEN_CUT, MOSTLY_CUT = 0.2, 0.5
ABOUT_NOTHING, ABOUT_ONE = 0.3, 0.3
"""The rows to be judged by lie about so, where they are scaled as those that are learned from."""
COUNTED, MOSTLY = 0.2, 0.5
FLATTERED = 1.5
"""So many times as well as by guessing, for always saying the same."""
ROUNDED, NO_SIGN = 1e-4, 1e-3
MUCH_GAIN, NEARLY_ALL = 0.25, 0.75
"""Of all that a number can gain: so much at one evaluation, after the first, is rare, or is not."""
_T = TypeVar("_T")
_WRITTEN = ("max_length", "max_new_tokens")
SHARES = ("accuracy", "f1", "precision", "recall", "exact_match")
"""What a number is called that is a share of what is right."""
NOT_TRIED = CannotJudge("metric_not_tried")
_CUTS = "ReduceLROnPlateau"
_WATCH = ("EarlyStopping", "ModelCheckpoint", _CUTS)


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
    made = fault if _first(tried) or "mse" in name.lower() else look
    largest = _in_metric(view.places.handed.largest_looked_for)
    of_all = largest[0] if largest is not None and largest[1] in (None, 0) else None
    return made(of_all or seen.strays_at or metric_line(view, name), name=name, value=value)


def metric_error_on_perfect(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """An error is 0 where nothing is wrong. A loss of one's own may let a model answer otherwise
    than the labels are written: then what is called perfect here is not."""
    tried = seen.trials
    if tried is None or tried.kind != "amounts":
        return NOT_TRIED
    for name, value in tried.perfect.items():
        drawn = tried.drawn.get(name, 0.0)
        if _ERRORS & set(re.findall(r"[a-z]+", name.lower())) and value > NOT_NOTHING * drawn > 0:
            left = _in_metric(view.places.handed.left_as_it_was)
            # As bad as answers drawn by lot, and one side alone brought to another scale.
            proved = left is not None and value > HARDLY_BETTER * drawn
            line = left or metric_line(view, name)
            return (fault if proved else look)(line, name=name, value=value, drawn=drawn)
    return None


def error_with_sign(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Errors to either side cancel out: answers dealt out to other rows are as good as the right
    ones, and such as lie below all of them are better."""
    tried = seen.trials
    if tried is None or not tried.errors or tried.nudged is None:
        return NOT_TRIED
    for name, value in tried.drawn.items():
        words = set(re.findall(r"[a-z]+", name.lower()))
        moved = abs(tried.nudged.get(name, 0.0) - tried.perfect.get(name, 0.0))
        unit = moved / (NUDGE * tried.spread) if tried.spread else 0.0
        nothing = abs(value) < NO_SIGN * unit * tried.errors["mae"]
        if words & {"mae", "mse", "rmse"} and unit and nothing:
            return fault(metric_line(view, name), name=name, value=value)
    return None


def error_in_scaled_units(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The labels are in deviations from their mean, and so is the error that is shown."""
    tried = seen.trials
    if tried is None or tried.kind != "amounts" or tried.nudged is None or seen.scale is None:
        return NOT_TRIED
    middle, deviation = seen.scale
    if abs(middle) > ABOUT_NOTHING or abs(deviation - 1) > ABOUT_ONE:
        return None
    scaled = view.places.handed.never_scaled_back()
    for name, value in tried.nudged.items():
        words = set(re.findall(r"[a-z]+", name.lower()))
        alike = math.isclose(value, NUDGE * tried.spread, rel_tol=0.05)
        if scaled is not None and words & {"mae", "rmse"} and alike:
            line = _in_metric(view.places.measuring.compared) or metric_line(view, name)
            return look(line, name=name, scaled=scaled, deviation=deviation)
    return None


def outside_counted(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Always to say that a word is no part of a name, and F1 gives something for it."""
    tried = seen.trials
    if tried is None or tried.kind != "tokens" or tried.common is None:
        return NOT_TRIED
    names = view.facts.label_names or ()
    written = "O" if view.places.last_naming("O") else ""
    outside = names[tried.common] if tried.common < len(names) else written
    if outside.lower() not in OUTSIDE:
        return None
    for name, value in tried.constant.items():
        if "f1" in name.lower() and _share(value) > COUNTED and _share(tried.perfect[name]) > 0.9:
            made = fault if _share(value) > MOSTLY else look
            return made(metric_line(view, name), name=name, value=value, outside=outside)
    return None


def strays_uncounted(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A name that is found where none is costs nothing: only places with a name are looked at."""
    tried = seen.trials
    if tried is None or tried.kind != "tokens" or tried.common is None or tried.strayed is None:
        return NOT_TRIED
    names = view.facts.label_names or ()
    written = "O" if view.places.last_naming("O") else f"label {tried.common}"
    common = names[tried.common] if tried.common < len(names) else written
    told = {n: v for n, v in tried.strayed.items() if re.search("f1|precision", n.lower())}
    untouched = [n for n, v in told.items() if v == tried.perfect[n] != tried.drawn[n]]
    for name in untouched if len(untouched) == len(told) else ():
        if _share(told[name]) > 0.9:
            line = _in_metric(view.places.measuring.picks_some) or metric_line(view, name)
            return fault(line, name=name, value=told[name], common=common)
    return None


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
    functions = (view.places.handed.function(one) for one in _GIVEN_AS)
    line = view.places.flows.remembering(next(filter(None, functions), None))
    made = look if line is None else fault
    numbers = {"first": tried.perfect[name], "again": tried.again[name]}
    return made(line or metric_line(view, name), name=name, **numbers)


def metric_misses_nearest(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Each question's vector is that of its answer, and another is taken for the nearest."""
    tried = seen.trials
    if tried is None or tried.kind != "halves":
        return NOT_TRIED
    name = _first(tried)
    if name is None or tried.perfect[name] > HARDLY_RIGHT:
        return None
    return fault(seen.strays_at or metric_line(view, name), name=name, value=tried.perfect[name])


def logits_lose_a_row(seen: Evaluate, view: View) -> Verdict | None:
    """The Trainer takes the first of what is neither a mapping nor a tuple, too."""
    if not seen.loses or not seen.has_metric:
        return None
    return fault(view.places.returned_by("compute_loss"), what=seen.loses)


def metric_all_or_nothing(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A share of right answers that is 0 or 1 and nothing between was cut to a whole number."""
    tried = seen.trials
    if tried is None or not tried.partly:
        return NOT_TRIED
    name = _first(tried) or (next(iter(tried.perfect)) if len(tried.perfect) == 1 else None)
    if name is None or tried.perfect[name] not in (1.0, 100.0):
        return None
    quarter, half, most = (one.get(name, math.nan) for one in tried.partly)
    value = tried.perfect[name]
    if quarter != 0 or {half, most} - {0.0, value}:
        return None
    line = metric_line(view, name)
    return fault(line, name=name, quarter=quarter, half=half, most=most, value=value)


def never_a_no(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """What is held against a threshold lies above it, however sure the model is of a no."""
    return _always(seen, view, "yes")


def never_a_yes(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    return _always(seen, view, "no")


def _always(seen: Evaluate, view: View, said: str) -> Verdict | CannotJudge | None:
    tried = seen.trials
    if tried is None or tried.kind != "many":
        return NOT_TRIED
    if tried.always != said:
        return None
    name = _first(tried) or next(iter(tried.perfect))
    line = seen.strays_at or _in_metric(view.places.handed.compares, ast.Gt, ast.GtE)
    return fault(line or metric_line(view, name), name=name, value=tried.perfect[name])


def answers_in_a_tuple(seen: Evaluate, view: View) -> Verdict | None:
    """The model gives more than its scores, and the metric takes the lot for them."""
    if seen.failure is None or not seen.called or seen.parts < 2:
        return None
    if not any(map(seen.failure.says, ("tuple", "inhomogeneous", "too many values to unpack"))):
        return None
    line = view.places.making.switched_on("output_hidden_states", "output_attentions")
    line = line or view.places.handed.answers_taken("compute_metrics")
    return fault(line or seen.failure.line or metric_line(view), parts=seen.parts)


def label_names_in_other_order(seen: Evaluate, view: View) -> Verdict | None:
    """The metric takes the labels apart in another order than the Trainer puts them together."""
    if seen.failure is None or not seen.called or not seen.other_order:
        return None
    line = view.places.argument("label_names") or seen.failure.line
    return fault(line, given=", ".join(seen.label_names), wanted=", ".join(seen.other_order))


def picked_already(seen: Evaluate, view: View) -> Verdict | None:
    """The answers come with the best one picked, and the metric looks for the best once more."""
    given, labels = seen.given.get("predictions", ()), seen.given.get("label_ids", ())
    if seen.failure is None or not seen.called or not given or len(given) != len(labels):
        return None
    if seen.parts > 1:
        return None  # which is which nobody knows here
    line = _in_metric(view.places.handed.calls, "argmax")
    return None if line is None else fault(line, shape=str(list(given)))


def metric_takes_first_places(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """It counts as many answers as there are labels, and takes them from the front of the row."""
    tried = seen.trials
    if tried is None or tried.packed is None:
        return NOT_TRIED
    name = _first(tried)
    if name is None or not _cured(tried.perfect, tried.packed, name):
        return None
    handed = view.places.handed
    line = _in_metric(handed.gone_through_whole) or _in_metric(handed.picked, name)
    line = line or metric_line(view, name)
    return fault(line, name=name, value=tried.perfect[name], packed=tried.packed[name])


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
        flattered = _share(constant) > FLATTERED / (view.facts.num_labels or 2)
        if named and plain and not _near(value, means["weighted"]) and flattered:
            line = _in_metric(view.places.handed.calls, "f1_score") or metric_line(view, name)
            return look(line, name=name, constant=constant)
    return None


def metric_counts_ignored(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Positions of label -100 are padding or parts of words: nobody can be right about them."""
    tried = seen.trials
    if tried is None or not tried.ignored:
        return NOT_TRIED
    moved = tried.filled is not None and not same(tried.perfect, tried.filled)
    name = _first(tried)
    counted = name is not None and abs(_share(tried.perfect[name]) - (1 - tried.ignored)) < 1e-6
    cured = (
        name is not None and tried.whole is not None and _cured(tried.perfect, tried.whole, name)
    )
    if not moved and not counted and not cured:
        return None
    if isinstance(metric_takes_first_places(seen, view), Verdict):
        return None  # which says more
    name = name or next(iter(tried.perfect))
    handed = view.places.handed
    line = _in_metric(view.places.measuring.ignored_replaced) or _in_metric(handed.left_whole)
    line = line or _in_metric(handed.picked, name) or metric_line(view, name)
    return fault(line, share=tried.ignored, name=name, value=tried.perfect[name])


def _cured(perfect: dict[str, float], whole: dict[str, float], name: str) -> bool:
    """All is right in both, and the metric says so only where no label is to be ignored."""
    return _share(perfect[name]) < 0.9 and _share(whole.get(name, 0.0)) > NEARLY_RIGHT


def metric_prefers_chance(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    tried = seen.trials
    if tried is None:
        return NOT_TRIED
    name = _first(tried)
    if name is None or tried.drawn.get(name, 0.0) <= tried.perfect[name] + 1e-6:
        return None
    more = (metric_misses_nearest, metric_takes_first_places, metric_counts_ignored)
    if any(isinstance(one(seen, view), Verdict) for one in more) or tried.again is not None:
        return None  # which say more
    right, drawn = tried.perfect[name], tried.drawn[name]
    line = seen.strays_at or metric_line(view, name)
    return fault(line, name=name, value=right, drawn=drawn)


def metric_counts_one_label(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The likeliest label alone, of rows that have several: the others are never counted."""
    tried = seen.trials
    if tried is None or tried.single is None:
        return _one_counted(seen, view)
    if not same(tried.perfect, tried.single) or same(tried.perfect, tried.drawn):
        return _one_counted(seen, view) if seen.printed else None
    name = _first(tried)
    counted = name is not None and re.search("f1|recall", name.lower())  # the others count there
    if name is None or (_share(tried.perfect[name]) > NEARLY_RIGHT and not counted):
        return None  # whether the likeliest is among them may be all that is asked
    line = _in_metric(view.places.handed.calls, "argmax") or metric_line(view, name)
    return fault(line, name=name, value=tried.perfect[name], rows=tried.several)


def _one_counted(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The same of numbers that a script prints behind its training."""
    tried = [one for one in seen.printed if one.single is not None and one.perfect is not None]
    for one in tried:
        right = one.perfect or 0.0
        alike = one.single == one.perfect and one.some != one.other
        better = any(word in one.name.lower() for word in HIGHER_IS_BETTER)
        if better and alike and max(one.some, one.other) < right < NEARLY_RIGHT:
            line = view.places.call(".argmax") or one.one_at or one.line
            return fault(line, name=one.name, value=right, rows=one.several)
    return None if tried else NOT_TRIED


def labels_compete(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """To say all right labels of a row scores less than to say one: they have a whole to share."""
    tried = seen.trials
    if tried is None or tried.single is None:
        return _competing(seen, view)
    name = _first(tried)
    if name is None or tried.single.get(name, 0.0) <= tried.perfect[name] + 1e-6:
        return _competing(seen, view) if seen.printed else None
    numbers = {"value": tried.perfect[name], "single": tried.single[name]}
    line = _in_metric(view.places.handed.sharing) or metric_line(view, name)
    return fault(line, name=name, rows=tried.several, **numbers)


def labels_share_one_whole(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A sigmoid knows how high a score is; a softmax only, how much higher than the others."""
    tried = seen.trials
    if tried is None or tried.lifted is None or not tried.several:
        return NOT_TRIED
    told = (labels_compete, metric_counts_one_label, metric_blind)
    if any(isinstance(rule(seen, view), Verdict) for rule in told):
        return None  # which say more
    if any(_in_metric(view.places.handed.calls, one) for one in _RANKS):
        return None  # the first few of many is all that is asked, and they cannot hold them all
    name = _first(tried)
    if name is None or not same(tried.lifted, tried.perfect):
        return None
    if _share(tried.perfect[name]) > NEARLY_RIGHT or same(tried.perfect, tried.drawn):
        return None
    line = _in_metric(view.places.handed.sharing) or metric_line(view, name)
    return fault(line, name=name, value=tried.perfect[name])


def _competing(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The same of numbers that a script prints behind its training."""
    tried = [one for one in seen.printed if one.single is not None and one.perfect is not None]
    for one in tried:
        right, single = one.perfect or 0.0, one.single or 0.0
        better = any(word in one.name.lower() for word in HIGHER_IS_BETTER)
        if better and single > right + 1e-6:
            line = view.places.call(".softmax") or one.one_at or one.line
            return fault(line, name=one.name, rows=one.several, value=right, single=single)
    return None if tried else NOT_TRIED


def metric_mixes_rows(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A column minus a row is a table: then it is all the same whose answer is whose."""
    tried = seen.trials
    if tried is None or tried.kind != "amounts" or len(tried.shapes[0]) == len(tried.shapes[1]):
        return NOT_TRIED
    given, labels = (str(list(shape)) for shape in tried.shapes)
    for name, right in tried.perfect.items():
        dealt, constant = tried.drawn.get(name, math.nan), tried.constant.get(name, math.nan)
        error = any(word in name.lower() for word in ERRORS)
        if error and math.isclose(right, dealt, rel_tol=NO_MATTER) and abs(right - constant) > 0.1:
            line = _in_metric(view.places.measuring.taken) or metric_line(view, name)
            return fault(line, name=name, value=right, given=given, labels=labels)
    return None


def threshold_on_logits(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A yes at 0.5 is meant for probabilities; the logits of this model know no such bounds.

    What Keras takes for the accuracy of one output does so, and is off by little.
    """
    tried = seen.trials
    if tried is None or tried.kind != "many":
        return NOT_TRIED
    if tried.cut != 0.5:
        return None
    own = _in_metric(view.places.handed.compares, ast.Gt, ast.GtE, value=0.5)
    own = own or _in_metric(view.places.handed.compares, ast.Gt, ast.GtE)
    compiled = view.facts.compiled is not None and not seen.given
    return (look if compiled else fault)(own or metric_line(view), cut=tried.cut)


def amounts_held_equal(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Two fractions are next to never equal, so the metric stays at nothing."""
    tried = seen.trials
    if tried is None or tried.nudged is None:
        return NOT_TRIED
    fallen = [n for n, v in tried.perfect.items() if v > 0 and tried.nudged.get(n, v) <= v / 2]
    if not fallen:
        return None
    name = fallen[0]
    line = _in_metric(view.places.handed.compares, ast.Eq) or metric_line(view, name)
    return fault(line, name=name, value=tried.perfect[name], nudged=tried.nudged[name])


def accuracy_of_amounts(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Keras rounds the answer to a class, and an amount is none."""
    tried = seen.trials
    if tried is None or tried.kind != "amounts":
        return NOT_TRIED
    name = next((n for n in tried.perfect if n == "acc" or "accuracy" in n), None)
    if name is None or tried.perfect[name] > NEARLY_RIGHT:
        return None
    return fault(metric_line(view, name), name=name, value=tried.perfect[name])


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


def metric_not_shifted(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """What a language model says at a position is about the next one."""
    tried = seen.trials
    if tried is None or tried.in_place is None:
        return NOT_TRIED
    name = _first(tried)
    if name is None or tried.in_place[name] <= tried.perfect[name]:
        return None
    return fault(
        metric_line(view, name), name=name, value=tried.perfect[name], in_place=tried.in_place[name]
    )


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


def metric_ignores_order(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The same words the other way round are not the same answer."""
    tried = seen.trials
    if tried is None or tried.backwards is None:
        return NOT_TRIED
    for name, value in tried.perfect.items():
        exact = any(word in name.lower() for word in ("exact", "accuracy", "bleu", "match"))
        if exact and value != tried.drawn.get(name) and tried.backwards.get(name) == value:
            return fault(metric_line(view, name), name=name, value=value)
    return None


def metric_leaves_class_out(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Nothing is ever counted of the rows of a class, as of what fills rows up."""
    tried = seen.trials
    if tried is None or tried.kind != "classes":
        return NOT_TRIED
    name = _first(tried)
    if len(tried.left_out) != 1 or name is None or same(tried.perfect, tried.drawn):
        return None
    names = view.facts.label_names or ()
    (number,) = tried.left_out
    label = names[number] if number < len(names) else str(number)
    line = _in_metric(view.places.handed.compares, ast.Gt, ast.NotEq) or metric_line(view, name)
    return fault(line, name=name, label=label, value=tried.perfect[name])


def scaled_back_twice(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The metric brings to the old scale what never left it."""
    tried = seen.trials
    if tried is None or tried.kind != "amounts" or tried.nudged is None or seen.scale is None:
        return NOT_TRIED
    deviation = seen.scale[1]
    for name, value in tried.nudged.items():
        words = set(re.findall(r"[a-z]+", name.lower()))
        times = (value - tried.perfect.get(name, 0.0)) / (NUDGE * tried.spread or 1.0)
        alike = abs(times / deviation - 1) < ABOUT_ONE if deviation else False
        if words & {"mae", "rmse"} and alike and abs(deviation - 1) > 2 * ABOUT_ONE:
            numbers = {"name": name, "times": times, "deviation": deviation}
            line = view.places.written.labels() or metric_line(view, name)
            return fault(line, **numbers)
    return None


def auc_of_choices(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The area under a curve goes by how sure each answer is, and it is handed bare choices."""
    tried = seen.trials
    if tried is None or tried.sure is None or tried.unsure is None:
        return NOT_TRIED
    for name, value in tried.sure.items():
        named = bool(re.search(r"auc|average_precision", name.lower()))
        if named and tried.unsure.get(name) == value:
            line = _in_metric(view.places.handed.calls, "roc_auc_score") or metric_line(view, name)
            return fault(line, name=name, value=value)
    return None


def best_is_worst(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The checkpoint that is kept as the best is the one with the worst answers."""
    if seen.best_by == _CUTS:
        return None  # see rate_cut_while_better
    return _upside_down(seen, view)


def rate_cut_while_better(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A callback takes what gets better for what stands still, and cuts the rate each time."""
    found = _upside_down(seen, view) if seen.best_by == _CUTS else None
    if not isinstance(found, Verdict):
        return found
    places = view.places
    line = places.argument_in(_CUTS, "mode") or places.argument_in(_CUTS, "monitor")
    mode = "max" if found.numbers["better"] == "higher" else "min"
    kept = {"name": found.numbers["name"], "better": found.numbers["better"]}
    return fault(line or places.call(_CUTS), mode=mode, **kept)


def _upside_down(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    if seen.best_metric is None or seen.greater_is_better is None:
        return None
    name = seen.best_metric.removeprefix("eval_")
    tried = seen.trials
    own = view.facts.compiled is not None and name not in seen.known_metrics
    if own and (seen.watched_in_vain or re.search("loss|err|ma[ep]|mse|rate|inacc", name.lower())):
        return NOT_TRIED
    if name == "loss":
        rises = False
    elif own and any(word in name.lower() for word in HIGHER_IS_BETTER):
        rises = True  # a callback of somebody's own puts it there
    else:
        if tried is None or name not in tried.perfect:
            return NOT_TRIED
        right, drawn = tried.perfect[name], tried.drawn[name]
        if right == drawn or right != right or drawn != drawn:
            return NOT_TRIED
        rises = right > drawn
    told = (error_with_sign, metric_mixes_rows)
    if rises == seen.greater_is_better or any(isinstance(one(seen, view), Verdict) for one in told):
        return None  # which say why
    line = view.places.argument("greater_is_better", "metric_for_best_model")
    if view.facts.compiled is not None:
        line = _watching(view, seen.best_by)
    kept = "highest" if seen.greater_is_better else "lowest"
    return fault(line, name=name, kept=kept, better="higher" if rises else "lower")


def gain_out_of_reach(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """An early stopping that takes for a standstill whatever the number can still gain."""
    if not seen.least_gain:
        return None
    name = (seen.best_metric or "loss").removeprefix("eval_")
    tried = seen.trials
    now = seen.loss if name == "loss" else seen.real.get(name)
    best = 0.0 if name == "loss" else None if tried is None else tried.perfect.get(name)
    if best is None and now is not None and any(word in name for word in SHARES):
        best = 1.0 if now <= 1 else 100.0
    if best is None or now is None or best != best or now != now:
        return NOT_TRIED
    left = abs(best - now)
    if seen.least_gain < MUCH_GAIN * left:
        return None
    line = view.places.argument("early_stopping_threshold")
    made = fault if seen.least_gain >= NEARLY_ALL * left else look
    return made(line, name=name, gain=seen.least_gain, now=now, best=best, left=left)


def stops_without_waiting(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Where nobody says how long to wait, Keras does not. Who writes patience=0 means it."""
    if not view.has_script:
        return NO_SCRIPT
    if not seen.impatient or view.places.argument_in("EarlyStopping", "patience") is not None:
        return None
    return look(view.places.call("EarlyStopping"), name=seen.impatient)


def decodes_ignored(seen: Evaluate, view: View) -> Verdict | None:
    """The -100 of the labels is no token: a tokenizer cannot make a word of it."""
    if seen.failure is None or not seen.called:
        return None
    known = (
        "out of range integral type conversion",
        "can't convert negative int to unsigned",
        "number too small to fit in target type",
    )
    if not any(map(seen.failure.says, known)):
        return None
    line = view.places.handed.taken_over(seen.failure.line, "label_ids") or seen.failure.line
    return fault(line or metric_line(view), ignored=-100)


def decoded_unlike(seen: Evaluate, view: View) -> Verdict | None:
    """Answers with their end and padding tokens, held against texts without."""
    with_them = [line for skips, line in seen.decoded if not skips]
    if not with_them or len(with_them) == len(seen.decoded):
        return None
    tried = seen.trials
    never_right = tried is not None and same(tried.perfect, tried.drawn)
    return (fault if never_right else look)(with_them[0] or metric_line(view))


def answers_cut(seen: Evaluate, view: View) -> Verdict | None:
    """The evaluation stops the model before an answer that is right can be written to its end."""
    if seen.written is None or not seen.wanted:
        return None
    longer = sum(one > seen.written for one in seen.wanted) / len(seen.wanted)
    if longer < OFTEN_CUT:
        return None
    line = view.places.argument("generation_max_length", "max_new_tokens", "generation_config")
    line = line or view.places.argument("predict_with_generate")
    asked = ((call, name) for call in ("evaluate", "predict") for name in _WRITTEN)
    by_hand = any(view.places.argument_in(*one) for one in asked)
    if by_hand and not seen.evaluations:
        return None  # nobody evaluates but who says how much may be written
    return (fault if longer > MOSTLY_CUT and not by_hand else look)(
        line, written=seen.written, share=longer
    )


def answers_drawn_out(seen: Evaluate, view: View) -> Verdict | None:
    """The evaluation makes the model write on where a right answer has ended."""
    if not seen.least or not seen.wanted:
        return None
    shorter = sum(one < seen.least for one in seen.wanted) / len(seen.wanted)
    if shorter < OFTEN_CUT:
        return None
    names = ("min_length", "min_new_tokens")
    line = view.places.argument(*names) or next(
        filter(None, map(view.places.assignment, names)), None
    )
    made = fault if shorter > MOSTLY_CUT else look
    return made(line, least=seen.least, share=shorter)


RULES: tuple[Rule, ...] = (
    logits_lose_a_row,
    metric_remembers,
    metric_misses_nearest,
    answers_cut,
    answers_drawn_out,
    metric_error_on_perfect,
    error_with_sign,
    error_in_scaled_units,
    outside_counted,
    strays_uncounted,
    decoded_unlike,
    answers_in_a_tuple,
    label_names_in_other_order,
    picked_already,
    metric_blind,
    metric_all_or_nothing,
    never_a_no,
    never_a_yes,
    metric_takes_first_places,
    f1_of_rows,
    metric_counts_ignored,
    metric_prefers_chance,
    metric_counts_one_label,
    labels_compete,
    labels_share_one_whole,
    metric_mixes_rows,
    threshold_on_logits,
    amounts_held_equal,
    accuracy_of_amounts,
    accuracy_of_cells,
    metric_not_shifted,
    average_named_otherwise,
    score_named_otherwise,
    auc_of_choices,
    metric_leaves_class_out,
    scaled_back_twice,
    metric_ignores_order,
    best_is_worst,
    rate_cut_while_better,
    gain_out_of_reach,
    stops_without_waiting,
    decodes_ignored,
)


_GIVEN_AS = ("compute_metrics", "metric_fn")


def metric_line(view: View, name: str = "") -> int | None:
    """Where the script makes the number of that name, else where it returns its numbers."""
    places = view.places
    answers = (places.handed.answer(one, name) for one in _GIVEN_AS)
    return next(filter(None, answers), None) or places.fits.compiled("metrics")


def _watching(view: View, kind: str = "") -> int | None:
    """Where a callback of Keras is told which way is better, or else what it watches."""
    kinds = (kind,) if kind and view.places.call(kind) else _WATCH
    told = (view.places.argument_in(kind, name) for name in ("mode", "monitor") for kind in kinds)
    return next(filter(None, told), None) or view.places.call(*kinds)


def _in_metric(find: Callable[..., _T | None], *what: Any, **more: Any) -> _T | None:
    """What is looked for in the function that measures, however it is handed over."""
    return next(filter(None, (find(one, *what, **more) for one in _GIVEN_AS)), None)


def _first(tried: Trials) -> str | None:
    """A number that is higher where answers are better, by its name."""
    names = (n for n in tried.perfect if any(word in n.lower() for word in HIGHER_IS_BETTER))
    return next(names, None)


def _share(value: float) -> float:
    return value / 100 if value > 1 else value


def _near(value: float, other: float) -> bool:
    return abs(_share(value) - other) < 1e-4
