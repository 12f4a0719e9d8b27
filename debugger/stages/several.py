"""Rows that have several labels at once: what is a yes, and how many of them count."""

from __future__ import annotations

import ast
import re

from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.trials import HIGHER_IS_BETTER, same
from debugger.stages.judging import CannotJudge, Verdict, View, fault, look
from debugger.stages.metric import metric_blind
from debugger.stages.scores import NEARLY_RIGHT, NOT_TRIED, first, in_metric, metric_line, share

_RANKS = ("argsort", "argpartition", "topk", "top_k")


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
    name = first(tried) or next(iter(tried.perfect))
    line = seen.strays_at or in_metric(view.places.handed.compares, ast.Gt, ast.GtE)
    return fault(line or metric_line(view, name), name=name, value=tried.perfect[name])


def metric_counts_one_label(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The likeliest label alone, of rows that have several: the others are never counted."""
    tried = seen.trials
    if tried is None or tried.single is None:
        return _one_counted(seen, view)
    if not same(tried.perfect, tried.single) or same(tried.perfect, tried.drawn):
        return _one_counted(seen, view) if seen.printed else None
    name = first(tried)
    counted = name is not None and re.search("f1|recall", name.lower())  # the others count there
    if name is None or (share(tried.perfect[name]) > NEARLY_RIGHT and not counted):
        return None  # whether the likeliest is among them may be all that is asked
    line = in_metric(view.places.handed.calls, "argmax") or metric_line(view, name)
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
    name = first(tried)
    if name is None or tried.single.get(name, 0.0) <= tried.perfect[name] + 1e-6:
        return _competing(seen, view) if seen.printed else None
    numbers = {"value": tried.perfect[name], "single": tried.single[name]}
    line = in_metric(view.places.handed.sharing) or metric_line(view, name)
    return fault(line, name=name, rows=tried.several, **numbers)


def labels_share_one_whole(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A sigmoid knows how high a score is; a softmax only, how much higher than the others."""
    tried = seen.trials
    if tried is None or tried.lifted is None or not tried.several:
        return NOT_TRIED
    told = (labels_compete, metric_counts_one_label, metric_blind)
    if any(isinstance(rule(seen, view), Verdict) for rule in told):
        return None  # which say more
    if any(in_metric(view.places.handed.calls, one) for one in _RANKS):
        return None  # the first few of many is all that is asked, and they cannot hold them all
    name = first(tried)
    if name is None or not same(tried.lifted, tried.perfect):
        return None
    if share(tried.perfect[name]) > NEARLY_RIGHT or same(tried.perfect, tried.drawn):
        return None
    line = in_metric(view.places.handed.sharing) or metric_line(view, name)
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


def threshold_on_logits(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A yes at 0.5 is meant for probabilities; the logits of this model know no such bounds.

    What Keras takes for the accuracy of one output does so, and is off by little.
    """
    tried = seen.trials
    if tried is None or tried.kind != "many":
        return NOT_TRIED
    if tried.cut != 0.5:
        return None
    own = in_metric(view.places.handed.compares, ast.Gt, ast.GtE, value=0.5)
    own = own or in_metric(view.places.handed.compares, ast.Gt, ast.GtE)
    compiled = view.facts.compiled is not None and not seen.given
    return (look if compiled else fault)(own or metric_line(view), cut=tried.cut)
