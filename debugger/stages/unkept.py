"""Rules about what a script makes of its rows and then leaves lying."""

from __future__ import annotations

from debugger.pipelines.face import Data
from debugger.stages.judging import CannotJudge, Rule, Verdict, View, fault, look

NO_SCRIPT = CannotJudge("no_script")
SHOWN = ("map", "filter", "shuffle", "select", "sort", "take", "skip", "train_test_split")
"""What may stand at the end of a notebook's cell to be looked at."""


def result_thrown_away(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A Dataset never changes: what its methods give is a new one."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.unkept.thrown_away()
    if found is None or seen.train is None:
        return None
    line, name = found
    return (look if name in SHOWN else fault)(line, name=name)


def map_returns_nothing(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Where nothing comes back, `map` keeps the rows as they were, and says no word."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.unkept.mute_map()
    if found is None or seen.train is None or view.facts.main_input not in seen.train.kept:
        return None  # where nothing else makes the inputs, raw_text tells it
    line, name = found
    return fault(line, name=name)


RULES: tuple[Rule, ...] = (result_thrown_away, map_returns_nothing)
