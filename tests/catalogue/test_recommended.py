"""Every check that a hint recommends is answered on its scenario, as the hint says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from debugger import catalogue, frameworks
from debugger.answer import answer_of
from debugger.catalogue import Scenario
from debugger.run import Run
from debugger.web.visit import MOST_CHECK
from debugger.workers.local import LocalEngine

OFFERED = [scenario for scenario in catalogue.every() if scenario.recommended]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    with LocalEngine(1, 120, 3000, tmp_path_factory.mktemp("asked")) as engine:
        yield engine


@pytest.mark.proof
@pytest.mark.parametrize("scenario", OFFERED, ids=lambda scenario: scenario.id)
def test_a_recommended_check_is_answered(engine: LocalEngine, scenario: Scenario) -> None:
    if not frameworks.installed(scenario.framework):
        pytest.skip(f"{scenario.framework} is not installed")
    for one in scenario.recommended:
        assert len(one.check) <= MOST_CHECK
        run = Run(scenario.script, device="cpu", typed=True, check=one.check.strip())
        answer = answer_of(engine.events(run))
        told = f"{one.check}\n{answer.text}{answer.end}{answer.finding}"
        assert answer.finding is None, told
        assert answer.outcome == ("fail" if one.raises else "pass"), told
        if one.raises:
            assert f"{one.raises}: " in answer.text + answer.end, told
        else:
            assert answer.text.strip(), told


def test_hints_in_many_scenarios_recommend_checks() -> None:
    assert {scenario.framework for scenario in OFFERED} == {"pytorch", "keras"}
    assert len(OFFERED) > len(catalogue.every()) / 2
