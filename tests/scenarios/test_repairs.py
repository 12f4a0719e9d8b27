"""The judge accepts any right repair: three for each scenario that its list of fixes does not hold.

They stand in `repairs/<id>.toml`, written as fixes are.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from pydantic import TypeAdapter

import scenarios
from debugger.judge import judge
from scenarios import Fix, Scenario
from tests.scenarios.proving import Answers, proof_steps

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent / "repairs"
ENOUGH = 3
FAULTY = [scenario for scenario in scenarios.all() if not scenario.decoy]


def repaired(scenario: Scenario) -> dict[str, str]:
    """The repaired scripts by name, each replacement standing exactly once in the broken one."""
    path = FOLDER / f"{scenario.id}.toml"
    if not path.is_file():
        return {}
    raw = tomllib.loads(path.read_text(encoding="utf-8"))["repairs"]
    repairs = TypeAdapter(list[Fix]).validate_json(
        TypeAdapter(list).dump_json([{"right": True, **repair} for repair in raw])
    )
    return {fix.id: patched(scenario.script, fix) for fix in repairs}


def patched(script: str, fix: Fix) -> str:
    for replacement in fix.replacements:
        count = script.count(replacement.old)
        assert count == 1, (
            f"{fix.id}: {replacement.old!r} should stand in script.py once, not {count} times"
        )
        script = script.replace(replacement.old, replacement.new)
    return script


REPAIRED = {scenario.id: repaired(scenario) for scenario in FAULTY}
ALL_REPAIRS = [(s, name) for s in FAULTY for name in REPAIRED[s.id]]


def ask(answers: Answers, chosen: set[str]) -> None:
    for scenario in (s for s in FAULTY if s.id in chosen):
        for script in REPAIRED[scenario.id].values():
            answers.repaired(scenario, script, proof_steps(scenario))


@pytest.mark.parametrize("scenario", FAULTY, ids=lambda scenario: scenario.id)
def test_three_repairs_are_written_otherwise_than_the_listed_ones(scenario: Scenario) -> None:
    listed = {scenario.patched([fix.id]) for fix in scenario.fixes}
    others = set(REPAIRED[scenario.id].values()) - listed - {scenario.twin}

    file = f"tests/scenarios/repairs/{scenario.id}.toml"
    assert len(others) == len(REPAIRED[scenario.id]), f"{file} repeats a listed fix"
    assert len(others) >= ENOUGH, f"{file} should hold {ENOUGH} repairs; it holds {len(others)}"


@pytest.mark.parametrize(
    ("scenario", "name"), ALL_REPAIRS, ids=[f"{s.id}-{name}" for s, name in ALL_REPAIRS]
)
def test_a_right_repair_that_nobody_listed_is_accepted(
    answers: Answers, scenario: Scenario, name: str
) -> None:
    steps = proof_steps(scenario)
    report = answers.repaired(scenario, REPAIRED[scenario.id][name], steps).result()
    verdict = judge(report, answers.whole(scenario.twin, steps).result(), scenario)

    assert verdict.cured, (verdict, report.findings)
