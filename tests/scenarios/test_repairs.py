"""The judge accepts any right repair: three for each scenario that its list of fixes does not hold.

They stand in `repairs/<id>.toml`, written as fixes are. The first of each scenario, and all where
the fault lies in the training, memorise a batch and train one step beside the twin. What the others
write differently ends before the training, which is the twin's: so the twin's stands in for it.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

import scenarios
from debugger.judge import judge
from debugger.report import Report, gather
from debugger.run import ALL, Run
from debugger.workers.local import LocalEngine
from scenarios import Fix, Scenario

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent / "repairs"
ENOUGH = 3
IN_TRAINING = ("step", "overfit", "train")
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


def trains(scenario: Scenario, name: str) -> bool:
    return scenario.first_stage in IN_TRAINING or name == next(iter(REPAIRED[scenario.id]))


def asked(scenario: Scenario) -> list[Run]:
    """The twin, then each repair."""
    repairs = [
        Run(text, ALL, device="cpu", steps=int(trains(scenario, name)))
        for name, text in REPAIRED[scenario.id].items()
    ]
    return [Run(scenario.twin, ALL, device="cpu", steps=1), *repairs]


@pytest.fixture(scope="module")
def answers(
    tmp_path_factory: pytest.TempPathFactory, chosen: set[str]
) -> Iterator[dict[Run, Future[Report]]]:
    """The answer to each distinct run, asked for as many at once as there are cores."""
    cores = os.cpu_count() or 1
    runs = [run for scenario in FAULTY if scenario.id in chosen for run in asked(scenario)]
    folder = tmp_path_factory.mktemp("clinic")
    with LocalEngine(cores, 600, 4000, folder) as engine, ThreadPoolExecutor(cores) as threads:
        yield {
            run: threads.submit(lambda run: gather(engine.events(run)), run)
            for run in dict.fromkeys(runs)
        }


def with_training_of(twin: Report, report: Report) -> Report:
    theirs = {name: twin.stage(name) for name in ("overfit", "train")}
    return replace(report, stages=tuple(theirs.get(s.stage, s) for s in report.stages))


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
    answers: dict[Run, Future[Report]], scenario: Scenario, name: str
) -> None:
    runs = dict(zip(("", *REPAIRED[scenario.id]), asked(scenario), strict=True))
    report, twin = (answers[runs[which]].result() for which in (name, ""))
    if not trains(scenario, name):
        assert report.stage("train").outcome == "not run"
        report = with_training_of(twin, report)
    verdict = judge(report, twin, scenario)

    assert verdict.cured, (verdict, report.findings)
