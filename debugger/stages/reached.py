"""Rules about gradients that come, and never get where something is to be learned."""

from __future__ import annotations

from debugger.pipelines.step import Step
from debugger.stages.judging import NO_SCRIPT, CannotJudge, Rule, Verdict, View, fault, look

HALF = 0.5
UNKNOWN = CannotJudge("one_step_only")


def gradients_thrown_away(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """They are set to zero when they have come, and not once the optimizer has used them."""
    here = seen.reached
    if here is None or not seen.steps:
        return UNKNOWN
    if not here.thrown or seen.by_hand is not None:  # see zeroed_before_step
        return None
    line = here.thrown_at or view.places.flows.taken_away()
    line = line or view.places.function("training_step")
    made = look if here.used else fault
    return made(line, thrown=here.thrown, used=here.used)


def gradients_left_off(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Switched off by a call, and not around a block, they stay off for every step that comes."""
    if not view.has_script:
        return NO_SCRIPT
    line = view.places.gradients_left_off() if seen.trainable else None
    return None if line is None else fault(line)


def checkpointing_cuts_off(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """What is worked out anew has a gradient only where one goes into it."""
    here = seen.reached
    if here is None or seen.steps < 2:
        return UNKNOWN
    if not here.checkpointed or not _hardly_reached(seen):
        return None
    places = view.places
    line = places.argument("gradient_checkpointing") or places.call("gradient_checkpointing_enable")
    return fault(line, share=_unreached(seen))


def stepped_behind_loop(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A loop of the script's own: each batch takes the gradients of the one before it away."""
    if not seen.steps:
        return UNKNOWN
    line = view.places.stepped_behind()
    return None if line is None else fault(line)


def begins_at_zero_twice(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Where both factors of a product are 0, neither ever gets a gradient."""
    here = seen.reached
    if here is None or seen.steps < 2:
        return UNKNOWN
    if not here.dead:
        return None
    line = view.places.origins.zeroing(here.dead)
    return fault(line, count=len(here.dead), first=here.dead[0])


def names_match_nothing(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A loop picks parts of the model by words that none of its names holds."""
    here = seen.reached
    if here is None or not here.names:
        return UNKNOWN
    ends = {name.rpartition(".")[2] for name in here.names} | set(here.names)
    for line, words, whole in view.places.flows.picking():
        known = ends if whole else here.names
        if any(word in one if not whole else word == one for word in words for one in known):
            continue
        made = fault if seen.body_trainable == 0 and not seen.adapter else look
        return made(line, words=", ".join(words), trained=seen.trainable, total=seen.total)
    return None


def output_not_in_loss(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """The model answers with it, and the loss does not ask about it."""
    here = seen.reached
    if here is None or seen.steps < 2:
        return UNKNOWN
    if not here.unheard or not any(block.gradient for block in seen.blocks):
        return None
    line = view.places.flows.overwritten()
    made = look if line is None else fault
    return made(line or view.places.returned_by("forward"), first=here.unheard[0])


def loss_written_over(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A loss that is reckoned, and never read: the next line puts another in its place."""
    if not view.has_script:
        return NO_SCRIPT
    line = view.places.flows.overwritten()
    if line is None or isinstance(output_not_in_loss(seen, view), Verdict):
        return None
    return look(line)


RULES: tuple[Rule, ...] = (
    gradients_thrown_away,
    gradients_left_off,
    checkpointing_cuts_off,
    stepped_behind_loop,
    begins_at_zero_twice,
    names_match_nothing,
    output_not_in_loss,
    loss_written_over,
)


def _hardly_reached(seen: Step) -> bool:
    here = seen.reached
    return (here is not None and here.adapters > 0 and not here.adapted) or _unreached(seen) >= HALF


def _unreached(seen: Step) -> float:
    without = sum(b.trainable for b in seen.blocks if b.trainable and not b.gradient)
    return without / max(1, seen.trainable)
