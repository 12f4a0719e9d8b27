"""No wrong edit is cured, no right one refused. More of them, and others:

EDITS=300 EDITS_SEED=7 python -m pytest -m proof tests/verdict/test_edits.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from debugger import catalogue
from debugger.catalogue.scenario import Fix, Replacement
from debugger.judge import judge
from debugger.report import Report, gather
from debugger.run import WALK, Run
from debugger.workers.local import LocalEngine
from debugger.workers.sharing import Shared
from tests.verdict.cases import SMALL, page, typed
from tests.verdict.edits import Edit, edits

SEED = int(os.environ.get("EDITS_SEED", "1"))
OF_SMALL, OF_CATALOGUE = (int(os.environ.get("EDITS", most)) for most in ("60", "12"))
SCENARIOS = 3
WRONG = {
    "one label": ("num_labels=2", "num_labels=1"),
    "four labels": ("num_labels=2", "num_labels=4"),
    "other rows": ("rows(600, 1)", "rows(600, 3)"),
    "fewer rows": ("rows(600, 1)", "rows(60, 1)"),
    "two labels alone": ("draw.integers(0, 3, count)", "draw.integers(0, 2, count)"),
    "a smaller rate": ("learning_rate=3e-3", "learning_rate=3e-4"),
}
SCENARIO = replace(
    SMALL["pytorch"],
    first_stage="forward",
    fixes=(
        *SMALL["pytorch"].fixes,
        *(
            Fix(name.replace(" ", "_"), False, (Replacement(*change),), "forward")
            for name, change in WRONG.items()
        ),
    ),
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    with LocalEngine(1, 300, 4000, tmp_path_factory.mktemp("edits")) as engine:
        yield engine


def wholly(engine: LocalEngine, seed: int, count: int) -> list[str]:
    """Those of so many edits that the page judges wrongly, each trained and weighed."""
    clinic = page(Shared(engine), SCENARIO)
    wrongly = []
    for edit in islice(edits([SCENARIO], seed), count):
        verdict = typed(clinic, SCENARIO, edit.script)
        if (verdict is not None and verdict.cured) != edit.right:
            wrongly.append(f"{edit.name}: {verdict}")
    return wrongly


@pytest.mark.proof
def test_a_few_edits_are_judged_for_what_they_do(engine: LocalEngine) -> None:
    assert wholly(engine, SEED, 3) == []


@pytest.mark.proof
def test_many_edits_are_judged_for_what_they_do(engine: LocalEngine) -> None:
    assert wholly(engine, SEED + 1, OF_SMALL) == []


@pytest.mark.proof
def test_edits_of_the_catalogue_are_judged_for_what_they_do(engine: LocalEngine) -> None:
    """Up to their training: what only that can tell is not among them."""
    twins: dict[str, Report] = {}
    wrongly = []
    for edit in islice(_of_the_catalogue(), OF_CATALOGUE):
        scenario = edit.scenario
        if scenario.id not in twins:
            twins[scenario.id] = _walked(engine, scenario.twin)
        report = _walked(engine, edit.script)
        missing = _before_training(report, twins[scenario.id], edit)
        if bool(missing) == edit.right:
            wrongly.append(f"{edit.name}: {missing}, {report.first_failing_stage}")
    assert wrongly == []


@pytest.mark.proof
def test_what_was_typed_is_followed_to_its_last_training(engine: LocalEngine) -> None:
    scenario = catalogue.find("trained_twice")
    right, wrong = (
        _walked(engine, scenario.tried(fix).replace("First", "The first"))
        for fix in ("load_it_again", "another_folder")
    )
    assert [one.first_failing_stage for one in (right, wrong)] == [None, scenario.first_stage]
    assert "trains_before" in {finding.code for finding in right.findings}
    twin = _as_if_trained(_walked(engine, scenario.twin))
    assert judge(_as_if_trained(right), twin, scenario).missing == ("not_trained",)


def _of_the_catalogue() -> Iterator[Edit]:
    torch = [
        s for s in catalogue.every() if s.framework == "pytorch" and not s.decoy and not s.needs
    ]
    first = (SEED * SCENARIOS) % len(torch)
    chosen = (torch + torch)[first : first + max(SCENARIOS, OF_CATALOGUE // 6)]
    return (edit for edit in edits(chosen, SEED) if edit.told_early)


def _walked(engine: LocalEngine, script: str) -> Report:
    return gather(engine.events(Run(script, WALK, device="cpu", steps=0, typed=True)))


def _before_training(report: Report, twin: Report, edit: Edit) -> list[str]:
    """What is missing but the training, which no such walk has, nor that of the twin."""
    here, there = _as_if_trained(report), _as_if_trained(twin)
    missing = judge(here, there, edit.scenario).missing
    return [code for code in missing if code != "not_trained"]


def _as_if_trained(report: Report) -> Report:
    stages = tuple(
        replace(one, outcome="pass") if one.stage in ("overfit", "train") else one
        for one in report.stages
    )
    return replace(report, stages=stages)
