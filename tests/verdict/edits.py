"""Edits of scenarios, right and wrong ones, each in words that nobody listed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from debugger.catalogue import Scenario
from debugger.catalogue.scenario import ScenarioError
from tools.bank.cases import Base, Case
from tools.bank.rewriting import rewritten

NEEDS_TRAINING = ("overfit", "train", "not_trained", "below_twin")
NUMBER = re.compile(r"(?<=\w=)(\d[\d.e-]*)(?=[,)\n])")
MAIN = "script.py"


@dataclass(frozen=True)
class Edit:
    """`seen_at` is the stage or the refusal that tells a wrong one; "" of a right one."""

    scenario: Scenario
    name: str
    script: str
    right: bool
    seen_at: str = ""

    @property
    def told_early(self) -> bool:
        """Whether no training is needed to tell."""
        return self.seen_at not in NEEDS_TRAINING


def edits(scenarios: list[Scenario], seed: int) -> Iterator[Edit]:
    """Without end: every change of every scenario, written anew each time."""
    draw = random.Random(seed)
    known = [one for scenario in scenarios for one in _changes(scenario)]
    while True:
        draw.shuffle(known)
        for one in known:
            how = draw.sample(list(WAYS), draw.randint(1, 3))
            script = one.script
            for way in how:
                script = WAYS[way](script)
            name = f"{one.scenario.id}, {one.name}, {', '.join(how)}"
            yield Edit(one.scenario, name, script, one.right, one.seen_at)


def _changes(scenario: Scenario) -> Iterator[Edit]:
    first = scenario.first_stage or ""
    yield Edit(scenario, "as found", scenario.script, False, first)
    for fix in scenario.fixes:
        if fix.right:
            yield Edit(scenario, fix.id, scenario.mended(fix.id), True)
        elif fix.ends_at:
            yield Edit(scenario, fix.id, scenario.tried(fix.id), False, fix.ends_at)
    for repair in scenario.repairs:
        yield Edit(scenario, repair.id, scenario.repaired(repair), True)
    for cheat in scenario.cheats:
        yield Edit(scenario, cheat.id, scenario.cheated(cheat.id), False, cheat.refused_by)
    yield from _halves(scenario)


def _halves(scenario: Scenario) -> Iterator[Edit]:
    """All right fixes but one, where several faults are stacked and they can be applied so."""
    for left_out in scenario.twin_fixes if scenario.stacked else ():
        kept = tuple(one for one in scenario.twin_fixes if one != left_out)
        try:
            script = scenario.patched(kept)
        except ScenarioError:
            continue
        yield Edit(scenario, f"all but {left_out}", script, False, "setup")


def _in_the_banks_way(how: str) -> Callable[[str], str]:
    base = Base("edited", "pytorch", "", "", "", "high", 0.0)
    return lambda text: rewritten(Case(base, {MAIN: text}, MAIN), how).files[MAIN]


def _computed(text: str) -> str:
    """Numbers that are handed over by name are computed first."""
    return NUMBER.sub(lambda found: f"{_kind(found[1])}('{found[1]}')", text)


def _kind(number: str) -> str:
    return "int" if number.isdigit() else "float"


def _talkative(text: str) -> str:
    return "# My own words.\n\n" + text.rstrip() + "\n\n# That is all.\n"


WAYS: dict[str, Callable[[str], str]] = {
    "names": _in_the_banks_way("names"),
    "order": _in_the_banks_way("order"),
    "function": _in_the_banks_way("function"),
    "computed": _computed,
    "talkative": _talkative,
}
