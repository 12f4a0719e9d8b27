"""What watches a number: the best checkpoint, an early end, a rate that is cut."""

from __future__ import annotations

import re

from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.trials import HIGHER_IS_BETTER
from debugger.stages.amounts import error_with_sign, metric_mixes_rows
from debugger.stages.judging import NO_SCRIPT, CannotJudge, Rule, Verdict, View, fault, look
from debugger.stages.scores import NOT_TRIED, SHARES

MUCH_GAIN, NEARLY_ALL = 0.25, 0.75
"""Of all that a number can gain: so much at one evaluation, after the first, is rare, or is not."""
_CUTS = "ReduceLROnPlateau"
_WATCH = ("EarlyStopping", "ModelCheckpoint", _CUTS)


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


RULES: tuple[Rule, ...] = (
    best_is_worst,
    rate_cut_while_better,
    gain_out_of_reach,
    stops_without_waiting,
)


def _watching(view: View, kind: str = "") -> int | None:
    """Where a callback of Keras is told which way is better, or else what it watches."""
    kinds = (kind,) if kind and view.places.call(kind) else _WATCH
    told = (view.places.argument_in(kind, name) for name in ("mode", "monitor") for kind in kinds)
    return next(filter(None, told), None) or view.places.call(*kinds)
