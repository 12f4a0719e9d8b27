"""Pictures that are turned or mirrored at random on their way into a model."""

from __future__ import annotations

from debugger.pipelines.training import Training
from debugger.pipelines.turning import Turn, taken_for_one, told_apart
from debugger.stages.chance import interval
from debugger.stages.judging import (
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Verdict,
    View,
    fault,
    look,
)

TOLD = 0.95
BETTER = 0.15
"""Of all pictures: so many more are answered rightly once they are turned."""


def turning_mixes_classes(seen: Training, view: View) -> Verdict | CannotJudge | None:
    """Two classes are taken for one; where none is turned, the same training tells them apart."""
    if not seen.unturned:
        return CannotJudge("nothing_turned")
    pair = taken_for_one(seen.guesses)
    if pair is None or told_apart(seen.unturned, *pair) < TOLD:
        return None
    names = view.facts.label_names or ()
    one, other = (names[n] if 0 <= n < len(names) else str(n) for n in pair)
    shares = {"share": told_apart(seen.guesses, *pair), "still": told_apart(seen.unturned, *pair)}
    return look(view.places.layers.turning(), one=one, other=other, **shares)


def eval_axes_swapped(seen: Training, view: View) -> Verdict | CannotJudge | None:
    """Height and width stand otherwise in one set than in the other."""
    return _turned("axes", seen, view)


def eval_upside_down(seen: Training, view: View) -> Verdict | CannotJudge | None:
    return _turned("upside down", seen, view)


def eval_colours_reversed(seen: Training, view: View) -> Verdict | CannotJudge | None:
    """Some libraries read blue first, and most red."""
    return _turned("colours", seen, view)


def _turned(how: Turn, seen: Training, view: View) -> Verdict | CannotJudge | None:
    found = seen.turned
    if found is None:
        return NOT_FOR_THIS_TASK
    surely = interval(found.anew, found.rows)[0] > interval(found.as_it_is, found.rows)[1]
    if found.how != how or not surely or found.anew - found.as_it_is < BETTER:
        return None
    line = view.places.parting.of_fit() or view.places.fits.validated()
    return fault(line, rows=found.rows, as_it_is=found.as_it_is, anew=found.anew)


RULES: tuple[Rule, ...] = (
    turning_mixes_classes,
    eval_axes_swapped,
    eval_upside_down,
    eval_colours_reversed,
)
