"""What reaches the layers inside a model: numbers on no scale, words that are no words."""

from __future__ import annotations

from debugger.pipelines.batch import Batch
from debugger.stages.judging import CannotJudge, Rule, Verdict, View, fault, look

FAR = 20.0
"""What a layer that was to bring its input to one scale lets through, and more."""
MANY_WORDS, LONG = 10, 8
COUNTED = 4
"""How often a word may stand in a text, and more: what is no more is a count, or a yes."""
UNHEARD = CannotJudge("nothing_heard")


def layer_never_adapted(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """It learns the scale from data that it is shown, and gives on what comes until then."""
    found = seen.unadapted
    if found is None:
        return UNHEARD
    made = fault if max(-found.low, found.high) > FAR else look
    line = view.layer(found.layer) or view.places.call(".Normalization")
    return made(line, layer=found.layer, low=found.low, high=found.high)


def layer_scales_as_one(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """One mean and one spread for all columns: those with small numbers all but vanish."""
    found = seen.levelled
    if found is None:
        return UNHEARD
    line = view.places.argument_in("Normalization", "axis") or view.layer(found.layer)
    line = line or view.places.call(".Normalization")
    numbers = {"spread": found.spread, "widest": found.widest}
    many = {"columns": found.columns, "drowned": found.drowned}
    return fault(line, layer=found.layer, **many, **numbers)


def bag_into_embedding(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A place for each word, and a 1 where it occurs: the 1 is then taken for word number 1."""
    if not seen.looked:
        return UNHEARD
    for one in seen.looked:
        few = one.distinct <= COUNTED and one.low == 0 and one.high < COUNTED and one.scattered
        if few and not one.fractions and one.knows >= MANY_WORDS and one.width >= LONG:
            line = view.places.rows.bagging() or view.places.fits.fitted()
            told = {"layer": one.layer, "knows": one.knows, "width": one.width, "high": one.high}
            return fault(line, **told)
    return None


def fractions_into_embedding(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """An embedding cuts what it is given to whole numbers: shares are all 0."""
    if not seen.looked:
        return UNHEARD
    found = next((one for one in seen.looked if one.fractions), None)
    if found is None:
        return None
    line = view.places.rows.bagging() or view.places.scaling.dividing() or view.places.fits.fitted()
    return fault(line, layer=found.layer, low=found.low, high=found.high)


RULES: tuple[Rule, ...] = (
    layer_never_adapted,
    layer_scales_as_one,
    bag_into_embedding,
    fractions_into_embedding,
)
