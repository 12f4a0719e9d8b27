"""The judge accepts any right repair: three for each scenario that its list of fixes does not hold.

They stand in `repairs/<id>.toml`, written as fixes are. Each is run up to its training, and nothing
but that may be missing; where it goes bit for bit as one that was run, it counts as run. Where that
is so for none of the others, the first is trained to its end.
"""

from __future__ import annotations

import tomllib
from concurrent.futures import Future
from pathlib import Path

import pytest
from pydantic import TypeAdapter

import scenarios
from debugger.judge import judge
from debugger.report import Report
from scenarios import Fix, Scenario
from tests.scenarios.proving import Answers

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
        proofs(answers, scenario)


def proofs(answers: Answers, scenario: Scenario) -> dict[str, Future[Report]]:
    """Of the first last, which may have to be trained."""

    def no_other_was_trained() -> bool:
        return not any(was_trained(other.result()) for other in others)

    first, *rest = REPAIRED[scenario.id].values()
    others = [answers.repaired(scenario, script, lambda: False) for script in rest]
    done = [answers.repaired(scenario, first, no_other_was_trained, others), *others]
    return dict(zip(REPAIRED[scenario.id], done, strict=True))


def was_trained(report: Report) -> bool:
    return report.stage("train").outcome != "not run"


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
    report = proofs(answers, scenario)[name].result()
    verdict = judge(report, answers.twin(scenario).result(), scenario)

    left = () if was_trained(report) else ("not_trained",)
    assert verdict.missing == left, (verdict, report.findings)


@pytest.mark.parametrize("scenario", FAULTY, ids=lambda scenario: scenario.id)
def test_one_of_them_is_accepted_at_the_end_of_its_training(
    answers: Answers, scenario: Scenario
) -> None:
    assert any(was_trained(proof.result()) for proof in proofs(answers, scenario).values())
