"""The catalogue tests itself, both ways: every script fails as promised, every fix ends as it says.

All runs go through the engine, as many at once as there are cores; a test waits for its own.
What a scenario promises is promised for the CPU; `test_gpu.py` looks at a GPU.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

import scenarios
from debugger.judge import Verdict, judge
from debugger.outcome import StageName
from debugger.report import Report, gather
from debugger.run import ALL, WALK, Run
from debugger.workers.local import LocalEngine
from scenarios import Scenario
from scenarios.scenario import Cheat, Fix

pytestmark = pytest.mark.slow

CPU = "cpu"
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
    """What only the training shows needs the training; elsewhere a step of it is enough."""
    return scenario.checks.steps if stage == "train" else 1


class Answers:
    """Each distinct run once, in the order in which they were asked."""

    def __init__(self, engine: LocalEngine, threads: ThreadPoolExecutor) -> None:
        self._engine, self._threads = engine, threads
        self._asked: dict[Run, Future[Report]] = {}

    def ask(self, run: Run) -> Future[Report]:
        if run not in self._asked:
            self._asked[run] = self._threads.submit(lambda: gather(self._engine.events(run)))
        return self._asked[run]

    def walked(self, script: str, steps: int = 1) -> Report:
        """Up to the first stage that fails, with `steps` of training if it gets that far."""
        return self.ask(Run(script, WALK, device=CPU, steps=steps)).result()

    def glanced(self, script: str) -> Report:
        """Every stage, whatever fails before it, with one step of training."""
        return self.ask(Run(script, ALL, device=CPU, steps=1)).result()

    def trained(self, script: str, scenario: Scenario) -> Report:
        return self.ask(Run(script, ALL, device=CPU, steps=scenario.checks.steps)).result()


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory, chosen: set[str]) -> Iterator[Answers]:
    cores = os.cpu_count() or 1
    folder: Path = tmp_path_factory.mktemp("clinic")
    with LocalEngine(cores, 600, 4000, folder) as engine, ThreadPoolExecutor(cores) as threads:
        answers = Answers(engine, threads)
        for scenario in (s for s in FAULTY if s.id in chosen):
            steps = steps_to(scenario.first_stage, scenario)
            answers.ask(Run(scenario.script, WALK, device=CPU, steps=steps))
        for scenario in (s for s in ALL_SCENARIOS if s.id in chosen):
            answers.ask(Run(scenario.twin, ALL, device=CPU, steps=scenario.checks.steps))
        for scenario, fix in ((s, f) for s, f in RIGHT if s.id in chosen):
            text = scenario.mended(fix.id)
            answers.ask(Run(text, ALL, device=CPU, steps=scenario.checks.steps))
        tried = (*UNCOVERS, *WRONG, *HARMLESS)
        for scenario, fix in ((s, f) for s, f in tried if s.id in chosen):
            steps = steps_to(fix.ends_at, scenario)
            answers.ask(Run(scenario.tried(fix.id), WALK, device=CPU, steps=steps))
        for scenario, cheat in ((s, c) for s, c in CHEATS if s.id in chosen):
            answers.ask(Run(scenario.cheated(cheat.id), WALK, device=CPU, steps=0))
        yield answers


@pytest.mark.parametrize("scenario", FAULTY, ids=name_of)
def test_the_broken_script_fails_at_the_promised_stage(
    answers: Answers, scenario: Scenario
) -> None:
    report = answers.walked(scenario.script, steps_to(scenario.first_stage, scenario))

    assert report.outcome in ("fail", "stopped")
    assert report.first_failing_stage == scenario.first_stage
    found = {f.code: f for f in report.findings}
    assert scenario.code in found
    assert found[scenario.code].line is not None


@pytest.mark.parametrize("scenario", ALL_SCENARIOS, ids=name_of)
def test_the_twin_passes_every_stage(answers: Answers, scenario: Scenario) -> None:
    report = answers.trained(scenario.twin, scenario)

    outcomes = {stage.stage: stage.outcome for stage in report.stages}
    assert set(outcomes.values()) == {"pass"}, (outcomes, report.findings)
    verdict = judge(report, report, scenario)
    assert verdict.cured, verdict.missing


@pytest.mark.parametrize(("scenario", "fix"), RIGHT, ids=name_of)
def test_a_right_fix_cures(answers: Answers, scenario: Scenario, fix: Fix) -> None:
    """Alone, or in its place among the twin's where several faults are stacked."""
    verdict = judged(answers, scenario, scenario.mended(fix.id))

    assert verdict.cured, verdict


@pytest.mark.parametrize(("scenario", "fix"), UNCOVERS, ids=name_of)
def test_a_right_fix_of_stacked_faults_uncovers_the_next(
    answers: Answers, scenario: Scenario, fix: Fix
) -> None:
    ends_as_it_says(answers.walked(scenario.tried(fix.id)), fix)


@pytest.mark.parametrize(("scenario", "fix"), ALONE, ids=name_of)
def test_one_fix_of_stacked_faults_alone_is_no_cure(
    answers: Answers, scenario: Scenario, fix: Fix
) -> None:
    report = answers.walked(scenario.patched([fix.id]))
    verdict = judge(report, answers.trained(scenario.twin, scenario), scenario)

    assert not verdict.cured
    assert "stage_fails" in verdict.missing


@pytest.mark.parametrize(("scenario", "fix"), WRONG, ids=name_of)
def test_a_wrong_fix_ends_as_it_says(answers: Answers, scenario: Scenario, fix: Fix) -> None:
    steps = steps_to(fix.ends_at, scenario)
    ends_as_it_says(answers.walked(scenario.tried(fix.id), steps), fix)


@pytest.mark.parametrize(("scenario", "fix"), HARMLESS, ids=name_of)
def test_a_change_that_a_decoy_does_not_need_does_no_harm(
    answers: Answers, scenario: Scenario, fix: Fix
) -> None:
    report = answers.walked(scenario.patched([fix.id]))

    assert report.outcome == "pass", report.findings


@pytest.mark.parametrize(("scenario", "cheat"), CHEATS, ids=name_of)
def test_a_cheat_is_refused(answers: Answers, scenario: Scenario, cheat: Cheat) -> None:
    script, twin = scenario.cheated(cheat.id), answers.trained(scenario.twin, scenario)
    verdict = judge(answers.walked(script, steps=0), twin, scenario)
    if cheat.refused_by not in verdict.missing:
        verdict = judge(answers.glanced(script), twin, scenario)

    assert not verdict.cured
    assert cheat.refused_by in verdict.missing


def ends_as_it_says(report: Report, fix: Fix) -> None:
    assert report.first_failing_stage == fix.ends_at
    assert fix.code in [f.code for f in report.findings]


def judged(answers: Answers, scenario: Scenario, script: str) -> Verdict:
    report = answers.trained(script, scenario)
    return judge(report, answers.trained(scenario.twin, scenario), scenario)
