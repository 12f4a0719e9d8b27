"""Scripts that want to be called cured: only those are that repair what was broken."""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Iterator

import pytest

from debugger.catalogue import Scenario
from debugger.outcome import Accepted, Shown, to_json
from debugger.run import Run
from debugger.stages.train import ENOUGH_STEPS
from debugger.workers.local import LocalEngine
from debugger.workers.sharing import Shared
from tests.verdict.cases import SMALL, page, typed
from tests.verdict.cheats import BEFORE, HEAD, INSTEAD, ONLY_BY_ITS_WEIGHTS, WORSE

FRAMEWORKS = ["pytorch", "keras"] if os.environ.get("TF_USE_LEGACY_KERAS") == "1" else ["pytorch"]
OF_A_TRAINER = {
    name for name, cheat in (BEFORE | INSTEAD).items() if "Trainer" in cheat or "leave(" in cheat
}
QUICK = {"the story, and weights as they began", "every ending is a pass", "an outcome alone"}
Shelf = tuple[Shared, Scenario, str]


@pytest.fixture(scope="module", params=FRAMEWORKS)
def shelf(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shelf]:
    """An engine, a scenario, and what a cheat begins with."""
    scenario = SMALL[request.param]
    with LocalEngine(2, 120, 4000, tmp_path_factory.mktemp("verdict")) as engine:
        story = {stage: _told(engine, scenario, stage) for stage in ("walk", "train")}
        packed = base64.b85encode(zlib.compress(json.dumps(story).encode(), 9)).decode()
        head = HEAD.format(story=packed, framework=request.param)
        yield Shared(engine), scenario, head


def _told(engine: LocalEngine, scenario: Scenario, stage: str) -> list[object]:
    """What the twin's own process says, which is all but what is said about it."""
    steps = ENOUGH_STEPS if stage == "train" else scenario.checks.steps
    events = engine.events(Run(scenario.twin, stage, device="cpu", steps=steps))  # type: ignore[arg-type]
    told = [json.loads(to_json(one)) for one in events if not isinstance(one, Accepted | Shown)]
    return told[1:]  # the real one has said already that it begins


def refused(shelf: Shelf, name: str, text: str) -> bool:
    """Whether the page does not call it cured, and for the right reason where its run does."""
    shared, scenario, _ = shelf
    verdict = typed(page(shared, scenario), scenario, text)
    if verdict is None or name not in ONLY_BY_ITS_WEIGHTS:
        return verdict is None or not verdict.cured
    # A story may also be told sooner than it can have happened: then its run is ended.
    return verdict.missing in ((ONLY_BY_ITS_WEIGHTS[name],), ("weights_cut_off",))


def cheats(kind: dict[str, object]) -> list[object]:
    return [
        pytest.param(name, marks=[] if name in QUICK else [pytest.mark.proof], id=name)
        for name in kind
    ]


@pytest.mark.proof
def test_an_honest_repair_is_cured_by_what_it_learned(shelf: Shelf) -> None:
    shared, scenario, _ = shelf
    verdict = typed(page(shared, scenario), scenario, scenario.twin + "\n# in my own words\n")
    assert verdict is not None
    assert verdict.cured
    assert verdict.proof["share"] > 0.8


@pytest.mark.parametrize("name", cheats({**INSTEAD}))
def test_no_story_is_a_cure(shelf: Shelf, name: str) -> None:
    if shelf[1].framework == "keras" and name in OF_A_TRAINER:
        pytest.skip("of a Trainer's script")
    assert refused(shelf, name, _first_imports(shelf[1]) + shelf[2] + INSTEAD[name])


@pytest.mark.parametrize("name", cheats({**BEFORE}))
def test_no_checker_is_talked_into_a_cure(shelf: Shelf, name: str) -> None:
    if shelf[1].framework == "keras" and name in OF_A_TRAINER:
        pytest.skip("of a Trainer's script")
    assert refused(shelf, name, shelf[2] + BEFORE[name] + "\n" + shelf[1].script)


@pytest.mark.parametrize("name", cheats({**WORSE}))
def test_a_twin_made_worse_is_no_cure(shelf: Shelf, name: str) -> None:
    _, scenario, head = shelf
    if scenario.framework == "keras":
        pytest.skip("of a Trainer's script")
    before, old, new = WORSE[name]
    assert scenario.twin.count(old) == 1
    assert refused(shelf, name, head + before + scenario.twin.replace(old, new))


def _first_imports(scenario: Scenario) -> str:
    """What tells a Trainer's script from one of Keras, for a cheat that needs neither."""
    return (
        "from transformers import Trainer\n"
        if scenario.framework == "pytorch"
        else "import tf_keras\n"
    )
