"""The numbers that a script prints behind its training: tried on answers that were made up."""

from __future__ import annotations

import math
import re

from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.printed import Printed
from debugger.stages.columns import far_apart
from debugger.stages.judging import (
    IN_NATS,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Verdict,
    View,
    fault,
    look,
)

RIGHT = ("accuracy", "acc", "f1", "precision", "recall", "auc", "correct", "score", "matches")
WRONG = ("mae", "mse", "rmse", "mape", "rmsle", "msle", "smape")
COMPARES = (
    *("improvement", "gain", "skill", "reduction", "better", "than", "change", "delta", "vs"),
    *("difference", "diff", "neg", "negative", "bias", "r2"),
)
"""Words of numbers that may well lie below zero."""
APART = ("gap", "baseline", "majority", "chance", "random", "dummy", "naive", "constant", "always")
"""Words of numbers that say nothing of a model, or lay two of them beside each other."""
FEWEST = 8
NEARLY = 0.1
HARDLY_MOVES = 0.1
"""As a share of an error: what all that was learned makes of it, against another scale."""
FAR_BEYOND = 5.0
"""So many times as large as all that was learned lies apart."""
SEEN_APART, SURELY, SEEN_OTHER = 2.5, 20.0, 1.3
"""So many times as wide are the inputs that somebody forgot to scale. The last will do, or as much
of a width to the side, where the script scales the others and not these."""
_BACK = {"log1p": "expm1", "log": "exp", "log10": "10 **", "sqrt": "square"}
NOTHING = CannotJudge("nothing_printed")
ALIKE, STRAIGHT = 1e-6, 0.01


def printed_blind(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Whatever the model answers, the number is the same."""
    if not seen.printed:
        return NOTHING
    one = _blind(seen)
    if one is None or isinstance(shares_cut_to_zero(seen, view), Verdict):
        return None  # which says why
    shape = str(list(one.shape))
    return fault(one.same_at or one.line, name=_name(one), value=one.some, shape=shape)


def shares_cut_to_zero(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """What makes whole numbers of shares cuts off all that stands behind the point."""
    if not seen.printed:
        return NOTHING
    one = _blind(seen)
    line = None if one is None else one.same_at or one.line
    cut = view.places.casts.cut(line)
    if one is None or cut is None:
        return None
    return fault(line, cut=cut, name=_name(one), value=one.some)


def _blind(seen: Evaluate) -> Printed | None:
    by_line: dict[int | None, list[Printed]] = {}
    for one in seen.printed:
        by_line.setdefault(one.line, []).append(one)
    for found in by_line.values():
        known = [one for one in found if not _called(one, *APART) and not _of_labels(one)]
        measures = [one for one in known if _called(one, *RIGHT, *WRONG) and not one.of]
        if measures and all(_is_same(one) for one in found):
            return measures[0]
    return None


def perplexity_of_other_base(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The loss of a language model counts in natural logarithms."""
    if view.facts.task not in IN_NATS:
        return NOT_FOR_THIS_TASK
    if not seen.rows:
        return NOTHING
    other = next((one for one in view.places.powers if one.base != "e"), None)
    return None if other is None else fault(other.line, at=other.line, base=other.base)


def perplexity_of_smoothed(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """What smoothing adds to the loss is no surprise at the words."""
    if view.facts.task not in IN_NATS:
        return NOT_FOR_THIS_TASK
    if not seen.smoothing or not view.places.powers:
        return None
    line = view.places.argument("label_smoothing_factor")
    return fault(line, at=view.places.powers[-1].line, smoothing=seen.smoothing)


def printed_with_sign(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """An error that answers which are far too low make negative: its parts cancel out."""
    if not seen.printed:
        return NOTHING
    for one in seen.printed:
        if _is_error(one) and (one.low < 0 or one.high < 0):
            least = min(one.low, one.high)
            return fault(one.one_at or one.line, name=_name(one), value=least)
    return None


def printed_mixes_rows(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The number stays when the answers are dealt out to other rows."""
    if not seen.printed:
        return NOTHING
    for one in seen.printed:
        if not _called(one, *RIGHT, *WRONG) or one.of or min(one.low, one.high) < 0:
            continue
        if not one.shape or one.shape[0] < FEWEST or _is_right(one):
            continue  # where all rows have one label it is all the same which answer goes where
        if _near(one.some, one.other) or not all(_near(one.some, made) for made in one.dealt):
            continue
        if _called(one, *WRONG) and _all_on_one_side(one):
            continue  # whose errors add up to the same whichever row they are dealt to
        shape = str(list(one.shape))
        at = one.one_at or one.line
        line = view.places.answered_for(at) or at
        return fault(line, name=_name(one), value=one.some, shape=shape)
    return None


def printed_another_number(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """What is printed as the accuracy is what `evaluate` calls the loss, or the other way round."""
    if not seen.printed:
        return NOTHING
    for one in seen.printed:
        of_loss = one.of == "loss"
        wrong = _called(one, "accuracy", "acc", "f1", "auc") if of_loss else _called(one, "loss")
        if one.of and wrong and not set(_words(one.of)) <= set(_words(one.name)):
            line = view.places.layers.measured() or one.line
            return fault(line, name=_name(one), of=one.of)
    return None


def answers_left_transformed(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A model that learned logarithms answers with logarithms."""
    if not seen.printed:
        return NOTHING
    for one in seen.printed:
        if not one.made_by or one.of or not one.perfect or not _is_error(one) or _is_same(one):
            continue
        if one.perfect >= HARDLY_MOVES * min(one.some, one.other, *one.dealt) > 0:
            places = view.places
            line = places.answered_for(one.line) or places.call(".predict") or one.line
            back = _BACK.get(one.made_by, "")
            return fault(line, name=_name(one), value=one.perfect, made_by=one.made_by, back=back)
    return None


def printed_off_its_labels(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Answers that are what the labels say score as badly as answers drawn by lot."""
    if not seen.printed:
        return NOTHING
    told = (printed_with_sign, printed_mixes_rows, answers_left_transformed)
    if any(isinstance(rule(seen, view), Verdict) for rule in told):
        return None  # which say more, as do those about what the answers are held against
    if any(one.moved or one.learned for one in seen.held):
        return None
    for one in seen.printed:
        if one.of or one.perfect is None or _is_same(one) or math.isnan(one.perfect):
            continue
        if _called(one, *APART, *COMPARES):
            continue
        drawn = (one.some, one.other, *one.dealt)
        low = _called(one, *RIGHT) and one.perfect < 0.999 and one.perfect <= max(drawn)
        far = _is_error(one) and one.perfect >= min(drawn) / 2 > 0
        if low or far:
            line = view.places.last_assigned(one.off) or one.line
            return fault(line, name=_name(one), value=one.perfect, drawn=one.some)
    return None


def printed_of_others(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """All right, and not all right: what the answers are held against is only much like it."""
    if not seen.printed:
        return NOTHING
    if isinstance(printed_off_its_labels(seen, view), Verdict) or any(
        one.moved or one.learned for one in seen.held
    ):
        return None  # which say more
    for one in seen.printed:
        if not one.off or one.of or one.perfect is None or _is_same(one):
            continue
        drawn = (one.some, one.other, *one.dealt)
        far = _is_error(one) and min(drawn) / 2 > one.perfect >= NEARLY * min(drawn)
        low = _called(one, "accuracy", "acc") and max(drawn) < one.perfect < 1 - NEARLY
        if far or low:
            line = view.places.last_assigned(one.off) or one.line
            numbers = {"name": _name(one), "value": one.perfect, "drawn": one.some}
            return look(line, off=one.off, best=int(low), **numbers)
    return None


def answers_on_other_scale(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """An error that stays, from the least answer that was learned to the most: against numbers of
    another size all answers are alike."""
    if not seen.printed:
        return NOTHING
    if any(one.learned for one in seen.held):
        return None  # see answers_not_scaled_back
    for one in seen.printed:
        if not _is_error(one) or len(one.within) != len(("least", "middle", "most")):
            continue
        least, most = min(one.within), max(one.within)
        size = math.sqrt(max(0.0, least)) if _called(one, "mse") else least
        far = size > FAR_BEYOND * one.span > 0
        if far and most - least < HARDLY_MOVES * most and not _is_same(one):
            line = view.places.answered_for(one.line) or one.line
            return fault(line, name=_name(one), least=least, most=most)
    return None


def asked_about_met_rows(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """What a model says of the rows that it learned from tells nothing of others. Where rows are
    of few kinds, those of others are the same."""
    if seen.met_before is None or 2 * seen.repeated >= 1:
        return None
    asks = view.places.calls(".predict", ".evaluate")
    behind = [line for line in asks if line > (view.places.training_line or 0)]
    line = min(behind or asks, default=None)
    return fault(line, rows=seen.met_before[0], other=seen.met_before[1])


def asked_in_other_order(seen: Evaluate, view: View) -> Verdict | None:
    """The trained model is asked about rows whose columns stand otherwise."""
    if not seen.asked_swapped:
        return None
    one, to = seen.asked_swapped[0]
    line = view.places.fits.only_behind("predict", "evaluate")
    return fault(line, column=one, other=to, count=len(seen.asked_swapped))


def asked_on_other_scale(seen: Evaluate, view: View) -> Verdict | None:
    """What is done to the training rows must be done to those that it is asked about."""
    if seen.asked_scale is None:
        return None
    here, there = seen.asked_scale
    wider, moved = far_apart(here, there)
    alone = view.places.fits.scaled_alone("predict", "evaluate")
    left_out = alone is not None and (wider > SEEN_OTHER or moved > SEEN_OTHER - 1)
    if wider < SEEN_APART and not left_out:
        return None
    line = view.places.fits.only_behind("predict", "evaluate") or (alone if left_out else None)
    line = line or view.places.call("model.predict", ".predict", ".evaluate")
    told = {"low": here.low, "high": here.high}
    made = fault if wider >= SURELY or left_out else look
    return made(line, other_low=there.low, other_high=there.high, **told)


RULES: tuple[Rule, ...] = (
    printed_blind,
    shares_cut_to_zero,
    perplexity_of_other_base,
    perplexity_of_smoothed,
    printed_with_sign,
    printed_mixes_rows,
    printed_another_number,
    answers_left_transformed,
    printed_off_its_labels,
    printed_of_others,
    answers_on_other_scale,
    asked_about_met_rows,
    asked_in_other_order,
    asked_on_other_scale,
)


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", name.lower())


def _called(one: Printed, *names: str) -> bool:
    """`mae` is a word of `mae_kw`, and no part of `maestro`."""
    return any(word in names for word in _words(one.name))


def _is_error(one: Printed) -> bool:
    said = _called(one, "error") and _called(one, "absolute", "squared")
    return (said or _called(one, *WRONG)) and not one.of and not _called(one, *COMPARES)


def _name(one: Printed) -> str:
    return one.name if len(one.name) < 40 else "number"


def _all_on_one_side(one: Printed) -> bool:
    """Whether the mean error goes straight on from answers far below, or to those far above."""
    apart, both = abs(one.low - one.high), one.low + one.high
    return any(math.isclose(2 * one.some, made, rel_tol=STRAIGHT) for made in (apart, both))


def _is_right(one: Printed) -> bool:
    """Whether answers that are what the labels say score as well as can be; or where nobody knows
    those, one and the same answer for all."""
    if _called(one, *WRONG):
        return one.perfect == 0
    return any(value in (1, 100) for value in (one.perfect, one.low, one.high))


def _is_same(one: Printed) -> bool:
    """For answers far beyond all others as well, or at least for those that are all right."""
    ends = (one.low, one.high) if one.perfect is None or _is_right(one) else (one.perfect,)
    return all(_near(one.some, made) for made in (one.other, *ends, *one.dealt))


def _of_labels(one: Printed) -> bool:
    """What a baseline scores; labels beside themselves are all right, which is something else."""
    return one.beside and one.some not in ((0,) if _called(one, *WRONG) else (1, 100))


def _near(some: float, other: float) -> bool:
    both = math.isnan(some) and math.isnan(other)
    return both or math.isclose(some, other, rel_tol=ALIKE, abs_tol=1e-12)
