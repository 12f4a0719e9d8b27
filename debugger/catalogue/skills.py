"""What a scenario trains: its cause's skill, and which scenarios have one cause in common."""

from collections.abc import Iterable
from typing import Literal, get_args

from debugger.catalogue.scenario import Scenario

Skill = Literal["data", "batch", "head", "optimizer", "metric", "training", "leave_alone"]
PATH: tuple[Skill, ...] = get_args(Skill)[:-1]
"""In the course's order. A decoy trains the one that is left: to leave a script alone."""
BEFORE: dict[Skill, tuple[Skill, ...]] = {
    "data": (),
    "batch": ("data",),
    "head": ("batch",),
    "optimizer": ("head",),
    "metric": ("head",),
    "training": ("optimizer", "metric"),
    "leave_alone": (),
}
"""What a skill stands on: a training cannot be judged by who cannot read its metric."""
CAUSES: dict[Skill, tuple[str, ...]] = {
    "data": ("raw_text", "second_sentence_dropped", "imbalanced", "labels_put_by_hand"),
    "batch": ("ragged_rows", "ragged_batch", "pads_from_map", "text_columns", "out_of_memory"),
    "head": (
        "labels_in_the_inputs",
        "label_outside_head",
        "nan_at_labels",
        "one_label",
        "loss_expects_probabilities",
    ),
    "optimizer": (
        "keras3_optimizer",
        "everything_frozen",
        "not_in_optimizer",
        "missing_zero_grad",
        "learning_rate_too_high",
        "default_behind_a_string",
        "schedule_too_long",
    ),
    "metric": ("logits_into_metric", "blind_training", "label_order"),
    "training": ("renamed_argument", "trained_already", "takes_all_memory"),
}
_SKILLS: dict[str, Skill] = {cause: skill for skill, causes in CAUSES.items() for cause in causes}


def has_skill(cause: str) -> bool:
    return cause in _SKILLS


def skill_of(scenario: Scenario) -> Skill:
    """What names the cause, nearly: nothing that is shown before the diagnosis may tell it."""
    return _SKILLS[scenario.code] if scenario.code else "leave_alone"


def on_what(skill: Skill) -> frozenset[Skill]:
    """Every skill that comes before this one."""
    return frozenset(BEFORE[skill]).union(*map(on_what, BEFORE[skill]))


def pairs(skill: Skill, scenarios: Iterable[Scenario]) -> list[tuple[Scenario, Scenario]]:
    """For each cause of a skill two scripts that have it, to ask before a lesson and after it."""
    known = [one for one in scenarios if one.code and skill_of(one) == skill and not one.stacked]
    found: list[tuple[Scenario, Scenario]] = []
    for cause in dict.fromkeys(one.code for one in known):
        first, *others = (one for one in known if one.code == cause)
        found += [(first, other) for other in disguises(first, others)[:1]]
    return found


def disguises(scenario: Scenario, scenarios: Iterable[Scenario]) -> list[Scenario]:
    """Others with the same cause, those of its framework first. A decoy has none.

    Where faults are stacked the cause is only the first of them: that disguises nothing.
    """

    def how_far(other: Scenario) -> tuple[bool, int, int]:
        steps = abs(other.difficulty - scenario.difficulty)
        return other.framework != scenario.framework, steps, other.order

    if scenario.code is None or scenario.stacked:
        return []
    same = (s for s in scenarios if s.code == scenario.code and s.id != scenario.id)
    return sorted((s for s in same if not s.stacked), key=how_far)
