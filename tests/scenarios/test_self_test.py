"""The catalogue tests itself, both ways: every script fails as promised, every fix ends as it says.

All runs are asked for before the first test, see `tests/conftest.py`.
"""

from __future__ import annotations

import pytest

import scenarios
from debugger.judge import judge
from debugger.outcome import StageName
from debugger.report import Report
from scenarios import Scenario
from scenarios.scenario import Cheat, Fix
from tests.scenarios.proving import Answers

pytestmark = pytest.mark.slow

ALL_SCENARIOS = scenarios.all()
FAULTY = [scenario for scenario in ALL_SCENARIOS if not scenario.decoy]
RIGHT = [(s, f) for s in FAULTY for f in s.fixes if f.right]
WRONG = [(s, f) for s in ALL_SCENARIOS for f in s.fixes if not f.right and f.ends_at]
HARMLESS = [(s, f) for s in ALL_SCENARIOS for f in s.fixes if not f.right and not f.ends_at]
UNCOVERS = [(s, f) for s, f in RIGHT if f.ends_at]
ALONE = [(s, f) for s, f in RIGHT if s.stacked]
CHEATS = [(s, c) for s in FAULTY for c in s.cheats]


def name_of(value: object) -> str:
    return value.id if isinstance(value, Scenario | Fix | Cheat) else str(value)


def steps_to(stage: StageName | None, scenario: Scenario) -> int:
    """One step is enough to train at all; what only training shows needs as many as the judge."""
    return scenario.checks.steps if stage == "train" else 1


def ask(answers: Answers, chosen: set[str]) -> None:
    for scenario in (s for s in ALL_SCENARIOS if s.id in chosen):
        answers.twin(scenario)
        if not scenario.decoy:
            answers.walk(scenario.script, steps_to(scenario.first_stage, scenario))
    for scenario, fix in ((s, f) for s, f in RIGHT if s.id in chosen):
        answers.repaired(scenario, scenario.mended(fix.id))
    for scenario, fix in ((s, f) for s, f in (*UNCOVERS, *WRONG, *HARMLESS) if s.id in chosen):
        answers.walk(scenario.tried(fix.id), steps_to(fix.ends_at, scenario))
    for scenario, fix in ((s, f) for s, f in ALONE if s.id in chosen):
        answers.walk(scenario.patched([fix.id]))
    for scenario, cheat in ((s, c) for s, c in CHEATS if s.id in chosen):
        answers.walk(scenario.cheated(cheat.id), steps=0)


@pytest.mark.parametrize("scenario", FAULTY, ids=name_of)
def test_the_broken_script_fails_at_the_promised_stage(
    answers: Answers, scenario: Scenario
) -> None:
    steps = steps_to(scenario.first_stage, scenario)
    report = answers.walk(scenario.script, steps).result()

    assert report.outcome in ("fail", "stopped")
    assert report.first_failing_stage == scenario.first_stage
    found = {f.code: f for f in report.findings}
    assert scenario.code in found
    assert found[scenario.code].line is not None


@pytest.mark.parametrize("scenario", ALL_SCENARIOS, ids=name_of)
def test_the_twin_passes_every_stage(answers: Answers, scenario: Scenario) -> None:
    report = answers.twin(scenario).result()

    outcomes = {stage.stage: stage.outcome for stage in report.stages}
    assert set(outcomes.values()) == {"pass"}, (outcomes, report.findings)
    verdict = judge(report, report, scenario)
    assert verdict.cured, verdict.missing


@pytest.mark.parametrize(("scenario", "fix"), RIGHT, ids=name_of)
def test_a_right_fix_cures(answers: Answers, scenario: Scenario, fix: Fix) -> None:
    """Alone, or in its place among the twin's where several faults are stacked."""
    repaired = answers.repaired(scenario, scenario.mended(fix.id))
    verdict = judge(repaired.result(), answers.twin(scenario).result(), scenario)

    assert verdict.cured, verdict


@pytest.mark.parametrize(("scenario", "fix"), UNCOVERS, ids=name_of)
def test_a_right_fix_of_stacked_faults_uncovers_the_next(
    answers: Answers, scenario: Scenario, fix: Fix
) -> None:
    ends_as_it_says(answers.walk(scenario.tried(fix.id)).result(), fix)


@pytest.mark.parametrize(("scenario", "fix"), ALONE, ids=name_of)
def test_one_fix_of_stacked_faults_alone_is_no_cure(
    answers: Answers, scenario: Scenario, fix: Fix
) -> None:
    report = answers.walk(scenario.patched([fix.id])).result()
    verdict = judge(report, answers.twin(scenario).result(), scenario)

    assert not verdict.cured
    assert "stage_fails" in verdict.missing


@pytest.mark.parametrize(("scenario", "fix"), WRONG, ids=name_of)
def test_a_wrong_fix_ends_as_it_says(answers: Answers, scenario: Scenario, fix: Fix) -> None:
    steps = steps_to(fix.ends_at, scenario)
    ends_as_it_says(answers.walk(scenario.tried(fix.id), steps).result(), fix)


@pytest.mark.parametrize(("scenario", "fix"), HARMLESS, ids=name_of)
def test_a_change_that_a_decoy_does_not_need_does_no_harm(
    answers: Answers, scenario: Scenario, fix: Fix
) -> None:
    report = answers.walk(scenario.patched([fix.id])).result()

    assert report.outcome == "pass", report.findings


@pytest.mark.parametrize(("scenario", "cheat"), CHEATS, ids=name_of)
def test_a_cheat_is_refused(answers: Answers, scenario: Scenario, cheat: Cheat) -> None:
    script, twin = scenario.cheated(cheat.id), answers.twin(scenario).result()
    verdict = judge(answers.walk(script, steps=0).result(), twin, scenario)
    for steps in (0, 1):
        if cheat.refused_by not in verdict.missing:
            verdict = judge(answers.whole(script, steps).result(), twin, scenario)

    assert not verdict.cured
    assert cheat.refused_by in verdict.missing


def ends_as_it_says(report: Report, fix: Fix) -> None:
    assert report.first_failing_stage == fix.ends_at
    assert fix.code in [f.code for f in report.findings]
