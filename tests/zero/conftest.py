"""ZeroGPU on a machine that has none: what lends is an imitation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from debugger import frameworks, settings
from debugger.settings import Settings
from debugger.workers import lease
from debugger.workers.local import LocalEngine

HERE = Path(__file__).parent
LENDING = HERE / "lending"
TOYS = HERE.parent / "workers"


@pytest.fixture
def spaces(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(LENDING))
    monkeypatch.syspath_prepend(str(TOYS))
    monkeypatch.delitem(sys.modules, "spaces", raising=False)
    lent = import_module("spaces")
    yield lent
    sys.modules.pop("spaces", None)
    import gradio

    monkeypatch.setattr(gradio.Blocks, "launch", lent._launch)


@pytest.fixture
def zero(tmp_path: Path) -> Settings:
    given = {"SPACES_ZERO_GPU": "true", "CLINIC_DATA_DIR": str(tmp_path / "data")}
    return settings.read(given)


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is lent a GPU starts an engine with toys, which needs no framework."""

    @contextmanager
    def started(given: Settings, perform: str) -> Iterator[LocalEngine]:
        preload = {"pytorch": ("toys",)}
        about = given.workers, given.time_limit, 600, given.data_dir, perform
        with LocalEngine(*about, preload=preload) as engine:
            yield engine

    monkeypatch.setattr(lease, "started", started)
    monkeypatch.setattr(frameworks, "installed", lambda name: True)
