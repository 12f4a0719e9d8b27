"""Errors of amounts, and the units that they are in."""

from __future__ import annotations

import ast
import math
import re

from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.trials import NUDGE
from debugger.stages.judging import CannotJudge, Verdict, View, fault, look
from debugger.stages.scores import NEARLY_RIGHT, NOT_TRIED, in_metric, metric_line

ERRORS = ("mse", "mae", "r2", "error", "pearson", "spearman", "corr", "mape", "variance")
_ERRORS = {"mae", "mse", "rmse", "mape", "rmsle", "error"}
NO_MATTER, NOT_NOTHING, HARDLY_BETTER = 1e-5, 0.1, 0.5
ABOUT_NOTHING, ABOUT_ONE = 0.3, 0.3
"""The rows to be judged by lie about so, where they are scaled as those that are learned from."""
NO_SIGN = 1e-3


def metric_error_on_perfect(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """An error is 0 where nothing is wrong. A loss of one's own may let a model answer otherwise
    than the labels are written: then what is called perfect here is not."""
    tried = seen.trials
    if tried is None or tried.kind != "amounts":
        return NOT_TRIED
    for name, value in tried.perfect.items():
        drawn = tried.drawn.get(name, 0.0)
        if _ERRORS & set(re.findall(r"[a-z]+", name.lower())) and value > NOT_NOTHING * drawn > 0:
            left = in_metric(view.places.scaling.left_as_it_was)
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
    scaled = view.places.scaling.never_scaled_back()
    for name, value in tried.nudged.items():
        words = set(re.findall(r"[a-z]+", name.lower()))
        alike = math.isclose(value, NUDGE * tried.spread, rel_tol=0.05)
        if scaled is not None and words & {"mae", "rmse"} and alike:
            line = in_metric(view.places.measuring.compared) or metric_line(view, name)
            return look(line, name=name, scaled=scaled, deviation=deviation)
    return None


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
            line = in_metric(view.places.measuring.taken) or metric_line(view, name)
            return fault(line, name=name, value=right, given=given, labels=labels)
    return None


def amounts_held_equal(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Two fractions are next to never equal, so the metric stays at nothing."""
    tried = seen.trials
    if tried is None or tried.nudged is None:
        return NOT_TRIED
    fallen = [n for n, v in tried.perfect.items() if v > 0 and tried.nudged.get(n, v) <= v / 2]
    if not fallen:
        return None
    name = fallen[0]
    line = in_metric(view.places.handed.compares, ast.Eq) or metric_line(view, name)
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
