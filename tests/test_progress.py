"""The line that tells how far the tests are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests import progress


def item(name: str, *marks: str) -> Any:
    return SimpleNamespace(nodeid=name, get_closest_marker=lambda mark: mark in marks or None)


def test_a_newcomer_is_told_how_many_there_are_and_about_how_long_they_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    reporter: Any = SimpleNamespace(ensure_newline=lambda: None, write_line=said.append)
    clock = iter([0.0, 0.0, 10.0, 140.0, 140.0, 140.0])
    monkeypatch.setattr(progress, "CORES", 2)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    items = [item("quick"), *(item(f"slow {number}", "slow") for number in range(60))]
    told = progress.Progress(items, reporter)
    told.pytest_runtest_logfinish("quick")
    told.pytest_runtest_logfinish("slow 0")

    start, later = said
    assert start == "61 tests, about 3 min on 2 cores"
    assert later == "2 of 61, about 9 min left"
