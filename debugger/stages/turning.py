"""Pictures that are turned or mirrored at random on their way into a model."""

from __future__ import annotations

from debugger.pipelines.face import Training
from debugger.pipelines.turning import taken_for_one, told_apart
from debugger.stages.judging import CannotJudge, Rule, Verdict, View, look

TOLD = 0.95


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


RULES: tuple[Rule, ...] = (turning_mixes_classes,)
