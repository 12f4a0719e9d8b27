"""Parts of a model that begin in a way that this training does not get them out of."""

from __future__ import annotations

from debugger.pipelines.step import Step
from debugger.stages.judging import CannotJudge, Rule, Verdict, View, fault, look

STILL_THERE, MOSTLY = 0.9, 0.5
"""Of what the averages of a batch normalisation began with."""
FAR, WIDE = 0.5, 2.0
FAINT, LOST = 1e-3, 1e-4
"""Of the gradient at the last weights, number by number, what the first ones get."""


def units_alike(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Units with the same weights get the same gradient, and never learn two things."""
    if not seen.alike:
        return None
    first = seen.alike[0]
    line = view.layer(first.layer, "kernel_initializer") or view.places.layers.begun()
    return fault(line, layer=first.layer, units=first.units, value=first.value, steps=seen.steps)


def batch_norm_too_slow(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """An evaluation goes by averages that still are mostly what they began with."""
    slow = [one for one in seen.norms if one.off > FAR or not 1 / WIDE < one.wide < WIDE]
    first = max(slow, key=lambda one: one.left, default=None)
    if first is None or first.left < MOSTLY:
        return None
    places = view.places
    line = view.layer(first.layer, "momentum") or places.call("BatchNormalization")
    made = fault if first.left >= STILL_THERE else look
    updates = seen.plan.updates if seen.plan else 0
    return made(line, layer=first.layer, momentum=first.momentum, left=first.left, updates=updates)


def gradient_fades(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Each layer that squashes lets a quarter through at most, and one stands behind the other."""
    found = seen.faded
    if found is None or found.share >= FAINT:
        return None
    made = fault if found.share < LOST else look
    told = {"first": found.first, "last": found.last, "count": found.squashing}
    return made(view.places.layers.squashed(), times=1 / max(found.share, 1e-30), **told)


RULES: tuple[Rule, ...] = (units_alike, batch_norm_too_slow, gradient_fades)
