"""The list of scenarios, for a program and for a person."""

import textwrap
from collections.abc import Sequence
from typing import Any

from debugger.catalogue import Scenario
from debugger.words import Words


def to_json(scenario: Scenario) -> dict[str, Any]:
    """One entry of `list --json`: facts only."""
    return {
        "id": scenario.id,
        "framework": scenario.framework,
        "first_stage": scenario.first_stage,
        "code": scenario.code,
        "decoy": scenario.decoy,
        "fixes": [{"id": fix.id, "right": fix.right} for fix in scenario.fixes],
        "cheats": [cheat.id for cheat in scenario.cheats],
    }


def to_text(scenarios: Sequence[Scenario], words: Words, width: int, colour: bool) -> str:
    """Every scenario with its complaint. What is wrong with it stays the learner's to find."""
    if not scenarios:
        return words.say("cli", "list_empty") + "\n"
    lines: list[str] = []
    for scenario in scenarios:
        facts = words.say(
            "cli",
            "list_line",
            difficulty=scenario.difficulty,
            minutes=scenario.minutes,
            framework=words.of(scenario.framework).say("page", "framework"),
        )
        if scenario.needs is not None:
            facts += ", " + words.say("cli", f"list_needs_{scenario.needs}")
        name = f"\x1b[1m{scenario.id}\x1b[0m" if colour else scenario.id
        lines += [f"{name}  ({facts})"]
        lines += textwrap.wrap(
            scenario.words.complaint, width, initial_indent="    ", subsequent_indent="    "
        )
        lines.append("")
    return "\n".join([*lines, words.say("cli", "list_end", scenario=scenarios[0].id)]) + "\n"
