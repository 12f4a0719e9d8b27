"""Callbacks that the real training would stop at, as it cannot call them."""

from __future__ import annotations

from debugger.pipelines.step import Step
from debugger.stages.judging import Rule, Verdict, View, fault


def no_callback(seen: Step, view: View) -> Verdict | None:
    one = seen.uncallable
    if one is None or one.unmade or one.event:
        return None
    return fault(_handed_over(view), name=one.name)


def callback_unmade(seen: Step, view: View) -> Verdict | None:
    """Keras takes what was made of a class alone; a Trainer makes it by itself."""
    one = seen.uncallable
    if one is None or not one.unmade:
        return None
    return fault(_handed_over(view), name=one.name)


def callback_takes_less(seen: Step, view: View) -> Verdict | None:
    one = seen.uncallable
    if one is None or not one.event:
        return None
    line = one.line or view.places.function(one.event)
    return fault(line, name=f"{one.name}.{one.event}", said=one.said)


def _handed_over(view: View) -> int | None:
    return view.places.call("add_callback") or view.places.argument("callbacks")


RULES: tuple[Rule, ...] = (no_callback, callback_unmade, callback_takes_less)
