"""Rules about the weights that a training begins with."""

from __future__ import annotations

import math

from debugger.pipelines.forward import Forward
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault, look

SURELY_OFF, SURE, UNTHINKABLE = 3.0, 15.0, 1e-6
"""Times what guessing costs; how far logits lie apart; what a class is given next to nothing of."""
NEARLY_ALL, MOST, NOT_THE_HEAD = 0.9, 0.5, 0.2
_RANGES = ("initializer_range", "init_std", "initializer_std", "init_range", "initializer_factor")
"""What configs of transformers call how wide they draw."""
UNKNOWN = CannotJudge("not_new")


def weights_all_alike(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Units that begin alike get the same gradient, and stay alike."""
    drawn = seen.drawn
    if drawn is None or not drawn.matrices:
        return UNKNOWN
    share = drawn.alike / drawn.matrices
    if share < MOST or drawn.matrices < 2:
        return None
    made = fault if share >= NEARLY_ALL else look
    line = view.places.argument(*_RANGES) or view.places.origins.drawing(constant=True)
    return made(line, alike=drawn.alike, matrices=drawn.matrices, first=drawn.same)


def weights_drawn_wide(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Numbers that grow from layer to layer leave a softmax or a tanh nothing to choose."""
    drawn = seen.drawn
    if drawn is None or not drawn.matrices:
        return UNKNOWN
    if drawn.wide < MOST * drawn.matrices:
        return None
    line = view.places.argument(*_RANGES) or view.places.origins.drawing(constant=False)
    told = {"wide": drawn.wide, "matrices": drawn.matrices, "first": drawn.widest}
    times = drawn.spread / drawn.usual
    return fault(line, spread=drawn.spread, usual=drawn.usual, times=times, **told)


def sure_before_training(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """New layers are drawn for numbers about 1 large: larger inputs make larger answers of them."""
    drawn, classes = seen.drawn, view.facts.num_labels or 0
    looked_at = view.facts.compiled is not None or (drawn is not None and drawn.matrices)
    if not looked_at or view.facts.pretrained or seen.earlier is not None:
        return UNKNOWN
    if view.facts.task != "classification" or classes < 2 or seen.counts_otherwise:
        return NOT_FOR_THIS_TASK
    low, high, loss, chance = seen.logits_low, seen.logits_high, seen.loss, math.log(classes)
    if low is None or high is None or loss is None or not SURELY_OFF * chance < loss < math.inf:
        return None
    if seen.expects != seen.gives:
        return None  # see loss_expects_probabilities, and squashed twice
    shares = seen.gives == "probabilities"
    if high - low < SURE and not (shares and low < UNTHINKABLE):
        return None
    if isinstance(weights_drawn_wide(seen, view), Verdict):
        return None  # which says more
    line = view.places.argument("train_dataset") or view.places.fits.fitted()
    return look(line, low=low, high=high, loss=loss, chance=chance)


def checkpoint_overwritten(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Weights were loaded, and drawn anew after that. Some draw the last layers anew on purpose."""
    redrawn = seen.redrawn
    if redrawn is None or seen.earlier is not None:
        return CannotJudge("not_loaded_here")
    if redrawn.share < MOST or not redrawn.by_lot:
        return None
    numbers = {"moved": redrawn.moved, "tensors": redrawn.tensors, "share": redrawn.share}
    return fault(view.places.origins.redrawing(), **numbers)


def checkpoint_does_not_fit(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A head of another size is meant to begin anew. Where the body does, nothing is left of it."""
    found = seen.unfitting
    if found is None:
        return CannotJudge("not_loaded_here")
    if not found.tensors or found.tensors < NOT_THE_HEAD * found.known:
        return None
    line = view.places.argument("ignore_mismatched_sizes")
    told = {"tensors": found.tensors, "known": found.known, "first": found.name}
    return fault(line, wanted=str(list(found.wanted)), **told)


RULES: tuple[Rule, ...] = (
    weights_all_alike,
    weights_drawn_wide,
    sure_before_training,
    checkpoint_overwritten,
    checkpoint_does_not_fit,
)
