"""What a model ends in: whether its last activation can say what the labels say."""

from __future__ import annotations

from debugger.pipelines.forward import Forward
from debugger.stages.judging import CannotJudge, Rule, Verdict, View, fault, look

ALIKE = 1e-6
MOSTLY_DEAD = 0.9
OFTEN = 0.2
FEWEST = 8
"""Rows of one class each, and more, are no chance."""
NOT_ASKED = CannotJudge("loss_not_asked")


def output_always_same(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A softmax over one output: alone, it is all there is."""
    asked = seen.asked
    if asked is None or asked.reach is None:
        return NOT_ASKED
    low, high = asked.reach
    return fault(_activation_line("softmax", view), value=low) if high - low <= ALIKE else None


def shares_for_several(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Yes and no of each output need a sigmoid; a softmax lets the outputs take from each other."""
    asked = seen.asked
    if asked is None or asked.form != "many" or not asked.cardinality:
        return NOT_ASKED
    most = max(asked.cardinality)
    if not asked.shares or most < 2:
        return None
    made = fault if len(set(asked.cardinality)) > 1 else look
    return made(
        _activation_line("softmax", view), most=most, highest=1 / most, outputs=asked.outputs
    )


def one_class_for_several(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A loss that shares out one class among the outputs, and rows of none or of several."""
    asked, shared = seen.asked, seen.shared
    if shared is not None:
        if shared.share < OFTEN or shared.most < 2:
            return None
        line = view.places.call("CrossEntropyLoss") or shared.line
        return fault(line, name="cross_entropy", share=shared.share, most=shared.most)
    if asked is None or asked.form != "many" or not asked.cardinality:
        return NOT_ASKED
    share = sum(count != 1 for count in asked.cardinality) / len(asked.cardinality)
    if seen.counts != "vectors" or asked.shares or share < OFTEN:  # see shares_for_several
        return None
    if max(asked.cardinality) < 2:  # see vectors_without_class
        return None
    name = view.facts.compiled.loss if view.facts.compiled else ""
    return fault(
        view.places.fits.compiled("loss"), name=name, share=share, most=max(asked.cardinality)
    )


def vectors_without_class(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """What makes vectors of class numbers leaves one empty where the number is beyond its width."""
    asked = seen.asked
    if asked is None or asked.form != "many" or not asked.cardinality:
        return NOT_ASKED
    empty = asked.cardinality.count(0)
    if seen.counts != "vectors" or not empty or set(asked.cardinality) != {0, 1}:
        return None
    line = view.places.rows.vectors(view.places.fits.labelled())
    made = fault if asked.shares else look
    return made(line, rows=empty, of=len(asked.cardinality), width=asked.outputs)


def each_for_one_class(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Each row has one class, and the loss asks each output for a yes or a no by itself. What is
    called accuracy then counts the many right noes."""
    asked = seen.asked
    if asked is None or asked.form != "many" or not asked.cardinality:
        return NOT_ASKED
    one_each = set(asked.cardinality) == {1} and len(asked.cardinality) >= FEWEST
    if seen.counts != "each" or asked.outputs < 3 or not one_each or not asked.shares:
        return None
    name = view.facts.compiled.loss if view.facts.compiled else ""
    line = view.places.fits.compiled("loss")
    return fault(line, name=name, outputs=asked.outputs, constant=1 - 1 / asked.outputs)


def relu_before_loss(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """No gradient comes through an output that is cut off, and a class can never be unlikely."""
    asked = seen.asked
    if asked is None or asked.form == "amounts":
        return NOT_ASKED
    if asked.dead is None or (seen.expects == "probabilities" and seen.gives == "logits"):
        return None
    made = fault if asked.dead >= MOSTLY_DEAD else look
    return made(_activation_line("relu", view), dead=asked.dead)


def relu_at_the_end(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A classifier of one's own whose scores cannot go below 0, and lie there."""
    if seen.flattened is None:
        return NOT_ASKED
    made = fault if seen.flattened >= MOSTLY_DEAD else look
    return made(view.places.stepping.flat(), dead=seen.flattened)


RULES: tuple[Rule, ...] = (
    output_always_same,
    shares_for_several,
    one_class_for_several,
    vectors_without_class,
    each_for_one_class,
    relu_before_loss,
    relu_at_the_end,
)


def _activation_line(name: str, view: View) -> int | None:
    last = view.layer(view.facts.last_layer, "activation")
    if last is not None and view.places.layers.says(name, last):
        return last
    return view.places.last_naming(name) or view.places.call(f".{name}", name.capitalize())
