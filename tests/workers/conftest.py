"""Engines for the tests: a light one with toys, and one with the real libraries."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from debugger import frameworks
from debugger.outcome import Event, Outcome
from debugger.run import Run
from debugger.workers.local import LocalEngine

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # the zygote takes over this path and finds the toys on it

Ask = Callable[..., list[Event]]


@pytest.fixture(scope="module")
def toys_need_no_framework() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frameworks, "installed", lambda name: True)
        yield


@pytest.fixture
def make_engine(tmp_path: Path) -> Iterator[Callable[..., LocalEngine]]:
    made: list[LocalEngine] = []

    def make(**changed: Any) -> LocalEngine:
        given = {"workers": 2, "seconds": 20.0, "memory_mb": 600, "data_dir": tmp_path / "data"}
        light = {"perform": "toys:perform", "preload": {"pytorch": ("toys",)}}
        made.append(LocalEngine(**{**given, **light, **changed}))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    data = tmp_path_factory.mktemp("engine")
    with LocalEngine(2, 20, 600, data, "toys:perform", preload={"pytorch": ("toys",)}) as engine:
        yield engine


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    data = tmp_path_factory.mktemp("real")
    with LocalEngine(2, 60, 3000, data, "toys:perform") as engine:
        yield engine


@pytest.fixture
def ask() -> Ask:
    def ask(engine: LocalEngine, script: str, **fields: Any) -> list[Event]:
        events = list(engine.events(Run(script, device=fields.pop("device", "cpu"), **fields)))
        assert isinstance(events[-1], Outcome)
        assert sum(isinstance(event, Outcome) for event in events) == 1
        return events

    return ask
