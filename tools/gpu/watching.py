"""A plugin of pytest: each test's result is kept as it comes, and none starts too late."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tools.gpu.kept import Clock, Kept
from tools.gpu.needs import Machine

SECONDS, FOLDER, MACHINE = "GPU_DAY_SECONDS", "GPU_DAY_FOLDER", "GPU_DAY_MACHINE"


class Watch:
    def __init__(self, kept: Kept, clock: Clock) -> None:
        self._kept, self._clock = kept, clock
        self._longest, self._alone = 1.0, True
        self._so_far: dict[str, Any] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if self._is_to_run(item.nodeid)]

    def _is_to_run(self, name: str) -> bool:
        """One that was ended with its process is tried again, unless it had all the time alone."""
        kept = self._kept.items.get(name)
        return kept is None or (kept["outcome"] == "unfinished" and not kept["alone"])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        if self._clock.left < self._longest:
            item.session.shouldstop = "the time is over; the rest comes the next time"
            return True
        begun = {"outcome": "unfinished", "seconds": 0.0, "said": "", "alone": self._alone}
        self._kept.keep(item.nodeid, begun)
        self._alone = False
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The worst of set-up, call and tear-down; a test is kept when it is torn down."""
        if report.when == "setup":
            self._so_far = {"outcome": "passed", "seconds": 0.0, "said": ""}
        self._so_far["seconds"] = round(self._so_far["seconds"] + report.duration, 2)
        if report.outcome != "passed":
            said = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
            self._so_far |= {"outcome": report.outcome, "said": said[-3000:]}
        if report.when == "teardown":
            self._kept.keep(report.nodeid, self._so_far)
            self._longest = max(self._longest, self._so_far["seconds"])


def pytest_configure(config: pytest.Config) -> None:
    machine = Machine(**json.loads(os.environ[MACHINE]))
    kept = Kept(Path(os.environ[FOLDER]), "tests", machine)
    config.pluginmanager.register(Watch(kept, Clock(float(os.environ[SECONDS]), margin=0)))
