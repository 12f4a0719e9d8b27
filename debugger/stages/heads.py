"""A model of several outputs: does each have a loss, and the labels that are meant for it?"""

from __future__ import annotations

import re

from debugger.failure import first_line
from debugger.pipelines.forward import Forward
from debugger.pipelines.heads import Head, other_way
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault

_UNKNOWN = re.compile(
    r"correspond to any Model output: dict_keys\(\[(.+?)\]\)\. "
    r"Valid mode output names: (\[.*?\])"
)


def labels_of_other_output(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """No loss can make anything of its labels, and each could of those of another output."""
    if len(seen.heads) < 2:
        return NOT_FOR_THIS_TASK
    meant = other_way(seen.heads)
    wrong = next((h for h in seen.heads if h.name in meant and not h.takes(h.given)), None)
    if wrong is None or wrong.given is None:
        return None
    line = view.places.fits.labels_by_output(_names(seen)) or view.places.fits.fitted(labels=True)
    ends = {"low": wrong.given.low, "high": wrong.given.high}
    return fault(line, name=wrong.name, other=meant[wrong.name], outputs=wrong.outputs, **ends)


def output_without_loss(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Labels are given for an output, and nothing holds it against them."""
    if len(seen.heads) < 2:
        return NOT_FOR_THIS_TASK
    without = [one for one in seen.heads if not one.asks and one.given is not None]
    if not without:
        return None
    return fault(view.places.fits.compiled("loss"), name=without[0].name, asked=_asked(seen.heads))


def output_weighs_nothing(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    if len(seen.heads) < 2:
        return NOT_FOR_THIS_TASK
    found = [one for one in seen.heads if one.asks and one.given is not None and not one.weight]
    if not found or all(not one.weight for one in seen.heads):
        return None
    return fault(view.places.argument("loss_weights"), name=found[0].name)


def output_without_labels(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Keras leaves out an output that it finds no labels for, and says nothing."""
    if len(seen.heads) < 2:
        return NOT_FOR_THIS_TASK
    without = [one for one in seen.heads if one.asks and one.given is None]
    if not without or len(without) == len(seen.heads):
        return None
    line = view.places.fits.labels_by_output(_names(seen), fewest=1)
    return fault(line or view.places.fits.fitted(labels=True), name=without[0].name)


def no_such_output(seen: Forward, view: View) -> Verdict | None:
    """Losses and labels by name, and no output is called so: Keras says it far from the name."""
    if seen.unknown_output is not None:
        name, known = seen.unknown_output
        return fault(view.places.naming(name), name=name, known=known)
    failure = seen.failure
    told = failure and _UNKNOWN.search(failure.message)
    if failure is None or not told:
        return None
    name = told[1].split(",")[0].strip("' \"")
    line = view.places.naming(name) or failure.line
    return fault(line, name=name, known=first_line(told[2]))


def _names(seen: Forward) -> tuple[str, ...]:
    return tuple(one.name for one in seen.heads)


def _asked(heads: tuple[Head, ...]) -> str:
    return ", ".join(one.name for one in heads if one.asks) or "none"


RULES: tuple[Rule, ...] = (
    labels_of_other_output,
    output_without_loss,
    output_weighs_nothing,
    output_without_labels,
    no_such_output,
)
